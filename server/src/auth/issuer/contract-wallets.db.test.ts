// Contract wallets sign in: by ERC-1271 where they stand, by ERC-6492 where they are yet to be deployed, a Safe by what its owners
// approved, on a real node; and what that is worth elsewhere.
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute } from "../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../demo/src/compile.ts";
import { deployContractWalletFactory, predictContractWallet } from "../../../../demo/src/deploy.ts";
import { addBlocks, addChain, addVault, testAddress } from "../../../test/chain-rows.ts";
import { deployControllers, FALLBACK_HANDLER, SIGN_MESSAGE_LIB } from "../../../test/controllers.ts";
import { compileForeignContracts } from "../../../test/foreign-contracts.ts";
import {
  buildIdentityService,
  type IdentityGround,
  type IdentityService,
  layIdentityGround,
  sign,
  TEST_CHAIN,
} from "../../../test/identity.ts";
import { applyRoles, deployed } from "../../../test/role-facts.ts";
import { type ChainClient, createChainClient } from "../../chain/client/client.ts";
import { silentLogger } from "../../platform/log.ts";

const owner = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const salt = numberToHex(7, { size: 32 });
const OTHER_CHAIN = 10;
const VAULT = testAddress(900);

let anvil: Anvil;
let chain: DemoChain;
let client: ChainClient;
/** Whom the service asks; a test of an outage replaces it. */
let asked: ChainClient;
let factory: Address;
let ground: IdentityGround;
let service: IdentityService;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: TEST_CHAIN });
  [ground, chain] = await Promise.all([layIdentityGround(), connectChain(anvil.rpcUrl)]);
  client = createChainClient({
    chainId: TEST_CHAIN,
    name: "test",
    rpcUrls: [anvil.rpcUrl],
    log: silentLogger(),
  });
  factory = await deployContractWalletFactory(chain);
  service = await buildIdentityService({
    ground,
    publicUrl: "http://127.0.0.1:8080",
    verifyOnChain: (_chainId, address, typedData, signature) =>
      asked.verifyTypedData(address, typedData, signature),
  });
});
afterAll(async () => {
  await service.app.close();
  await client.close();
  await Promise.all([anvil.stop(), ground.remove()]);
});
beforeEach(() => {
  asked = client;
});

/** A Safe of the owner, and the library to which it delegates when its owners sign a message. */
async function deploySafe(): Promise<{ safe: Address; approve: (hash: Hex) => Promise<void> }> {
  const artifacts = await compileForeignContracts();
  const [from] = await chain.client.getAddresses();
  const place = async (name: string, args: readonly unknown[]) => {
    const { abi, bytecode } = artifactOf(artifacts, name);
    const hash = await chain.client.deployContract({ abi, bytecode, args, account: from as Address });
    return (await chain.client.waitForTransactionReceipt({ hash })).contractAddress as Address;
  };
  const safe = getAddress(await place("SafeLike", [from]));
  const library = await place("SignMessageLib", []);
  return {
    safe,
    async approve(hash) {
      const data = encodeFunctionData({
        abi: parseAbi(["function signMessage(bytes data)"]),
        args: [encodeAbiParameters([{ type: "bytes32" }], [hash])],
      });
      const { abi } = artifactOf(artifacts, "SafeLike");
      const call = { abi, address: safe, functionName: "execTransaction", args: [library, data, 1] };
      const sent = await chain.client.writeContract({ ...call, account: from as Address });
      const { status } = await chain.client.waitForTransactionReceipt({ hash: sent });
      expect(status).toBe("success");
    },
  };
}

test("a Safe signs in with 0x once its owners approved the challenge in a transaction, and not before", async () => {
  const { safe, approve } = await deploySafe();
  const challenge = await service.challengeFor(safe);
  const ask = () =>
    service.post("token", { address: safe, challenge_id: challenge.challenge_id, signature: "0x" });
  expect((await ask()).body.code).toBe("sign_in_refused");
  await approve(challenge.hash);
  const { status, body } = await ask();
  expect(status).toBe(200);
  expect((await service.me(body.token)).body).toMatchObject({
    wallet_address: safe,
    limited_to_chain_id: TEST_CHAIN,
  });
  // Of another challenge nothing was approved; and where no contract stands an empty signature is nobody's.
  const other = await service.challengeFor(safe);
  const again = { address: safe, challenge_id: other.challenge_id, signature: "0x" };
  expect((await service.post("token", again)).body.code).toBe("sign_in_refused");
  const empty = await service.challengeFor(stranger.address);
  const nobody = { address: stranger.address, challenge_id: empty.challenge_id, signature: "0x" };
  expect((await service.post("token", nobody)).body.code).toBe("sign_in_refused");
});

test("the published Safe signs in and finds its role: by what two owners approved in a transaction, or by their signatures", async () => {
  const { db } = ground.database;
  const { accounts, deploySafe: deploy, execute: executeBy } = await deployControllers(chain);
  const [anne, ben] = accounts as [Address, Address];
  const safe = await deploy([anne, ben], 2, undefined, FALLBACK_HANDLER);
  const ofKeys = await deploy([owner.address, stranger.address], 2, undefined, FALLBACK_HANDLER);
  const vaultAddress = testAddress(901);
  await addChain(db, TEST_CHAIN, 1);
  await addBlocks(db, TEST_CHAIN, 1, 1);
  await addVault(db, TEST_CHAIN, vaultAddress);
  await applyRoles(db, { chainId: TEST_CHAIN, vaultAddress }, 1, [deployed(safe, ofKeys)]);

  const challenge = await service.challengeFor(safe);
  const ask = () =>
    service.post("token", { address: safe, challenge_id: challenge.challenge_id, signature: "0x" });
  expect((await ask()).body.code).toBe("sign_in_refused");
  const data = encodeFunctionData({
    abi: parseAbi(["function signMessage(bytes data)"]),
    args: [encodeAbiParameters([{ type: "bytes32" }], [challenge.hash])],
  });
  await executeBy(safe, { to: SIGN_MESSAGE_LIB, data, operation: 1 }, [anne, ben]);
  const role = { vault_address: vaultAddress, chain_id: TEST_CHAIN, via: null };
  expect((await service.me((await ask()).body.token)).body).toMatchObject({
    wallet_address: safe,
    is_manager: true,
    vaults: [{ ...role, role: "primary_manager" }],
    limited_to_chain_id: TEST_CHAIN,
  });

  // What owners sign off the chain for a message of their Safe.
  const signedBy = async (by: readonly (typeof owner)[]) => {
    const { challenge_id, hash } = await service.challengeFor(ofKeys);
    const message = {
      domain: { chainId: TEST_CHAIN, verifyingContract: ofKeys },
      types: { SafeMessage: [{ name: "message", type: "bytes" }] },
      primaryType: "SafeMessage" as const,
      message: { message: hash },
    };
    const sorted = by.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
    const signature = concat(await Promise.all(sorted.map((each) => each.signTypedData(message))));
    return service.post("token", { address: ofKeys, challenge_id, signature });
  };
  expect((await signedBy([owner])).body.code).toBe("sign_in_refused");
  expect((await service.me((await signedBy([owner, stranger])).body.token)).body).toMatchObject({
    wallet_address: ofKeys,
    vaults: [{ ...role, role: "secondary_manager" }],
  });
});

test("a contract's signature counts on its chain alone, a key's everywhere", async () => {
  const { db } = ground.database;
  const { safe, approve } = await deploySafe();
  for (const chainId of [TEST_CHAIN, OTHER_CHAIN]) {
    await addChain(db, chainId, 1);
    await addVault(db, chainId, VAULT);
    for (const wallet of [safe, owner.address]) {
      await db.pool.query(
        "insert into vault_roles (chain_id, vault_address, wallet, role) values ($1, $2, $3, 'primary_manager')",
        [chainId, VAULT, wallet],
      );
    }
  }
  const challenge = await service.challengeFor(safe);
  await approve(challenge.hash);
  const asSafe = await service.post("token", {
    address: safe,
    challenge_id: challenge.challenge_id,
    signature: "0x",
  });
  const chainsOf = async (token: string) =>
    (await service.me(token)).body.vaults.map(({ chain_id }: { chain_id: number }) => chain_id);
  expect(await chainsOf(asSafe.body.token)).toEqual([TEST_CHAIN]);
  expect(await chainsOf((await signInAs(owner.address)).body.token)).toEqual([OTHER_CHAIN, TEST_CHAIN]);
});

async function signInAs(wallet: Address, wrap: (signature: Hex) => Hex = (same) => same, by = owner) {
  const challenge = await service.challengeFor(wallet);
  return service.post("token", {
    address: wallet,
    challenge_id: challenge.challenge_id,
    signature: wrap(await sign(challenge.typed_data, by)),
  });
}

/** ERC-6492: the deployment and the signature, wrapped and marked by the magic suffix. */
const wrapped =
  (deployCalldata: Hex) =>
  (signature: Hex): Hex =>
    concat([
      encodeAbiParameters(
        [{ type: "address" }, { type: "bytes" }, { type: "bytes" }],
        [factory, deployCalldata, signature],
      ),
      `0x${"6492".repeat(16)}`,
    ]);

test("a wallet not yet deployed signs in by ERC-6492, and only its owner for it", async () => {
  const { wallet, deployCalldata } = await predictContractWallet(chain, factory, owner.address, salt);
  const answer = await signInAs(wallet, wrapped(deployCalldata));
  expect(answer.status).toBe(200);
  expect((await service.me(answer.body.token)).body.wallet_address).toBe(wallet);
  expect((await signInAs(wallet, wrapped(deployCalldata), stranger)).body.code).toBe("sign_in_refused");
  expect((await signInAs(wallet)).body.code).toBe("sign_in_refused");
  expect((await signInAs(stranger.address, wrapped(deployCalldata))).body.code).toBe("sign_in_refused");
  expect(await chain.client.getCode({ address: wallet })).toBeUndefined();
});

test("a deployed wallet signs in by ERC-1271, wrapped or not, and only its owner for it", async () => {
  const { wallet, deployCalldata } = await predictContractWallet(chain, factory, owner.address, salt);
  await execute(chain, {
    contract: "ContractWalletFactory",
    address: factory,
    functionName: "deploy",
    args: [owner.address, salt],
    from: (await chain.client.getAddresses())[0] as Address,
  });
  const answer = await signInAs(wallet);
  expect(answer.status).toBe(200);
  expect((await service.me(answer.body.token)).body.wallet_address).toBe(wallet);
  expect((await signInAs(wallet, wrapped(deployCalldata))).status).toBe(200);
  expect((await signInAs(wallet, undefined, stranger)).body.code).toBe("sign_in_refused");
  // Its owner's own signature does not sign in as somebody else.
  expect((await signInAs(factory)).body.code).toBe("sign_in_refused");
});

test("a contract that never ends, answers nonsense or reverts signs nobody in", async () => {
  const wallet = privateKeyToAccount(generatePrivateKey()).address;
  // An endless loop; a return of 32 bytes of ones; a bare revert.
  for (const bytecode of ["0x5b600056", "0x60001960005260206000f3", "0x60006000fd"] as const) {
    await chain.client.setCode({ address: wallet, bytecode });
    const answer = await signInAs(wallet);
    expect([answer.status, answer.body.code]).toEqual([401, "sign_in_refused"]);
  }
});

test("a node that does not answer is an outage, not a refusal", async () => {
  const away = createChainClient({
    chainId: TEST_CHAIN,
    name: "away",
    rpcUrls: ["http://127.0.0.1:9"],
    log: silentLogger(),
    deadlineMs: 500,
  });
  asked = away;
  const { wallet } = await predictContractWallet(chain, factory, owner.address, salt);
  expect((await signInAs(wallet)).status).toBe(503);
  await away.close();
});
