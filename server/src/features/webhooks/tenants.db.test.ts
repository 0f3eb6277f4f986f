// An endpoint's owner who loses a role gets nothing more of that vault, and sees nothing more of it either.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { status } from "../../../test/receiver.ts";
import {
  createWebhookWorld,
  emptyWebhooks,
  MANAGER,
  OTHER_VAULT,
  paused,
  VAULT,
  type WebhookWorld,
} from "../../../test/webhooks.ts";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await emptyWebhooks(world);
  await setRole(null);
});

/** Takes MANAGER's role on VAULT at a block, or gives it back. */
async function setRole(lostAt: number | null): Promise<void> {
  await world.database.db.pool.query(
    "update vault_roles set to_block = $1 where wallet = $2 and vault_address = $3",
    [lostAt, MANAGER, VAULT],
  );
}

const log = async (id: string) => (await world.ask("GET", `/api/v1/webhooks/${id}/deliveries`)).body;
const statuses = async () => {
  const { rows } = await world.database.db.pool.query(
    "select vault_address, status, attempts_count from deliveries order by seq",
  );
  return rows;
};

test("a retry after the role is lost is not sent: the delivery ends as canceled, and that of another vault goes out", async () => {
  await world.create();
  world.receiver.answer = status(500);
  await world.emit(paused(1), paused(2, OTHER_VAULT));
  await world.deliver();
  expect(world.receiver.received).toHaveLength(2);
  await setRole(2);
  world.receiver.answer = status(204);
  world.clock.at(60_000);
  await world.deliver();
  expect(world.receiver.received).toHaveLength(3);
  expect(await statuses()).toEqual([
    { vault_address: VAULT, status: "canceled", attempts_count: 1 },
    { vault_address: OTHER_VAULT, status: "delivered", attempts_count: 2 },
  ]);
});

test("what was asked to be replayed before the role was lost is not sent either", async () => {
  const { id } = await world.create();
  await world.emit(paused(1));
  await world.deliver();
  const [{ id: delivery }] = (await log(id)).deliveries;
  expect((await world.ask("POST", `/api/v1/webhook-deliveries/${delivery}/replay`)).status).toBe(202);
  await setRole(2);
  await world.deliver();
  expect(world.receiver.received).toHaveLength(1);
});

test("deliveries, total and last_delivery hold what concerns vaults of now, and tests", async () => {
  const { id } = await world.create();
  await world.emit(paused(1, OTHER_VAULT), paused(2));
  await world.deliver();
  expect(await log(id)).toMatchObject({ total: 2 });
  await setRole(2);
  const shown = await log(id);
  expect([
    shown.total,
    shown.deliveries.map((each: { vault_address: string }) => each.vault_address),
  ]).toEqual([1, [OTHER_VAULT]]);
  await world.database.db.pool.query("delete from deliveries where vault_address = $1", [OTHER_VAULT]);
  const endpoints = (await world.ask("GET", "/api/v1/webhooks")).body.webhooks;
  expect(endpoints).toMatchObject([{ id, last_delivery: null }]);
  await world.ask("POST", `/api/v1/webhooks/${id}/test`);
  expect(await log(id)).toMatchObject({ total: 1, deliveries: [{ event_type: "webhook.test" }] });
  expect((await world.ask("GET", `/api/v1/webhooks/${id}`)).body.last_delivery).toMatchObject({
    status: "delivered",
  });
});
