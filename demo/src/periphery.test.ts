import {
  type AbiParameter,
  type Address,
  hexToString,
  parseEventLogs,
  serializeErc6492Signature,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountAddress, addressOf, demoAccount } from "./accounts.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { connectChain, type DemoChain, deploy, execute, read } from "./chain.ts";
import {
  deployAsyncVault,
  deployBytes32Token,
  deployContractWalletFactory,
  deployErc4626Vault,
  deployNamelessToken,
  deployPriceFeed,
  deployToken,
  emitRawLog,
  enableRawLogs,
  ensureMulticall3,
  predictContractWallet,
} from "./deploy.ts";
import { encodeEvent, readEventTable } from "./events.ts";
import { depositAssets, mintTokens } from "./operate.ts";

const OWNER = accountAddress(0);
const ALICE = accountAddress(10);

let anvil: Anvil;
let chain: DemoChain;
let dai: Address;

beforeAll(async () => {
  anvil = await startAnvil();
  chain = await connectChain(anvil.rpcUrl);
  dai = await deployToken(chain, { name: "Dai", symbol: "DAI", decimals: 18 });
});

afterAll(() => anvil.stop());

test("tokens tell their symbol as a string, as bytes32, or not at all", async () => {
  const old = await deployBytes32Token(chain, { name: "Maker", symbol: "MKR", decimals: 18 });
  const symbol = await read<`0x${string}`>(chain, {
    contract: "Bytes32Token",
    address: old,
    functionName: "symbol",
  });
  expect(hexToString(symbol, { size: 32 })).toBe("MKR");
  const nameless = await deployNamelessToken(chain, 8);
  const call = { contract: "NamelessToken", address: nameless };
  await expect(read(chain, { ...call, functionName: "symbol" })).rejects.toThrow();
  expect(await read(chain, { ...call, functionName: "decimals" })).toBe(8);
});

test("a plain vault's shares have more decimals than its asset, and yield raises their price", async () => {
  const usdc = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  const vault = await deployErc4626Vault(chain, {
    asset: usdc,
    name: "Plain",
    symbol: "pl",
    decimalsOffset: 12,
    owner: OWNER,
  });
  const call = { contract: "Erc4626Vault", address: vault };
  expect(await read(chain, { ...call, functionName: "decimals" })).toBe(18);
  expect(await read(chain, { ...call, functionName: "owner" })).toBe(OWNER);
  await depositAssets(chain, { vault, asset: usdc }, ALICE, 1_000_000_000n);
  const price = { ...call, functionName: "convertToAssets", args: [10n ** 18n] };
  expect(await read(chain, price)).toBe(1_000_000n);
  await mintTokens(chain, usdc, vault, 100_000_000n);
  expect(await read(chain, price)).toBe(1_099_999n);
});

test("an ERC-7540 vault takes both ways by request, and can be paused", async () => {
  const vault = await deployAsyncVault(chain, { asset: dai, name: "Async", symbol: "as", owner: OWNER });
  const call = { contract: "AsyncVault", address: vault };
  for (const id of ["0x01ffc9a7", "0xe3bc4e65", "0xce3bbe50", "0x620ee8e4", "0x2f0a18c5"]) {
    expect(await read(chain, { ...call, functionName: "supportsInterface", args: [id] })).toBe(true);
  }
  const as = (from: Address, functionName: string, ...args: readonly unknown[]) =>
    execute(chain, { ...call, functionName, args, from });
  await mintTokens(chain, dai, ALICE, 1000n);
  await execute(chain, {
    contract: "Token",
    address: dai,
    functionName: "approve",
    args: [vault, 1000n],
    from: ALICE,
  });
  await as(ALICE, "requestDeposit", 1000n, ALICE, ALICE);
  expect(await read(chain, { ...call, functionName: "totalAssets" })).toBe(0n);
  await as(OWNER, "fulfillDeposits", [ALICE]);
  await as(ALICE, "mint", 1000n, ALICE, ALICE);
  expect(await read(chain, { ...call, functionName: "balanceOf", args: [ALICE] })).toBe(1000n);
  await as(OWNER, "pause");
  await expect(as(ALICE, "requestRedeem", 400n, ALICE, ALICE)).rejects.toThrow("EnforcedPause");
  await as(OWNER, "unpause");
  await as(ALICE, "requestRedeem", 400n, ALICE, ALICE);
  await as(OWNER, "fulfillRedeems", [ALICE]);
  await as(ALICE, "redeem", 400n, ALICE, ALICE);
  expect(
    await read(chain, { contract: "Token", address: dai, functionName: "balanceOf", args: [ALICE] }),
  ).toBe(400n);
  expect(await read(chain, { ...call, functionName: "totalAssets" })).toBe(600n);
});

test("a cancelled deposit request gives its assets back", async () => {
  const vault = await deployAsyncVault(chain, { asset: dai, name: "Async", symbol: "as", owner: OWNER });
  const bob = accountAddress(11);
  await mintTokens(chain, dai, bob, 500n);
  const as = (contract: string, address: Address, functionName: string, ...args: readonly unknown[]) =>
    execute(chain, { contract, address, functionName, args, from: bob });
  await as("Token", dai, "approve", vault, 500n);
  await as("AsyncVault", vault, "requestDeposit", 500n, bob, bob);
  await as("AsyncVault", vault, "cancelDepositRequest", 0n, bob);
  await as("AsyncVault", vault, "claimCancelDepositRequest", 0n, bob, bob);
  expect(await read(chain, { contract: "Token", address: dai, functionName: "balanceOf", args: [bob] })).toBe(
    500n,
  );
});

test("a price feed answers as Chainlink's do", async () => {
  const feed = await deployPriceFeed(chain, { description: "DAI / USD", answer: 99_990_000n });
  const call = { contract: "PriceFeed", address: feed };
  await execute(chain, { ...call, functionName: "set", args: [100_010_000n, 1_700_000_000n], from: OWNER });
  const [roundId, answer, , updatedAt] = await read<readonly bigint[]>(chain, {
    ...call,
    functionName: "latestRoundData",
  });
  expect([roundId, answer, updatedAt]).toEqual([2n, 100_010_000n, 1_700_000_000n]);
  expect(await read(chain, { ...call, functionName: "decimals" })).toBe(8);
});

test("a contract wallet signs with its owner's key, before and after it is deployed", async () => {
  const factory = await deployContractWalletFactory(chain);
  const salt = toHex(1, { size: 32 });
  const { wallet, deployCalldata } = await predictContractWallet(chain, factory, OWNER, salt);
  const signature = await privateKeyToAccount(demoAccount(0).privateKey).signMessage({ message: "hello" });
  const wrapped = serializeErc6492Signature({ address: factory, data: deployCalldata, signature });
  expect(await chain.client.verifyMessage({ address: wallet, message: "hello", signature: wrapped })).toBe(
    true,
  );
  expect(await chain.client.verifyMessage({ address: wallet, message: "other", signature: wrapped })).toBe(
    false,
  );
  await execute(chain, {
    contract: "ContractWalletFactory",
    address: factory,
    functionName: "deploy",
    args: [OWNER, salt],
    from: ALICE,
  });
  expect(await chain.client.verifyMessage({ address: wallet, message: "hello", signature })).toBe(true);
  const stranger = await privateKeyToAccount(demoAccount(3).privateKey).signMessage({ message: "hello" });
  expect(await chain.client.verifyMessage({ address: wallet, message: "hello", signature: stranger })).toBe(
    false,
  );
});

test("reads are batched through Multicall3 at its own address", async () => {
  await ensureMulticall3(chain);
  const abi = chain.artifacts.Token?.abi ?? [];
  const contracts = [
    { abi, address: dai, functionName: "symbol" },
    { abi, address: dai, functionName: "nothing" },
  ];
  const [symbol] = await chain.client.multicall({ contracts: contracts.slice(0, 1), allowFailure: false });
  expect(symbol).toBe("DAI");
});

test("every event of the table can be emitted, from an emitter and from a contract that stands", async () => {
  const vault = await deployErc4626Vault(chain, { asset: dai, name: "Plain", symbol: "pl" });
  await depositAssets(chain, { vault, asset: dai }, ALICE, 1000n);
  await enableRawLogs(chain, vault);
  const emitter = await deploy(chain, "LogEmitter");
  for (const [index, { abi, signature, topic }] of readEventTable().entries()) {
    const log = encodeEvent(signature, abi.inputs.map(sampleOf));
    const receipt = await emitRawLog(chain, index % 2 === 0 ? vault : emitter, log);
    expect(receipt.logs[0]?.topics[0]).toBe(topic);
    const [decoded] = parseEventLogs({ abi: [abi], logs: receipt.logs });
    expect(decoded?.eventName).toBe(abi.name);
  }
  const supply = { contract: "Erc4626Vault", address: vault, functionName: "totalSupply" };
  expect(await read(chain, supply)).toBe(1000n);
});

function sampleOf(input: AbiParameter): unknown {
  const samples: Record<string, unknown> = {
    address: addressOf("stranger"),
    bool: true,
    bytes: "0x1234",
    bytes32: toHex(7, { size: 32 }),
    string: "text",
    uint8: 2,
    uint16: 3,
    uint64: 2n ** 60n,
    uint256: 2n ** 200n,
  };
  if (input.type.endsWith("[]")) return [samples[input.type.slice(0, -2)]];
  return samples[input.type];
}
