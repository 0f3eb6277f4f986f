// The chains' listing, one block for each status code, and what `/readyz` is told of a chain.
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { chainCondition, chainsFeature } from "./routes.ts";

const NOW_SECONDS = 1_778_000_000;
const chains = [8453, 1, 14, 999].map((chain_id) => ({ chain_id, max_lag_seconds: 300 }));
const clock = { now: () => NOW_SECONDS * 1000 + 999 };

let database: TestDatabase;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.pool.query(
    `insert into chains (chain_id, name, explorer_url, head_number, head_hash, head_timestamp, confirmed_number, is_halted) values
      (8453, 'Base', 'https://basescan.org', 120, '0x01', to_timestamp($1::bigint - 4), 108, false),
      (1, 'Ethereum', null, 20, '0x02', to_timestamp($1::bigint - 900), 8, true),
      (14, 'Flare', null, 7, '0x03', to_timestamp($1::bigint + 30), 7, false),
      (999, 'HyperEVM', null, null, null, null, null, false)`,
    [NOW_SECONDS],
  );
  app = await buildTestApp({ features: [chainsFeature({ db: database.db, clock, chains })], clock });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

describe("GET /api/v1/chains", () => {
  test("200: every chain by its id; what is not known yet is null, and a head ahead of the clock does not lag", async () => {
    const answer = await app.inject("/api/v1/chains");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toMatch(/^public, max-age=\d+$/);
    const nothing = { explorer_url: null, is_behind: false, is_halted: false, history: null };
    expect(answer.json()).toEqual([
      {
        ...nothing,
        chain_id: 1,
        name: "Ethereum",
        head_block: 20,
        confirmed_block: 8,
        lag_seconds: 900,
        is_behind: true,
        is_halted: true,
      },
      { ...nothing, chain_id: 14, name: "Flare", head_block: 7, confirmed_block: 7, lag_seconds: 0 },
      {
        ...nothing,
        chain_id: 999,
        name: "HyperEVM",
        head_block: null,
        confirmed_block: null,
        lag_seconds: null,
        is_behind: true,
      },
      {
        ...nothing,
        chain_id: 8453,
        name: "Base",
        explorer_url: "https://basescan.org",
        head_block: 120,
        confirmed_block: 108,
        lag_seconds: 4,
      },
    ]);
  });

  test("200: is_behind is what /readyz says: to the second of each chain's own limit, and of a chain no longer configured", async () => {
    const behindOf = async (limits: typeof chains) => {
      const other = await buildTestApp({
        features: [chainsFeature({ db: database.db, clock, chains: limits })],
        clock,
      });
      const answer = await other.inject("/api/v1/chains");
      await other.close();
      return Object.fromEntries(
        answer
          .json()
          .map((each: { chain_id: number; is_behind: boolean }) => [each.chain_id, each.is_behind]),
      );
    };
    const limits = [
      { chain_id: 1, max_lag_seconds: 900 },
      { chain_id: 8453, max_lag_seconds: 3 },
      { chain_id: 999, max_lag_seconds: 300 },
    ];
    expect(await behindOf(limits)).toEqual({ 1: false, 14: true, 999: true, 8453: true });
    for (const { chain_id, max_lag_seconds } of limits) {
      const { state } = await chainCondition({ db: database.db, clock }, chain_id, max_lag_seconds);
      expect([chain_id, state === "failed"]).toEqual([chain_id, (await behindOf(limits))[chain_id]]);
    }
  });

  test("200: while the past is filled in it says how far, and confirms no block whose entries are missing", async () => {
    const source = (address: string, start: number, next: number | null, pace: string) =>
      database.owner.pool.query(
        `insert into sources (chain_id, family, address, start_block, next_block, filling_from, filling_since)
         values (8453, 'erc4626', $1, $2, $3, ${pace})`,
        [address, start, next],
      );
    const asked = async () => {
      const { json } = await app.inject("/api/v1/chains");
      const { confirmed_block, history } = json().find(
        (each: { chain_id: number }) => each.chain_id === 8453,
      );
      return { confirmed_block, history };
    };
    await source("0x01", 0, null, "null, null");
    expect(await asked()).toEqual({ confirmed_block: 108, history: null });
    // Of 89 blocks 40 are done; those since block 40 in ten seconds, so that the 49 that are left take 25.
    await source("0x02", 20, 60, `40, to_timestamp(${NOW_SECONDS - 9} + 0.999 - 1)`);
    const history = { from_block: 20, to_block: 108, done_fraction: 0.4494, estimated_seconds: 25 };
    expect(await asked()).toEqual({ confirmed_block: 59, history });
    await source("0x03", 0, 0, "null, null");
    expect(await asked()).toEqual({
      confirmed_block: null,
      history: { from_block: 0, to_block: 108, done_fraction: 0.202, estimated_seconds: null },
    });
    await database.owner.pool.query("delete from sources");
    expect(await asked()).toEqual({ confirmed_block: 108, history: null });
  });

  test("304: for the entity tag of the answer before, when nothing has changed", async () => {
    const { etag } = (await app.inject("/api/v1/chains")).headers;
    const again = await app.inject({ url: "/api/v1/chains", headers: { "if-none-match": String(etag) } });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe("");
  });

  test("400: a query parameter that the route does not have", async () => {
    const answer = await app.inject("/api/v1/chains?chain_id=1");
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: "invalid_request", errors: [{ path: "chain_id" }] });
  });
});

describe("what /readyz is told", () => {
  const of = (chainId: number, following: Parameters<typeof chainCondition>[3] = null) =>
    chainCondition({ db: database.db, clock }, chainId, 300, following);
  const leads = { isLeading: true, ledElsewhereSince: null, warnings: [] };
  const backfill = { sources: 2, nextBlock: 50, toBlock: 100, secondsLeft: 9 };

  test("ok: a chain within its bounds, with the progress of what is filled in", async () => {
    expect(await of(8453)).toEqual({ state: "ok" });
    expect(await of(8453, { ...leads, error: null, backfill })).toEqual({
      state: "ok",
      detail:
        "this process leads the chain; filling in the past of 2 sources: block 50 of 100, about 9 s left",
    });
  });

  test("ok: a chain that another process leads, and since when", async () => {
    const ledElsewhereSince = "2026-05-05T16:53:20.000000Z";
    const follows = { ...leads, isLeading: false, ledElsewhereSince };
    expect(await of(8453, { ...follows, error: null, backfill: null })).toEqual({
      state: "ok",
      detail: `another process leads the chain since ${ledElsewhereSince}`,
    });
  });

  test("degraded: a failure that has not made the chain late yet", async () => {
    expect(await of(8453, { ...leads, error: "no URL answered", backfill: null })).toEqual({
      state: "degraded",
      detail: "following the chain is held up; the log and the admin listener say by what",
      reason: "no URL answered",
    });
  });

  test("degraded: what may be configured otherwise than meant, source by source, until it is mended", async () => {
    const warnings = ["there is no contract at the aggregator's address 0x1", "0x2 is no vault"];
    expect(await of(8453, { ...leads, warnings, error: null, backfill: null })).toEqual({
      state: "degraded",
      detail: `${warnings.join("; ")}; this process leads the chain`,
    });
  });

  test("failed: a chain too far behind, with the reason; a halted chain is told apart from a node that is not followed", async () => {
    expect(await of(1)).toEqual({
      state: "failed",
      detail: "is 900 s behind, more than 300 s: the chain makes no new blocks",
    });
    expect(await of(1, { ...leads, error: "another chain", backfill: null })).toMatchObject({
      detail: expect.stringMatching(/^is 900 s behind, more than 300 s: following the chain is held up/),
      reason: "another chain",
    });
    expect(await of(999)).toEqual({ state: "failed", detail: "no block has been seen yet" });
    expect(await of(5)).toMatchObject({ state: "failed" });
  });
});
