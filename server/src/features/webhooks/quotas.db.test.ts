// How many endpoints a wallet may have, and how often it may have them tested.
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createWebhookWorld,
  emptyWebhooks,
  MANAGER,
  OTHER_MANAGER,
  type WebhookWorld,
} from "../../../test/webhooks.ts";

const WEBHOOKS = "/api/v1/webhooks";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(() => emptyWebhooks(world));

const make = (by: Address = MANAGER) =>
  world.ask("POST", WEBHOOKS, by, { body: { url: world.receiver.url } });
const tested = (id: string, by: Address = MANAGER) => world.ask("POST", `${WEBHOOKS}/${id}/test`, by);
/** As if so long had gone by since everything that was charged. */
const pass = (seconds: number) =>
  world.database.db.pool.query(
    "update stored_quotas set times = array(select t - $1 * interval '1 second' from unnest(times) t)",
    [seconds],
  );

test("409 conflict: a wallet has 100 endpoints at most, though it asks for many at once; a deleted one makes room", async () => {
  const made = [];
  for (let round = 0; round < 12; round += 1)
    made.push(...(await Promise.all(Array.from({ length: 9 }, () => make()))));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
  const refused = made.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(Array(8).fill("409 conflict"));
  expect((await world.ask("GET", WEBHOOKS)).body.total).toBe(100);
  expect((await make(OTHER_MANAGER)).status).toBe(201);
  const one = made.find(({ status }) => status === 201)?.body.id;
  expect((await world.ask("DELETE", `${WEBHOOKS}/${one}`)).status).toBe(204);
  expect((await make()).status).toBe(201);
});

test("429 with Retry-After: an endpoint is tested 5 times a minute at most, and what is refused is not sent", async () => {
  const { id } = await world.create();
  const answers = await Promise.all(Array.from({ length: 9 }, () => tested(id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429]);
  expect(world.receiver.received).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.code).toBe("rate_limited");
  const seconds = Number(refused?.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  // What is refused costs nothing, so that the place comes when it was said to.
  await pass(60);
  for (let count = 0; count < 5; count += 1) expect((await tested(id)).status).toBe(200);
  expect((await tested(id)).status).toBe(429);
});

test("429: a wallet tests 20 times a minute at most, over all its endpoints; another's are its own", async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, async () => (await world.create()).id as string));
  const statuses: number[] = [];
  for (const id of ids) for (let count = 0; count < 4; count += 1) statuses.push((await tested(id)).status);
  expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);
  const others = (await make(OTHER_MANAGER)).body.id;
  expect((await tested(others, OTHER_MANAGER)).status).toBe(200);
});
