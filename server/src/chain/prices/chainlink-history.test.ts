import {
  type Address,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { expect, test } from "vitest";
import type { CallResult, LogChunk, RawLog } from "../client/client.ts";
import { chainlinkHistory } from "./chainlink-history.ts";

const FEED = "0x7e860098F58bBFC8648a4311b374B1D669a2bc6B" as const;
const NOW = "0x2222222222222222222222222222222222222222" as const;
const EARLIER = "0x1111111111111111111111111111111111111111" as const;
const HASH = `0x${"ab".repeat(32)}` as const;
const UPDATED = toEventSelector(
  "AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)",
);

const value = (type: string, given: unknown): CallResult => ({
  success: true,
  data: encodeAbiParameters([{ type }], [given]),
});

function answered(emitter: Address, answer: bigint, updatedAt: number): RawLog {
  return {
    address: emitter.toLowerCase() as Hex,
    topics: [UPDATED, numberToHex(answer, { size: 32, signed: true }), numberToHex(1, { size: 32 })],
    data: numberToHex(updatedAt, { size: 32 }),
    blockNumber: updatedAt,
    blockHash: HASH,
    blockTimestamp: null,
    txHash: HASH,
    txIndex: 0,
    logIndex: 0,
  };
}

test("a past answer counts within the bounds of the aggregator that gave it, and at them it does not", async () => {
  const selector = (name: string) => toFunctionSelector(`${name}()`);
  const views: Record<string, CallResult> = {
    [`${FEED}${selector("decimals")}`]: value("uint8", 8),
    [`${FEED}${selector("phaseId")}`]: value("uint16", 2),
    [`${FEED}${selector("aggregator")}`]: value("address", NOW),
    [`${EARLIER}${selector("minAnswer")}`]: value("int192", 100n),
    [`${NOW}${selector("minAnswer")}`]: value("int192", 1n),
    [`${NOW}${selector("maxAnswer")}`]: value("int192", 1_000n),
  };
  const chunk: LogChunk = {
    fromBlock: 1,
    toBlock: 9,
    logs: [
      answered(EARLIER, 101n, 1),
      answered(EARLIER, 100n, 2),
      answered(EARLIER, 5_000n, 3),
      answered(NOW, 100n, 4),
      answered(NOW, 1_000n, 5),
      answered(NOW, 999n, 6),
    ],
  };
  const prices = await chainlinkHistory(
    {
      multicall: async (calls) =>
        calls.map(({ to, data }) =>
          data.startsWith(toFunctionSelector("phaseAggregators(uint16)"))
            ? value("address", data.endsWith("1") ? EARLIER : NOW)
            : (views[`${to}${data}`] ?? { success: false, data: "0x" }),
        ),
      logsInRange: async function* () {
        yield chunk;
      },
    },
    FEED,
    { fromBlock: 1, toBlock: 9 },
  );
  expect(prices.map(({ updatedAt }) => updatedAt)).toEqual([1, 3, 4, 6]);
});
