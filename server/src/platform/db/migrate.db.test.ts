import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { asSuperuser, urlOf } from "../../../test/test-server.ts";
import { openDatabase } from "./db.ts";
import { checkPrivileges, checkServerVersion, migrate, migrationsCurrent } from "./migrate.ts";

const log = pino({ level: "silent" });
describe("with migrations of its own", () => {
  let test: TestDatabase;
  let directory: string;

  beforeEach(async () => {
    test = await createEmptyDatabase();
    directory = await mkdtemp(join(tmpdir(), "vaultops-migrations-"));
    await write(
      "grants.sql",
      "grant usage on schema public to :app_role; grant select on schema_migrations to :app_role;",
    );
    await write("000001_first.sql", "create table first (n int); insert into first values (1);");
    await write(
      "000002_second.sql",
      "create table second (n int); insert into second select n + 1 from first;",
    );
  });
  afterEach(async () => {
    await test.drop();
    await rm(directory, { recursive: true, force: true });
  });

  const write = (name: string, sql: string) => writeFile(join(directory, name), sql);
  const run = () => migrate({ ownerUrl: test.ownerUrl, appUrl: test.url, log, directory });
  const rows = async (sql: string) => (await test.owner.pool.query(sql)).rows;

  describe("migrate", () => {
    it("applies each file once, in order, and says what it did", async () => {
      expect(await run()).toEqual({ applied: [1, 2], version: 2, appendOnlyHeld: true });
      expect(await run()).toEqual({ applied: [], version: 2, appendOnlyHeld: true });
      expect(await rows("select n from second")).toEqual([{ n: 2 }]);
      expect(await rows("select version, name from schema_migrations order by 1")).toEqual([
        { version: 1, name: "000001_first" },
        { version: 2, name: "000002_second" },
      ]);
    });

    it("applies once when five start at the same moment", async () => {
      await write("000003_slow.sql", "select pg_sleep(0.3); create table third (n int);");
      const results = await Promise.all([run(), run(), run(), run(), run()]);
      expect(results.map(({ applied }) => applied).filter((applied) => applied.length > 0)).toEqual([
        [1, 2, 3],
      ]);
      expect(await rows("select n from first")).toHaveLength(1);
    });

    it("takes back the whole of a migration that fails, keeps the earlier ones, and goes on when it is mended", async () => {
      await write("000002_second.sql", "create table second (n int); select 1 / 0;");
      await expect(run()).rejects.toMatchObject({ code: "22012" });
      expect(
        await rows("select to_regclass('first') is not null as one, to_regclass('second') is null as two"),
      ).toEqual([{ one: true, two: true }]);
      await write("000002_second.sql", "create table second (n int);");
      expect(await run()).toMatchObject({ applied: [2] });
    });

    it("refuses a migration that was edited after it was applied", async () => {
      await run();
      await write("000001_first.sql", "create table first (n bigint);");
      await write("000003_third.sql", "create table third (n int);");
      await expect(run()).rejects.toMatchObject({ code: "edited_migration" });
      expect(await rows("select to_regclass('third') is null as untouched")).toEqual([{ untouched: true }]);
    });

    it("does not take other ends of lines for an edit", async () => {
      await run();
      const text = await readFile(join(directory, "000001_first.sql"), "utf8");
      await write("000001_first.sql", text.replaceAll("\n", "\r\n"));
      expect(await run()).toMatchObject({ applied: [] });
    });

    it("leaves alone what a newer release has applied", async () => {
      await run();
      const before = await rows("select * from schema_migrations");
      await rm(join(directory, "000002_second.sql"));
      expect(await run()).toMatchObject({ applied: [], version: 1 });
      expect(await rows("select * from schema_migrations")).toEqual(before);
    });

    it("refuses a newer database that says it cannot be used by this release", async () => {
      await write("000002_second.sql", "-- compatible-from: 99.0.0\ncreate table second (n int);");
      await run();
      await rm(join(directory, "000002_second.sql"));
      await expect(run()).rejects.toMatchObject({ code: "newer_database" });
    });

    it("holds up no writer while it waits for an older transaction, and is applied once that has ended", async () => {
      await run();
      const [reader, writer] = [await test.owner.pool.connect(), await test.owner.pool.connect()];
      await reader.query("begin; select from first");
      await write("000003_third.sql", "alter table first add column more int;");
      let isDone = false;
      const running = run().finally(() => {
        isDone = true;
      });
      // A writer behind a lock that is waited for without end would wait as long.
      await writer.query("set lock_timeout = '5s'");
      const isWaiting =
        "select from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'first' and not l.granted";
      for (let seen = 0; seen < 3; ) {
        if ((await rows(isWaiting)).length === 0) continue;
        await writer.query("insert into first values (2)");
        seen += 1;
      }
      expect(isDone).toBe(false);
      await reader.query("commit");
      expect(await running).toMatchObject({ applied: [3] });
      for (const client of [reader, writer]) client.release(true);
    });

    it("refuses a database of another history", async () => {
      await run();
      await rm(join(directory, "000001_first.sql"));
      await expect(run()).rejects.toMatchObject({ code: "unknown_migration" });
    });

    it("refuses a migration that comes before one already applied", async () => {
      await run();
      await rm(join(directory, "000002_second.sql"));
      await test.owner.pool.query(
        "update schema_migrations set version = 3, name = '000003_third' where version = 2",
      );
      await write(
        "000003_third.sql",
        "create table second (n int); insert into second select n + 1 from first;",
      );
      await write("000002_between.sql", "select 1;");
      await expect(run()).rejects.toMatchObject({ code: "late_migration" });
    });

    it("takes away what grants.sql names no more, and what it never named", async () => {
      await write(
        "grants.sql",
        "grant usage on schema public to :app_role; grant select on first to :app_role;",
      );
      await write("000003_function.sql", "create function secret() returns int language sql as 'select 1';");
      await run();
      await expect(test.db.pool.query("select * from first")).resolves.toMatchObject({ rowCount: 1 });
      await expect(test.db.pool.query("select * from second")).rejects.toMatchObject({ code: "42501" });
      await expect(test.db.pool.query("select secret()")).rejects.toMatchObject({ code: "42501" });
      await write("grants.sql", "grant usage on schema public to :app_role;");
      await run();
      await expect(test.db.pool.query("select * from first")).rejects.toMatchObject({ code: "42501" });
    });

    it("where the database must exist, leaves one alone that was never migrated, and goes on with one that was", async () => {
      const existing = { ownerUrl: test.ownerUrl, appUrl: test.url, log, directory, mustExist: true };
      await expect(migrate(existing)).rejects.toMatchObject({ code: "not_there" });
      expect(await rows("select from pg_tables where schemaname = 'public'")).toEqual([]);
      await run();
      await write("000003_third.sql", "create table third (n int);");
      expect(await migrate(existing)).toMatchObject({ applied: [3] });
    });

    it("with one role for both grants nothing and says that append-only is not held", async () => {
      const one = { ownerUrl: test.ownerUrl, log, directory };
      expect(await migrate({ ...one, appUrl: test.ownerUrl })).toMatchObject({ appendOnlyHeld: false });
      expect(await migrate(one)).toMatchObject({ appendOnlyHeld: false });
    });
  });

  describe("migrate as the application's role alone, the owner's URL being kept elsewhere", () => {
    const runAsApp = () => migrate({ ownerUrl: test.url, appUrl: test.url, log, directory });

    it("finds the database migrated and goes on", async () => {
      await run();
      expect(await runAsApp()).toEqual({ applied: [], version: 2, appendOnlyHeld: true });
    });

    it("says what is missing and who must apply it", async () => {
      await expect(runAsApp()).rejects.toMatchObject({ code: "owner_needed" });
      await run();
      await write("000003_third.sql", "select 1;");
      await expect(runAsApp()).rejects.toMatchObject({ code: "owner_needed" });
    });
  });

  describe("migrationsCurrent", () => {
    it("says what is missing, and what is wrong", async () => {
      await run();
      expect(await migrationsCurrent(test.db, directory)).toEqual({ isCurrent: true, version: 2 });
      await write("000003_third.sql", "select 1;");
      expect(await migrationsCurrent(test.db, directory)).toMatchObject({
        isCurrent: false,
        detail: expect.stringContaining("000003_third"),
      });
      await rm(join(directory, "000003_third.sql"));
      await rm(join(directory, "000002_second.sql"));
      expect(await migrationsCurrent(test.db, directory)).toEqual({ isCurrent: true, version: 1 });
      await test.owner.pool.query(
        "update schema_migrations set compatible_from = '99.0.0' where version = 2",
      );
      expect(await migrationsCurrent(test.db, directory)).toMatchObject({
        isCurrent: false,
        detail: expect.stringContaining("newer release"),
      });
    });

    it("says of a database never migrated that it is not, instead of failing", async () => {
      expect(await migrationsCurrent(test.owner, directory)).toMatchObject({ isCurrent: false });
    });
  });
});

describe("the schema of this release", () => {
  let migrated: TestDatabase;
  beforeAll(async () => {
    migrated = await createTestDatabase();
  });
  afterAll(() => migrated.drop());

  it("gives the application's role no table of its own and no way to change the audit log", async () => {
    const privileges = await checkPrivileges(migrated.db);
    expect(privileges).toMatchObject({ appendOnlyHeld: true, reasons: [] });
  });

  it.each([
    ["create table mine (n int)"],
    ["alter table facts add column mine int"],
    ["drop table facts"],
    ["create index on facts (data)"],
    ["create schema mine"],
    ["create function mine() returns int language sql as 'select 1'"],
    ["create temporary table mine (n int)"],
    ["update audit_entries set body = ''"],
    ["delete from audit_entries"],
    ["truncate audit_entries"],
    ["alter table audit_entries disable trigger all"],
    ["set session_replication_role = replica"],
    ["insert into schema_migrations (version, name, checksum) values (9, 'mine', '')"],
  ])("refuses the application's role: %s", async (statement) => {
    await expect(migrated.db.pool.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("is checked for what stands against append-only: ownership, and any right to change an audit table", async () => {
    const asOwner = await checkPrivileges(migrated.owner);
    expect(asOwner.appendOnlyHeld).toBe(false);
    expect(asOwner.reasons.join()).toContain("owns");
    const { app } = inject("testServer");
    await migrated.owner.pool.query(`grant update (body) on audit_entries to ${app.role}`);
    const loosened = await checkPrivileges(migrated.db);
    expect(loosened).toMatchObject({ appendOnlyHeld: false });
    expect(loosened.reasons.join()).toContain("audit_entries");
  });

  it("gives each migration a number of its own", async () => {
    const folder = fileURLToPath(new URL("../../../migrations", import.meta.url));
    const names = (await readdir(folder)).filter((name) => /^\d/.test(name)).toSorted();
    expect(names.every((name) => /^\d{6}_/.test(name))).toBe(true);
    expect(new Set(names.map((name) => name.slice(0, 6))).size).toBe(names.length);
  });
});

describe("a server of the operator's own", () => {
  const name = `vaultops_guide_${process.pid}`;

  afterEach(() =>
    asSuperuser(inject("testServer"), async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
      await client.query(`drop role if exists ${name}_owner, ${name}_app`);
    }),
  );

  it("set up by the guide's statements holds append-only, and by one role for both does not", async () => {
    const guide = await readFile(new URL("../../../../docs/operations/database.md", import.meta.url), "utf8");
    const statements = /```sql\n(create role [\s\S]*?)```/.exec(guide)?.[1] ?? "";
    await asSuperuser(inject("testServer"), async (client) => {
      for (const statement of statements.replaceAll("vaultops", name).trim().split("\n"))
        await client.query(statement);
    });
    const server = inject("testServer");
    const ownerUrl = urlOf(server, { role: `${name}_owner`, password: "owner-secret" }, name);
    const appUrl = urlOf(server, { role: `${name}_app`, password: "app-secret" }, name);
    expect(await migrate({ ownerUrl, appUrl, log })).toMatchObject({ appendOnlyHeld: true });
    for (const [url, appendOnlyHeld] of [
      [appUrl, true],
      [ownerUrl, false],
    ] as const) {
      const db = await openDatabase({ url });
      expect(await checkPrivileges(db)).toMatchObject({ appendOnlyHeld });
      await db.close();
    }
  });
});

it("a server outside PostgreSQL 15 to 18 is refused", () => {
  for (const version of [150000, 150014, 180004, 189999])
    expect(() => checkServerVersion(version)).not.toThrow();
  for (const version of [140019, 190000, 90624]) {
    expect(() => checkServerVersion(version)).toThrow(
      expect.objectContaining({ code: "unsupported_server" }),
    );
  }
});
