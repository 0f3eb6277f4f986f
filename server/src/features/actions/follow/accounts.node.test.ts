// Prepared actions followed to their end where whoever acts is neither a key nor a Safe whose owners signed: accounts of ERC-4337, keys with code
// (EIP-7702), modules and timelocks; and whatever others send beside what they do, it counts for nothing.
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  zeroHash,
} from "viem";
import { entryPoint07Abi, entryPoint07Address } from "viem/account-abstraction";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountAddress, demoAccount } from "../../../../../demo/src/accounts.ts";
import { MULTICALL3_ADDRESS } from "../../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../../demo/src/compile.ts";
import { createTrio, type Trio } from "../../../../../demo/src/deploy.ts";
import { deployArtifact } from "../../../../test/node.ts";
import { safeTransactionOf } from "../formats/safe-transaction.ts";
import { CONFIRMATIONS, MANAGER, SECOND } from "./test-follow-chain.ts";
import { FollowGround, type SentCall, WALLET } from "./test-follow-ground.ts";

const ACCOUNT = parseAbi(["function execute((address to, uint256 value, bytes data)[] calls) payable"]);
const MULTICALL = parseAbi([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
]);
const MODULE = parseAbi(["function pass(address safe, address to, bytes data)"]);
const STRANGER = accountAddress(15);

let on: FollowGround;
/** Of ERC-4337: ours and another's. */
let account: Address;
let foreign: Address;
let ofAccount: Trio;
beforeAll(async () => {
  on = await FollowGround.start();
  const { artifacts } = on.controllers;
  await on.chain.client.setCode({
    address: entryPoint07Address,
    bytecode: artifactOf(artifacts, "OpenEntryPoint").runtimeBytecode,
  });
  [account, foreign] = [
    await deployArtifact(on.chain, artifacts, "BatchAccount"),
    await deployArtifact(on.chain, artifacts, "BatchAccount"),
  ];
  await on.chain.client.impersonateAccount({ address: account });
  await on.chain.client.setBalance({ address: account, value: 10n ** 20n });
  ofAccount = await trio(account);
  await on.settle();
});
afterAll(() => on?.stop());
afterEach(() => on.clear());

const trio = (primaryManager: Address) =>
  createTrio(on.chain, on.system, {
    ...{ asset: on.trios.wallet.asset, name: "Trio", symbol: "TRI" },
    ...{ primaryManager, secondaryManagers: [SECOND] },
  });
const batch = (calls: readonly SentCall[]) =>
  encodeFunctionData({ abi: ACCOUNT, functionName: "execute", args: [calls] });
/** Operations of these accounts, sent by somebody who bundles. */
const bundled = async (operations: readonly (readonly [Address, readonly SentCall[]])[]) => {
  const packed = operations.map(([sender, calls], nonce) => ({
    ...{ sender, nonce: BigInt(nonce), initCode: "0x" as const, callData: batch(calls) },
    ...{ accountGasLimits: zeroHash, preVerificationGas: 0n, gasFees: zeroHash },
    ...{ paymasterAndData: "0x" as const, signature: "0x" as const },
  }));
  const data = encodeFunctionData({
    abi: entryPoint07Abi,
    functionName: "handleOps",
    args: [packed, STRANGER],
  });
  return await on.controllers.send(accountAddress(12), entryPoint07Address, data);
};
const isDone = async (id: string, { transactionHash }: { transactionHash: Hex }) => {
  await on.mine(CONFIRMATIONS);
  expect(await on.progress(id)).toMatchObject({
    status: "confirmed",
    transaction_hash: transactionHash,
    entry_ids: await on.entriesOf(transactionHash),
  });
};

test("an account of ERC-4337 acts by an operation among others'", async () => {
  const calls = [on.adding(ofAccount), on.adding(ofAccount)];
  const id = await on.prepare(ofAccount, { address: account, kind: "contract" }, calls);
  const receipt = await bundled([
    [foreign, []],
    [account, calls],
  ]);
  await isDone(id, receipt);
  expect((await on.progress(id)).entry_ids).toHaveLength(2);
});

describe("a key with code (EIP-7702)", () => {
  const key = privateKeyToAccount(demoAccount(0).privateKey);
  const relayer = privateKeyToAccount(demoAccount(12).privateKey);

  test("acts where a relayer sends what it signed, with the authorization and without it", async () => {
    const { client, chainId, rpcUrl } = on.chain;
    const authorization = await key.signAuthorization({
      ...{ chainId, contractAddress: foreign },
      nonce: await client.getTransactionCount({ address: key.address }),
    });
    const wallet = createWalletClient({ account: relayer, transport: http(rpcUrl) });
    for (const list of [[authorization], []]) {
      const calls = [on.adding(on.trios.wallet), on.adding(on.trios.wallet)];
      const id = await on.prepare(on.trios.wallet, WALLET, calls);
      const hash = await wallet.sendTransaction({
        ...{ chain: null, to: key.address, data: batch(calls), gas: 2_000_000n },
        ...(list.length > 0 && { authorizationList: list }),
      });
      await isDone(id, await client.waitForTransactionReceipt({ hash, pollingInterval: 20 }));
      await on.clear();
    }
  });

  test("acts by a batch that it sends to itself, and by an operation of ERC-4337", async () => {
    const own = [on.adding(on.trios.wallet), on.adding(on.trios.wallet)];
    const [id, other] = [
      await on.prepare(on.trios.wallet, WALLET, own),
      await on.prepare(on.trios.wallet, WALLET, [on.adding(on.trios.wallet)]),
    ];
    await isDone(id, await on.controllers.send(MANAGER, MANAGER, batch(own)));
    expect(await on.status(other)).toBe("prepared");
    const bundledId = await on.prepare(on.trios.wallet, WALLET, [on.adding(on.trios.wallet)]);
    const call = on.call("addSecondaryManager", [on.trios.wallet.strategy, on.lastManager]);
    await isDone(bundledId, await bundled([[MANAGER, [call]]]));
  });
});

describe("a contract that acts", () => {
  test("is a Safe whose module makes it: what a module says is not enough, what the Safe says is", async () => {
    const added = on.adding(on.trios.safe);
    const id = await on.prepare(on.trios.safe, on.ofSafe(), [added]);
    const module = await deployArtifact(on.chain, on.controllers.artifacts, "PassingModule");
    const enable = encodeFunctionData({
      abi: parseAbi(["function enableModule(address module)"]),
      args: [module],
    });
    const pass = encodeFunctionData({ abi: MODULE, args: [on.safe, added.to, added.data] });
    // Not let in yet, the Safe does not do it, though all the bytes are there.
    await on.controllers.send(STRANGER, module, pass);
    await on.mine(CONFIRMATIONS);
    expect(await on.status(id)).toBe("prepared");
    await on.executeSafe(
      safeTransactionOf([{ to: on.safe, value: 0n, data: enable }], await on.nonce(), null)!,
    );
    await isDone(id, await on.controllers.send(STRANGER, module, pass));
  });

  test("is a timelock, which says itself what it called", async () => {
    const added = on.adding(on.trios.timelock);
    const id = await on.prepare(on.trios.timelock, { address: on.timelock, kind: "contract" }, [added]);
    const { abi } = artifactOf(on.controllers.artifacts, "TimelockController");
    const operation = [added.to, 0n, added.data, zeroHash, zeroHash] as const;
    const schedule = encodeFunctionData({ abi, functionName: "schedule", args: [...operation, 60n] });
    const run = encodeFunctionData({ abi, functionName: "execute", args: operation });
    const through = async (data: Hex) =>
      on.executeSafe(safeTransactionOf([{ to: on.timelock, value: 0n, data }], await on.nonce(), null)!);
    await through(schedule);
    await on.settle();
    expect(await on.status(id)).toBe("prepared");
    await on.chain.client.increaseTime({ seconds: 100 });
    await isDone(id, await through(run));
  });
});

test("another sender of the same calls confirms nothing, not even beside what the one meant does itself", async () => {
  const changing = async ({ strategy }: Trio) => {
    const next = accountAddress(14);
    await on.send(SECOND, on.call("proposeChangePrimaryManager", [strategy, next, next]));
    // Anybody may execute what was proposed.
    return on.call("executeChangePrimaryManager", [strategy]);
  };
  const [ofKey, ofSafe, ofOperation] = [await trio(MANAGER), await trio(MANAGER), await trio(MANAGER)];
  const [byKey, bySafe, byOperation] = [
    await changing(ofKey),
    await changing(ofSafe),
    await changing(ofOperation),
  ];
  await on.chain.client.increaseTime({ seconds: 8 * 86_400 });
  await on.chain.client.mine({ blocks: 1 });
  await on.settle();
  const ids = [
    await on.prepare(ofKey, WALLET, [byKey]),
    await on.prepare(ofSafe, on.ofSafe(), [bySafe]),
    await on.prepare(ofOperation, { address: account, kind: "contract" }, [byOperation]),
  ];
  const { transactionHash } = await on.controllers.send(STRANGER, foreign, batch([byKey]));
  await on.submit(ids[0]!, { transaction_hash: transactionHash });
  // The same, and a transaction that the Safe's owners did sign, in one: the Safe says that it executed, and the calls are there.
  const nothing = { to: accountAddress(13), value: 0n, data: "0x" } as const;
  const signed = await on.executionData({ ...nothing, operation: 0, nonce: await on.nonce() });
  const data = encodeFunctionData({
    abi: MULTICALL,
    args: [
      [
        { target: bySafe.to, allowFailure: false, callData: bySafe.data },
        { target: on.safe, allowFailure: false, callData: signed },
      ],
    ],
  });
  await on.controllers.send(STRANGER, MULTICALL3_ADDRESS, data);
  // And between two operations of the account, one of another that makes the call.
  await bundled([
    [account, [nothing]],
    [foreign, [byOperation]],
    [account, [nothing]],
  ]);
  on.nowMs += 60_000;
  await on.mine(CONFIRMATIONS);
  expect(await Promise.all(ids.map((id) => on.status(id)))).toEqual(["prepared", "prepared", "prepared"]);
});
