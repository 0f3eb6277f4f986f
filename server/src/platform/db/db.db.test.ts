import { createServer } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { asSuperuser } from "../../../test/test-server.ts";
import { type Database, isDatabaseUnavailable, openDatabase, type Tx } from "./db.ts";

let test: TestDatabase;
let db: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  db = test.db;
  const { rows } = await db.pool.query("select current_user::text as role");
  await test.owner.pool.query(
    `create table accounts (id int primary key, amount numeric(78,0) not null);
     insert into accounts values (1, 100), (2, 100);
     grant select, insert, update on accounts to ${rows[0].role}`,
  );
});
afterAll(() => test.drop());

async function value(text: string, url = test.url): Promise<unknown> {
  const database = await openDatabase({ url });
  try {
    return (await database.pool.query(`select ${text} as value`)).rows[0].value;
  } finally {
    await database.close();
  }
}

/** Ends every session of the application's role on the test's database, as an operator or a failover would. */
async function endSessions(): Promise<void> {
  const name = new URL(test.url).pathname.slice(1);
  await asSuperuser(inject("testServer"), (client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()",
      [name],
    ),
  );
}

describe("values", () => {
  it.each([
    ["'2026-05-09T12:00:00.123456+02'::timestamptz", "2026-05-09T10:00:00.123456Z"],
    ["'2026-05-09T10:00:00Z'::timestamptz", "2026-05-09T10:00:00.000000Z"],
    ["array['2026-05-09T10:00:00.5Z'::timestamptz, null]", ["2026-05-09T10:00:00.500000Z", null]],
    ["'2026-05-09'::date", "2026-05-09"],
    ["9007199254740991::int8", 9007199254740991],
    ["array[1::int8, null]", [1, null]],
    ["repeat('9', 78)::numeric(78,0)", 10n ** 78n - 1n],
    ["-5::numeric", -5n],
    ["array[repeat('9', 78)::numeric(78,0)]", [10n ** 78n - 1n]],
    [`'{"a": [1, "b", null]}'::jsonb`, { a: [1, "b", null] }],
    ["'\\x00ff'::bytea", Buffer.from([0, 255])],
    ["1.5::float8", 1.5],
    ["array['a', null]", ["a", null]],
  ])("%s arrives whole", async (text, expected) => {
    expect(await value(text)).toEqual(expected);
  });

  it.each([
    ["9007199254740992::int8", /does not fit/],
    ["1.5::numeric", /not a whole number/],
    ["'NaN'::numeric", /not a whole number/],
    ["'infinity'::timestamptz", /no RFC 3339 form/],
    ["'0044-03-15 BC'::timestamptz", /no RFC 3339 form/],
  ])("%s is refused rather than changed", async (text, message) => {
    await expect(value(text)).rejects.toThrow(message);
  });

  it("go in as they come out", async () => {
    const row = { amount: 10n ** 77n, at: "2026-05-09T10:00:00.123456Z", big: 2 ** 53 - 1 };
    const { rows } = await db.pool.query(
      "select $1::numeric as amount, $2::timestamptz as at, $3::int8 as big",
      [row.amount, row.at, row.big],
    );
    expect(rows[0]).toEqual(row);
  });

  it("do not depend on the settings of the role or of the URL", async () => {
    const { rows } = await db.pool.query("select current_user::text as role");
    await asSuperuser(inject("testServer"), async (client) => {
      await client.query(`alter role ${rows[0].role} set timezone = 'Asia/Tokyo'`);
      await client.query(`alter role ${rows[0].role} set datestyle = 'SQL, DMY'`);
    });
    const url = `${test.url}?options=${encodeURIComponent("-c work_mem=3MB -c TimeZone=America/Lima")}`;
    expect(await value("'2026-05-09T10:00:00Z'::timestamptz", url)).toBe("2026-05-09T10:00:00.000000Z");
    expect(await value("current_setting('work_mem')", url)).toBe("3MB");
  });
});

describe("a transaction", () => {
  const amountOf = (tx: Tx, id: number) =>
    sql<{ amount: bigint }>`select amount from accounts where id = ${id}`
      .execute(tx)
      .then(({ rows }) => rows[0]!.amount);
  const add = (tx: Tx, id: number, amount: bigint) =>
    sql`update accounts set amount = amount + ${amount} where id = ${id}`.execute(tx);

  it("that throws leaves nothing", async () => {
    const before = await db.transaction((tx) => amountOf(tx, 1));
    await expect(
      db.transaction(async (tx) => {
        await add(tx, 1, 5n);
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await db.transaction((tx) => amountOf(tx, 1))).toBe(before);
  });

  it("that meets another in a deadlock is run again until both have committed", async () => {
    const before = await db.transaction((tx) => Promise.all([amountOf(tx, 1), amountOf(tx, 2)]));
    let runs = 0;
    const bothHoldOne = barrier(2);
    const move = (from: number, to: number) =>
      db.transaction(async (tx) => {
        runs += 1;
        await add(tx, from, -1n);
        await bothHoldOne();
        await add(tx, to, 1n);
      });
    await Promise.all([move(1, 2), move(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await db.transaction((tx) => Promise.all([amountOf(tx, 1), amountOf(tx, 2)]))).toEqual(before);
  });

  it("that cannot be serialized is run again on what the other has left", async () => {
    const start = await db.transaction((tx) => amountOf(tx, 1));
    const bothHaveRead = barrier(2);
    const double = () =>
      db.transaction(
        async (tx) => {
          const amount = await amountOf(tx, 1);
          await bothHaveRead();
          await add(tx, 1, amount);
        },
        { isolation: "serializable" },
      );
    await Promise.all([double(), double()]);
    expect(await db.transaction((tx) => amountOf(tx, 1))).toBe(start * 4n);
  });

  it("that never can be serialized gives up with PostgreSQL's error after five runs", async () => {
    let runs = 0;
    const attempt = db.transaction(async (tx) => {
      runs += 1;
      await sql`do $$ begin raise exception 'no' using errcode = '40001'; end $$`.execute(tx);
    });
    await expect(attempt).rejects.toMatchObject({ code: "40001" });
    expect(runs).toBe(5);
  });

  it("that swallowed a statement's error does not pass for committed", async () => {
    const attempt = db.transaction(async (tx) => {
      await sql`select 1 / 0`.execute(tx).catch(() => {});
    });
    await expect(attempt).rejects.toThrow();
  });

  it("that only reads cannot write", async () => {
    await expect(db.transaction((tx) => add(tx, 1, 1n), { readOnly: true })).rejects.toMatchObject({
      code: "25006",
    });
  });
});

describe("a server that is away", () => {
  it("is told apart from a statement's own error", async () => {
    const refused = await openDatabase({ url: "postgres://u:p@127.0.0.1:1/d" }).catch(
      (error: unknown) => error,
    );
    expect(isDatabaseUnavailable(refused)).toBe(true);
    expect(isDatabaseUnavailable(await db.pool.query("select 1 / 0").catch((error: unknown) => error))).toBe(
      false,
    );
    expect(isDatabaseUnavailable(await db.pool.query("selec").catch((error: unknown) => error))).toBe(false);
    expect(isDatabaseUnavailable(new Error("no"))).toBe(false);
  });

  it("and one that accepts and closes", async () => {
    const closing = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve));
    const { port } = closing.address() as { port: number };
    const error = await openDatabase({ url: `postgres://u:p@127.0.0.1:${port}/d` }).catch(
      (reason: unknown) => reason,
    );
    closing.close();
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it("takes a transaction with it, not the process, and the pool goes on when it is back", async () => {
    const attempt = db.transaction(async (tx) => {
      await sql`select 1`.execute(tx);
      await endSessions();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await sql`select 1`.execute(tx);
    });
    const error = await attempt.catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    await endSessions();
    await expect.poll(() => db.pool.query("select 1 as one").then(({ rows }) => rows)).toEqual([{ one: 1 }]);
  });
});

it("a URL that is none is refused without being shown", async () => {
  const error: Error = await openDatabase({ url: "postgres://u:hunter2@[/d" }).catch((reason) => reason);
  expect(error.message).toContain("postgres://user:password@host");
  expect(JSON.stringify({ ...error, text: `${error.stack}${error.cause}` })).not.toContain("hunter2");
});

it("a statement that takes too long is ended, unless its transaction says otherwise", async () => {
  const hasty = await openDatabase({ url: test.url, statementTimeoutMs: 500 });
  await expect(hasty.pool.query("select pg_sleep(10)")).rejects.toMatchObject({ code: "57014" });
  await hasty.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`select pg_sleep(0.8)`.execute(tx);
  });
  await hasty.close();
});

/** Waits until it has been called by `count` runs; later calls pass at once. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived >= count) resolve();
    return promise;
  };
}
