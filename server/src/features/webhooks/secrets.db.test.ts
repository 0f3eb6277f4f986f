// Endpoints whose secrets were sealed under a key that the service has no more: shown, told of, and brought back by their owner.
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { FakeClock } from "../../../test/delivery.ts";
import { createWebhookWorld, emptyWebhooks, paused, type WebhookWorld } from "../../../test/webhooks.ts";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await emptyWebhooks(world);
  // The public library goes by the machine's clock.
  world.clock.at(Date.now() - FakeClock.BEGIN_MS);
});

/** As if the key that sealed it were gone from the ring. */
const lose = (column: "sealed_secret" | "sealed_old_secrets", id: string) =>
  world.database.db.pool.query(`update webhooks set ${column} = 'v1.00000000.AAAA' where id = $1`, [id]);
const shown = async (id: string) => (await world.ask("GET", `/api/v1/webhooks/${id}`)).body;
const rotate = (id: string) => world.ask("POST", `/api/v1/webhooks/${id}/rotate-secret`);

test("a secret that does not open is told of with what to do, hides no other endpoint, and is replaced by rotating it", async () => {
  const { id } = await world.create();
  const other = await world.create();
  await lose("sealed_secret", id);
  const list = await world.ask("GET", "/api/v1/webhooks");
  expect(list.status).toBe(200);
  const errors = new Map(
    list.body.webhooks.map((each: Record<string, unknown>) => [each.id, each.secret_error]),
  );
  expect(errors.get(other.id)).toBe(null);
  expect(errors.get(id)).toMatch(/rotate the secret/);

  const { status, body } = await rotate(id);
  expect([status, body.old_secret_valid_until]).toEqual([200, null]);
  expect(await shown(id)).toMatchObject({ secret_error: null, old_secrets_valid_until: [] });
  await world.ask("PATCH", `/api/v1/webhooks/${other.id}`, undefined, { body: { is_enabled: false } });
  await world.emit(paused(1));
  await world.deliver();
  const [received] = world.receiver.received;
  new Webhook(body.secret).verify(received?.body as Buffer, received?.headers as Record<string, string>);
});

test("an old secret that does not open stops neither the list nor deliveries, which the current one signs alone", async () => {
  const { id } = await world.create();
  const { secret } = (await rotate(id)).body;
  await lose("sealed_old_secrets", id);
  expect((await world.ask("GET", "/api/v1/webhooks")).body.webhooks).toMatchObject([
    { id, old_secrets_valid_until: [], secret_error: expect.stringMatching(/rotated out/) },
  ]);
  await world.emit(paused(1));
  await world.deliver();
  const [received] = world.receiver.received;
  new Webhook(secret).verify(received?.body as Buffer, received?.headers as Record<string, string>);
  expect((await rotate(id)).status).toBe(200);
  expect((await shown(id)).secret_error).toBe(null);
});
