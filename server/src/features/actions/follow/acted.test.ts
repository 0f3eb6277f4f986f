// Whose calls a transaction made, by cases: what wallets, relayers, modules, EntryPoints and strangers send.
import {
  type Address,
  concat,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  pad,
  parseAbi,
  toEventSelector,
} from "viem";
import { describe, expect, test } from "vitest";
import type { RawLog, TxSummary } from "../../../chain/rpc/raw.ts";
import { multiSendData } from "../formats/multi-send.ts";
import { safeHashesOf } from "../formats/safe-transaction.ts";
import { actedIn } from "./acted.ts";
import type { FollowedAction } from "./followed.ts";

const FROM: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const STRANGER: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const VAULT: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const ENTRY_POINT: Address = "0x0000000071727De22E5E9d8BAf0edAc6f37da032";
const MULTI_SEND: Address = "0x9641d764fc13c8B624c04430C7356C1C7C8102e2";
const DATA: Hex = "0xdeadbeef00112233445566778899";
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

const action = (more: Partial<FollowedAction> = {}): FollowedAction => ({
  id: "1",
  account: FROM,
  chainId: 1,
  vaultAddress: VAULT,
  from: FROM,
  fromKind: "eoa",
  safeNonce: null,
  calls: [{ target: VAULT, value: 0n, data: DATA }],
  events: [],
  ...more,
});
const sent = (more: Partial<TxSummary> = {}): TxSummary => ({
  hash: hash("1"),
  index: 0,
  from: FROM,
  to: VAULT,
  input: DATA,
  ...more,
});
const ABI = parseAbi([
  "event ExecutionSuccess(bytes32 indexed txHash, uint256 payment)",
  "event ExecutionFromModuleSuccess(address indexed module)",
  "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
  "function multicall(bytes[] data)",
  "function submit(bytes data)",
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
]);
const log = (address: Address, logIndex: number, topics: Hex[], data: Hex): RawLog => ({
  address: address.toLowerCase() as Hex,
  topics,
  data,
  blockNumber: 1,
  blockHash: hash("2"),
  blockTimestamp: null,
  txHash: hash("1"),
  txIndex: 0,
  logIndex,
});
const operation = (sender: Address, logIndex: number) =>
  log(
    ENTRY_POINT,
    logIndex,
    encodeEventTopics({
      abi: ABI,
      eventName: "UserOperationEvent",
      args: { userOpHash: hash("3"), sender, paymaster: STRANGER },
    }) as Hex[],
    concat(Array<Hex>(4).fill(pad("0x01"))),
  );
const byModule = (safe: Address, logIndex: number) =>
  log(
    safe,
    logIndex,
    encodeEventTopics({
      abi: ABI,
      eventName: "ExecutionFromModuleSuccess",
      args: { module: STRANGER },
    }) as Hex[],
    "0x",
  );
const success = (safe: Address, logIndex: number, txHash: Hex) =>
  log(
    safe,
    logIndex,
    encodeEventTopics({ abi: ABI, eventName: "ExecutionSuccess", args: { txHash } }) as Hex[],
    pad("0x00"),
  );
const padded = (...parts: Hex[]) => concat(["0x12345678", ...parts]);
const acted = (
  own: FollowedAction,
  transaction: TxSummary,
  logs: RawLog[] = [],
  nonceAfter: bigint | null = null,
) => actedIn(own, { transaction, logs, nonceAfter });
const anywhere = { after: -1, before: Number.POSITIVE_INFINITY };

describe("a wallet", () => {
  test("that sent the call itself is proven; within another call it is found", () => {
    expect(acted(action(), sent())).toEqual([{ ...anywhere, isExact: true }]);
    expect(acted(action(), sent({ input: padded(DATA) }))).toEqual([{ ...anywhere, isExact: false }]);
    expect(acted(action(), sent({ to: STRANGER, input: padded(VAULT, DATA) }))).toEqual([
      { ...anywhere, isExact: false },
    ]);
  });
  test("did nothing where the data or its target is missing, or begins in the midst of a byte", () => {
    expect(acted(action(), sent({ input: "0xdeadbeef" }))).toEqual([]);
    expect(acted(action(), sent({ to: STRANGER, input: padded(DATA) }))).toEqual([]);
    const shifted = `0x123456780${DATA.slice(2)}0` as Hex;
    expect(acted(action(), sent({ input: shifted }))).toEqual([]);
  });
  test("that makes a call twice has sent it twice", () => {
    const twice = action({ calls: [action().calls[0]!, action().calls[0]!] });
    expect(acted(twice, sent({ input: padded(DATA) }))).toEqual([]);
    expect(acted(twice, sent({ input: padded(DATA, DATA) }))).toHaveLength(1);
  });
  test("with code of its own (EIP-7702) is called by a relayer, or by an EntryPoint", () => {
    const batch = padded(VAULT, DATA);
    expect(acted(action(), sent({ from: STRANGER, to: FROM, input: batch }))).toHaveLength(1);
    const bundled = sent({ from: STRANGER, to: ENTRY_POINT, input: batch });
    expect(acted(action(), bundled, [operation(STRANGER, 2), operation(FROM, 5)])).toEqual([
      { after: 2, before: 5, isExact: false },
    ]);
    // What a bundler does of its own before the operations is not theirs.
    const begins = log(ENTRY_POINT, 4, [toEventSelector("BeforeExecution()")], "0x");
    expect(acted(action(), bundled, [begins, operation(FROM, 6)])).toEqual([
      { after: 4, before: 6, isExact: false },
    ]);
    expect(acted(action(), bundled, [operation(STRANGER, 2)])).toEqual([]);
    const forged = { ...operation(FROM, 5), address: STRANGER.toLowerCase() as Hex };
    expect(acted(action(), bundled, [forged])).toEqual([]);
  });
  test("is not whoever sends the same", () => {
    expect(acted(action(), sent({ from: STRANGER }))).toEqual([]);
  });
});

describe("a Safe", () => {
  const safe = action({ fromKind: "safe" });
  const execution = (to: Address, data: Hex, delegated: 0 | 1 = 0) =>
    encodeFunctionData({
      abi: ABI,
      functionName: "execTransaction",
      args: [to, 0n, data, delegated, 7n, 0n, 0n, STRANGER, STRANGER, "0x"],
    });
  const hashOf = (to: Address, data: Hex, nonce: bigint, delegated: 0 | 1 = 0) =>
    safeHashesOf(
      { chainId: 1, safe: FROM },
      {
        to,
        value: 0n,
        data,
        operation: delegated,
        nonce,
        safeTxGas: 7n,
        gasToken: STRANGER,
        refundReceiver: STRANGER,
      },
    ).safeTxHash;
  const relayed = (input: Hex) => sent({ from: STRANGER, to: STRANGER, input });

  test("is believed for the transaction whose hash it names, wherever in the input that stands", () => {
    const input = padded(execution(VAULT, DATA));
    const proof = [{ after: -1, before: 4, isExact: true }];
    expect(acted(safe, relayed(input), [success(FROM, 4, hashOf(VAULT, DATA, 9n))], 10n)).toEqual(proof);
    expect(
      acted({ ...safe, safeNonce: 9n }, relayed(input), [success(FROM, 4, hashOf(VAULT, DATA, 9n))]),
    ).toEqual(proof);
    expect(acted(safe, relayed(input), [success(FROM, 4, hash("9"))], 10n)).toEqual([]);
    expect(acted(safe, relayed(input), [success(STRANGER, 4, hashOf(VAULT, DATA, 9n))], 10n)).toEqual([]);
    expect(acted(safe, relayed(input), [], 10n)).toEqual([]);
  });
  test("several calls go by MultiSend, in their order; one within `multicall` of the same contract is its own", () => {
    const two = { ...safe, calls: [...safe.calls, { target: VAULT, value: 0n, data: "0xaabbccdd" as Hex }] };
    const calls = (order: number[]) => order.map((at) => ({ ...two.calls[at]!, to: VAULT }));
    const by = (data: Hex) => [success(FROM, 4, hashOf(MULTI_SEND, data, 0n, 1))];
    const right = multiSendData(calls([0, 1]));
    expect(acted(two, relayed(execution(MULTI_SEND, right, 1)), by(right), 1n)).toHaveLength(1);
    const wrong = multiSendData(calls([1, 0]));
    expect(acted(two, relayed(execution(MULTI_SEND, wrong, 1)), by(wrong), 1n)).toEqual([]);
    const nested = padded(DATA);
    expect(
      acted(safe, relayed(execution(VAULT, nested)), [success(FROM, 4, hashOf(VAULT, nested, 0n))], 1n),
    ).toEqual([{ after: -1, before: 4, isExact: false }]);
    const multicall = encodeFunctionData({ abi: ABI, functionName: "multicall", args: [["0x12", DATA]] });
    expect(
      acted(safe, relayed(execution(VAULT, multicall)), [success(FROM, 4, hashOf(VAULT, multicall, 0n))], 1n),
    ).toEqual([{ after: -1, before: 4, isExact: true }]);
    // Handed to another contract it is another that calls.
    expect(
      acted(safe, relayed(execution(STRANGER, nested)), [success(FROM, 4, hashOf(STRANGER, nested, 0n))], 1n),
    ).toEqual([]);
  });
  test("that submits a call to wait, or hands it over in bytes of another, is not proven to have made it", () => {
    const submitted = encodeFunctionData({ abi: ABI, functionName: "submit", args: [DATA] });
    const [found] = acted(
      safe,
      relayed(execution(VAULT, submitted)),
      [success(FROM, 4, hashOf(VAULT, submitted, 0n))],
      1n,
    );
    expect(found?.isExact).toBe(false);
  });
  test("lets a module act: what came after the last that acted before", () => {
    const input = padded(VAULT, DATA);
    expect(acted(safe, relayed(input), [byModule(STRANGER, 2), byModule(FROM, 5)])).toEqual([
      { after: 2, before: 5, isExact: false },
    ]);
    expect(acted(safe, relayed(input), [byModule(STRANGER, 5)])).toEqual([]);
  });
  test("is held against very many actions without its input being read anew for each", () => {
    // Each stands in the bytes of the one around it, and is found for itself.
    let nested: Hex = DATA;
    for (let depth = 0; depth < 64; depth += 1) nested = execution(VAULT, nested);
    const transaction = relayed(nested);
    const logs = [success(FROM, 4, hashOf(VAULT, DATA, 0n))];
    const begun = performance.now();
    for (let nth = 0; nth < 1_000; nth += 1)
      expect(acted({ ...safe, id: String(nth) }, transaction, logs, 16n)).toEqual([
        { after: -1, before: 4, isExact: true },
      ]);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
  test("is not whoever calls it", () => {
    expect(acted(safe, sent({ from: STRANGER, to: FROM, input: padded(VAULT, DATA) }))).toEqual([]);
  });
});
