// A COPY of the real database: whole, cut short, refused, and the session afterwards.
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { asSuperuser } from "../../../test/test-server.ts";
import { CopyOut } from "./copy-out.ts";

let test: TestDatabase;
let client: pg.PoolClient;

beforeAll(async () => {
  test = await createTestDatabase();
  client = await test.db.pool.connect();
});
afterAll(async () => {
  client.release(true);
  await test.drop();
});

async function readAll(copy: CopyOut): Promise<string> {
  let text = "";
  for (let piece = await copy.read(); piece !== null; piece = await copy.read()) text += piece.latin1Slice();
  return text;
}

const isUsable = async () => (await client.query("select 1 as one")).rows[0].one === 1;
/** Of lengths from nothing to more than any buffer on the way holds, some megabytes in all. */
const LENGTHS = Array.from({ length: 300 }, (_, n) => (n % 50 === 49 ? 700_000 : n ** 2 % 1013));
const MANY = `copy (select repeat('x', n) from unnest(array[${LENGTHS}]) n) to stdout`;

describe("a COPY", () => {
  it("gives its rows as they are, and the session back", async () => {
    for (const [options, end] of [
      [{}, "\n"],
      [{ crlf: true }, "\r\n"],
    ] as const) {
      const text = await readAll(await CopyOut.start(client, MANY, options));
      expect(text === LENGTHS.map((length) => "x".repeat(length) + end).join("")).toBe(true);
      expect(await isUsable()).toBe(true);
    }
  });

  it("of no rows ends at once", async () => {
    const copy = await CopyOut.start(client, "copy (select 1 where false) to stdout");
    expect(await copy.read()).toBe(null);
    expect(await isUsable()).toBe(true);
  });

  it("that fails in the middle says so after the rows before, and gives the session back", async () => {
    const copy = await CopyOut.start(
      client,
      "copy (select 1 / (300000 - n) from generate_series(1, 400000) n) to stdout",
    );
    await expect(readAll(copy)).rejects.toMatchObject({ code: "22012" });
    await expect(copy.read()).rejects.toMatchObject({ code: "22012" });
    expect(await isUsable()).toBe(true);
  });

  it("that is refused, or is none, does not start, and leaves the session usable", async () => {
    await expect(CopyOut.start(client, "copy nothing to stdout")).rejects.toMatchObject({ code: "42P01" });
    expect(await isUsable()).toBe(true);
    await expect(CopyOut.start(client, "select 1")).rejects.toThrow("no COPY");
    expect(await isUsable()).toBe(true);
  });

  it("whose session is ended in the middle fails", async () => {
    const other = await test.db.pool.connect();
    other.on("error", () => {});
    const { rows } = await other.query("select pg_backend_pid() as pid");
    const endless =
      "copy (select repeat('x', 1000) from generate_series(1, 30000) a, generate_series(1, 30000) b) to stdout";
    const copy = await CopyOut.start(other, endless);
    expect((await copy.read())!.length).toBeGreaterThan(0);
    await asSuperuser(inject("testServer"), (superuser) =>
      superuser.query("select pg_terminate_backend($1)", [rows[0].pid]),
    );
    await expect(readAll(copy)).rejects.toThrow(/terminat/);
    other.release(true);
  });

  it("whose connection is destroyed in the middle fails", async () => {
    const other = await test.db.pool.connect();
    other.on("error", () => {});
    const copy = await CopyOut.start(other, MANY);
    other.connection.stream.destroy();
    await expect(readAll(copy)).rejects.toThrow(/terminated/);
    other.release(true);
  });
});
