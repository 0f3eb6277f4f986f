import { describe, expect, test } from "vitest";
import type { Call, CallResult } from "../../rpc/raw.ts";
import { readEach, ViewBatch, view } from "./view.ts";

const VIEW = view<bigint>("value(uint256) view returns (uint256)");
const TO = `0x${"11".repeat(20)}` as const;

async function batchOf(...results: CallResult[]) {
  const batch = new ViewBatch();
  const answers = results.map((_, index) => batch.add(TO, VIEW, BigInt(index)));
  let asked: readonly Call[] = [];
  await batch.run(
    {
      multicall: async (calls) => {
        asked = calls;
        return results;
      },
    },
    "latest",
  );
  return { answers, asked };
}

const GOOD: CallResult = { success: true, data: `0x${"00".repeat(31)}07` };
const REVERTED: CallResult = { success: false, data: "0x08c379a0" };
const UNREAD: CallResult = { success: false, data: "0x", isUnread: true };

describe("the fields of a reading", () => {
  test("tell what was not read from what reverted, field by field", async () => {
    const { answers, asked } = await batchOf(GOOD, REVERTED, UNREAD);
    const [good, reverted, unread] = answers as [
      () => bigint | null,
      () => bigint | null,
      () => bigint | null,
    ];
    const nothing = { a: null, b: null, c: null, d: null } as Record<"a" | "b" | "c" | "d", bigint | null>;
    expect(readEach(nothing, { a: good, b: reverted, c: unread, d: () => reverted() ?? unread() })).toEqual({
      a: 7n,
      b: null,
      c: null,
      d: null,
      unread: ["c", "d"],
      failed: { b: [`${TO}:${asked[1]!.data}`] },
    });
  });

  test("what is no answer at all goes through", () => {
    expect(() => readEach({ a: 1 }, { a: () => (undefined as unknown as { b: { c: number } }).b.c })).toThrow(
      TypeError,
    );
  });
});
