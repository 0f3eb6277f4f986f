// The routes of a vault's history, one block for each status code of each, over real rows and the real guard.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as } from "../../../test/caller.ts";
import { ACTOR, readingOf } from "../../../test/synthetic-chain.ts";
import type { FactBody } from "../../chain/facts.ts";
import { ApyHistorySchema, PpsHistorySchema } from "./history-schemas.ts";
import {
  CHAIN,
  DAY,
  EMPTY,
  expectShape,
  NOBODY,
  openVaultApp,
  POOR,
  RICH,
  T0,
  type VaultApp,
} from "./test-app.ts";

let app: VaultApp;
beforeAll(async () => {
  app = await openVaultApp();
});
afterAll(() => app.close());

describe("GET /api/v1/vaults/{chain_id}/{address}/pps", () => {
  const URL = `/api/v1/vaults/${CHAIN}/${RICH}/pps`;

  test("200: every point, oldest first, with the value of its time", async () => {
    const { status, body, headers } = await app.get(URL, as(NOBODY));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expectShape(PpsHistorySchema, body);
    expect(body.points).toHaveLength(41);
    expect(body.points[3]).toEqual({
      timestamp: "2026-02-05T02:40:00.000000Z",
      pps: "1000300000000000000",
      tvl: "2000600000000000000",
      tvl_usd: 6001.8,
      block_number: 13,
    });
    expect(body.points[4].tvl_usd).toBeNull();
    expect(body.next_cursor).toBeNull();
  });

  test("200: from is inclusive, to exclusive, and pages join without a gap or a repetition", async () => {
    const from = "2026-02-05T02:40:00Z";
    const bounded = await app.get(
      `${URL}?from_timestamp=${from}&to_timestamp=2026-02-07T02:40:00Z`,
      as(NOBODY),
    );
    expect(bounded.body.points.map((point: { block_number: number }) => point.block_number)).toEqual([
      13, 14,
    ]);
    expect(
      (await app.get(`${URL}?from_timestamp=${from}&to_timestamp=${from}`, as(NOBODY))).body.points,
    ).toEqual([]);
    for (const interval of ["raw", "hour", "day"]) {
      const walked: unknown[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: { points: unknown[]; next_cursor: string | null } = (
          await app.get(`${URL}?limit=7&interval=${interval}${cursor && `&cursor=${cursor}`}`, as(NOBODY))
        ).body;
        expect(page.points.length).toBeLessThanOrEqual(7);
        walked.push(...page.points);
        cursor = page.next_cursor;
      }
      expect(walked).toEqual((await app.get(URL, as(NOBODY))).body.points);
    }
  });

  test("200: hour and day give the last point of each that has one", async () => {
    const other = `/api/v1/vaults/${CHAIN}/${POOR}`;
    const at = T0 + 41 * DAY;
    const price = (pps: bigint) => ({
      vault: POOR,
      body: { kind: "pps_updated", pps, timestamp: 0n } as FactBody,
    });
    const mint = { vault: POOR, body: { kind: "shares_minted", to: ACTOR, shares: 5n } as FactBody };
    await app.chain.apply([
      app.chain.block(70, at, [mint, price(1n), price(2n)]),
      app.chain.block(71, at, [price(3n)]),
      app.chain.block(72, at + 600, [price(4n)]),
      app.chain.block(73, at + 3 * 3600, [price(5n)]),
      app.chain.block(74, at + DAY, [price(6n)]),
    ]);
    const pps = async (interval: string) =>
      (await app.get(`${other}/pps?interval=${interval}`, as(NOBODY))).body.points.map(
        (point: { pps: string }) => point.pps,
      );
    expect(await pps("raw")).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(await pps("hour")).toEqual(["4", "5", "6"]);
    expect(await pps("day")).toEqual(["5", "6"]);
    await app.chain.undoAbove(60);
    expect(await pps("raw")).toEqual([]);
  });

  test("200: a fixed price values every point", async () => {
    const mint = { vault: POOR, body: { kind: "shares_minted", to: ACTOR, shares: 3_000_000n } as FactBody };
    const price = { vault: POOR, body: { kind: "pps_updated", pps: 1_500_000n, timestamp: 0n } as FactBody };
    await app.chain.apply([app.chain.block(70, T0 + 41 * DAY, [mint, price])]);
    const { body } = await app.get(`/api/v1/vaults/${CHAIN}/${POOR}/pps`, as(NOBODY));
    await app.chain.undoAbove(60);
    expect(body.points).toMatchObject([{ pps: "1500000", tvl: "4500000", tvl_usd: 4.5 }]);
  });

  test("304: with the entity tag of what the client has", () => app.expectNotModified(URL, as(NOBODY)));

  test("400: bad bounds, interval, limit and cursor", async () => {
    const queries: [string, string][] = [
      ["from_timestamp=yesterday", "invalid_timestamp"],
      ["from_timestamp=2026-02-02&to_timestamp=2026-02-01", "invalid_timestamp"],
      ["interval=week", "invalid_request"],
      ["limit=0", "invalid_request"],
      ["limit=5001", "invalid_request"],
      ["cursor=AAAA", "invalid_request"],
      [`cursor=${Buffer.from("2026-02-30T00:00:00.000000Z 1 1").toString("base64url")}`, "invalid_request"],
      ["cursor=", "invalid_request"],
      ["offset=1", "invalid_request"],
    ];
    for (const [query, code] of queries) {
      expect(await app.get(`${URL}?${query}`, as(NOBODY)), query).toMatchObject({
        status: 400,
        body: { code },
      });
    }
  });

  test("401: without a token", async () => expect((await app.get(URL)).status).toBe(401));

  test("404: an unknown chain, an unknown vault", async () => {
    expect((await app.get(`/api/v1/vaults/5/${RICH}/pps`, as(NOBODY))).body.code).toBe("chain_not_found");
    expect((await app.get(`/api/v1/vaults/${CHAIN}/${NOBODY}/pps`, as(NOBODY))).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("GET /api/v1/vaults/{chain_id}/{address}/apy", () => {
  const URL = `/api/v1/vaults/${CHAIN}/${RICH}/apy`;

  test("200: the windows, what they came from, and the 7-day figure of each day", async () => {
    const { status, body } = await app.get(URL, as(NOBODY));
    expect(status).toBe(200);
    expectShape(ApyHistorySchema, body);
    expect(body.windows).toEqual({
      "1d": 0.03705042,
      "7d": 0.0370617,
      "30d": 0.03710502,
      inception: 0.03712389,
    });
    expect(body.window_details["7d"]).toEqual({
      from_timestamp: "2026-03-07T02:40:00.000000Z",
      to_timestamp: "2026-03-14T02:40:00.000000Z",
      from_pps: "1003300000000000000",
      to_pps: "1004000000000000000",
      from_pps_e18: "1003300000000000000000000000000000000",
      to_pps_e18: "1004000000000000000000000000000000000",
      seconds: 7 * DAY,
    });
    expect(body.points).toHaveLength(41);
    expect(body.points.slice(0, 7).every((point: { apy_7d: null }) => point.apy_7d === null)).toBe(true);
    expect(body.points[7]).toEqual({ timestamp: "2026-02-09T02:40:00.000000Z", apy_7d: 0.0371862 });
    expect(body.points.at(-1).apy_7d).toBe(body.windows["7d"]);
  });

  test("200: a loss of all supply ends a history; what follows begins anew", async () => {
    const reading = (pps: bigint | null) =>
      readingOf({ pps, totalAssets: pps === null ? 0n : 9n, totalSupply: pps === null ? 0n : 9n });
    const at = (n: number) => T0 + 41 * DAY + n * 5 * DAY;
    await app.chain.apply(
      [1_000_000n, 1_100_000n, null, 500_000n, 500_100n].map((pps, n) =>
        app.chain.block(80 + n, at(n), [], [[EMPTY, reading(pps)]]),
      ),
    );
    const { body } = await app.get(`/api/v1/vaults/${CHAIN}/${EMPTY}/apy`, as(NOBODY));
    const history = await app.get(`/api/v1/vaults/${CHAIN}/${EMPTY}/pps`, as(NOBODY));
    await app.chain.undoAbove(60);
    expect(body.windows["7d"]).toBeNull();
    expect(body.unavailable_reasons).toMatchObject({ "7d": "history_too_short", "30d": "history_too_short" });
    expect(body.window_details.inception).toMatchObject({ from_pps: "500000", seconds: 5 * DAY });
    expect(body.points.map((point: { apy_7d: number | null }) => point.apy_7d)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(history.body.points.map((point: { pps: string | null }) => point.pps)[2]).toBeNull();
  });

  test.each([
    ["of two decimals", 2],
    ["of six decimals", 6],
    ["of eighteen decimals", 18],
  ])("200: 4 % a year is 4 % in every window, on an asset %s", async (_asset, decimals) => {
    // One share in raw units × 10^18, and what of it the asset can write.
    const ppsE18 = (day: number) => {
      const growth = BigInt(Math.round(1e15 * 1.04 ** ((day * DAY) / 31_556_952)));
      return 10n ** BigInt(decimals + 3) * growth;
    };
    await app.chain.apply(
      [0, 1, 2, 3, 4, 5, 6, 7].map((day) => {
        const reading = readingOf({
          pps: ppsE18(day) / 10n ** 18n,
          ppsE18: ppsE18(day),
          ppsDecimals: decimals,
          totalAssets: 9n,
          totalSupply: 9n,
        });
        return app.chain.block(80 + day, T0 + (60 + day) * DAY, [], [[EMPTY, reading]]);
      }),
    );
    const { body } = await app.get(`/api/v1/vaults/${CHAIN}/${EMPTY}/apy`, as(NOBODY));
    await app.chain.undoAbove(60);
    expect(body.windows["1d"]).toBeCloseTo(0.04, 6);
    expect(body.windows["7d"]).toBeCloseTo(0.04, 6);
    expect(body.windows.inception).toBeCloseTo(0.04, 6);
    expect(body.points.at(-1).apy_7d).toBeCloseTo(0.04, 6);
  });

  test("304: with the entity tag of what the client has", () => app.expectNotModified(URL, as(NOBODY)));

  test("400: an interval that it does not have", async () => {
    expect((await app.get(`${URL}?interval=raw`, as(NOBODY))).status).toBe(400);
  });

  test("401: without a token", async () => expect((await app.get(URL)).status).toBe(401));

  test("404: an unknown vault", async () => {
    expect((await app.get(`/api/v1/vaults/${CHAIN}/${NOBODY}/apy`, as(NOBODY))).body.code).toBe(
      "vault_not_found",
    );
  });
});
