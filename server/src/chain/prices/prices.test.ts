import { encodeAbiParameters, encodeErrorResult, parseAbi, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import type { CallResult } from "../client/client.ts";
import { ChainFault } from "../rpc/fault.ts";
import { chainlinkSource } from "./chainlink.ts";
import { defillamaSource } from "./defillama.ts";
import { createPrices, type PriceSource, toE18 } from "./price.ts";
import { staticSource } from "./static.ts";

const NOW_SECONDS = 1_800_000_000;
const clock = { now: () => NOW_SECONDS * 1000 + 500 };
const address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" as const;
const feed = "0x7e860098F58bBFC8648a4311b374B1D669a2bc6B" as const;
const token = { chainId: 8453, address };
const E18 = 10n ** 18n;

describe("a price from JSON becomes exact", () => {
  test.each([
    [1, E18],
    [0.9998, 999_800_000_000_000_000n],
    [68_123.45, 68_123_450_000_000_000_000_000n],
    [1e-7, 100_000_000_000n],
    [1.5e-10, 150_000_000n],
    [1e21, 10n ** 39n],
    [1.25e22, 125n * 10n ** 38n],
    [0.1 + 0.2, 300_000_000_000_000_040n],
  ])("%d", (usd, expected) => {
    expect(toE18(usd)).toBe(expected);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-30])("%d is no price", (usd) => {
    expect(toE18(usd)).toBeNull();
  });

  test("every positive number is its own decimal form, cut at 18 places", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-15, max: 1e25, noNaN: true }), (usd) => {
        const value = toE18(usd)!;
        expect(Math.abs(Number(value) / 1e18 - usd)).toBeLessThanOrEqual(Math.max(usd * 1e-12, 2e-18));
      }),
    );
  });
});

describe("sources in the order of the configuration", () => {
  const source = (name: PriceSource["name"], answer: bigint | string, covers = true): PriceSource => ({
    name,
    covers: () => covers,
    prices: async (tokens) =>
      tokens.map(() =>
        typeof answer === "string" ? { unavailable: answer } : { usdE18: answer, updatedAt: 1, source: name },
      ),
  });

  test("the first usable price decides", async () => {
    const prices = createPrices([
      source("chainlink", "stale"),
      source("defillama", 2n),
      source("static", 3n),
    ]);
    expect(await prices.latestPrice(token)).toEqual({ usdE18: 2n, updatedAt: 1, source: "defillama" });
  });

  test("a source that does not cover the token is passed over", async () => {
    const prices = createPrices([source("chainlink", 1n, false), source("static", 3n)]);
    expect(await prices.latestPrice(token)).toMatchObject({ usdE18: 3n });
  });

  test("without a usable price every reason is told", async () => {
    expect(
      await createPrices([source("chainlink", "a"), source("defillama", "b")]).latestPrice(token),
    ).toEqual({
      unavailable: "a; b",
    });
    expect(await createPrices([]).latestPrice(token)).toEqual({
      unavailable: "no price source covers this token",
    });
  });

  test("many tokens at once keep their places", async () => {
    const other = { chainId: 1, address };
    const onlyBase = staticSource({ chainId: 8453, address, usd: 1 }, clock);
    const [a, b] = await createPrices([onlyBase]).latestPrices([other, token]);
    expect(a).toHaveProperty("unavailable");
    expect(b).toEqual({ usdE18: E18, updatedAt: NOW_SECONDS, source: "static" });
  });
});

describe("chainlink", () => {
  const round = (answer: bigint, updatedAt: number): CallResult => ({
    success: true,
    data: encodeAbiParameters(
      ["uint80", "int256", "uint256", "uint256", "uint80"].map((type) => ({ type })),
      [9n, answer, BigInt(updatedAt), BigInt(updatedAt), 9n],
    ),
  });
  const decimals = (value: number): CallResult => ({
    success: true,
    data: encodeAbiParameters([{ type: "uint8" }], [value]),
  });
  const reverted: CallResult = {
    success: false,
    data: encodeErrorResult({ abi: parseAbi(["error No()"]), errorName: "No" }),
  };
  const number = (value: bigint): CallResult => ({
    success: true,
    data: encodeAbiParameters([{ type: "int192" }], [value]),
  });
  const aggregator = "0x1111111111111111111111111111111111111111" as const;
  /** A feed in front of an aggregator, or one that has none and answers for itself. */
  const ask = (
    scale: CallResult,
    answer: CallResult,
    bounds: { min?: bigint; max?: bigint; isProxy?: boolean } = {},
  ) => {
    const behind = bounds.isProxy === false ? feed : aggregator;
    const answers: Record<string, CallResult> = {
      [`${feed}${toFunctionSelector("decimals()")}`]: scale,
      [`${feed}${toFunctionSelector("latestRoundData()")}`]: answer,
      ...(behind === aggregator && {
        [`${feed}${toFunctionSelector("aggregator()")}`]: {
          success: true,
          data: encodeAbiParameters([{ type: "address" }], [aggregator]),
        },
      }),
      ...(bounds.min !== undefined && {
        [`${behind}${toFunctionSelector("minAnswer()")}`]: number(bounds.min),
      }),
      ...(bounds.max !== undefined && {
        [`${behind}${toFunctionSelector("maxAnswer()")}`]: number(bounds.max),
      }),
    };
    return chainlinkSource(
      { chainId: 8453, address, feed, maxAgeSeconds: 3600 },
      { multicall: async (calls) => calls.map(({ to, data }) => answers[`${to}${data}`] ?? reverted) },
      clock,
    ).prices([token]);
  };

  test.each([
    ["at its lower bound", 10_000_000n, true],
    ["below it", 9_999_999n, true],
    ["at its upper bound", 10_000_000_000n, true],
    ["at its lower bound, of a feed without an aggregator behind it", 10_000_000n, false],
  ])("an answer %s is no price: the market's may lie beyond", async (_what, answer, isProxy) => {
    const bounds = { min: 10_000_000n, max: 10_000_000_000n, isProxy };
    const [price] = await ask(decimals(8), round(answer, NOW_SECONDS), bounds);
    expect(price).toHaveProperty("unavailable", expect.stringContaining("limit of the feed"));
  });

  test("an answer just within the bounds is a price", async () => {
    for (const answer of [10_000_001n, 9_999_999_999n]) {
      const bounds = { min: 10_000_000n, max: 10_000_000_000n };
      expect(await ask(decimals(8), round(answer, NOW_SECONDS), bounds)).toMatchObject([
        { usdE18: answer * 10n ** 10n },
      ]);
    }
  });

  test("a fresh positive round is scaled by the feed's decimals", async () => {
    expect(await ask(decimals(8), round(99_980_000n, NOW_SECONDS - 10))).toEqual([
      { usdE18: 999_800_000_000_000_000n, updatedAt: NOW_SECONDS - 10, source: "chainlink" },
    ]);
    expect(await ask(decimals(20), round(12n * 10n ** 20n, NOW_SECONDS))).toMatchObject([
      { usdE18: 12n * E18 },
    ]);
  });

  test.each([
    ["zero", round(0n, NOW_SECONDS), "not positive"],
    ["negative", round(-1n, NOW_SECONDS), "not positive"],
    ["older than allowed", round(1n, NOW_SECONDS - 3601), "3601 s old"],
    ["not complete", round(1n, 0), "not complete"],
    ["far in the future", round(1n, NOW_SECONDS + 5000), "future"],
    ["a revert", reverted, "does not answer"],
    ["nothing", { success: true, data: "0x" } as CallResult, "does not answer"],
  ])("a round that is %s is no price", async (_what, answer, reason) => {
    const [price] = await ask(decimals(8), answer);
    expect(price).toHaveProperty("unavailable", expect.stringContaining(reason));
  });

  test("a node that does not answer is no price, and no error", async () => {
    const multicall = async () => {
      throw new ChainFault("unavailable", "out");
    };
    const source = chainlinkSource({ chainId: 8453, address, feed, maxAgeSeconds: 60 }, { multicall }, clock);
    expect(await source.prices([token])).toEqual([
      { unavailable: "chainlink: the chain's node does not answer" },
    ]);
  });
});

describe("defillama", () => {
  const id = `base:${address.toLowerCase()}`;
  const good = { price: 0.9998, timestamp: NOW_SECONDS, confidence: 0.99, symbol: "USDC", decimals: 6 };
  const ask = (answer: unknown) => {
    const urls: string[] = [];
    const source = defillamaSource({ url: "https://coins.example/", minConfidence: 0.9 }, async (url) => {
      urls.push(url);
      if (answer instanceof Error) throw answer;
      return answer;
    });
    return { urls, prices: source.prices([token]) };
  };

  test("a confident price counts, in whatever case the address comes back", async () => {
    const { urls, prices } = ask({ coins: { [`base:${address}`]: good } });
    expect(await prices).toEqual([
      { usdE18: 999_800_000_000_000_000n, updatedAt: NOW_SECONDS, source: "defillama" },
    ]);
    expect(urls).toEqual([`https://coins.example/prices/current/${id}`]);
  });

  test.each([
    ["too little confidence", { coins: { [id]: { ...good, confidence: 0.89 } } }, "confidence 0.89"],
    ["no confidence", { coins: { [id]: { ...good, confidence: undefined } } }, "not told"],
    ["confidence that is no number", { coins: { [id]: { ...good, confidence: "high" } } }, "not told"],
    ["a price of zero", { coins: { [id]: { ...good, price: 0 } } }, "not positive"],
    ["a price as text", { coins: { [id]: { ...good, price: "1" } } }, "not positive"],
    ["no time", { coins: { [id]: { ...good, timestamp: undefined } } }, "no time"],
    ["no such coin", { coins: {} }, "no price"],
    ["an answer without coins", [], "no price"],
    ["null", null, "no price"],
    ["an outage", new Error("timeout"), "does not answer"],
  ])("%s is no price", async (_what, answer, reason) => {
    expect((await ask(answer).prices)[0]).toHaveProperty("unavailable", expect.stringContaining(reason));
  });

  test("a chain that the service has no name for is not covered", () => {
    const source = defillamaSource({ url: "https://coins.example", minConfidence: 0.9 }, async () => ({}));
    expect(source.covers({ chainId: 31337, address })).toBe(false);
  });

  test("many tokens are asked for in few requests", async () => {
    const asked: string[] = [];
    const source = defillamaSource({ url: "https://coins.example", minConfidence: 0.9 }, async (url) => {
      asked.push(url);
      return { coins: {} };
    });
    await source.prices(Array.from({ length: 120 }, () => token));
    expect(asked).toHaveLength(3);
  });
});
