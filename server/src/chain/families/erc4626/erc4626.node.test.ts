import { type Address, encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, mine } from "../../../../../demo/src/chain.ts";
import { type Artifacts, artifactOf } from "../../../../../demo/src/compile.ts";
import {
  deployAsyncVault,
  deployBytes32Token,
  deployNamelessToken,
  deployToken,
  ensureMulticall3,
} from "../../../../../demo/src/deploy.ts";
import { mintTokens } from "../../../../../demo/src/operate.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import {
  type ConformanceSubject,
  describeConformance,
  directoryOf,
} from "../../../../test/family-conformance.ts";
import { knownVault } from "../../../../test/family-follower.ts";
import { compileForeignContracts } from "../../../../test/foreign-contracts.ts";
import { deployArtifact, startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client/client.ts";
import { readTokens } from "../../client/tokens.ts";
import type { KnownVault, Source } from "../../directory.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { createFamilies } from "../registry.ts";

const family = createFamilies(silentLog).erc4626;
const owner = addressOf("deployer");
const holder = demoAccount(11).address;

let chain: TestChain;
let client: ChainClient;
let foreign: Artifacts;
let subject: ConformanceSubject;

beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  foreign = await compileForeignContracts();
  client = createChainClient({
    chainId: chain.chainId,
    name: "Test",
    rpcUrls: [chain.rpcUrl],
    log: silentLog,
    maxAnswerBytes: 600_000,
  });
  const dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const vault = await ozVault(dollar, 6, 0);
  const offset = await ozVault(dollar, 6, 12);
  await deposit(vault, 5_000_000n);
  await deposit(offset, 7_000_000n);
  const hostile: KnownVault[] = [];
  for (const harm of [0n, 1n, 2n, 3n]) {
    const address = await deployArtifact(chain, foreign, "HostileVault", [dollar, harm]);
    hostile.push(known(address, dollar, 6, 18));
  }
  await chain.client.setBlockGasLimit({ gasLimit: 30_000_000n });
  await mine(chain);
  const at = await head();
  subject = {
    family,
    client,
    vaults: [vault, offset],
    at,
    hostile,
    notAVault: dollar,
    logs: await logsOf(at.number, [vault.address, offset.address]),
    change: async () => {
      await deposit(vault, 1_000_000n);
    },
  };
});
afterAll(async () => {
  await client?.close();
  await chain?.stop();
});

describeConformance("erc4626", async () => subject);

describe("vaults from code that is not of this project", () => {
  test.each([
    ["OpenZeppelin, asset of 6 decimals", "OzVault", 6, 0],
    ["OpenZeppelin, asset of 6 decimals, shares of 18", "OzVault", 6, 12],
    ["OpenZeppelin, asset of 18 decimals, shares of 21", "OzVault", 18, 3],
    ["solady, asset of 6 decimals", "SoladyVault", 6, 0],
    ["solady, asset of 6 decimals, shares of 18", "SoladyVault", 6, 12],
    ["solady, asset of 18 decimals", "SoladyVault", 18, 0],
  ])("%s: one asset unit a share, then a tenth more", async (_title, contract, decimals, offset) => {
    const asset = await deployToken(chain, { name: "Asset", symbol: "AST", decimals });
    const vault =
      contract === "OzVault"
        ? await ozVault(asset, decimals, offset)
        : await soladyVault(asset, decimals, offset);
    const unit = 10n ** BigInt(decimals);
    const description = await family.describe(client, identityOf(vault), "latest");
    expect(description).toMatchObject({ asset, assetDecimals: decimals, shareDecimals: decimals + offset });
    expect(description.symbol).toBe(contract === "OzVault" ? "vAST" : "sVLT");

    const [empty] = await family.read(client, [vault], "latest");
    expect(empty).toMatchObject({ pps: null, ppsDecimals: decimals, totalAssets: 0n, totalSupply: 0n });

    await deposit(vault, 1000n * unit);
    const [full] = await family.read(client, [vault], "latest");
    expect(full).toMatchObject({
      pps: unit,
      totalAssets: 1000n * unit,
      totalSupply: 1000n * 10n ** BigInt(decimals + offset),
      freeAssets: 1000n * unit,
      lastPpsUpdate: null,
      ppsExpirationSeconds: null,
      upkeep: null,
      fees: null,
    });

    // A gift to the vault raises the price of every share.
    await mintTokens(chain, asset, vault.address, 100n * unit);
    const [raised] = await family.read(client, [vault], "latest");
    const expected = (unit * 11n) / 10n;
    expect(raised!.totalAssets).toBe(1100n * unit);
    expect(raised!.pps! - expected <= 0n && expected - raised!.pps! <= 2n).toBe(true);
  });

  test("the price of an asset of two decimals is known to eighteen digits more", async () => {
    const asset = await deployToken(chain, { name: "Cents", symbol: "CNT", decimals: 2 });
    const vault = await ozVault(asset, 2, 0);
    expect((await family.read(client, [vault], "latest"))[0]).toMatchObject({ pps: null, ppsE18: null });
    await deposit(vault, 300_000n);
    await mintTokens(chain, asset, vault.address, 33n);
    const [reading] = await family.read(client, [vault], "latest");
    // OpenZeppelin's rounding: (assets + 1) / (supply + 1), each share a hundred cents.
    const ppsE18 = (100n * 10n ** 18n * 300_034n) / 300_001n;
    expect(reading).toMatchObject({ pps: 100n, ppsE18 });
    expect(ppsE18).toBeGreaterThan(100n * 10n ** 18n);
  });

  test("a pause, roles and owner are read and decoded where they appear", async () => {
    const asset = await deployToken(chain, { name: "Asset", symbol: "AST", decimals: 6 });
    const vault = await ozVault(asset, 6, 0);
    const from = Number((await chain.client.getBlockNumber()) + 1n);
    const role: Hex = `0x${"01".repeat(32)}`;
    await call(vault.address, "pause", []);
    expect((await family.read(client, [vault], "latest"))[0]).toMatchObject({
      isPaused: true,
      managers: { primary: owner, secondary: [] },
    });
    await call(vault.address, "unpause", []);
    await call(vault.address, "grantRole", [role, holder]);
    await call(vault.address, "revokeRole", [role, holder]);
    await call(vault.address, "transferOwnership", [holder]);
    const facts = (await logsOf(await headNumber(), [vault.address], from)).map((log) =>
      family.decode(log, directoryOf([vault])),
    );
    expect(facts.map((fact) => [fact?.body, fact?.actor])).toEqual([
      [{ kind: "vault_paused", account: owner }, owner],
      [{ kind: "vault_unpaused", account: owner }, owner],
      [{ kind: "role_granted", role, account: holder, sender: owner }, owner],
      [{ kind: "role_revoked", role, account: holder, sender: owner }, owner],
      [{ kind: "ownership_transferred", previousOwner: owner, newOwner: holder }, null],
    ]);
    expect((await family.read(client, [vault], "latest"))[0]!.managers.primary).toBe(holder);
    const configured = { ...vault, configuredPrimary: owner };
    expect((await family.read(client, [configured], "latest"))[0]!.managers.primary).toBe(owner);
    expect((await family.describe(client, identityOf(configured), "latest")).managers.primary).toBe(owner);
  });

  test("deposits, withdrawals and shares made and destroyed are facts; transfers between holders are left out", async () => {
    const asset = await deployToken(chain, { name: "Asset", symbol: "AST", decimals: 6 });
    const vault = await ozVault(asset, 6, 0);
    const from = Number((await chain.client.getBlockNumber()) + 1n);
    await deposit(vault, 500n);
    await call(vault.address, "transfer", [owner, 100n], holder);
    await call(vault.address, "redeem", [50n, owner, owner], owner);
    const facts = (await logsOf(await headNumber(), [vault.address], from)).flatMap(
      (log) => family.decode(log, directoryOf([vault]))?.body ?? [],
    );
    expect(facts).toEqual([
      { kind: "shares_minted", to: holder, shares: 500n },
      { kind: "deposit", sender: holder, owner: holder, assets: 500n, shares: 500n },
      { kind: "shares_burned", from: owner, shares: 50n },
      { kind: "withdraw", sender: owner, receiver: owner, owner, assets: 50n, shares: 50n },
    ]);
  });
});

describe("ERC-7540", () => {
  test("an asynchronous vault is known as one and read", async () => {
    const asset = await deployToken(chain, { name: "Asset", symbol: "AST", decimals: 6 });
    const address = await deployAsyncVault(chain, { asset, name: "Async", symbol: "aVLT", owner });
    const vault = known(address, asset, 6, 6);
    const description = await family.describe(client, identityOf(vault), "latest");
    expect(description).toMatchObject({
      name: "Async",
      capabilities: { erc7540_deposit: true, erc7540_redeem: true, erc7575: true },
      managers: { primary: owner },
    });
    const [reading] = await family.read(
      client,
      [{ ...vault, capabilities: description.capabilities }],
      "latest",
    );
    expect(reading).toMatchObject({ pps: null, totalSupply: 0n, isPaused: false });
  });

  test("a contract that says yes to every interface is believed none", async () => {
    const [hostile] = subject.hostile;
    const { capabilities } = await family.describe(client, identityOf(hostile!), "latest");
    expect(capabilities).toEqual({ erc7540_deposit: false, erc7540_redeem: false, erc7575: false });
  });
});

describe("tokens", () => {
  test("bytes32, reverting and rude ones are read for what they are", async () => {
    const bytes32 = await deployBytes32Token(chain, { name: "Maker", symbol: "MKR", decimals: 18 });
    const nameless = await deployNamelessToken(chain, 8);
    const rude = await deployArtifact(chain, foreign, "RudeToken");
    const nobody: Address = `0x${"77".repeat(20)}`;
    const tokens = await readTokens(client, [bytes32, nameless, rude, nobody, bytes32], "latest");
    expect([...tokens.values()]).toEqual([
      { address: bytes32, name: "Maker", symbol: "MKR", decimals: 18 },
      { address: nameless, name: null, symbol: null, decimals: 8 },
      { address: rude, name: null, symbol: null, decimals: null },
      { address: nobody, name: null, symbol: null, decimals: null },
    ]);
  });

  test("a vault of a token without decimals or symbol is described all the same", async () => {
    const nameless = await deployNamelessToken(chain, 8);
    const eight = await ozVault(nameless, 8, 0);
    expect(await family.describe(client, identityOf(eight), "latest")).toMatchObject({
      assetDecimals: 8,
      shareDecimals: 8,
    });
    const rude = await deployArtifact(chain, foreign, "RudeToken");
    const vault = await ozVault(rude, 18, 0);
    // As OpenZeppelin has it: without decimals they are taken to be 18.
    expect(await family.describe(client, identityOf(vault), "latest")).toMatchObject({
      assetDecimals: 18,
      shareDecimals: 18,
    });
  });
});

function known(address: Address, asset: Address, assetDecimals: number, shareDecimals: number): KnownVault {
  const source: Source = { family: "erc4626", address, governor: null, oracles: [] };
  return knownVault(source, address, asset, { assetDecimals, shareDecimals });
}

function identityOf(vault: KnownVault) {
  return {
    address: vault.address,
    strategy: null,
    source: vault.source,
    configuredPrimary: vault.configuredPrimary,
  };
}

async function ozVault(asset: Address, decimals: number, offset: number): Promise<KnownVault> {
  const address = await deployArtifact(chain, foreign, "OzVault", [asset, "Vault", "vAST", offset]);
  return known(address, asset, decimals, decimals + offset);
}

async function soladyVault(asset: Address, decimals: number, offset: number): Promise<KnownVault> {
  const address = await deployArtifact(chain, foreign, "SoladyVault", [asset, decimals, offset]);
  return known(address, asset, decimals, decimals + offset);
}

async function deposit(vault: KnownVault, assets: bigint): Promise<void> {
  await mintTokens(chain, vault.asset, holder, assets);
  await execute(chain, {
    contract: "Token",
    address: vault.asset,
    functionName: "approve",
    args: [vault.address, assets],
    from: holder,
  });
  await call(vault.address, "deposit", [assets, holder], holder);
}

async function call(
  address: Address,
  functionName: string,
  args: unknown[],
  from: Address = owner,
): Promise<void> {
  const { abi } = artifactOf(foreign, "OzVault");
  const data = encodeFunctionData({ abi, functionName, args });
  const hash = await chain.client.sendTransaction({
    account: from,
    to: address,
    data,
    gas: 1_000_000n,
    chain: null,
  });
  const { status } = await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (status !== "success") throw new Error(`${functionName} reverted`);
}

async function headNumber(): Promise<number> {
  return Number(await chain.client.getBlockNumber());
}

async function head() {
  const block = await chain.client.getBlock();
  return { number: Number(block.number), hash: block.hash };
}

async function logsOf(toBlock: number, addresses: Address[], fromBlock = 0): Promise<RawLog[]> {
  const logs: RawLog[] = [];
  for await (const chunk of client.logsInRange({ fromBlock, toBlock, addresses })) logs.push(...chunk.logs);
  return logs;
}
