// How many channels a wallet may have, how often it may test them, and how many mails it may have sent that ask for confirmation.
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  ANNE,
  BEN,
  boundTo,
  CHANNELS,
  type ChannelGround,
  openChannelGround,
  VAULT,
} from "../../../../test/channels.ts";

let ground: ChannelGround;

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());
beforeEach(async () => {
  await ground.clear();
  await ground.database.db.pool.query("delete from deliveries");
});

const slack = (by: Address) =>
  ground.ask("POST", CHANNELS, by, {
    body: { provider: "slack", name: "Ops", config: ground.receiver.configOf("slack") },
  });
const mail = (to: string, by: Address = ANNE) =>
  ground.ask("POST", CHANNELS, by, { body: { provider: "email", name: "Mail", config: { to } } });
const tested = (id: string, by: Address) => ground.ask("POST", `${CHANNELS}/${id}/test`, by);
/** As if so long had gone by since everything that was charged. */
const pass = (seconds: number) =>
  ground.database.db.pool.query(
    "update stored_quotas set times = array(select t - $1 * interval '1 second' from unnest(times) t)",
    [seconds],
  );

test("409 channel_limit: a wallet has 50 channels at most, though it asks for many at once; a deleted one makes room", async () => {
  const made = [];
  for (let round = 0; round < 6; round += 1)
    made.push(...(await Promise.all(Array.from({ length: 9 }, () => slack(ANNE)))));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
  const refused = made.filter(({ status }) => status !== 201);
  expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
    Array(4).fill("409 channel_limit"),
  );
  expect((await slack(BEN)).status).toBe(201);
  const one = made.find(({ status }) => status === 201)?.body.id;
  expect((await ground.ask("DELETE", `${CHANNELS}/${one}`, ANNE)).status).toBe(204);
  expect((await slack(ANNE)).status).toBe(201);
});

test("429 with Retry-After: a channel is tested 5 times a minute at most, by all together, and any minute counts", async () => {
  const id = await ground.channel("slack");
  const first = await Promise.all(
    Array.from({ length: 9 }, (_, at) => tested(id, at % 2 === 0 ? ANNE : BEN)),
  );
  expect(first.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429]);
  expect(ground.receiver.taken("slack")).toHaveLength(5);
  const refused = first.find(({ status }) => status === 429);
  expect(refused?.body.code).toBe("rate_limited");
  const seconds = Number(refused?.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  // What is refused costs nothing, so that the place comes when it was said to.
  await pass(60);
  for (let count = 0; count < 5; count += 1) expect((await tested(id, ANNE)).status).toBe(200);
  expect((await tested(id, BEN)).status).toBe(429);
});

test("429: a wallet tests 20 times a minute at most, over all its channels; another's are its own", async () => {
  const ids = await Promise.all(
    Array.from({ length: 6 }, (_, at) => ground.channel("slack", { name: `c${at}` })),
  );
  const statuses: number[] = [];
  for (const id of ids)
    for (let count = 0; count < 4; count += 1) statuses.push((await tested(id, ANNE)).status);
  expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);
  expect((await tested(ids[5] as string, BEN)).status).toBe(200);
});

test("429: a wallet has 20 mails an hour sent that ask for confirmation, an address gets 5 a day, and nothing is made of a refused request", async () => {
  const many = Array.from({ length: 20 }, (_, at) => `a${at}@elsewhere.example`).join(",");
  expect((await mail(many)).status).toBe(201);
  const refused = await mail("one.more@elsewhere.example");
  expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
  expect((await ground.ask("GET", CHANNELS, ANNE)).body).toHaveLength(1);
  await pass(3600);
  expect((await mail("one.more@elsewhere.example")).status).toBe(201);

  const { id } = (await mail("asked@elsewhere.example", BEN)).body;
  const again = () => ground.ask("POST", `${CHANNELS}/${id}/confirmations`, BEN);
  for (let count = 0; count < 4; count += 1) expect((await again()).status).toBe(202);
  const last = await again();
  expect([last.status, Number(last.headers["retry-after"]) > 3600]).toEqual([429, true]);
  await ground.ask("POST", `${boundTo(VAULT)}/${id}`, BEN);
});
