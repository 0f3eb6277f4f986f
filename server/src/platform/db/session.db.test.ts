import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addChain } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type Pgbouncer, startPgbouncer } from "../../../test/pgbouncer.ts";
import { startProxy } from "../../../test/restartable-postgres.ts";
import { asSuperuser } from "../../../test/test-server.ts";
import { problemOf, renderProblem } from "../http/problem.ts";
import { silentLogger } from "../log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/postgres.ts";
import { CopyOut } from "./copy-out.ts";
import { type Database, executeNamed, isDatabaseUnavailable, openDatabase } from "./db.ts";
import { leadsTo } from "./leads-to.ts";
import { migrate } from "./migrate.ts";
import { createNotifier } from "./notifier.ts";
import { poolerWarnings, readLimits } from "./pooled-client.ts";
import { beginSession, clientConfig, READ_ONLY } from "./session.ts";

describe.each(["session", "transaction"] as const)("behind PgBouncer in %s mode", (mode) => {
  let test: TestDatabase;
  let pooler: Pgbouncer;
  let db: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    await asSuperuser(inject("testServer"), (client) =>
      client.query(`alter database ${new URL(test.url).pathname.slice(1)} set timezone = 'Asia/Tokyo'`),
    );
    pooler = await startPgbouncer(test.url, mode);
    const directUrl = mode === "transaction" ? test.url : undefined;
    db = await openDatabase({ url: pooler.url, directUrl, maxConnections: 8 });
  });
  afterAll(async () => {
    await db?.close();
    await pooler?.stop();
    await test?.drop();
  });

  it("sessions begin, and times are in UTC in each of them, whatever the database's own zone is", async () => {
    const at = "2026-05-09T10:00:00Z";
    const ask = () => db.pool.query("select $1::timestamptz as at, pg_sleep(0.01)", [at]);
    // More than the pooler has servers, so that they change hands.
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    expect(new Set(answers.map(({ rows }) => rows[0].at))).toEqual(new Set(["2026-05-09T10:00:00.000000Z"]));
  });

  it("transactions write", async () => {
    await db.transaction(async (tx) => {
      await sql`insert into chains (chain_id, name) values (7, 'seven')`.execute(tx);
    });
    expect((await db.pool.query("select name from chains where chain_id = 7")).rows).toEqual([
      { name: "seven" },
    ]);
  });

  it("statements of a fixed text run in whatever session their turn has, within transactions and outside", async () => {
    const named = { name: "fixed", text: "select $1::integer as value, pg_sleep(0.01)" };
    const alone = (value: number) =>
      db.pool.query({ ...named, values: [value] }).then(({ rows }) => rows[0].value);
    const within = (value: number) =>
      db.transaction(async (tx) => {
        const query = sql<{ value: number }>`select ${value}::integer as value, pg_sleep(0.01)`;
        return (await executeNamed(tx, "fixed_too", query)).rows[0]?.value;
      });
    const values = Array.from({ length: 40 }, (_, value) => value);
    expect(
      await Promise.all(values.map((value) => (value % 2 === 0 ? alone(value) : within(value)))),
    ).toEqual(values);
  });

  it("notices of commits come, so that what is kept in memory may be used", async () => {
    const notifier = createNotifier(db, silentLogger());
    const heard: (string | null)[] = [];
    const end = new AbortController();
    notifier.listen("pooled", (payload) => heard.push(payload), end.signal);
    const watch = notifier.watch("pooled");
    await expect.poll(() => watch.version()).not.toBeNull();
    await db.transaction((tx) => sql`select pg_notify('pooled', 'now')`.execute(tx));
    await expect.poll(() => heard).toContain("now");
    end.abort();
    await notifier.close();
  });

  it("a slow statement is waited for", async () => {
    // Longer than it takes to be asked for.
    expect((await db.pool.query("select pg_sleep(12)")).rowCount).toBe(1);
  });

  it("an export's COPY comes whole, in a transaction with settings of its own", async () => {
    const client = await db.pool.connect();
    await client.query("begin read only; set local statement_timeout = 0");
    const copy = await CopyOut.start(
      client,
      "copy (select repeat('x', 100) from generate_series(1, 50000)) to stdout",
    );
    let bytes = 0;
    for (let piece = await copy.read(); piece !== null; piece = await copy.read()) bytes += piece.length;
    await client.query("commit");
    client.release();
    expect(bytes).toBe(50_000 * 101);
  });

  it("it is seen where a URL leads: past the pooler, through it, or elsewhere", async () => {
    expect(await leadsTo(test.url, db)).toBe("the server");
    expect(await leadsTo(pooler.url, db)).toBe(mode === "session" ? "a pooler" : "shared sessions");
    const other = await createTestDatabase();
    expect(await leadsTo(other.url, db)).toBe("another database");
    await other.drop();
  });

  it("the service is told that there is a pooler, and which limits its role lacks", async () => {
    const limits = await readLimits(db.pool);
    expect(limits.isThroughPooler).toBe(true);
    expect((await readLimits(test.db.pool)).isThroughPooler).toBe(false);
    const isSaid = mode === "transaction";
    expect(poolerWarnings(limits, isSaid).join()).toMatch(
      isSaid ? /no statement_timeout.*no idle_in/ : /listen_url/,
    );
  });
});

describe("in transaction mode", () => {
  it("nothing is left in a session for the next client to find", async () => {
    const test = await createTestDatabase();
    const pooler = await startPgbouncer(test.url, "transaction");
    const db = await openDatabase({ url: pooler.url, directUrl: test.url, maxConnections: 4 });
    const ask = () => db.transaction((tx) => sql`select 1, pg_sleep(0.01)`.execute(tx));
    await Promise.all(Array.from({ length: 20 }, ask));
    const stranger = new pg.Client({ connectionString: pooler.url });
    await stranger.connect();
    const { rows } = await stranger.query(
      `select (select count(*)::integer from pg_prepared_statements) as statements,
         array(select name from pg_settings where source = 'session' and name not in
           ('TimeZone', 'DateStyle', 'client_encoding', 'application_name', 'standard_conforming_strings')) as settings`,
    );
    expect(rows).toEqual([{ statements: 0, settings: [] }]);
    await stranger.end();
    await db.close();
    await pooler.stop();
    await test.drop();
  });

  it("a pooler that does not carry the time zone along is refused", async () => {
    const test = await createTestDatabase();
    await asSuperuser(inject("testServer"), (client) =>
      client.query(`alter database ${new URL(test.url).pathname.slice(1)} set timezone = 'Asia/Tokyo'`),
    );
    const client = new pg.Client(clientConfig({ url: test.url }));
    await client.connect();
    await expect(beginSession(client, { url: test.url, isPooled: true })).rejects.toThrow(/Asia\/Tokyo/);
    await client.end();
    await test.drop();
  });
});

it("a replica, which only reads, is read from and nothing else", async () => {
  const test = await createTestDatabase();
  await asSuperuser(inject("testServer"), (client) =>
    client.query(
      `alter database ${new URL(test.url).pathname.slice(1)} set default_transaction_read_only = on`,
    ),
  );
  await expect(openDatabase({ url: test.url })).rejects.toMatchObject({ code: READ_ONLY });
  const replica = await openDatabase({ url: test.url, isReplica: true, genericPlans: true });
  const { rows } = await replica.pool.query("select current_setting('plan_cache_mode') as plans");
  expect(rows).toEqual([{ plans: "force_generic_plan" }]);
  await replica.close();
  await test.drop();
});

describe("after a failover", () => {
  let dir: string;
  let before: EmbeddedPostgres;
  let after: EmbeddedPostgres;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  const log = silentLogger();

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "vaultops-failover-"));
    const homes = [join(dir, "before"), join(dir, "after")] as const;
    const first = await startEmbeddedPostgres({ dataDir: homes[0], log });
    await migrate({ ownerUrl: first.ownerUrl, appUrl: first.appUrl, log });
    await first.stop();
    // With its owner, who may be another than this process.
    await promisify(execFile)("cp", ["-a", homes[0], homes[1]]);
    before = await startEmbeddedPostgres({ dataDir: homes[0], log });
    after = await startEmbeddedPostgres({ dataDir: homes[1], log });
    proxy = await startProxy();
  });
  afterAll(async () => {
    await proxy?.close();
    await before?.stop();
    await after?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** As a demoted server is: it lives, and takes no writes. */
  async function onlyReads(isOn: boolean): Promise<void> {
    const client = new pg.Client({ connectionString: before.superuserUrl });
    await client.connect();
    await client.query("set default_transaction_read_only = off");
    await client.query(`alter system set default_transaction_read_only = ${isOn ? "on" : "off"}`);
    await client.query("select pg_reload_conf()");
    await client.end();
  }

  const portsOf = async (db: Database) => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        db.pool.query("select current_setting('port') as port, pg_sleep(0.02)"),
      ),
    );
    return [...new Set(all.map(({ rows }) => rows[0].port))];
  };
  const portOf = (server: EmbeddedPostgres) => new URL(server.appUrl).port;

  it("no session stays on a server that only reads: writes are unavailable meanwhile, and work again without a hand", async () => {
    const db = await openDatabase({ url: proxy.to(before.appUrl), maxConnections: 5 });
    const notifier = createNotifier(db, log);
    const watch = notifier.watch("failover");
    await expect.poll(() => watch.version()).not.toBeNull();
    expect(await portsOf(db)).toEqual([portOf(before)]);

    await onlyReads(true);
    let refused = 0;
    await expect
      .poll(async () => {
        const error = await addChain(db, 1).catch((reason: unknown) => reason);
        if (error !== undefined) {
          expect(isDatabaseUnavailable(error)).toBe(true);
          // What a client is told that wants to write.
          const { headers } = renderProblem(problemOf(error).problem, "id", { typeBase: "" });
          expect([problemOf(error).problem.status, Number(headers["retry-after"]) > 0]).toEqual([503, true]);
        }
        refused += error === undefined ? 0 : 1;
        return refused;
      })
      .toBeGreaterThan(5);
    // What is committed elsewhere is not heard of from there.
    await expect.poll(() => watch.version()).toBeNull();
    const opened = await openDatabase({ url: db.url }).catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(opened)).toBe(true);

    proxy.to(after.appUrl);
    await expect
      .poll(() =>
        addChain(db, 1).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await portsOf(db)).toEqual([portOf(after)]);
    await expect.poll(() => watch.version()).not.toBeNull();

    await onlyReads(false);
    await notifier.close();
    await db.close();
  });

  it("a session that waits on a server where the address leads no more is ended", async () => {
    const db = await openDatabase({ url: proxy.to(before.appUrl), maxConnections: 2 });
    const waiting = db.pool.query("select pg_sleep(50)").catch((error: unknown) => error);
    await expect
      .poll(
        async () => (await db.pool.query("select from pg_stat_activity where query ~ 'sleep.50'")).rowCount,
      )
      .toBe(2);
    proxy.to(after.appUrl);
    expect(isDatabaseUnavailable(await waiting)).toBe(true);
    await db.close();
  });
});
