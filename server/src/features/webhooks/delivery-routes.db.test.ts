// The delivery log, tests and replays, one block for each route.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { status } from "../../../test/receiver.ts";
import {
  createWebhookWorld,
  emptyWebhooks,
  OTHER_MANAGER,
  paused,
  VIEWER,
  type WebhookWorld,
} from "../../../test/webhooks.ts";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(() => emptyWebhooks(world));

const path = (id: string, what: string) => `/api/v1/webhooks/${id}/${what}`;
const log = async (id: string, query = "") => (await world.ask("GET", path(id, `deliveries${query}`))).body;
const replayOne = (id: string, by = undefined as never) =>
  world.ask("POST", `/api/v1/webhook-deliveries/${id}/replay`, by);

/** So many deliveries, all dead. */
async function dead(count: number): Promise<string> {
  world.receiver.answer = status(410);
  const { id } = await world.create();
  await world.emit(...Array.from({ length: count }, (_, n) => paused(n)));
  await world.deliver();
  await world.ask("PATCH", `/api/v1/webhooks/${id}`, undefined, { body: { is_enabled: true } });
  await world.database.db.pool.query("update deliveries set status = 'dead'");
  world.receiver.received.length = 0;
  world.receiver.answer = status(204);
  return id;
}

describe("GET webhooks/{id}/deliveries", () => {
  test("200: newest first, in pages, by status and type", async () => {
    const { id } = await world.create();
    await world.emit(paused(1), paused(2), paused(3));
    await world.deliver();
    await world.emit(paused(4));
    world.receiver.answer = status(500);
    await world.deliver();
    const first = await log(id, "?limit=3");
    expect([first.total, first.has_more, first.deliveries.length]).toEqual([4, true, 3]);
    expect(first.deliveries[0]).toMatchObject({
      status: "failed",
      next_attempt_at: "2026-05-09T10:00:01.000000Z",
    });
    expect((await log(id, "?limit=3&offset=3")).has_more).toBe(false);
    expect((await log(id, "?status=failed")).total).toBe(1);
    expect((await log(id, "?status=dead")).total).toBe(0);
    expect((await log(id, "?event_type=vault.paused")).total).toBe(4);
    expect((await log(id, "?event_type=pps.stale")).total).toBe(0);
    expect(await world.ask("GET", `/api/v1/webhooks/${id}`)).toMatchObject({
      body: { last_delivery: { status: "failed", at: "2026-05-09T10:00:00.000000Z", error: "answered 500" } },
    });
  });

  test("200: what each sends: the bytes and headers that the receiver got, without the signature", async () => {
    const { id } = await world.create();
    await world.emit(paused(1));
    await world.deliver();
    const [received] = world.receiver.received;
    const { request } = (await log(id)).deliveries[0];
    expect(request).toEqual({
      method: "POST",
      headers: {
        "content-type": received?.headers["content-type"],
        "user-agent": received?.headers["user-agent"],
        "webhook-id": received?.headers["webhook-id"],
      },
      body: received?.body.toString("utf8"),
    });
  });

  test("304: until something was sent", async () => {
    const { id } = await world.create();
    const { etag } = (await world.ask("GET", path(id, "deliveries"))).headers as { etag: string };
    const again = () =>
      world.ask("GET", path(id, "deliveries"), undefined, { headers: { "if-none-match": etag } });
    expect((await again()).status).toBe(304);
    await world.emit(paused());
    await world.deliver();
    expect((await again()).status).toBe(200);
  });

  test("400: an unknown status; 403: a viewer; 404: another's endpoint", async () => {
    const { id } = await world.create();
    expect((await world.ask("GET", path(id, "deliveries?status=sent"))).status).toBe(400);
    expect((await world.ask("GET", path(id, "deliveries"), VIEWER)).status).toBe(403);
    expect((await world.ask("GET", path(id, "deliveries"), OTHER_MANAGER)).status).toBe(404);
  });
});

describe("POST webhooks/{id}/test", () => {
  test("200: a real delivery, whatever types the endpoint takes, and what came of it", async () => {
    const { id } = await world.create({ event_types: ["pps.stale"] });
    world.receiver.answer = (response) => response.writeHead(202).end("thanks");
    const { status: code, body } = await world.ask("POST", path(id, "test"));
    expect(code).toBe(200);
    expect(body).toMatchObject({
      event_type: "webhook.test",
      status: "delivered",
      attempts: [{ number: 1, status_code: 202, error: null, response_excerpt: "thanks" }],
    });
    expect(JSON.parse(world.receiver.received[0]?.body.toString() as string)).toMatchObject({
      event_id: body.event_id,
      event_type: "webhook.test",
      chain_id: 0,
      data: { webhook_id: id },
    });
    expect((await log(id)).total).toBe(1);
  });

  test("200: one that fails, without retry", async () => {
    const { id } = await world.create();
    world.receiver.answer = status(500);
    const { body } = await world.ask("POST", path(id, "test"));
    expect(body).toMatchObject({
      status: "dead",
      next_attempt_at: null,
      attempts: [{ error: "answered 500" }],
    });
    world.clock.at(600_000);
    expect(await world.deliver()).toBe(0);
  });

  test("404: another's endpoint; 409: one that is disabled", async () => {
    const { id } = await world.create({ is_enabled: false });
    expect((await world.ask("POST", path(id, "test"), OTHER_MANAGER)).status).toBe(404);
    expect((await world.ask("POST", path(id, "test"))).body.code).toBe("conflict");
    expect(world.receiver.received).toEqual([]);
  });
});

describe("POST webhook-deliveries/{id}/replay", () => {
  test("202: twice sends twice, allowed on a success, the same bytes under the same id", async () => {
    const { id } = await world.create();
    await world.emit(paused());
    await world.deliver();
    const [delivery] = (await log(id)).deliveries;
    for (const _ of [1, 2]) {
      const { status: code, body } = await replayOne(delivery.id);
      expect([code, body.status]).toEqual([202, "pending"]);
    }
    expect(await world.deliver()).toBe(2);
    const { received } = world.receiver;
    expect(new Set(received.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
    expect((await log(id)).deliveries[0]).toMatchObject({
      status: "delivered",
      attempts: [{ number: 1 }, { number: 2 }, { number: 3 }],
    });
  });

  test("409: while its retries are pending, which it does not double; while its endpoint is disabled", async () => {
    const { id } = await world.create();
    world.receiver.answer = status(500);
    await world.emit(paused());
    await world.deliver();
    const [delivery] = (await log(id)).deliveries;
    expect((await replayOne(delivery.id)).body.code).toBe("conflict");
    world.clock.at(1000);
    expect(await world.deliver()).toBe(1);
    await world.ask("PATCH", `/api/v1/webhooks/${id}`, undefined, { body: { is_enabled: false } });
    expect((await replayOne(delivery.id)).body.code).toBe("conflict");
  });

  test("404: another's delivery, or none", async () => {
    const id = await dead(1);
    const [delivery] = (await log(id)).deliveries;
    expect((await replayOne(delivery.id, OTHER_MANAGER as never)).body.code).toBe("not_found");
    expect((await replayOne("00000000-0000-4000-8000-000000000000")).body.code).toBe("not_found");
  });
});

describe("POST webhooks/{id}/replay", () => {
  const all = { from: "2026-05-09", to: "2026-05-10" };
  const replay = (id: string, body: object, by?: never) =>
    world.ask("POST", path(id, "replay"), by, { body });

  test("202: what is dead of the period, once; the rest by its status", async () => {
    const id = await dead(3);
    world.clock.at(60_000);
    await world.emit(paused(9));
    await world.deliver();
    world.receiver.received.length = 0;
    const { status: code, body } = await replay(id, all);
    expect([code, body]).toEqual([202, { replayed: 3, has_more: false, next_from: null }]);
    expect((await replay(id, all)).body.replayed).toBe(0);
    expect(await world.deliver()).toBe(3);
    expect(
      (await replay(id, { ...all, to: "2026-05-09T10:00:30Z", status: "delivered" })).body.replayed,
    ).toBe(3);
    expect(
      (await replay(id, { ...all, from: "2026-05-09T10:00:30Z", status: "delivered" })).body.replayed,
    ).toBe(1);
    expect(await world.deliver()).toBe(4);
  });

  test("400: no period, one that ends before it begins, an open status", async () => {
    const { id } = await world.create();
    expect((await replay(id, {})).status).toBe(400);
    expect((await replay(id, { from: all.to, to: all.from })).body.code).toBe("invalid_timestamp");
    expect((await replay(id, { ...all, status: "failed" })).status).toBe(400);
  });

  test("404: another's endpoint; 409: one that is disabled", async () => {
    const { id } = await world.create({ is_enabled: false });
    expect((await replay(id, all, OTHER_MANAGER as never)).status).toBe(404);
    expect((await replay(id, all)).body.code).toBe("conflict");
  });
});
