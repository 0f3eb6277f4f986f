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
import { silentLogger } from "../log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../postgres/postgres.ts";
import { type Database, isDatabaseUnavailable, openDatabase } from "./db.ts";
import { migrate } from "./migrate.ts";
import { createNotifier } from "./notifier.ts";

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
    db = await openDatabase({ url: pooler.url, maxConnections: 8 });
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
        if (error !== undefined) expect(isDatabaseUnavailable(error)).toBe(true);
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
});
