// 429 over two processes that share a database, each with a pool of its own: challenges, and changes that are recorded.
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type Database, openDatabase } from "../db/db.ts";
import type { Feature } from "../lifecycle/feature.ts";
import { storedBudget } from "./stored-budget.ts";

const feature: Feature = {
  name: "limited",
  routes(app) {
    app.post("/challenge", { config: { permission: "public", rateLimit: "challenge" } }, async () => ({}));
    app.put("/recorded", { config: { permission: "authenticated", isRecorded: true } }, async () => ({}));
  },
};

let database: TestDatabase;
const pools: Database[] = [];
const apps: FastifyInstance[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  for (let i = 0; i < 2; i++) {
    const db = await openDatabase({ url: database.url, applicationName: "test", connectTimeoutMs: 120_000 });
    pools.push(db);
    apps.push(
      await buildTestApp({
        features: [feature],
        http: { rateLimits: { perWallet: 1e9, perIp: 1e9, challengesPerIp: 3, recordedPerWallet: 4 } },
        sharedBudget: (policy) => storedBudget(db, policy),
      }),
    );
  }
});
afterAll(async () => {
  for (const app of apps) await app.close();
  for (const db of pools) await db.close();
  await database.drop();
});

const ask = (i: number, method: "POST" | "PUT", url: string, remoteAddress = "192.0.2.1") =>
  (apps[i % 2] as FastifyInstance).inject({ method, url, remoteAddress });

test("challenges of an address are counted over both, and told as those of one process", async () => {
  const statuses = [];
  for (let i = 0; i < 5; i++) statuses.push((await ask(i, "POST", "/challenge")).statusCode);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  const refused = await ask(0, "POST", "/challenge");
  expect(refused.json().code).toBe("rate_limited");
  expect(refused.headers["ratelimit-policy"]).toBe('"challenge";q=3;w=60');
  expect(refused.headers.ratelimit).toMatch(/^"challenge";r=0;t=\d+$/);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await ask(1, "POST", "/challenge", "192.0.2.2")).statusCode).toBe(200);
});

test("of many recorded changes that come to both at once no more pass than may", async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(i, "PUT", "/recorded")));
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4);
  const left = answers.flatMap(({ headers, statusCode }) =>
    statusCode === 200 ? [String(headers.ratelimit)] : [],
  );
  expect(left.map((header) => /r=(\d+)/.exec(header)?.[1]).sort()).toEqual(["0", "1", "2", "3"]);
});

test("a window that has ended begins anew, and those of others that ended are removed", async () => {
  await database.db.pool.query("update quota_windows set ends_at = now() - interval '1 second'");
  expect((await ask(0, "POST", "/challenge")).headers.ratelimit).toBe('"challenge";r=2;t=60');
  expect((await database.db.pool.query("select from quota_windows")).rowCount).toBe(1);
});
