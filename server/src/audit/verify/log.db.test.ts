// What a superuser of the database can do to the log, and that verification finds each, and names the entry.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { ACTORS, chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { auditVerifyLogCommand } from "../../cli/audit/audit.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { createCheckpoints } from "../tree/checkpoint.ts";
import { LATEST_FILE } from "../tree/kept-notes.ts";
import { readSigner, signCheckpoint, writeSigner } from "../tree/signer.ts";
import { verifyLog } from "./log.ts";
import { createWatch, type Verification } from "./watch.ts";

let t: TestDatabase;
let superuser: pg.Client;
let folder: string;
const SIZE = 1400;
const SIGNED = [300, 1300];

beforeAll(async () => {
  t = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "vaultops-verify-"));
  const url = new URL(t.url);
  const admin = new URL(inject("testServer").superuserUrl);
  [url.username, url.password] = [admin.username, admin.password];
  superuser = new pg.Client({ connectionString: url.toString() });
  await superuser.connect();
  const checkpoints = createCheckpoints({
    db: t.db,
    folder,
    origin: "vaultops.test/audit",
    log: silentLogger(),
  });
  const options = (n: number) => ({ isHistory: n % 3 === 0, actor: n % 5 === 0 ? n % 6 : 0 });
  let n = 0;
  for (const size of [...SIGNED, SIZE]) {
    const entries = Array.from({ length: size - n }, (_, i) => chainEntry(n + i, options(n + i)));
    await t.db.transaction((tx) => record(tx, entries));
    if (size !== SIZE) await checkpoints.sign();
    n = size;
  }
  for (const table of TABLES) {
    await superuser.query(`create table kept_${table} as select * from ${table}`);
    await superuser.query(`alter table ${table} disable trigger all`);
  }
  const { rows } = await superuser.query(
    "select relid::regclass::text as name from pg_partition_tree('audit_entries')",
  );
  for (const { name } of rows) await superuser.query(`alter table ${name} disable trigger all`);
});
afterAll(async () => {
  await superuser.end();
  await t.drop();
  await rm(folder, { recursive: true, force: true });
});
const TABLES = [
  "audit_entries",
  "audit_tiles",
  "audit_checkpoints",
  "audit_keys",
  "audit_counts",
  "audit_actors",
];
let isTampered = false;

/** Runs statements as a superuser whom no trigger stops, and checks the log as it then is. */
async function tamper(statements: string) {
  isTampered = true;
  await superuser.query(statements);
  return verifyLog({ pool: t.db.pool, folder });
}

afterEach(async () => {
  if (!isTampered) return;
  isTampered = false;
  for (const table of TABLES) {
    await superuser.query(`truncate ${table}; insert into ${table} select * from kept_${table}`);
  }
});

const BODY = (seq: number, from: string, to: string) =>
  `update audit_entries set body = replace(body, '${from}', '${to}') where seq = ${seq}`;

describe("a log that nobody touched", () => {
  it("verifies, as the application's role", async () => {
    const result = await verifyLog({ pool: t.db.pool, folder });
    expect(result).toEqual({ size: SIZE, checkpoints: 2, signed: 1300, archivedBelow: 1, failure: null });
    const lines: string[] = [];
    expect(await auditVerifyLogCommand({ db: t.db, folder, print: (line) => lines.push(line) })).toBe(0);
    expect(lines[0]).toMatch(/^OK: 1400 entries/);
  });

  it("tells how far the check is, and says nothing of a log whose check was ended", async () => {
    const told: [number, number][] = [];
    await verifyLog({ pool: t.db.pool, folder, onProgress: (...progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(1);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).sort((a, b) => a - b));
    expect(told.at(-1)![0]).toBeLessThanOrEqual(SIZE);
    for (const [, total] of told) expect(total).toBe(SIZE);

    const end = new AbortController();
    const ended = verifyLog({
      pool: t.db.pool,
      folder,
      signal: end.signal,
      onProgress: () => end.abort(),
    });
    await expect(ended).rejects.toThrow();
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    expect(await auditVerifyLogCommand({ db: t.db, folder, print, signal: end.signal })).toBe(130);
    expect(lines).toEqual(["Stopped before the whole log was checked: no result."]);
  });

  it("verifies while entries are being written", async () => {
    const other = await createTestDatabase();
    let n = 0;
    let isDone = false;
    const writer = (async () => {
      while (!isDone) {
        await other.db.transaction((tx) =>
          record(
            tx,
            Array.from({ length: 40 }, () => chainEntry(n++)),
          ),
        );
      }
    })();
    for (let i = 0; i < 6; i++)
      expect((await verifyLog({ pool: other.db.pool, folder: null })).failure).toBe(null);
    isDone = true;
    await writer;
    await other.drop();
  });

  it("verifies when entries are written and signed for in the middle of the check", async () => {
    const other = await createTestDatabase();
    const own = await mkdtemp(join(tmpdir(), "vaultops-verify-"));
    const log = { db: other.db, folder: own, origin: "vaultops.test/audit", log: silentLogger() };
    const checkpoints = createCheckpoints(log);
    let n = 0;
    const grow = async () => {
      await other.db.transaction((tx) => record(tx, [chainEntry(n++)]));
      await checkpoints.sign();
    };
    await grow();
    const { pool } = other.db;
    const connect = async () => {
      const client = await pool.connect();
      // Its snapshot is taken by the first statement that reads.
      const query = client.query.bind(client);
      client.query = (async (...args: Parameters<typeof query>) => {
        client.query = query;
        const result = await query(...args);
        await query("select 1 from audit_entries");
        await grow();
        return result;
      }) as never;
      return client;
    };
    const watched = new Proxy(pool, {
      get: (target, name) => {
        const value = name === "connect" ? connect : Reflect.get(target, name);
        return typeof value === "function" && name !== "connect" ? value.bind(target) : value;
      },
    });
    expect(await verifyLog({ pool: watched, folder: own })).toMatchObject({ size: 1, failure: null });
    expect(await verifyLog({ pool, folder: own })).toMatchObject({ size: 2, failure: null });
    await other.drop();
    await rm(own, { recursive: true });
  });
});

describe("verification names the entry", () => {
  it.each([
    ["a detail changed", BODY(700, '"assets":"699"', '"assets":"1"'), 700],
    [
      "a nested detail changed after the last checkpoint and tile",
      BODY(1390, '"note":"n', '"note":"m'),
      null,
    ],
    ["an actor changed in its text", BODY(5, ACTORS[0]!, ACTORS[1]!), 5],
    [
      "an actor changed in its column",
      `update audit_entries set actor_wallet = '${ACTORS[2]}' where seq = 1000`,
      1000,
    ],
    [
      "a vault changed in its column",
      "update audit_entries set vault_address = '0x1' where seq = 1001",
      1001,
    ],
    [
      "an action changed in its column",
      "update audit_entries set action_type = 'vault_create' where seq = 1399",
      1399,
    ],
    [
      "a time changed in its column",
      `update audit_entries set "timestamp" = "timestamp" + interval '1 microsecond' where seq = 12`,
      12,
    ],
    [
      "a block time changed in its column",
      "update audit_entries set occurred_at = occurred_at + interval '1 second' where seq = 13",
      13,
    ],
    ["an id changed in its column", "update audit_entries set id = gen_random_uuid() where seq = 14", 14],
    ["the first entry deleted", "delete from audit_entries where seq = 1", 1],
    ["one in the middle deleted", "delete from audit_entries where seq = 512", 512],
    ["the last entries deleted, as far as a checkpoint", "delete from audit_entries where seq > 1200", 1201],
    ["everything deleted", "delete from audit_entries", 1],
    [
      "two entries swapped whole",
      `update audit_entries a set body = b.body from audit_entries b where (a.seq, b.seq) in ((20, 21), (21, 20))`,
      20,
    ],
    [
      "two entries with their numbers swapped in columns and text",
      `update audit_entries set seq = 81 - seq, body = replace(body, '"seq":"' || seq || '"', '"seq":"' || (81 - seq) || '"') where seq in (40, 41)`,
      40,
    ],
    [
      "an entry inserted beside another",
      `insert into audit_entries select seq, gen_random_uuid(), "timestamp", recorded_at, occurred_at + interval '1 second', action_type, vault_address, chain_id, actor_wallet, body from audit_entries where seq = 60`,
      60,
    ],
    [
      "an entry inserted beside another of the newest tile",
      `insert into audit_entries select seq, gen_random_uuid(), "timestamp", recorded_at, occurred_at + interval '1 second', action_type, vault_address, chain_id, actor_wallet, body from audit_entries where seq = 1390`,
      1390,
    ],
    [
      "a text changed whole, with its columns",
      `update audit_entries set actor_wallet = '${ACTORS[3]}', body = replace(body, actor_wallet, '${ACTORS[3]}') where seq = 300`,
      300,
    ],
    [
      "a tile's hash changed",
      "update audit_tiles set hashes = overlay(hashes placing '\\x00000000' from 33 for 4) where level = 0 and index = 1",
      258,
    ],
    ["a tile deleted", "delete from audit_tiles where level = 0 and index = 2", 513],
    [
      "a tile's root changed",
      "update audit_tiles set root = sha256(root) where level = 0 and index = 3",
      769,
    ],
  ])("%s", async (_, statements, seq) => {
    const { failure } = await tamper(statements);
    if (seq === null && failure === null) {
      // Nothing vouches yet for what came after the last checkpoint and is in no full tile: see the guide.
      expect(statements).toContain("1390");
      return;
    }
    expect(failure).not.toBe(null);
    if (seq !== null) expect(failure!.seq).toBe(seq);
    expect(failure!.reason).toMatch(/\w/);
  });

  it("a text and its tile changed together: the first entry that the broken checkpoint was signed for", async () => {
    const { failure } = await tamper(`${BODY(700, '"assets":"699"', '"assets":"1"')};
      with leaves as (select string_agg(sha256('\\x00'::bytea || convert_to(body, 'UTF8')), ''::bytea order by seq) as hashes from audit_entries where seq between 513 and 768)
      update audit_tiles set hashes = leaves.hashes from leaves where level = 0 and index = 2`);
    expect(failure!.seq === 301 || failure!.seq === 513).toBe(true);
  });

  it("the tail and every checkpoint of it deleted: the newest checkpoint outside the database tells", async () => {
    const { failure } = await tamper(
      "delete from audit_entries where seq > 1000; delete from audit_tiles where level = 0 and index >= 3; delete from audit_checkpoints where size > 1000",
    );
    expect(failure).toMatchObject({ seq: 1001 });
  });
});

describe("verification finds what is no entry", () => {
  it.each([
    [
      "a count raised",
      "update audit_counts set n = n + 1 where ctid = (select min(ctid) from audit_counts where level = 63)",
    ],
    [
      "a fine count lowered",
      "update audit_counts set n = n - 1 where ctid = (select min(ctid) from audit_counts where level = 13)",
    ],
    [
      "a count deleted",
      "delete from audit_counts where ctid = (select max(ctid) from audit_counts where level = 20)",
    ],
    ["a count added", "insert into audit_counts values ('', 63, 777, '0x1', 0, 0, 'deposit', 3)"],
    [
      "a count twice",
      "alter table audit_counts drop constraint audit_counts_pkey; insert into audit_counts select * from audit_counts where level = 63 limit 1",
    ],
    [
      "a count that no number of the service can hold",
      "update audit_counts set n = 2::bigint ^ 62 where ctid = (select min(ctid) from audit_counts)",
    ],
    [
      "two counts exchanged",
      `with two as (select min(ctid) as a, max(ctid) as b, min(n) as na, max(n) as nb from (select ctid, n, row_number() over (order by n) as least,
         row_number() over (order by n desc) as most from audit_counts where level = 63 and actor_wallet = '') each where least = 1 or most = 1)
       update audit_counts set n = na + nb - n from two where ctid in (a, b)`,
    ],
    ["counts truncated", "truncate audit_counts"],
    [
      "an actor's count changed",
      "update audit_actors set n = n + 5 where actor_wallet = (select min(actor_wallet) from audit_actors)",
    ],
    ["an actor made uncounted", "update audit_actors set is_counted = false"],
    ["an actor made counted", "update audit_actors set is_counted = true where n <= 1024"],
    ["an actor deleted", "delete from audit_actors where not is_counted"],
    ["an actor added", "insert into audit_actors values ('0x0', 0, false)"],
    [
      "an actor twice",
      "alter table audit_actors drop constraint audit_actors_pkey; insert into audit_actors select * from audit_actors where not is_counted limit 1",
    ],
    ["a checkpoint's root changed", "update audit_checkpoints set root = sha256(root) where size = 300"],
    [
      "a checkpoint's note changed",
      "update audit_checkpoints set note = replace(note, '300', '301') where size = 300",
    ],
    ["the newest checkpoint deleted", "delete from audit_checkpoints where size = 1300"],
    [
      "another key put in place of the log's",
      "update audit_keys set vkey = 'x+' || split_part(vkey, '+', 2) || '+' || split_part(vkey, '+', 3)",
    ],
    ["the keys deleted", "delete from audit_keys"],
    [
      "a tile added",
      "insert into audit_tiles select 0, 5, hashes, root from audit_tiles where level = 0 and index = 0",
    ],
  ])("%s", async (_, statements) => {
    const { failure } = await tamper(statements).catch((error: Error) => ({
      failure: { reason: error.message },
    }));
    expect(failure!.reason).toMatch(/\w/);
  });

  it("and the command says so with exit code 1", async () => {
    const other = await createTestDatabase();
    await other.db.transaction((tx) =>
      record(
        tx,
        Array.from({ length: 300 }, (_, n) => chainEntry(n)),
      ),
    );
    await other.owner.pool.query("alter table audit_entries disable trigger user");
    await other.owner.pool.query(BODY(77, '"assets":"76"', '"assets":"77"'));
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    expect(await auditVerifyLogCommand({ db: other.db, folder: join(folder, "none"), print })).toBe(1);
    expect(lines.join()).toMatch(/^FAILED: entry 77:/);
    await other.drop();
  });
});

describe("the background check", () => {
  it("tells the first outcome, once when the log begins to fail, keeps saying so, and tells when it holds again", async () => {
    const results = [null, { seq: 7, reason: "changed" }, { seq: 7, reason: "changed" }, null];
    const told: Verification["status"][] = [];
    const stop = new AbortController();
    const watch = createWatch({
      check: async () => {
        const failure = results.shift() ?? null;
        if (results.length === 0) stop.abort();
        return { size: 10, checkpoints: 1, signed: 10, archivedBelow: 1, failure };
      },
      log: silentLogger(),
      intervalMs: 1,
      onChange: (state) => told.push(state.status),
    });
    expect(watch.state().status).toBe("pending");
    await watch.task.run(stop.signal);
    expect(told).toEqual(["ok", "failed", "ok"]);
    expect(watch.state()).toMatchObject({ status: "ok", failure: null, checked_size: 10 });
  });
});

it("another key in place of the log's, with every checkpoint signed anew, is not the one that signed the newest outside", async () => {
  const intruder = readSigner(writeSigner("vaultops.test/audit", Buffer.alloc(32, 7)));
  isTampered = true;
  await superuser.query("update audit_keys set vkey = $1", [intruder.vkey]);
  const { rows } = await superuser.query("select size, root from audit_checkpoints");
  for (const { size, root } of rows) {
    const note = signCheckpoint({ origin: intruder.name, size: Number(size), root }, [intruder]);
    await superuser.query("update audit_checkpoints set note = $1 where size = $2", [note, size]);
  }
  const { failure } = await verifyLog({ pool: t.db.pool, folder });
  expect(failure?.reason).toContain("not signed by a key that the database has");
  // Without the data folder it could not be told.
  expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);
});

it("the newest checkpoint of the data folder must be the database's", async () => {
  const path = join(folder, LATEST_FILE);
  const kept = await readFile(path, "utf8");
  await writeFile(
    path,
    kept.replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${Buffer.alloc(32, 5).toString("base64")}\n`),
  );
  const { failure } = await verifyLog({ pool: t.db.pool, folder });
  expect(failure!.reason).toContain("data folder");
  await writeFile(path, kept);
});
