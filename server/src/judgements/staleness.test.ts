import { describe, expect, test } from "vitest";
import { stalenessAt } from "./staleness.ts";

const RULE = { lastUpdate: 1_700_000_000, expirationSeconds: 86_400, isFlagged: false };
const EXPIRES_MS = 1_700_086_400_000;

describe("the countdown", () => {
  test("is whole seconds, and 0 from the very second of expiry on", () => {
    expect(stalenessAt(RULE, EXPIRES_MS - 86_400_000, null)).toEqual({
      remainingSeconds: 86_400,
      isStale: false,
    });
    expect(stalenessAt(RULE, EXPIRES_MS - 1, null)).toEqual({ remainingSeconds: 1, isStale: false });
    expect(stalenessAt(RULE, EXPIRES_MS, null)).toEqual({ remainingSeconds: 0, isStale: true });
    expect(stalenessAt(RULE, EXPIRES_MS + 10 ** 12, null)).toEqual({ remainingSeconds: 0, isStale: true });
  });

  test("counts from the head where that is later than the clock, and from the clock where the chain stands still", () => {
    expect(stalenessAt(RULE, EXPIRES_MS - 5000, 1_700_086_399).remainingSeconds).toBe(1);
    expect(stalenessAt(RULE, EXPIRES_MS - 5000, 1_700_000_000).remainingSeconds).toBe(5);
    expect(stalenessAt(RULE, EXPIRES_MS - 5000, 1_700_086_400)).toEqual({
      remainingSeconds: 0,
      isStale: true,
    });
  });

  test("is null without a rule or before a first update, and stale then only by the contract's flag", () => {
    for (const rule of [
      { ...RULE, expirationSeconds: null },
      { ...RULE, lastUpdate: null },
    ]) {
      expect(stalenessAt(rule, EXPIRES_MS, null)).toEqual({ remainingSeconds: null, isStale: false });
      expect(stalenessAt({ ...rule, isFlagged: true }, EXPIRES_MS, null).isStale).toBe(true);
      expect(stalenessAt({ ...rule, isFlagged: null }, EXPIRES_MS, null).isStale).toBe(false);
    }
  });

  test("goes on while the contract's flag already says stale", () => {
    expect(stalenessAt({ ...RULE, isFlagged: true }, EXPIRES_MS - 9000, null)).toEqual({
      remainingSeconds: 9,
      isStale: true,
    });
  });
});
