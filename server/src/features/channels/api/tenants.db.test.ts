// A channel may be bound to vaults of several managers: each sees of what it was sent only what is of vaults of their own, as of now.
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addVault, testAddress } from "../../../../test/chain-rows.ts";
import {
  ANNE,
  alertEvent,
  BEN,
  boundTo,
  CARL,
  CHAIN,
  CHANNELS,
  type ChannelGround,
  OTHER_VAULT,
  openChannelGround,
  testAlert,
  VAULT,
} from "../../../../test/channels.ts";

let ground: ChannelGround;
const ask: ChannelGround["ask"] = (...asked) => ground.ask(...asked);

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());
beforeEach(async () => {
  await ground.clear();
  await ground.database.db.pool.query("update vault_roles set to_block = null");
});

async function lose(wallet: Address, vault: Address): Promise<void> {
  await ground.database.db.pool.query(
    "update vault_roles set to_block = 4 where wallet = $1 and vault_address = $2",
    [wallet, vault],
  );
}

/** What the wallet sees of the channel's deliveries: their vaults and kinds, the count, and whether there is a last one. */
async function seen(id: string, by: Address) {
  const { body } = await ask("GET", `${CHANNELS}/${id}/deliveries`, by);
  const listed = (await ask("GET", CHANNELS, by)).body.find((each: { id: string }) => each.id === id);
  const one = (await ask("GET", `${CHANNELS}/${id}`, by)).body;
  expect(one.last_delivery).toEqual(listed.last_delivery);
  return {
    vaults: body.deliveries.map((each: { vault_address: string }) => each.vault_address),
    total: body.total,
    isTried: one.last_delivery !== null,
  };
}

test("deliveries, total and last_delivery show what concerns vaults of the reader's, at this moment, and tests", async () => {
  const id = await ground.channel("slack", { vaults: [VAULT, OTHER_VAULT] });
  await ground.emit(alertEvent("alert.firing", testAlert()));
  await ground.deliver();
  expect(await seen(id, ANNE)).toEqual({ vaults: [VAULT], total: 1, isTried: true });
  expect(await seen(id, BEN)).toEqual({ vaults: [VAULT], total: 1, isTried: true });
  expect(await seen(id, CARL)).toEqual({ vaults: [], total: 0, isTried: false });
  const [bound] = (await ask("GET", boundTo(OTHER_VAULT), CARL)).body;
  expect(bound.last_delivery).toBeNull();

  await lose(ANNE, VAULT);
  await ask("DELETE", `${boundTo(VAULT)}/${id}`, BEN);
  expect(await seen(id, ANNE)).toEqual({ vaults: [], total: 0, isTried: false });
  await ask("POST", `${CHANNELS}/${id}/test`, ANNE);
  expect(await seen(id, ANNE)).toMatchObject({ total: 1, isTried: true });
  expect(await seen(id, CARL)).toMatchObject({ total: 1, isTried: true });
});

test("403: who sees a channel and may not change it binds it to no vault of theirs, and still changes its binding to theirs", async () => {
  const { db } = ground.database;
  const own = testAddress(0x300);
  await addVault(db, CHAIN, own);
  await db.pool.query(
    "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'primary_manager', 1)",
    [CHAIN, own, BEN],
  );
  const id = await ground.channel("slack", { vaults: [VAULT, OTHER_VAULT] });
  expect((await ask("GET", `${CHANNELS}/${id}`, BEN)).body.can_manage).toBe(false);
  for (const bind of [
    () => ask("POST", `${boundTo(own)}/${id}`, BEN),
    () => ask("POST", boundTo(own), BEN, { body: { channel_id: id } }),
  ]) {
    const { status, body } = await bind();
    expect([status, body.code]).toEqual([403, "insufficient_role"]);
  }
  const narrowed = await ask("POST", `${boundTo(VAULT)}/${id}`, BEN, { body: { min_severity: "critical" } });
  expect([narrowed.status, narrowed.body.min_severity]).toEqual([200, "critical"]);
  // Once it is bound to Ben's vaults alone it is his to bind.
  await ask("DELETE", `${boundTo(OTHER_VAULT)}/${id}`, CARL);
  expect((await ask("POST", `${boundTo(own)}/${id}`, BEN)).status).toBe(201);
});
