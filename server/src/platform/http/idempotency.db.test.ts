import { randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { isKeyUsed, resealAll } from "../db/reseal.ts";
import { openSecretBox, type SecretBox } from "../secret-box.ts";
import { createIdempotency, type Idempotency, IdempotencyHeaders, type MadeAnswer } from "./idempotency.ts";
import { buildAjv } from "./validate.ts";

const KEYS = [1, 2].map(() => randomBytes(32).toString("base64"));
const ANNE = "0x00000000000000000000000000000000000000A1";
const HOUR = 3_600_000;
const SECRET = "whsec_planted";

let database: TestDatabase;
let box: SecretBox;
let nowMs: number;
let made: number;
let idempotency: Idempotency;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.pool.query("delete from idempotency_keys");
  box = openSecretBox({ keys: KEYS[0] as string, file: "" });
  nowMs = Date.parse("2026-05-01T00:00:00Z");
  made = 0;
  idempotency = createIdempotency({ db: database.db, box, clock: { now: () => nowMs } });
});

interface Asked {
  key?: string | null;
  body?: unknown;
  wallet?: string;
  url?: string;
}

function ask(asked: Asked = {}, make?: () => Promise<void>): Promise<MadeAnswer> {
  const { key = "key-1", body = { name: "a" }, wallet = ANNE, url = "/things" } = asked;
  const request = {
    method: "POST",
    url,
    body,
    headers: key === null ? {} : { "idempotency-key": key },
    caller: { wallet: wallet as Address },
  } as unknown as FastifyRequest;
  return idempotency.once(request, async (tx) => {
    // A row of its own, in the transaction that it is told of.
    const { rows } = await sql<{ n: string }>`select count(*)::text as n from schema_migrations`.execute(tx);
    await make?.();
    made += 1;
    return {
      status: 201,
      headers: { location: `/things/${made}` },
      body: { made, rows: rows.length, secret: SECRET },
    };
  });
}

test("the same key with the same body gets the same answer, and nothing is made again", async () => {
  const first = await ask({ body: { name: "a", config: { x: 1, y: [2] } } });
  const again = await ask({ body: { config: { y: [2], x: 1 }, name: "a" } });
  expect(again).toEqual(first);
  expect(made).toBe(1);
});

test("another body with the same key is refused with 409", async () => {
  await ask();
  for (const body of [{ name: "b" }, {}, null, ["a"], { name: "a", more: 1 }])
    await expect(ask({ body })).rejects.toMatchObject({ code: "idempotency_conflict", status: 409 });
  expect(made).toBe(1);
});

test("without a key each request makes its own", async () => {
  await ask({ key: null });
  await ask({ key: null });
  expect(made).toBe(2);
});

test("a key is of its wallet and path", async () => {
  await ask();
  await ask({ wallet: "0x00000000000000000000000000000000000000b2" });
  await ask({ url: "/others" });
  await ask({ url: "/things?x=1" });
  expect(made).toBe(3);
});

test("many requests at once with one key make one thing and get one answer", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
  expect(made).toBe(1);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test("work that fails leaves no note: the next request with the key does it", async () => {
  const failing = () => Promise.reject(new Error("no"));
  await expect(ask({}, failing)).rejects.toThrow("no");
  expect((await ask()).status).toBe(201);
  expect(made).toBe(1);
});

describe("after 24 hours", () => {
  test("a key makes anew, to the millisecond", async () => {
    await ask();
    nowMs += 24 * HOUR - 1;
    await ask();
    expect(made).toBe(1);
    nowMs += 1;
    await ask({ body: { name: "other" } });
    expect(made).toBe(2);
  });

  test("what has run out is removed by whoever comes next", async () => {
    for (const key of ["a", "b", "c"]) await ask({ key });
    nowMs += 24 * HOUR;
    await ask({ key: "d" });
    const { rows } = await database.db.pool.query("select key from idempotency_keys");
    expect(rows).toEqual([{ key: "d" }]);
  });
});

test("an answer is kept sealed, and is given under a new key of the ring as well", async () => {
  const first = await ask();
  const stored = async () =>
    JSON.stringify((await database.db.pool.query("select * from idempotency_keys")).rows);
  expect(await stored()).not.toContain("planted");
  const rotated = openSecretBox({ keys: `${KEYS[1]},${KEYS[0]}`, file: "" });
  const oldId = ((await stored()).match(/v1\.(\w+)\./) as RegExpMatchArray)[1] as string;
  expect(await isKeyUsed(database.db, oldId)).toBe(true);
  expect(await resealAll(database.db, rotated)).toBe(1);
  expect(await resealAll(database.db, rotated)).toBe(0);
  expect(await isKeyUsed(database.db, oldId)).toBe(false);
  box = openSecretBox({ keys: KEYS[1] as string, file: "" });
  idempotency = createIdempotency({ db: database.db, box, clock: { now: () => nowMs } });
  expect(await ask()).toEqual(first);
});

test("a sealed value moved to another row stops the resealing, which names that row", async () => {
  await ask({ key: "a" });
  await ask({ key: "b" });
  await database.db.pool.query(
    "update idempotency_keys set sealed_answer = (select sealed_answer from idempotency_keys where key = 'a') where key = 'b'",
  );
  const rotated = openSecretBox({ keys: `${KEYS[1]},${KEYS[0]}`, file: "" });
  await expect(resealAll(database.db, rotated)).rejects.toThrow(/idempotency_keys [0-9a-f-]{36}:/);
});

test("a key is 1 to 255 visible characters", () => {
  const validate = buildAjv().compile(IdempotencyHeaders);
  const isValid = (key: string) => validate({ "idempotency-key": key });
  for (const key of ["a", "8e03978e-40d5-43dd-bc93-6894a57f9324", "~".repeat(255)])
    expect(isValid(key), key).toBe(true);
  for (const key of ["", "a b", "a\nb", "é", "x".repeat(256)]) expect(isValid(key), key).toBe(false);
});
