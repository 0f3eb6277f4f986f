// Migrations that build indexes while others write: no writer waits, and a build that was ended is taken up.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEmptyDatabase, type TestDatabase } from "../../../test/database.ts";
import { silentLogger } from "../log.ts";
import { migrate } from "./migrate.ts";

let test: TestDatabase;
let directory: string;
let writer: pg.Client;

beforeEach(async () => {
  test = await createEmptyDatabase();
  directory = await mkdtemp(join(tmpdir(), "vaultops-migrations-"));
  await write("grants.sql", "grant usage on schema public to :app_role;");
  await write(
    "000001_tables.sql",
    `create table plain (n int);
     create table parted (n int, year int not null) partition by list (year);
     create table parted_2026 partition of parted for values in (2026);
     create table parted_2027 partition of parted for values in (2027);`,
  );
  await run();
  writer = new pg.Client({ connectionString: test.ownerUrl });
  await writer.connect();
});
afterEach(async () => {
  await writer.end();
  await test.drop();
  await rm(directory, { recursive: true, force: true });
});

const write = (name: string, sql: string) => writeFile(join(directory, name), sql);
const run = () => migrate({ ownerUrl: test.ownerUrl, appUrl: test.url, log: silentLogger(), directory });
const rows = async (sql: string) => (await test.owner.pool.query(sql)).rows;
const validIndexes = async () =>
  (
    await rows(
      "select indexrelid::regclass::text as name from pg_index where indisvalid and indrelid::regclass::text ~ '^(plain|parted)' order by 1",
    )
  ).map(({ name }) => name);

/**
 * Resolves with its process when a build of an index of `table` waits for the transactions that were there before it.
 * Another table's build may wait for a moment too, for a statement that is just being run.
 */
async function waitingBuild(table: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += 20) {
    if (waitedMs > 60_000) throw new Error("no build waits");
    const [found] = await rows(
      `select a.pid from pg_stat_activity a join pg_stat_progress_create_index p using (pid)
        where p.relid = '${table}'::regclass and a.wait_event_type = 'Lock' and a.datname = current_database()`,
    );
    if (found !== undefined) return found.pid;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const CONCURRENT = `-- concurrently
-- What for.
create index concurrently plain_n on plain (n) where n > 0;
create unique index concurrently parted_n on parted (n, year);
`;

describe("a migration that is to run concurrently", () => {
  it.each(["plain", "parted"])(
    "lets others write to %s while it waits for an older transaction, and ends with valid indexes",
    async (table) => {
      await write("000002_indexes.sql", CONCURRENT);
      const values = table === "plain" ? "values (1)" : "values (1, 2027)";
      await writer.query(`begin; insert into ${table} ${values}`);
      const migrating = run();
      // Of a partitioned table the parent's own index needs a moment's lock, for which nobody is held up either.
      if (table === "plain") await waitingBuild(table);
      else await expect.poll(validIndexes, { timeout: 60_000 }).toContain("plain_n");
      const others = table === "plain" ? "values (2)" : "values (2, 2027)";
      await test.owner.pool.query(`set lock_timeout = '30s'; insert into ${table} ${others}`);
      await writer.query("commit");
      expect(await migrating).toMatchObject({ applied: [2] });
      expect(await validIndexes()).toEqual([
        "parted_2026_parted_n",
        "parted_2027_parted_n",
        "parted_n",
        "plain_n",
      ]);
      await test.owner.pool.query("create table parted_2028 partition of parted for values in (2028)");
      expect(await validIndexes()).toHaveLength(5);
    },
  );

  it("that was killed in the middle is taken up: what is invalid is built anew, what is valid stays", async () => {
    await write("000002_indexes.sql", CONCURRENT);
    await writer.query("begin; insert into parted_2027 values (1, 2027)");
    const migrating = run();
    const refused = expect(migrating).rejects.toThrow();
    await test.owner.pool.query("select pg_terminate_backend($1)", [await waitingBuild("parted_2027")]);
    await refused;
    await writer.query("commit");
    const [kept] = await rows("select 'plain_n'::regclass::oid as oid");
    const broken = await rows(
      "select from pg_index where not indisvalid and indrelid = 'parted_2027'::regclass",
    );
    expect(broken).toHaveLength(1);
    expect(await run()).toMatchObject({ applied: [2] });
    expect(await validIndexes()).toHaveLength(4);
    expect(await rows("select 'plain_n'::regclass::oid as oid")).toEqual([kept]);
    expect(await rows("select count(*)::int as n from schema_migrations")).toEqual([{ n: 2 }]);
  });

  it("is applied once when several start at the same moment, and none waits for ever", async () => {
    await write("000002_indexes.sql", CONCURRENT);
    const results = await Promise.all([run(), run(), run()]);
    expect(results.map(({ applied }) => applied).filter((applied) => applied.length > 0)).toEqual([[2]]);
  });

  it("drops indexes too, and refuses every other statement before it runs one", async () => {
    await write("000002_indexes.sql", CONCURRENT);
    await run();
    await write(
      "000003_other.sql",
      "-- concurrently\ndrop index concurrently if exists plain_n; update plain set n = 1;",
    );
    await expect(run()).rejects.toMatchObject({ code: "unknown_migration" });
    expect(await validIndexes()).toContain("plain_n");
    await write("000003_other.sql", "-- concurrently\ndrop index concurrently if exists plain_n;");
    expect(await run()).toMatchObject({ applied: [3] });
    expect(await validIndexes()).not.toContain("plain_n");
  });
});
