import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import {
  CHAIN,
  type EngineTest,
  event,
  heldClock,
  MANAGER,
  OTHER_ID,
  STRANGER,
  startEngineTest,
  VAULT,
  VAULT_ID,
} from "../../../test/engine.ts";
import { EVENT_TYPES } from "../../reports/events.ts";

const START = Date.UTC(2026, 5, 1);
const SHARD = `/api/v1/engine/shards/${VAULT_ID}/state`;
const KEY = `/api/v1/vaults/${CHAIN}/${VAULT}/session-key`;
const MERKLE = `/api/v1/vaults/${CHAIN}/${VAULT}/merkle`;
const ROOT = `0x${"AB".repeat(32)}`;

let database: TestDatabase;
let engine: EngineTest;
const clock = heldClock(START);

beforeAll(async () => {
  database = await createTestDatabase();
  engine = await startEngineTest(database.db, { clock });
});
afterAll(async () => {
  await engine.app.close();
  await database.drop();
});
beforeEach(() => {
  clock.ms = START;
});
afterEach(async () => {
  await database.owner.pool.query(
    "truncate shard_states, session_keys, merkle_jobs, engine_actions, vault_reports, vault_states",
  );
});

const at = (seconds: number, id?: string) => ({
  time: clock.at(seconds),
  ...(id === undefined ? {} : { id }),
});
const entries = async (prefix: string) => {
  const { rows } = await database.db.pool.query(
    "select body from audit_entries where action_type like $1 || '%' order by seq",
    [prefix],
  );
  return rows.map(({ body }) => JSON.parse(body));
};
const reports = async () => {
  const { rows } = await database.db.pool.query(
    "select kind, data from vault_reports where vault_address = $1 order by kind",
    [VAULT],
  );
  return Object.fromEntries(rows.map(({ kind, data }) => [kind, data]));
};

describe("shard state", () => {
  const shard = (seconds: number, more: Record<string, unknown> = {}, id?: string) =>
    event(
      "vaultops.shard.state",
      { ...structuredClone(EVENT_TYPES["vaultops.shard.state"].example), ...more },
      at(seconds, id),
    );

  test("200: what was reported, locks and free fields as they were, stale after three ticks", async () => {
    const lock = {
      strategy_id: "stables",
      target_address: MANAGER.toLowerCase() as `0x${string}`,
      started_at: "2026-06-01T02:00:00+02:00",
      reason: "depeg",
    };
    const fields = { mode: "safe", nested: { list: [1, null, "ü\n"] }, big: 1e300 };
    await engine.report([shard(0, { emergency_locks: [lock], fields, tick_interval: 5 })]);
    const { body } = await engine.get(SHARD);
    expect(body).toEqual({
      vault_id: VAULT_ID,
      strategy_count: 1,
      active_intent_count: 2,
      tick_interval: 5,
      tick_interval_seconds: 5,
      fields,
      strategies: [{ strategy_id: "stables" }],
      allocations: [{ strategy_id: "stables", assets: "1000000" }],
      emergency_locks: [{ ...lock, target_address: MANAGER, started_at: clock.at(0) }],
      reported_at: clock.at(0),
      is_stale: false,
    });
    clock.ms = START + 15_000;
    expect((await engine.get(SHARD)).body.is_stale).toBe(false);
    clock.ms = START + 15_001;
    expect((await engine.get(SHARD)).body.is_stale).toBe(true);
  });

  test("200: without a tick it is stale after 90 seconds; the vault's id in any case, its colon encoded", async () => {
    await engine.report([shard(0, { tick_interval: 0 })]);
    clock.ms = START + 90_000;
    expect((await engine.get(SHARD.toLowerCase().replace(":", "%3A"))).body.is_stale).toBe(false);
    clock.ms = START + 90_001;
    expect((await engine.get(SHARD)).body.is_stale).toBe(true);
  });

  test("200: a late report moves nothing back; of one moment the greater id counts", async () => {
    await engine.report([shard(10, { strategy_count: 10 }, "s-5")]);
    await engine.report([
      shard(5, { strategy_count: 5 }, "s-9"),
      shard(10, { strategy_count: 4 }, "s-4"),
      shard(9, { strategy_count: 9 }, "s-8"),
    ]);
    expect((await engine.get(SHARD)).body.strategy_count).toBe(10);
    await engine.report([shard(10, { strategy_count: 6 }, "s-6")]);
    expect((await engine.get(SHARD)).body.strategy_count).toBe(6);
  });

  test("400 invalid_vault_id, 401, 403 and 404 chain_not_found, vault_not_found and shard_not_found", async () => {
    expect((await engine.get("/api/v1/engine/shards/0x1/state")).body.code).toBe("invalid_vault_id");
    expect((await engine.app.inject({ url: SHARD })).statusCode).toBe(401);
    expect((await engine.get(SHARD, STRANGER)).body.code).toBe("insufficient_role");
    expect((await engine.get(`/api/v1/engine/shards/1:${VAULT}/state`)).body.code).toBe("chain_not_found");
    expect((await engine.get(`/api/v1/engine/shards/${CHAIN}:${MANAGER}/state`)).body.code).toBe(
      "vault_not_found",
    );
    const { status, body } = await engine.get(SHARD);
    expect([status, body.code]).toEqual([404, "shard_not_found"]);
  });
});

describe("session key", () => {
  const key = (seconds: number, more: Record<string, unknown> = {}) =>
    event(
      "vaultops.session_key.readiness",
      {
        is_ready: true,
        key_address: MANAGER,
        expires_at: clock.at(3600),
        pending_rotation: false,
        ...more,
      },
      at(seconds),
    );

  test("200: nothing reported is null, with the reason", async () => {
    const { status, body } = await engine.get(KEY);
    expect(status).toBe(200);
    expect(body).toMatchObject({ vault_id: VAULT_ID, is_ready: null, reason: "never reported" });
  });

  test("200: as last reported; an expired key is not ready, by time alone", async () => {
    await engine.report([
      key(10),
      key(5, { is_ready: false, reason: "late" }),
      event(
        "vaultops.session_key.readiness",
        { ...key(11).data, is_ready: false },
        { ...at(11), subject: OTHER_ID },
      ),
    ]);
    expect((await engine.get(KEY)).body).toEqual({
      vault_id: VAULT_ID,
      chain_id: CHAIN,
      vault_address: VAULT,
      is_ready: true,
      key_address: MANAGER,
      expires_at: clock.at(3600),
      is_expired: false,
      pending_rotation: false,
      reason: null,
      reported_at: clock.at(10),
    });
    clock.ms = START + 3_600_000;
    expect((await engine.get(KEY)).body).toMatchObject({
      is_ready: false,
      is_expired: true,
      reason: "the key has expired",
    });
  });

  test("401 and 403", async () => {
    expect((await engine.app.inject({ url: KEY })).statusCode).toBe(401);
    expect((await engine.get(KEY, STRANGER)).status).toBe(403);
  });
});

describe("merkle jobs", () => {
  const job = (
    seconds: number,
    status: "running" | "success" | "failed",
    more: Record<string, unknown> = {},
  ) => event("vaultops.merkle.job", { job_id: "m-1", kind: "publish", status, ...more }, at(seconds));

  test("200: newest first, with what the chain has of their roots", async () => {
    await database.db.pool.query(
      "insert into blocks (chain_id, number, hash, block_timestamp) values ($1, 1, 'h', now()) on conflict do nothing",
      [CHAIN],
    );
    const onchain = {
      root: ROOT.toLowerCase(),
      proposed_root: `0x${"0".repeat(64)}`,
      effective_at: null,
      is_vetoed: false,
    };
    await database.db.pool.query(
      "insert into vault_states (chain_id, block_number, vault_address, pps_decimals, merkle) values ($1, 1, $2, 6, $3)",
      [CHAIN, VAULT, onchain],
    );
    await engine.report([
      job(10, "success", { root: ROOT }),
      job(5, "running"),
      job(20, "failed", { job_id: "m-2", kind: "generate", error: "no leaves" }),
      job(15, "success", { job_id: "m-3", root: `0x${"1".repeat(64)}` }),
    ]);
    const { body } = await engine.get(MERKLE);
    expect(body).toMatchObject({ vault_id: VAULT_ID, onchain, total: 3, has_more: false });
    expect(body.jobs).toMatchObject([
      { job_id: "m-2", kind: "generate", status: "failed", error: "no leaves", root: null, onchain: null },
      { job_id: "m-3", onchain: "none" },
      {
        job_id: "m-1",
        status: "success",
        root: ROOT.toLowerCase(),
        onchain: "current",
        started_at: clock.at(5),
        finished_at: clock.at(10),
      },
    ]);
    const page = (await engine.get(`${MERKLE}?limit=1&offset=1`)).body;
    expect(page).toMatchObject({ jobs: [{ job_id: "m-3" }], total: 3, has_more: true });
  });

  test("a job that ends is one audit entry, whatever is reported of it later", async () => {
    const before = (await entries("merkle_p")).length;
    await engine.report([job(0, "running")]);
    expect(await entries("merkle_p")).toHaveLength(before);
    await engine.report([job(2, "success", { root: ROOT, actor_wallet: MANAGER }), job(1, "running")]);
    await engine.report([job(3, "failed"), job(4, "success")]);
    expect((await entries("merkle_p")).slice(before)).toMatchObject([
      {
        action_type: "merkle_publish",
        vault_address: VAULT,
        chain_id: CHAIN,
        actor_wallet: MANAGER,
        details: {
          job_id: "m-1",
          status: "success",
          root: ROOT.toLowerCase(),
          source: "/engine/main",
          reported: true,
        },
      },
    ]);
  });

  test("400 for a limit out of range, 401 and 403", async () => {
    expect((await engine.get(`${MERKLE}?limit=1001`)).status).toBe(400);
    expect((await engine.app.inject({ url: MERKLE })).statusCode).toBe(401);
    expect((await engine.get(MERKLE, STRANGER)).status).toBe(403);
  });
});

describe("the vault's record", () => {
  test("shows the newest price that the engine calculated", async () => {
    const pps = (seconds: number, value: string) =>
      event("vaultops.pps.report", { value, at: clock.at(seconds) }, at(seconds));
    await engine.report([pps(10, "1050000"), pps(5, "1")]);
    await engine.report([pps(9, "2")]);
    expect(await reports()).toEqual({ pps: { value: "1050000", at: clock.at(10) } });
  });

  test("shows an emergency exit as armed since the first of the last arms, and stopped since its stop", async () => {
    const exit = (seconds: number, kind: "arm" | "stop", by = MANAGER) =>
      event(
        "vaultops.action",
        { action_type: `emergency_exit_${kind}`, actor_wallet: by, details: {} },
        at(seconds),
      );
    await engine.report([exit(20, "arm"), exit(10, "arm", STRANGER)]);
    expect((await reports()).emergency_exit).toEqual({ is_armed: true, since: clock.at(10), by: STRANGER });
    await engine.report([exit(15, "stop")]);
    expect((await reports()).emergency_exit).toEqual({ is_armed: true, since: clock.at(20), by: MANAGER });
    await engine.report([exit(30, "stop", STRANGER)]);
    expect((await reports()).emergency_exit).toEqual({ is_armed: false, since: clock.at(30), by: STRANGER });
  });
});

describe("actions", () => {
  const action = (details: Record<string, unknown>, id?: string) =>
    event(
      "vaultops.action",
      { action_type: "session_key_rotate", actor_wallet: MANAGER, details },
      at(0, id),
    );

  test("each is an audit entry of the wallet it names, and what the engine says stands apart from what the service knows", async () => {
    const forged = [
      { key: testAddress(9), source: "/chain", reported: false },
      { block_timestamp: "2020-01-01T00:00:00.000000Z" },
      { block_number: 22_123_456 },
      { reverted_id: "018f5b1a-7c00-7000-8000-000000000000" },
    ];
    const before = (await entries("session_key")).length;
    for (const details of forged) await engine.report([action(details)]);
    const made = (await entries("session_key")).slice(before);
    expect(made).toMatchObject(
      forged.map(() => ({
        action_type: "session_key_rotate",
        vault_address: VAULT,
        chain_id: CHAIN,
        actor_wallet: MANAGER,
      })),
    );
    expect(made.map((entry) => entry.details)).toEqual(
      forged.map((reported_details) => ({
        reported_details,
        source: "/engine/main",
        reported: true,
        reported_at: clock.at(0),
      })),
    );
  });

  test("one whose id was forgotten meanwhile is not recorded again", async () => {
    await engine.report([action({}, "a-2")]);
    const before = (await entries("session_key")).length;
    await database.db.pool.query("delete from engine_report_ids");
    expect(await engine.report([action({}, "a-2")])).toMatchObject([{ status: "accepted" }]);
    expect(await entries("session_key")).toHaveLength(before);
  });

  test("no report makes an entry of a kind that the chain makes, nor one of any other kind", async () => {
    for (const kind of [
      "vault_pause",
      "deposit",
      "view_only_add",
      "service_pause",
      "merkle_root_update",
      "x",
    ]) {
      const forged = { ...action({}), data: { action_type: kind, actor_wallet: MANAGER, details: {} } };
      expect(await engine.report([forged])).toMatchObject([{ status: "rejected" }]);
    }
  });

  test("details beyond 16 KiB are refused", async () => {
    expect(await engine.report([action({ text: "x".repeat(16_384) })])).toMatchObject([
      { status: "rejected", problem: { code: "invalid_event" } },
    ]);
  });
});
