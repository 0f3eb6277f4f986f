// Who acted, on a real node: through contract wallets, and through ERC-4337 bundles of several operations.
import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountAddress, addressOf } from "../../../../demo/src/accounts.ts";
import { artifactOf } from "../../../../demo/src/compile.ts";
import { encodeEvent, type RawLog } from "../../../../demo/src/events.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { ENTRY_POINTS } from "../../chain/client/user-operations.ts";

const PAUSED = "StrategyPaused(address indexed strategy)";
const UPKEEP = "UpkeepDeposited(address indexed strategy, address indexed depositor, uint256 amount)";
const ADDED = "SecondaryManagerAdded(address indexed strategy, address indexed manager)";
const REMOVED = "SecondaryManagerRemoved(address indexed strategy, address indexed manager)";
const OPERATION =
  "UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)";
const BUNDLER = addressOf("stranger");
const [SMART_A, SMART_B] = [accountAddress(12), accountAddress(13)];
const ENTRY_POINT = ENTRY_POINTS[1]!;
const LOOKALIKE: Address = "0x00000000000000000000000000000000000fa4e0";
const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

let followed: Followed;
let strategy: Address;
let paused: RawLog;

beforeAll(async () => {
  followed = await createFollowed({ seed: 41, confirmations: 0 });
  const { chain, trios } = followed.activity;
  strategy = trios[0]!.strategy;
  paused = encodeEvent(PAUSED, [strategy]);
  const code = artifactOf(chain.artifacts, "LogEmitter").runtimeBytecode;
  await chain.client.setCode({ address: ENTRY_POINT, bytecode: code });
  await chain.client.setCode({ address: LOOKALIKE, bytecode: code });
  followed.start();
  await followed.settle();
});
afterAll(async () => {
  await followed.end();
});

describe("the actor of an entry", () => {
  it("is the sender of a transaction straight to the contracts, or through a contract that manages nothing", async () => {
    const { aggregator } = followed.activity.system;
    expect(await actorsOf([[aggregator, paused]], "direct")).toEqual([BUNDLER]);
    expect(await actorsOf([[aggregator, paused]])).toEqual([BUNDLER]);
  });

  it("is whom the event names, whoever sent the transaction", async () => {
    const { aggregator } = followed.activity.system;
    expect(await actorsOf([[aggregator, encodeEvent(UPKEEP, [strategy, SMART_A, 5n])]])).toEqual([SMART_A]);
  });

  it("is the sender of the ERC-4337 operation that the log belongs to, one by one in a bundle", async () => {
    const { aggregator } = followed.activity.system;
    const actors = await actorsOf([
      [aggregator, paused],
      [ENTRY_POINT, operation(SMART_A)],
      [aggregator, paused],
      [aggregator, paused],
      [ENTRY_POINT, operation(SMART_B)],
      [aggregator, paused],
    ]);
    expect(actors).toEqual([SMART_A, SMART_B, SMART_B, BUNDLER]);
  });

  it("is not whom a contract that only looks like an EntryPoint names", async () => {
    const { aggregator } = followed.activity.system;
    expect(
      await actorsOf([
        [aggregator, paused],
        [LOOKALIKE, operation(SMART_A)],
      ]),
    ).toEqual([BUNDLER]);
  });

  it("is the contract wallet that a manager acts through, from being made a manager to ceasing to be one", async () => {
    const { aggregator } = followed.activity.system;
    const wallet = MULTICALL3;
    expect(await actorsOf([[aggregator, encodeEvent(ADDED, [strategy, wallet])]])).toEqual([wallet]);
    expect(await actorsOf([[aggregator, paused]])).toEqual([wallet]);
    // Of another vault it manages nothing.
    const other = followed.activity.trios[1]!.strategy;
    expect(await actorsOf([[aggregator, encodeEvent(PAUSED, [other])]])).toEqual([BUNDLER]);
    await followed.stop();
    followed.start();
    expect(await actorsOf([[aggregator, paused]])).toEqual([wallet]);
    expect(await actorsOf([[aggregator, encodeEvent(REMOVED, [strategy, wallet])]])).toEqual([wallet]);
    expect(await actorsOf([[aggregator, paused]])).toEqual([BUNDLER]);
  });
});

/** The actors of the entries that these logs become, emitted in this order by one transaction through Multicall3. */
async function actorsOf(
  logs: [Address, RawLog][],
  way: "direct" | "multicall" = "multicall",
): Promise<Address[]> {
  const { activity, database, anvil } = followed;
  const before = (await readRecorded(database.db, anvil.chainId)).entries.length;
  const calls = logs.map(([target, log]) => ({ target, allowFailure: false, callData: emission(log) }));
  const [first] = calls;
  const transaction =
    way === "direct"
      ? { to: first!.target, data: first!.callData }
      : { to: MULTICALL3, data: encodeFunctionData({ abi: AGGREGATE, args: [calls] }) };
  await activity.chain.client.sendUnsignedTransaction({ from: BUNDLER, gas: 3_000_000n, ...transaction });
  await followed.settle();
  const { entries } = await readRecorded(database.db, anvil.chainId);
  return entries.slice(before).map((entry) => entry.actor_wallet);
}

const AGGREGATE = parseAbi([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
]);

function emission(log: RawLog): Hex {
  const { abi } = artifactOf(followed.activity.chain.artifacts, "LogEmitter");
  return encodeFunctionData({ abi, functionName: "emitRaw", args: [log.topics, log.data] });
}

function operation(sender: Address): RawLog {
  return encodeEvent(OPERATION, [zeroHash, sender, zeroAddress, 0n, true, 1n, 1n]);
}
