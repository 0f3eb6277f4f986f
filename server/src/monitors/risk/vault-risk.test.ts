// What a vault's price, liquidity and losses tell, case by case and to the unit.
import { describe, expect, it } from "vitest";
import type { StoredBody } from "../../chain/facts.ts";
import type { Json } from "../../chain/governance.ts";
import { isLessThan, isMoreThan, percentWords } from "../../judgements/fractions.ts";
import { heard, NOW, REF, RULES } from "../engine/test-states.ts";
import { liquidity } from "./liquidity.ts";
import { losses } from "./losses.ts";
import { price } from "./price.ts";
import type { VaultReading } from "./vault-readings.ts";

const HASH = `0x${"5e".repeat(32)}` as const;

function reading(more: Partial<VaultReading> = {}): VaultReading {
  return {
    ...REF,
    isKnown: true,
    asset: { decimals: 6, symbol: "USDC" },
    totalAssets: 1_000_000n,
    liquidity: { idle: 0n, withdrawable: 1_000_000n, isExitImmediate: true },
    isLiquidityUnread: false,
    owedAssets: null,
    isNavUnread: false,
    price: { pps: 1_000_000n, block: { number: 7, hash: HASH } },
    extremes: {},
    ...more,
  };
}

describe("fractions", () => {
  it("are exact to the unit, however large the amounts", () => {
    const whole = 10n ** 30n;
    expect(isMoreThan(whole / 10n, whole, 0.1)).toBe(false);
    expect(isMoreThan(whole / 10n + 1n, whole, 0.1)).toBe(true);
    expect(isLessThan(whole / 50n, whole, 0.02)).toBe(false);
    expect(isLessThan(whole / 50n - 1n, whole, 0.02)).toBe(true);
    expect([percentWords(52n, 10_000n), percentWords(1n, 1n), percentWords(1n, 0n)]).toEqual([
      "0.52 %",
      "100 %",
      "an unknown part",
    ]);
  });
});

describe("price", () => {
  const told = (pps: bigint, high: bigint, low: bigint, rule: Partial<(typeof RULES)["price"]> = {}) =>
    price
      .judge(
        reading({ price: { pps, block: { number: 7, hash: HASH } }, extremes: { 86400: { high, low } } }),
        { ...RULES.price, ...rule },
        heard(NOW),
      )
      .findings.map(({ subject, severity }) => [subject, severity]);

  it.each([
    ["exactly at the fall of a warning", 999_500n, []],
    ["one unit beyond it", 999_499n, [["drop", "warning"]]],
    ["exactly at the fall that is critical", 995_000n, [["drop", "warning"]]],
    ["one unit beyond that", 994_999n, [["drop", "critical"]]],
  ])("%s", (_, pps, expected) => {
    expect(told(pps, 1_000_000n, pps)).toEqual(expected);
  });

  it.each([
    [1_020_000n, []],
    [1_020_001n, [["jump", "warning"]]],
  ])("a rise from 1,000,000 to %s", (pps, expected) => {
    expect(told(pps, pps, 1_000_000n)).toEqual(expected);
  });

  it("never tells of one raw unit", () => {
    expect(told(9n, 10n, 9n)).toEqual([]);
    expect(told(8n, 10n, 8n)).toEqual([["drop", "critical"]]);
    expect(told(10n, 10n, 9n)).toEqual([]);
  });

  it("opens and resolves nothing where the vault is not known, and says nothing without a price", () => {
    expect(price.judge(reading({ isKnown: false }), RULES.price, heard(NOW))).toEqual({
      findings: [],
      unknown: ["drop", "jump"],
    });
    expect(price.judge(reading({ price: null }), RULES.price, heard(NOW)).findings).toEqual([]);
  });
});

describe("liquidity", () => {
  const judge = (more: Partial<VaultReading>) => liquidity.judge(reading(more), RULES.liquidity, heard(NOW));
  const withdrawable = (amount: bigint | null, isExitImmediate = true) =>
    judge({ liquidity: { idle: 0n, withdrawable: amount, isExitImmediate } }).findings.map(
      ({ severity }) => severity,
    );

  it("is judged to the unit, where exit is immediate", () => {
    expect([withdrawable(20_000n), withdrawable(19_999n), withdrawable(5000n), withdrawable(4999n)]).toEqual([
      [],
      ["warning"],
      ["warning"],
      ["critical"],
    ]);
    expect([withdrawable(0n, false), withdrawable(null)]).toEqual([[], []]);
  });

  it("a settlement that owes more than is idle is critical", () => {
    const owed = (owedAssets: bigint) =>
      judge({ owedAssets, liquidity: { idle: 100n, withdrawable: null, isExitImmediate: false } }).findings;
    expect(owed(100n)).toEqual([]);
    expect(owed(101n)).toMatchObject([{ subject: "settlement", severity: "critical" }]);
  });

  it("of which nothing was read stays as it is", () => {
    expect(judge({ isLiquidityUnread: true })).toEqual({
      findings: [],
      unknown: ["withdrawable", "settlement"],
    });
    expect(judge({ totalAssets: null }).unknown).toEqual(["withdrawable"]);
  });
});

describe("losses", () => {
  const judge = (effect: { old?: Json; new?: Json; id?: string }, totalAssets: bigint | null = 1_000_000n) =>
    losses.judge(
      {
        ...REF,
        facts: [
          {
            block: { number: 7, hash: HASH },
            atMs: NOW - 60_000,
            txHash: HASH,
            logIndex: 3,
            actor: REF.address,
            body: {
              kind: "governance",
              contract: "vault",
              event: "E",
              args: {},
              effects: [{ action: "loss", ...effect }],
            } as StoredBody,
          },
        ],
        waiting: [],
        isWaitingKnown: true,
        watchedSinceMs: 0,
        asset: { decimals: 6, symbol: "USDC" },
        totalAssets,
      },
      RULES.losses,
      heard(NOW),
    );

  it("of more than the fraction of what there was are critical, once", () => {
    // 10 of 1,000,000 is the fraction.
    expect(judge({ new: "10" }, 999_990n).findings).toEqual([]);
    expect(judge({ new: "11" }, 999_989n).findings).toMatchObject([{ severity: "critical", isOnce: true }]);
    expect(judge({ old: "1000000", new: "900000" }, 900_000n).findings).toMatchObject([
      { message: expect.stringContaining("lost 0.1 USDC, 10 % of its assets") },
    ]);
  });

  it("without an amount are told; without total assets nothing is said", () => {
    expect(judge({ id: "0x01", old: "5", new: "0" }).findings).toHaveLength(1);
    expect(judge({ new: "11" }, null)).toMatchObject({ findings: [], unknown: [`${HASH}:3`] });
  });
});
