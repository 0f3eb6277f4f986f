// What a node may answer to a simulation, right and wrong.
import { encodeFunctionResult, type Hex, multicall3Abi } from "viem";
import { describe, expect, test } from "vitest";
import { isChainFault } from "../rpc/fault.ts";
import { MalformedAnswer } from "../rpc/raw.ts";
import { toRpcError } from "../rpc/rpc-error.ts";
import { type SimulationBlock, simulate } from "./simulate.ts";

const A = `0x${"aa".repeat(20)}` as const;
const AT = { number: 9, hash: `0x${"11".repeat(32)}` } as const;
const RUN: SimulationBlock[] = [
  {
    number: 10,
    timestamp: 1_000,
    calls: [{ from: A, to: A, value: 0n, data: "0x12" }],
    views: [{ to: A, data: "0x34" }],
  },
];
const LOG = { address: A, topics: [`0x${"22".repeat(32)}`], data: "0x" };
const DONE = { status: "0x1", returnData: "0x", logs: [LOG], gasUsed: "0x1" };
const VIEW = { status: "0x1", returnData: "0xabcd", logs: [], gasUsed: "0x1" };
const block = (more: object = {}) => ({ number: "0xa", timestamp: "0x3e8", calls: [DONE, VIEW], ...more });

const ask = async (answer: unknown, hasMulticall = false, run = RUN) => {
  const asked: unknown[] = [];
  const rpc = {
    batch: async (calls: unknown) => {
      asked.push(calls);
      return [answer];
    },
  };
  return { asked, answer: await simulate(rpc as never, [run], AT, { hasMulticall }) };
};

describe("simulate", () => {
  test("asks for number and time of every block, and for the block by its hash", async () => {
    const { asked, answer } = await ask([block()]);
    expect(asked).toMatchObject([
      [
        {
          method: "eth_simulateV1",
          params: [
            { blockStateCalls: [{ blockOverrides: { number: "0xa", time: "0x3e8" } }], validation: false },
            { blockHash: AT.hash },
          ],
        },
      ],
    ]);
    expect(answer).toEqual([
      {
        blocks: [
          {
            calls: [{ success: true, data: "0x", logs: [LOG] }],
            views: [{ success: true, data: "0xabcd" }],
          },
        ],
      },
    ]);
  });

  test("a call that reverts has its data, wherever the node puts it, and no logs", async () => {
    const geth = { status: "0x0", returnData: "0x", logs: [LOG], error: { code: 3, data: "0xdeadbeef" } };
    const anvil = { status: "0x0", returnData: "0xdeadbeef", logs: [], error: { code: -3200 } };
    for (const reverted of [geth, anvil]) {
      const { answer } = await ask([block({ calls: [reverted, VIEW] })]);
      expect(answer).toMatchObject([
        { blocks: [{ calls: [{ success: false, data: "0xdeadbeef", logs: [] }] }] },
      ]);
    }
  });

  test("blocks that the node puts between are passed over", async () => {
    const { answer } = await ask([block({ number: "0x9", calls: [] }), block()]);
    expect(answer).toHaveLength(1);
  });

  test.each([
    [-32601, "the method eth_simulateV1 does not exist/is not available", "unsupported"],
    [-38026, "too many blocks", "not_taken"],
    [-32602, "invalid params", "not_taken"],
  ])("%i %s is an answer", async (code, message, refused) => {
    const { answer } = await ask(toRpcError("eth_simulateV1", { code, message }));
    expect(answer).toEqual([{ refused }]);
  });

  test.each([
    ["no list", {}],
    ["no block", [null]],
    ["a block without calls", [block({ calls: null })]],
    ["fewer calls", [block({ calls: [DONE] })]],
    ["more calls", [block({ calls: [DONE, VIEW, VIEW] })]],
    ["a call without a status", [block({ calls: [{ returnData: "0x" }, VIEW] })]],
    ["data that is none", [block({ calls: [{ ...DONE, returnData: "0xz" }, VIEW] })]],
    ["logs that are none", [block({ calls: [{ ...DONE, logs: {} }, VIEW] })]],
    ["a log of another shape", [block({ calls: [{ ...DONE, logs: [{ ...LOG, topics: "0x" }] }, VIEW] })]],
    [
      "a topic too many",
      [block({ calls: [{ ...DONE, logs: [{ ...LOG, topics: Array(5).fill(LOG.topics[0]) }] }, VIEW] })],
    ],
  ])("%s is no answer", async (_, answer) => {
    await expect(ask(answer)).rejects.toSatisfy(
      (error) => error instanceof MalformedAnswer || isChainFault(error, "inconsistent"),
    );
  });

  test.each([
    ["number", { number: "0xb" }],
    ["time", { timestamp: "0x3e9" }],
  ])("another %s is another block", async (_, more) => {
    await expect(ask([block(more)])).rejects.toSatisfy((error) => isChainFault(error, "other_block"));
  });

  test("a flood of logs is refused, and one of data is a view that failed", async () => {
    const long = { ...LOG, data: `0x${"00".repeat(1_024)}` };
    for (const logs of [Array(1_001).fill(LOG), Array(300).fill(long)])
      await expect(ask([block({ calls: [{ ...DONE, logs }, VIEW] })])).rejects.toSatisfy((error) =>
        isChainFault(error, "refused"),
      );
    const { answer } = await ask([
      block({ calls: [DONE, { ...VIEW, returnData: `0x${"00".repeat(300_000)}` }] }),
    ]);
    expect(answer).toMatchObject([{ blocks: [{ views: [{ success: false, data: "0x" }] }] }]);
  });

  describe("through Multicall3", () => {
    const aggregate = (time: bigint): Hex =>
      encodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        result: [10n, time]
          .map((value) => ({ success: true, returnData: `0x${value.toString(16).padStart(64, "0")}` as Hex }))
          .concat({ success: true, returnData: "0xabcd" }),
      });

    test("views come out of the aggregate", async () => {
      const { answer } = await ask(
        [block({ calls: [DONE, { ...VIEW, returnData: aggregate(1_000n) }] })],
        true,
      );
      expect(answer).toMatchObject([{ blocks: [{ views: [{ success: true, data: "0xabcd" }] }] }]);
    });

    test("a node that leaves the time out of what contracts see is found out", async () => {
      await expect(
        ask([block({ calls: [DONE, { ...VIEW, returnData: aggregate(999n) }] })], true),
      ).rejects.toSatisfy((error) => isChainFault(error, "other_block"));
    });

    test("an aggregate that fails leaves its views unread", async () => {
      const { answer } = await ask([block({ calls: [DONE, { ...VIEW, status: "0x0" }] })], true);
      expect(answer).toMatchObject([{ blocks: [{ views: [{ isUnread: true }] }] }]);
    });
  });
});
