// The log read from a real streaming replica: what goes on from a place may lag, and is then all there; what is asked for by time may not.
import { get as httpGet } from "node:http";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { type AuditApp, MAINTAINER, startAuditApp } from "../../../test/audit-app.ts";
import { type PostgresPair, startPostgresPair } from "../../../test/fleet/postgres-pair.ts";
import { type Database, openDatabase } from "../../platform/db/db.ts";
import { Replica } from "../../platform/db/replica.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";

let pair: PostgresPair;
let primary: Database;
let standby: Database;
let replica: Replica;
let t: AuditApp;
const end = new AbortController();
let measuring: Promise<void>;

beforeAll(async () => {
  pair = await startPostgresPair();
  primary = await openDatabase({ url: pair.url });
  standby = await openDatabase({ url: pair.standbyUrl, isReplica: true });
  replica = new Replica(primary, standby, { maxLagMs: 2_000, log: silentLogger() });
  measuring = replica.watch(end.signal);
  const owner = await openDatabase({ url: pair.ownerUrl });
  const drop = async () => {
    await Promise.all([primary, standby, owner].map((db) => db.close()));
    await pair.stop();
  };
  const database = { db: primary, owner, url: pair.url, ownerUrl: pair.ownerUrl, drop };
  t = await startAuditApp({ lagging: replica.reads(primary, standby) }, database);
});
afterAll(async () => {
  end.abort();
  await measuring;
  await t?.close();
});

let n = 0;
const write = (count: number) =>
  t.database.db.transaction((tx) =>
    record(
      tx,
      Array.from({ length: count }, () => chainEntry(n++)),
    ),
  );
async function get(query: string) {
  const answer = await fetch(`${t.url}/api/v1/audit/logs${query}`, { headers: t.as(MAINTAINER) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { logs: { seq: string }[]; total: number; live_cursor: string };
}
const countOf = async (query: string) => (await get(query)).logs.length;
const onStandby = async () =>
  (
    await sql<{ is_standby: boolean }>`select pg_is_in_recovery() as is_standby`.execute(
      replica.reads(primary, standby).kysely,
    )
  ).rows[0]!.is_standby;

/** Entries that a stream from the beginning has told so far. */
function follow(): { seqs: number[]; close(): void } {
  const seqs: number[] = [];
  const request = httpGet(`${t.url}/api/v1/audit/stream?cursor=start`, {
    headers: t.as(MAINTAINER),
    agent: false,
  });
  request.on("error", () => {});
  request.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      seqs.splice(0, seqs.length, ...[...text.matchAll(/"seq":"(\d+)"/g)].map(([, seq]) => Number(seq)));
    });
    response.on("error", () => {});
  });
  return { seqs, close: () => request.destroy() };
}

async function replay(word: "pause" | "resume"): Promise<void> {
  const client = new pg.Client({ connectionString: pair.standbySuperuserUrl });
  await client.connect();
  await client.query(`select pg_wal_replay_${word}()`);
  await client.end();
}

it("pages by cursor and streams come from a replica that keeps up, and are as long as the log", async () => {
  await write(30);
  const stream = follow();
  await expect.poll(() => replica.isFresh()).toBe(true);
  expect(await onStandby()).toBe(true);
  await expect.poll(() => countOf("?cursor=start")).toBe(30);
  await write(3);
  await expect.poll(() => stream.seqs).toEqual(Array.from({ length: 33 }, (_, i) => i + 1));
  stream.close();
});

it("while it lags pages by time have all, a place beyond it is read on from, and past the bound so is everything", async () => {
  await expect.poll(() => countOf("?cursor=start")).toBe(33);
  await replay("pause");
  const stream = follow();
  await write(4);
  const newest = await get("?limit=1");
  expect([newest.total, newest.logs[0]?.seq]).toEqual([37, "37"]);
  // Given out by the primary: the replica knows no such place yet.
  expect(await countOf(`?cursor=${newest.live_cursor}`)).toBe(0);
  await expect.poll(onStandby).toBe(false);
  expect(await countOf("?cursor=start")).toBe(37);
  await expect.poll(() => stream.seqs.length).toBe(37);
  await replay("resume");
  await expect.poll(onStandby).toBe(true);
  stream.close();
});

it("one that is away is not missed", async () => {
  await pair.stopStandby();
  // The primary waits for nobody any more.
  const client = new pg.Client({ connectionString: pair.superuserUrl });
  await client.connect();
  await client.query("alter system set synchronous_standby_names = ''");
  await client.query("select pg_reload_conf()");
  await client.end();
  for (let i = 0; i < 5; i += 1) expect(await countOf("?cursor=start")).toBe(37);
  await write(1);
  await expect.poll(() => countOf("?cursor=start")).toBe(38);
  expect(replica.isFresh()).toBe(false);
});
