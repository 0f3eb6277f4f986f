import { describe, expect, test } from "vitest";
import { expiresAtOf, stalenessAt, wouldExpireAtOf } from "./staleness.ts";

const RULE = { lastUpdate: 1_700_000_000, expirationSeconds: 86_400, isFlagged: false, flaggedAt: null };
const EXPIRES_MS = 1_700_086_400_000;
const stale = (reason: string) => ({ reason, isStale: true, remainingSeconds: 0 });
const fresh = (remainingSeconds: number | null) => ({ reason: null, isStale: false, remainingSeconds });

describe("the countdown", () => {
  test("is whole seconds; the price is stale the second after its last", () => {
    expect(stalenessAt(RULE, EXPIRES_MS - 86_400_000, null)).toEqual(fresh(86_400));
    expect(stalenessAt(RULE, EXPIRES_MS - 1, null)).toEqual(fresh(1));
    expect(stalenessAt(RULE, EXPIRES_MS, null)).toEqual(fresh(0));
    expect(stalenessAt(RULE, EXPIRES_MS + 999, null)).toEqual(fresh(0));
    expect(stalenessAt(RULE, EXPIRES_MS + 1000, null)).toEqual(stale("expired"));
    expect(stalenessAt(RULE, EXPIRES_MS + 10 ** 12, null)).toEqual(stale("expired"));
  });

  test("counts from the head where that is later than the clock, and from the clock where the chain stands still", () => {
    expect(stalenessAt(RULE, EXPIRES_MS - 5000, 1_700_086_399).remainingSeconds).toBe(1);
    expect(stalenessAt(RULE, EXPIRES_MS - 5000, 1_700_000_000).remainingSeconds).toBe(5);
    expect(stalenessAt(RULE, EXPIRES_MS - 5000, 1_700_086_401)).toEqual(stale("expired"));
  });

  test("is null without a rule", () => {
    for (const isFlagged of [null, false])
      expect(stalenessAt({ ...RULE, expirationSeconds: null, isFlagged }, EXPIRES_MS, null)).toEqual(
        fresh(null),
      );
  });
});

describe("a price that the contract flagged", () => {
  const flagged = { ...RULE, isFlagged: true, flaggedAt: 1_700_000_500 };

  test("has nothing left, whatever its update alone would give, and expired with the flag", () => {
    expect(stalenessAt(flagged, EXPIRES_MS - 9000, null)).toEqual(stale("flagged"));
    expect(stalenessAt({ ...flagged, expirationSeconds: null }, EXPIRES_MS, null)).toEqual(stale("flagged"));
    expect([expiresAtOf(flagged), wouldExpireAtOf(flagged)]).toEqual([1_700_000_500, 1_700_086_400]);
  });
});

test("a price that was never updated has nothing left and no end", () => {
  const never = { ...RULE, lastUpdate: null };
  expect(stalenessAt(never, 0, null)).toEqual(stale("never_updated"));
  expect([expiresAtOf(never), wouldExpireAtOf(never)]).toEqual([null, null]);
  expect(expiresAtOf(RULE)).toBe(1_700_086_400);
});
