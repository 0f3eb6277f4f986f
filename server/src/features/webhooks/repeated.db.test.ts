// `Idempotency-Key` on what sends: a client that asks again because an answer was lost makes nothing go out twice.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createWebhookWorld, emptyWebhooks, paused, type WebhookWorld } from "../../../test/webhooks.ts";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await emptyWebhooks(world);
  await world.database.db.pool.query("delete from idempotency_keys");
});

const post = (path: string, key: string, body?: unknown) =>
  world.ask("POST", path, undefined, {
    headers: { "idempotency-key": key },
    ...(body !== undefined && { body }),
  });

async function delivered(): Promise<{ endpoint: string; delivery: string }> {
  const { id } = await world.create();
  await world.emit(paused(1));
  await world.deliver();
  const { deliveries } = (await world.ask("GET", `/api/v1/webhooks/${id}/deliveries`)).body;
  world.receiver.received.length = 0;
  return { endpoint: id, delivery: deliveries[0].id };
}

describe("POST webhooks/{id}/test", () => {
  test("with one key sends once, however many ask at once, and answers all with that delivery", async () => {
    const { id } = await world.create();
    const path = `/api/v1/webhooks/${id}/test`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(path, "again")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await post(path, "again")).body.status).toBe("delivered");
    expect(world.receiver.received).toHaveLength(1);
    expect((await post(path, "another")).body.id).not.toBe(answers[0]?.body.id);
    expect(world.receiver.received).toHaveLength(2);
  });
});

describe("POST webhook-deliveries/{id}/replay", () => {
  test("with one key sends once more; with another, once more again", async () => {
    const { delivery } = await delivered();
    const path = `/api/v1/webhook-deliveries/${delivery}/replay`;
    for (const key of ["one", "one", "two"]) expect((await post(path, key)).status).toBe(202);
    await world.deliver();
    expect(world.receiver.received).toHaveLength(2);
    expect(await post(path, "one")).toMatchObject({
      status: 202,
      body: { id: delivery, status: "delivered" },
    });
  });

  test("409 idempotency_conflict: the same key with another body", async () => {
    const { delivery } = await delivered();
    const path = `/api/v1/webhook-deliveries/${delivery}/replay`;
    await post(path, "one");
    expect((await post(path, "one", { why: "another" })).body.code).toBe("idempotency_conflict");
  });
});

describe("POST webhooks/{id}/replay", () => {
  test("with one key sends once more and answers the same; with another body 409", async () => {
    const { endpoint } = await delivered();
    const path = `/api/v1/webhooks/${endpoint}/replay`;
    const range = { from: "2026-05-09", to: "2026-05-10", status: "delivered" };
    const first = await post(path, "range", range);
    expect(first).toMatchObject({ status: 202, body: { replayed: 1 } });
    await world.deliver();
    expect((await post(path, "range", range)).body).toEqual(first.body);
    await world.deliver();
    expect(world.receiver.received).toHaveLength(1);
    expect((await post(path, "range", { ...range, to: "2026-05-11" })).body.code).toBe(
      "idempotency_conflict",
    );
  });
});
