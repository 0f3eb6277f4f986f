// Endpoints that fail in every way there is, each ending as the guide says; and endpoints that are changed, disabled and enabled meanwhile.
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Receiver, startReceiver, status } from "../../../test/receiver.ts";
import {
  CHAIN,
  createWebhookWorld,
  emptyWebhooks,
  paused,
  VAULT,
  type WebhookWorld,
} from "../../../test/webhooks.ts";

const DAY_MS = 86_400_000;

let world: WebhookWorld;
let other: Receiver;
beforeAll(async () => {
  world = await createWebhookWorld({ timeoutMs: 100_000 });
  other = await startReceiver();
});
afterAll(async () => {
  await world.close();
  await other.close();
});
beforeEach(async () => {
  await emptyWebhooks(world);
  other.received.length = 0;
});

const patch = (id: string, body: object) => world.ask("PATCH", `/api/v1/webhooks/${id}`, undefined, { body });
const shown = async (id: string) => (await world.ask("GET", `/api/v1/webhooks/${id}`)).body;
const log = async (id: string) =>
  (await world.ask("GET", `/api/v1/webhooks/${id}/deliveries`)).body.deliveries;
const happen = async (n: number) => {
  await world.emit(paused(n));
  return world.deliver();
};

describe("an endpoint that", () => {
  test.each([
    ["answers 400", status(400), 400, "answered 400"],
    [
      "redirects",
      status(302, { location: "http://127.0.0.1:1/" }),
      302,
      "answered 302 (redirects are not followed)",
    ],
    [
      "resets the connection",
      (response) => void response.socket?.resetAndDestroy(),
      null,
      "could not be reached",
    ],
  ] as [string, Receiver["answer"], number | null, string][])(
    "%s: tried again",
    async (_, answer, code, error) => {
      world.receiver.answer = answer;
      const { id } = await world.create();
      await happen(1);
      const [delivery] = await log(id);
      expect(delivery.status).toBe("failed");
      expect(delivery.attempts).toMatchObject([{ number: 1, status_code: code }]);
      expect(delivery.attempts[0].error).toContain(error);
      world.receiver.answer = status(200);
      world.clock.at(1000);
      expect(await world.deliver()).toBe(1);
      expect((await log(id))[0].status).toBe("delivered");
    },
  );

  test.each([
    ["never answers", () => {}],
    [
      "drips its answer",
      (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write("."), 50);
        response.on("close", () => clearInterval(drip));
      },
    ],
  ] as [string, Receiver["answer"]][])("%s: given up after the time-out, tried again", async (_, answer) => {
    const hasty = await createWebhookWorld({ timeoutMs: 500 });
    hasty.receiver.answer = answer;
    const { id } = await hasty.create();
    await hasty.emit(paused());
    await hasty.deliver();
    const [delivery] = (await hasty.ask("GET", `/api/v1/webhooks/${id}/deliveries`)).body.deliveries;
    expect(delivery).toMatchObject({ status: "failed", next_attempt_at: expect.any(String) });
    expect(delivery.attempts).toMatchObject([{ number: 1, status_code: null }]);
    expect(delivery.attempts[0].error).toContain("did not answer completely within 500 ms");
    await hasty.close();
  });

  test("answers without end: taken, for the answer is read to 64 KiB and no further", async () => {
    let written = 0;
    world.receiver.answer = (response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, "x"))) written += 1;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    const { id } = await world.create();
    await happen(1);
    const [delivery] = await log(id);
    expect(delivery.status).toBe("delivered");
    expect(delivery.attempts[0].response_excerpt).toHaveLength(1024);
    expect(written).toBeLessThan(10_000);
  });

  test("has a name that nobody knows: tried again", async () => {
    const { id } = await world.create({ url: "http://nobody.invalid/" });
    await happen(1);
    const [delivery] = await log(id);
    expect([delivery.status, delivery.attempts[0].status_code]).toEqual(["failed", null]);
    expect(delivery.attempts[0].error).toContain("could not be reached");
  });

  test("has no certificate that can be trusted: tried again, nothing sent", async () => {
    let requests = 0;
    const server = createTlsServer({}, () => {
      requests += 1;
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { id } = await world.create({
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    });
    await happen(1);
    expect((await log(id))[0].status).toBe("failed");
    expect(requests).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  test("names a private address after all: refused where it would be connected to, and nothing of it shown", async () => {
    const guarded = await createWebhookWorld({ egress: { allowedNetworks: [] } });
    const { id } = await guarded.create({ url: "http://localhost:1/secret-path" });
    await guarded.emit(paused());
    await guarded.deliver();
    const { body } = await guarded.ask("GET", `/api/v1/webhooks/${id}/deliveries`);
    const [attempt] = body.deliveries[0].attempts;
    expect(attempt).toMatchObject({ status_code: null, response_excerpt: null });
    expect(attempt.error).toContain("is not a public address");
    expect(attempt.error).not.toContain("secret-path");
    await guarded.close();
  });

  test("answers 410: dead, the endpoint disabled with all that waits for it, told on the vault and on record", async () => {
    world.receiver.answer = status(500);
    const { id } = await world.create();
    await happen(1);
    world.receiver.answer = status(410);
    await happen(2);
    expect((await log(id)).map((each: { status: string }) => each.status)).toEqual(["dead", "canceled"]);
    expect(await shown(id)).toMatchObject({
      is_enabled: false,
      disabled_reason: "gone",
      disabled_at: "2026-05-09T10:00:00.000000Z",
    });
    await world.emit(paused(3));
    world.clock.at(60_000);
    expect(await world.deliver()).toBe(0);
    const { rows } = await world.database.db.pool.query(
      "select chain_id, vault_address, data from events where type = 'webhook.disabled'",
    );
    expect(rows.map(({ data, ...place }) => ({ ...place, data: JSON.parse(data) }))).toContainEqual({
      chain_id: CHAIN,
      vault_address: VAULT,
      data: { webhook_id: id, reason: "gone" },
    });
    const entries = await world.database.db.pool.query(
      "select body from audit_entries order by seq desc limit 1",
    );
    expect(JSON.parse(entries.rows[0].body)).toMatchObject({
      action_type: "webhook_update",
      actor_wallet: "0x0000000000000000000000000000000000000000",
      details: { webhook_id: id, changed: ["is_enabled"], reason: "gone" },
    });
  });

  test("does nothing but fail for 5 days: disabled; enabled again, it has 5 days anew and gets what happens from then on", async () => {
    world.receiver.answer = status(500);
    const { id } = await world.create();
    await happen(1);
    world.clock.at(5 * DAY_MS - 1);
    await happen(2);
    expect((await shown(id)).is_enabled).toBe(true);
    world.clock.at(5 * DAY_MS);
    await happen(3);
    expect(await shown(id)).toMatchObject({ is_enabled: false, disabled_reason: "failing" });
    await happen(4);

    expect((await patch(id, { is_enabled: true })).body).toMatchObject({
      is_enabled: true,
      disabled_reason: null,
    });
    world.receiver.received.length = 0;
    await happen(5);
    expect((await shown(id)).is_enabled).toBe(true);
    expect(world.receiver.received.map(({ body }) => JSON.parse(body.toString()).data.block_number)).toEqual([
      5,
    ]);
  });

  test("fails for 5 days but for one success is not disabled", async () => {
    world.receiver.answer = status(500);
    const { id } = await world.create();
    await happen(1);
    world.receiver.answer = status(200);
    world.clock.at(3 * DAY_MS);
    await happen(2);
    world.receiver.answer = status(500);
    world.clock.at(6 * DAY_MS);
    await happen(3);
    expect((await shown(id)).is_enabled).toBe(true);
  });
});

describe("an endpoint that while it is retried", () => {
  beforeEach(() => {
    world.receiver.answer = status(500);
  });

  test("gets another URL: the next attempt goes there, with the same bytes", async () => {
    const { id } = await world.create();
    await happen(1);
    await patch(id, { url: other.url });
    world.clock.at(1000);
    expect(await world.deliver()).toBe(1);
    expect([world.receiver.received.length, other.received.length]).toEqual([1, 1]);
    expect(other.received[0]?.body.equals(world.receiver.received[0]?.body as Buffer)).toBe(true);
  });

  test("is disabled: nothing more is sent, and enabling brings none of it back", async () => {
    const { id } = await world.create();
    await happen(1);
    await patch(id, { is_enabled: false });
    await patch(id, { is_enabled: true });
    world.clock.at(60_000);
    expect(await world.deliver()).toBe(0);
    expect((await log(id))[0].status).toBe("canceled");
  });

  test("is deleted: nothing more is sent", async () => {
    const { id } = await world.create();
    await happen(1);
    await world.ask("DELETE", `/api/v1/webhooks/${id}`);
    world.clock.at(60_000);
    expect(await world.deliver()).toBe(0);
    const { rows } = await world.database.db.pool.query("select status from deliveries");
    expect(rows).toEqual([{ status: "canceled" }]);
  });
});

test("an endpoint whose secret cannot be opened fails by itself, and keeps no other from being sent to", async () => {
  const broken = await world.create();
  const sound = await world.create();
  await world.database.db.pool.query("update webhooks set sealed_secret = 'v1.gone.AAAA' where id = $1", [
    broken.id,
  ]);
  await happen(1);
  expect((await log(sound.id))[0].status).toBe("delivered");
  expect((await log(broken.id))[0]).toMatchObject({
    status: "failed",
    attempts: [{ error: "the endpoint's secret cannot be decrypted" }],
  });
});

test("a rate of the endpoint's own is kept to", async () => {
  await world.create({ rate_limit: 2 });
  await world.emit(...Array.from({ length: 5 }, (_, n) => paused(n)));
  const counts: number[] = [];
  for (const ms of [0, 500, 1000, 2000, 3000]) {
    world.clock.at(ms);
    counts.push(await world.deliver());
  }
  expect(counts).toEqual([2, 0, 2, 1, 0]);
});
