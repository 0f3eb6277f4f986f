// Bindings over HTTP, and what becomes of them and of rights to a channel when roles come and go.
import { randomUUID } from "node:crypto";
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { confirm, testAddress } from "../../../../test/chain-rows.ts";
import {
  ALL_CATEGORIES,
  ANNE,
  alertEvent,
  BEN,
  boundTo,
  CARL,
  CHAIN,
  CHANNELS,
  type ChannelGround,
  MIA,
  NICK,
  OTHER_VAULT,
  openChannelGround,
  testAlert,
  VAULT,
  VERA,
} from "../../../../test/channels.ts";

let ground: ChannelGround;
const ask: ChannelGround["ask"] = (...asked) => ground.ask(...asked);

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());
beforeEach(async () => {
  const { pool } = ground.database.db;
  for (const table of ["channel_alerts", "notification_channels", "deliveries", "delivery_targets", "events"])
    await pool.query(`delete from ${table}`);
  await pool.query("update vault_roles set to_block = null");
  await pool.query("delete from vault_roles where from_block = 6");
  await confirm(ground.database.db, CHAIN, 5);
  ground.receiver.received.length = 0;
});

const unbound = (by = ANNE, name = "main") => ground.channel("slack", { vaults: [], by, name });

async function entries(): Promise<object[]> {
  const { rows } = await ground.database.db.pool.query("select body from audit_entries order by seq");
  return rows.map(({ body }) => {
    const { action_type, vault_address, actor_wallet, details } = JSON.parse(body);
    return { action_type, vault_address, actor_wallet, details };
  });
}

/** At the head; confirmed a block later. */
async function lose(wallet: Address, vault: Address): Promise<void> {
  await ground.database.db.pool.query(
    "update vault_roles set to_block = 6 where wallet = $1 and vault_address = $2",
    [wallet, vault],
  );
}

async function gain(wallet: Address, vault: Address): Promise<void> {
  await ground.database.db.pool.query(
    "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'secondary_manager', 6)",
    [CHAIN, vault, wallet],
  );
}

describe.each([
  [
    "by its path",
    (id: string, by: Address | null, wish?: object) =>
      ask("POST", `${boundTo(VAULT)}/${id}`, by, wish === undefined ? {} : { body: wish }),
  ],
  [
    "on the collection",
    (id: string, by: Address | null, wish: object = {}) =>
      ask("POST", boundTo(VAULT), by, { body: { channel_id: id, ...wish } }),
  ],
])("POST %s", (_, bind) => {
  test("201: all categories from info on unless told otherwise; 200 again, which changes what is named", async () => {
    const id = await unbound();
    const before = (await entries()).length;
    const first = await bind(id, ANNE);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      id,
      name: "main",
      config: { webhook_url: "••••lack" },
      categories: ALL_CATEGORIES,
      min_severity: "info",
      bound_by: ANNE,
      needs_confirmation: false,
    });
    const again = await bind(id, BEN);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const changed = await bind(id, BEN, { min_severity: "warning" });
    expect(changed.body).toMatchObject({
      categories: ALL_CATEGORIES,
      min_severity: "warning",
      bound_by: BEN,
    });
    const narrowed = await bind(id, ANNE, { categories: ["merkle", "upkeep"] });
    expect(narrowed.body).toMatchObject({ categories: ["upkeep", "merkle"], min_severity: "warning" });
    const entry = (actor_wallet: Address, categories: string[], min_severity: string) => ({
      action_type: "notification_channel_bind",
      vault_address: VAULT,
      actor_wallet,
      details: { channel_id: id, categories, min_severity },
    });
    expect((await entries()).slice(before)).toEqual([
      entry(ANNE, ALL_CATEGORIES, "info"),
      entry(BEN, ALL_CATEGORIES, "warning"),
      entry(ANNE, ["upkeep", "merkle"], "warning"),
    ]);
  });

  test("categories of a newer process stay, whatever is asked of the others", async () => {
    const id = await unbound();
    await bind(id, ANNE);
    await ground.database.db.pool.query(
      "update channel_bindings set categories = categories || '{weather}'::text[] where channel_id = $1",
      [id],
    );
    const stored = async () =>
      (
        await ground.database.db.pool.query("select categories from channel_bindings where channel_id = $1", [
          id,
        ])
      ).rows[0].categories;
    expect((await bind(id, BEN, { min_severity: "warning" })).status).toBe(200);
    expect(await stored()).toEqual([...ALL_CATEGORIES, "weather"]);
    expect((await bind(id, BEN, { categories: ["upkeep"] })).status).toBe(200);
    expect(await stored()).toEqual(["upkeep", "weather"]);
  });

  test("201 once and 200 for the others of many at once", async () => {
    const id = await unbound();
    const answers = await Promise.all(Array.from({ length: 6 }, () => bind(id, ANNE)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  });

  test("400: an unknown category or severity, none, one twice, another member", async () => {
    const id = await unbound();
    for (const wish of [
      { categories: ["weather"] },
      { categories: [] },
      { categories: ["merkle", "merkle"] },
      { min_severity: "high" },
      { categories: "merkle" },
      { severity: "info" },
    ])
      expect((await bind(id, ANNE, wish)).status).toBe(400);
    expect((await bind("not-an-id", ANNE)).status).toBe(400);
  });

  test("401, 403 to who does not manage the vault, 404 for a channel that one may not see", async () => {
    const id = await unbound();
    expect((await bind(id, null)).status).toBe(401);
    for (const wallet of [VERA, CARL, NICK, MIA])
      expect((await bind(id, wallet)).body.code).toBe("insufficient_role");
    expect((await bind(id, BEN)).body.code).toBe("not_found");
    expect((await bind(randomUUID(), ANNE)).body.code).toBe("not_found");
  });
});

test("POST 400 invalid_address, 404 chain_not_found and vault_not_found, 403 insufficient_scope", async () => {
  const id = await unbound();
  const nobody = testAddress(0x999);
  const post = (url: string, scope: "full" | "read" = "full") => ask("POST", url, ANNE, { scope });
  expect((await post(`${boundTo("0x12" as Address)}/${id}`)).body.code).toBe("invalid_address");
  expect((await post(`/api/v1/vaults/1/${VAULT}/notification-channels/${id}`)).body.code).toBe(
    "chain_not_found",
  );
  expect((await post(`${boundTo(nobody)}/${id}`)).body.code).toBe("vault_not_found");
  expect((await post(`${boundTo(VAULT)}/${id}`, "read")).body.code).toBe("insufficient_scope");
});

describe("GET", () => {
  test("200 to every role on the vault, in the order of binding, secrets masked; 304 until it changes", async () => {
    const first = await ground.channel("slack", { name: "first" });
    const second = await ground.channel("pagerduty", {
      name: "second",
      by: BEN,
      wish: { categories: ["merkle"] },
    });
    await ground.channel("slack", { name: "other", by: CARL, vaults: [OTHER_VAULT] });
    for (const wallet of [ANNE, BEN, VERA, MIA]) {
      const { status, body } = await ask("GET", boundTo(VAULT), wallet);
      expect([status, body.map(({ id }: { id: string }) => id).sort()]).toEqual([
        200,
        [first, second].sort(),
      ]);
      expect(JSON.stringify(body)).not.toContain("planted");
    }
    const { headers } = await ask("GET", boundTo(VAULT), VERA);
    const unchanged = { headers: { "if-none-match": headers.etag as string } };
    expect((await ask("GET", boundTo(VAULT), VERA, unchanged)).status).toBe(304);
    await ask("DELETE", `${boundTo(VAULT)}/${first}`, BEN);
    expect((await ask("GET", boundTo(VAULT), VERA, unchanged)).body).toHaveLength(1);
  });

  test("401, 403 without a role on the vault, 404 for an unknown vault", async () => {
    expect((await ask("GET", boundTo(VAULT), null)).status).toBe(401);
    for (const wallet of [CARL, NICK]) expect((await ask("GET", boundTo(VAULT), wallet)).status).toBe(403);
    expect((await ask("GET", boundTo(testAddress(0x999)), ANNE)).status).toBe(404);
  });
});

describe("DELETE", () => {
  test("204, and 404 when it is not bound; the entry says who did it", async () => {
    const id = await ground.channel("slack");
    const url = `${boundTo(VAULT)}/${id}`;
    expect((await ask("DELETE", url, BEN)).status).toBe(204);
    expect((await entries()).at(-1)).toEqual({
      action_type: "notification_channel_unbind",
      vault_address: VAULT,
      actor_wallet: BEN,
      details: { channel_id: id },
    });
    expect((await ask("DELETE", url, BEN)).body.code).toBe("not_found");
    expect((await ask("GET", `${CHANNELS}/${id}`, ANNE)).status).toBe(200);
  });

  test("401, 403", async () => {
    const url = `${boundTo(VAULT)}/${await ground.channel("slack")}`;
    expect((await ask("DELETE", url, null)).status).toBe(401);
    for (const wallet of [VERA, CARL])
      expect((await ask("DELETE", url, wallet)).body.code).toBe("insufficient_role");
    expect((await ask("DELETE", url, ANNE, { scope: "read" })).body.code).toBe("insufficient_scope");
  });
});

describe("when who bound a channel loses the role", () => {
  test("the binding stays and still delivers, needs confirmation, and has it when another manager binds again", async () => {
    const id = await ground.channel("slack", { by: BEN });
    await lose(BEN, VAULT);
    const shown = async () => (await ask("GET", boundTo(VAULT), ANNE)).body[0];
    expect(await shown()).toMatchObject({ id, bound_by: BEN, needs_confirmation: true });
    await ground.emit(alertEvent("alert.firing", testAlert()));
    await ground.deliver();
    expect(ground.receiver.taken("slack")).toHaveLength(1);
    expect((await ask("POST", `${boundTo(VAULT)}/${id}`, ANNE)).status).toBe(200);
    expect(await shown()).toMatchObject({ bound_by: ANNE, needs_confirmation: false });
  });

  test("who left sees neither vault nor channel, and changes, tests and deletes nothing, though the channel was theirs", async () => {
    const id = await ground.channel("slack", { by: BEN });
    await lose(BEN, VAULT);
    expect((await ask("GET", boundTo(VAULT), BEN)).status).toBe(403);
    expect((await ask("GET", CHANNELS, BEN)).body).toEqual([]);
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["GET", "/deliveries"],
    ] as const) {
      const body =
        method === "PATCH" ? { body: { config: { webhook_url: "https://elsewhere.example/" } } } : {};
      expect((await ask(method, `${CHANNELS}/${id}${path}`, BEN, body)).body.code).toBe("not_found");
    }
    expect((await ask("GET", `${CHANNELS}/${id}`, ANNE)).status).toBe(200);
  });

  test("one who manages another of its vaults still sees the channel, and may not turn the lost vault's alerts elsewhere", async () => {
    await gain(BEN, OTHER_VAULT);
    await confirm(ground.database.db, CHAIN, 6);
    const id = await ground.channel("slack", { by: BEN, vaults: [VAULT, OTHER_VAULT] });
    expect((await ask("PATCH", `${CHANNELS}/${id}`, BEN, { body: { name: "mine" } })).status).toBe(200);
    await lose(BEN, VAULT);
    expect((await ask("GET", `${CHANNELS}/${id}`, BEN)).status).toBe(200);
    for (const method of ["PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { body: { name: "x" } } : {};
      expect((await ask(method, `${CHANNELS}/${id}`, BEN, body)).body.code).toBe("insufficient_role");
    }
    await ask("DELETE", `${boundTo(VAULT)}/${id}`, ANNE);
    expect((await ask("PATCH", `${CHANNELS}/${id}`, BEN, { body: { name: "x" } })).status).toBe(200);
  });
});

test("a role gained sees a vault's channels at once, and writes when its block is confirmed", async () => {
  const id = await ground.channel("slack");
  await gain(NICK, VAULT);
  expect((await ask("GET", `${CHANNELS}/${id}`, NICK)).status).toBe(200);
  expect((await ask("POST", `${CHANNELS}/${id}/test`, NICK)).status).toBe(404);
  expect((await ask("POST", `${boundTo(VAULT)}/${id}`, NICK)).body.code).toBe("insufficient_role");
  expect((await ask("PATCH", `${CHANNELS}/${id}`, NICK, { body: { name: "x" } })).body.code).toBe(
    "insufficient_role",
  );
  await confirm(ground.database.db, CHAIN, 6);
  expect((await ask("POST", `${CHANNELS}/${id}/test`, NICK)).status).toBe(200);
  expect((await ask("PATCH", `${CHANNELS}/${id}`, NICK, { body: { name: "x" } })).status).toBe(200);
});
