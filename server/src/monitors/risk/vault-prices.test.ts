// What a vault's price and total assets tell, case by case and to the unit.
import { describe, expect, it } from "vitest";
import { heard, NOW, REF, RULES } from "../../../test/monitor-states.ts";
import { isApart, isLessThan, isMoreThan, percentWords } from "../../judgements/fractions.ts";
import { price } from "./price.ts";
import { tvl } from "./tvl.ts";
import type { Holding, VaultPrices } from "./vault-prices.ts";

const HASH = `0x${"5e".repeat(32)}` as const;

function reading(more: Partial<VaultPrices> = {}): VaultPrices {
  return {
    ...REF,
    isKnown: true,
    asset: { decimals: 6, symbol: "USDC" },
    price: { pps: 1_000_000n, block: { number: 7, hash: HASH } },
    prices: {},
    holding: { assets: 1_000_000n, shares: 1_000_000n },
    holdings: {},
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
    expect([
      isApart(35n, 100n, 0.3, 0.05),
      isApart(36n, 100n, 0.3, 0.05),
      isApart(25n, 100n, 0.3, 0.05),
      isApart(24n, 100n, 0.3, 0.05),
    ]).toEqual([false, true, false, true]);
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
        reading({ price: { pps, block: { number: 7, hash: HASH } }, prices: { 86400: { high, low } } }),
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

describe("tvl", () => {
  const holding = (assets: bigint, shares: bigint): Holding => ({ assets, shares });
  const told = (now: Holding, high: Holding, low: Holding) =>
    tvl
      .judge(reading({ holding: now, holdings: { 3600: { high, low } } }), RULES.tvl, heard(NOW))
      .findings.map(({ subject, severity, details }) => [subject, severity, details.expected_assets]);
  const WHOLE = holding(1_000_000n, 1_000_000n);

  it.each([
    ["exactly at the fall", holding(850_000n, 1_000_000n), []],
    ["one unit beyond it", holding(849_999n, 1_000_000n), [["loss", "warning", "1000000"]]],
  ])("%s", (_, now, expected) => {
    expect(told(now, WHOLE, now)).toEqual(expected);
  });

  it.each([
    ["exactly at the rise", holding(1_150_000n, 1_000_000n), []],
    ["one unit beyond it", holding(1_150_001n, 1_000_000n), [["gain", "warning", "1000000"]]],
  ])("%s", (_, now, expected) => {
    expect(told(now, now, WHOLE)).toEqual(expected);
  });

  it("takes off what flows brought and took", () => {
    expect(told(holding(3_000_000n, 3_000_000n), WHOLE, WHOLE)).toEqual([]);
    expect(told(holding(100n, 100n), WHOLE, WHOLE)).toEqual([]);
    // Nine tenths left, and of the rest nearly a fifth is gone.
    expect(told(holding(81_000n, 100_000n), WHOLE, holding(81_000n, 100_000n))).toEqual([
      ["loss", "warning", "100000"],
    ]);
  });

  it("never tells of what rounding does", () => {
    expect(told(holding(1n, 2n), holding(2n, 2n), holding(1n, 2n))).toEqual([]);
    expect(told(holding(0n, 2n), holding(2n, 2n), holding(0n, 2n))).toEqual([["loss", "warning", "2"]]);
  });

  it("opens and resolves nothing where the vault is not known, and says nothing of a vault without shares", () => {
    expect(tvl.judge(reading({ isKnown: false }), RULES.tvl, heard(NOW))).toEqual({
      findings: [],
      unknown: ["loss", "gain"],
    });
    expect(tvl.judge(reading({ holding: null }), RULES.tvl, heard(NOW)).findings).toEqual([]);
  });
});
