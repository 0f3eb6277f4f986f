// Channels over HTTP, one block for each route: what is answered, to whom, and what it leaves in the audit log.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { asContract } from "../../../../test/caller.ts";
import { addChain, addVault } from "../../../../test/chain-rows.ts";
import {
  ANNE,
  BEN,
  boundTo,
  CARL,
  CHANNELS,
  type ChannelGround,
  MIA,
  NICK,
  OTHER_VAULT,
  openChannelGround,
  VAULT,
  VERA,
} from "../../../../test/channels.ts";

const ELSEWHERE = 10;

let ground: ChannelGround;
const ask: ChannelGround["ask"] = (...asked) => ground.ask(...asked);

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());
beforeEach(() => ground.clear());

const slack = () => ({ provider: "slack", name: "Ops", config: ground.receiver.configOf("slack") });
const make = async (body: object = slack(), by = ANNE) =>
  (await ask("POST", CHANNELS, by, { body })).body.id as string;

describe("GET providers", () => {
  test("200: the eight, each with a schema that draws a form and the names of its secrets; 304 to who has them", async () => {
    const { status, body, headers } = await ask("GET", `${CHANNELS}/providers`, NICK);
    expect(status).toBe(200);
    expect(body.map(({ provider }: { provider: string }) => provider)).toEqual([
      "slack",
      "discord",
      "telegram",
      "pagerduty",
      "opsgenie",
      "teams",
      "email",
      "webhook",
    ]);
    for (const { title, config_schema: schema, secrets } of body) {
      expect(title).toBeTruthy();
      expect(schema).toMatchObject({ type: "object", additionalProperties: false });
      for (const secret of secrets) expect(schema.properties[secret]).toMatchObject({ writeOnly: true });
      for (const property of Object.values(schema.properties))
        expect(property).toMatchObject({
          type: "string",
          title: expect.any(String),
          description: expect.any(String),
        });
    }
    const etag = headers.etag as string;
    expect(
      (await ask("GET", `${CHANNELS}/providers`, NICK, { headers: { "if-none-match": etag } })).status,
    ).toBe(304);
  });

  test("401: without a token", async () => {
    expect((await ask("GET", `${CHANNELS}/providers`, null)).status).toBe(401);
  });
});

describe("a contract's signature", () => {
  test("counts on its chain alone: a contract elsewhere neither sees nor changes what the wallet made", async () => {
    const { db } = ground.database;
    await addChain(db, ELSEWHERE, 5);
    await addVault(db, ELSEWHERE, VAULT);
    await db.pool.query(
      "insert into vault_roles (chain_id, vault_address, wallet, role) values ($1, $2, $3, 'primary_manager')",
      [ELSEWHERE, VAULT, ANNE],
    );
    const contract = { headers: asContract(ANNE, ELSEWHERE) };
    const own = await make();
    expect((await ask("GET", CHANNELS, ANNE, contract)).body).toEqual([]);
    expect((await ask("GET", `${CHANNELS}/${own}`, ANNE, contract)).status).toBe(404);
    expect((await ask("DELETE", `${CHANNELS}/${own}`, ANNE, contract)).status).toBe(404);
    const made = await ask("POST", CHANNELS, ANNE, { ...contract, body: slack() });
    expect((await ask("GET", `${CHANNELS}/${made.body.id}`, ANNE, contract)).status).toBe(200);
    expect((await ask("GET", `${CHANNELS}/${made.body.id}`, ANNE)).status).toBe(200);
    await db.pool.query("delete from vault_roles where chain_id = $1", [ELSEWHERE]);
  });
});

describe("GET", () => {
  test("200: one's own and those of vaults that one manages, the newest first; 304 until something changes", async () => {
    const first = await make(slack(), ANNE);
    await ground.clock.at(1000);
    const second = await make({ ...slack(), name: "Second" }, BEN);
    await ask("POST", `${boundTo(VAULT)}/${second}`, BEN);
    await make({ ...slack(), name: "Carl's" }, CARL);
    const { status, body, headers } = await ask("GET", CHANNELS, ANNE);
    expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([200, [second, first]]);
    const unchanged = { headers: { "if-none-match": headers.etag as string } };
    expect((await ask("GET", CHANNELS, ANNE, unchanged)).status).toBe(304);
    await ask("PATCH", `${CHANNELS}/${first}`, ANNE, { body: { name: "Third" } });
    expect((await ask("GET", CHANNELS, ANNE, unchanged)).status).toBe(200);
    expect((await ask("GET", CHANNELS, NICK)).body).toEqual([]);
  });

  test("400: an unknown parameter; 401: without a token", async () => {
    expect((await ask("GET", `${CHANNELS}?provider=slack`, ANNE)).status).toBe(400);
    expect((await ask("GET", CHANNELS, null)).status).toBe(401);
  });

  test("of one, 200 to who may see it and 404 to anyone else", async () => {
    const id = await make();
    expect((await ask("GET", `${CHANNELS}/${id}`, ANNE)).body).toMatchObject({ id, name: "Ops" });
    for (const wallet of [BEN, CARL, VERA, NICK, MIA])
      expect((await ask("GET", `${CHANNELS}/${id}`, wallet)).body.code).toBe("not_found");
    await ask("POST", `${boundTo(VAULT)}/${id}`, ANNE);
    expect((await ask("GET", `${CHANNELS}/${id}`, BEN)).status).toBe(200);
    for (const wallet of [CARL, VERA, NICK, MIA])
      expect((await ask("GET", `${CHANNELS}/${id}`, wallet)).status).toBe(404);
    expect((await ask("GET", `${CHANNELS}/${id}`, null)).status).toBe(401);
    expect((await ask("GET", `${CHANNELS}/not-an-id`, ANNE)).status).toBe(400);
  });
});

describe("PATCH", () => {
  const pagerduty = () => ({
    provider: "pagerduty",
    name: "Pager",
    config: { routing_key: `${"A".repeat(28)}1234`, region: "us" },
  });
  const patch = (id: string, body: object, by = ANNE) => ask("PATCH", `${CHANNELS}/${id}`, by, { body });

  test("200: what is named changes; a secret sent back as it was shown stays; the entry says what, not to what", async () => {
    const id = await make(pagerduty());
    const { body: shown } = await ask("GET", `${CHANNELS}/${id}`, ANNE);
    const before = (await ground.entries()).length;
    const { status, body } = await patch(id, { name: "Night", config: shown.config });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: "Night", config: { routing_key: "••••1234", region: "us" } });
    expect((await ground.entries()).slice(before)).toMatchObject([
      {
        action_type: "notification_channel_update",
        actor_wallet: ANNE,
        details: { channel_id: id, changed: ["name"] },
      },
    ]);
    const secret = await patch(id, { config: { routing_key: `${"B".repeat(28)}5678`, region: "eu" } });
    expect(secret.body.config).toEqual({ routing_key: "••••5678", region: "eu" });
    expect((await ground.entries()).at(-1)?.details).toMatchObject({
      changed: ["config.region", "config.routing_key"],
    });
  });

  test("200 without an entry where nothing changes", async () => {
    const id = await make(pagerduty());
    const before = (await ground.entries()).length;
    expect((await patch(id, { name: "Pager", is_enabled: true, config: pagerduty().config })).status).toBe(
      200,
    );
    expect((await patch(id, {})).status).toBe(200);
    expect(await ground.entries()).toHaveLength(before);
  });

  test("200: null takes a member out", async () => {
    const id = await make({
      ...pagerduty(),
      config: { ...pagerduty().config, base_url: "https://proxy.example" },
    });
    const { body } = await patch(id, {
      config: { base_url: null, routing_key: pagerduty().config.routing_key },
    });
    expect(body.config).toEqual({ routing_key: "••••1234", region: "us" });
  });

  test("400: a mask that is not the secret's, a required member taken out, another provider", async () => {
    const id = await make(pagerduty());
    for (const [config, path] of [
      [{ routing_key: "••••9999" }, "/config/routing_key"],
      [{ routing_key: null }, "/config/routing_key"],
      [{ region: "mars" }, "/config/region"],
    ] as const) {
      const { status, body } = await patch(id, { config });
      expect([status, body.errors[0].path]).toEqual([400, path]);
    }
    expect((await patch(id, { provider: "slack" })).status).toBe(400);
    expect((await ask("GET", `${CHANNELS}/${id}`, ANNE)).body.config.routing_key).toBe("••••1234");
  });

  test("401, 403 to who manages only some of its vaults, 404 to who may not see it", async () => {
    const id = await make(pagerduty());
    expect((await ask("PATCH", `${CHANNELS}/${id}`, null, { body: {} })).status).toBe(401);
    await ask("POST", `${boundTo(VAULT)}/${id}`, ANNE);
    expect((await patch(id, { name: "Ben's" }, BEN)).status).toBe(200);
    const mayChange = async (wallet: typeof ANNE) => [
      (await ask("GET", `${CHANNELS}/${id}`, wallet)).body.can_manage,
      (await ask("GET", CHANNELS, wallet)).body.find((each: { id: string }) => each.id === id).can_manage,
    ];
    expect(await mayChange(BEN)).toEqual([true, true]);
    await ask("POST", `${boundTo(OTHER_VAULT)}/${id}`, ANNE);
    expect([await mayChange(ANNE), await mayChange(BEN)]).toEqual([
      [true, true],
      [false, false],
    ]);
    expect((await patch(id, { name: "x" }, BEN)).body.code).toBe("insufficient_role");
    expect((await patch(id, { name: "x" }, NICK)).body.code).toBe("not_found");
    const reading = await ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: {}, scope: "read" });
    expect(reading.body.code).toBe("insufficient_scope");
  });
});

describe("DELETE", () => {
  test("204: it is gone with its bindings and secrets, and the entry says who did it", async () => {
    const id = await make();
    await ask("POST", `${boundTo(VAULT)}/${id}`, ANNE);
    expect((await ask("DELETE", `${CHANNELS}/${id}`, ANNE)).status).toBe(204);
    expect((await ask("GET", `${CHANNELS}/${id}`, ANNE)).status).toBe(404);
    expect((await ask("GET", boundTo(VAULT), ANNE)).body).toEqual([]);
    const { rows } = await ground.database.db.pool.query("select count(*) from channel_configs");
    expect(rows[0].count).toBe(0);
    expect((await ground.entries()).at(-1)).toMatchObject({
      action_type: "notification_channel_delete",
      details: { channel_id: id, provider: "slack", name: "Ops" },
    });
    expect((await ask("DELETE", `${CHANNELS}/${id}`, ANNE)).status).toBe(404);
  });

  test("401, 403 and 404 as for a change", async () => {
    const id = await make();
    expect((await ask("DELETE", `${CHANNELS}/${id}`, null)).status).toBe(401);
    expect((await ask("DELETE", `${CHANNELS}/${id}`, BEN)).body.code).toBe("not_found");
    await ask("POST", `${boundTo(VAULT)}/${id}`, ANNE);
    await ask("POST", `${boundTo(OTHER_VAULT)}/${id}`, ANNE);
    expect((await ask("DELETE", `${CHANNELS}/${id}`, BEN)).body.code).toBe("insufficient_role");
    expect((await ask("DELETE", `${CHANNELS}/${id}`, ANNE, { scope: "read" })).body.code).toBe(
      "insufficient_scope",
    );
  });
});

describe("POST test", () => {
  test("200: a real message, its outcome answered and logged", async () => {
    const id = await make();
    const { status, body } = await ask("POST", `${CHANNELS}/${id}/test`, ANNE);
    expect([status, body]).toEqual([
      200,
      {
        delivery_id: expect.any(String),
        status: "delivered",
        status_code: 200,
        error: null,
        response_excerpt: "ok",
      },
    ]);
    expect(ground.receiver.taken("slack")).toHaveLength(1);
    expect(JSON.stringify(ground.receiver.taken("slack")[0]?.body)).toContain(
      "Test of a notification channel",
    );
    const log = (await ask("GET", `${CHANNELS}/${id}/deliveries`, ANNE)).body;
    expect(log).toMatchObject({
      total: 1,
      has_more: false,
      deliveries: [
        {
          id: body.delivery_id,
          event_type: "channel.test",
          status: "delivered",
          attempts: [{ number: 1, status_code: 200 }],
        },
      ],
    });
    expect((await ask("GET", `${CHANNELS}/${id}`, ANNE)).body.last_delivery).toMatchObject({
      status: "delivered",
      error: null,
    });
  });

  test("200 with what went wrong, where the provider refuses, breaks off or is not there", async () => {
    const id = await make();
    for (const [fault, expected] of [
      [
        { status: 400, body: "invalid_payload" },
        { status: "failed", status_code: 400, error: "answered 400" },
      ],
      [
        { status: 503, body: "" },
        { status: "failed", status_code: 503, error: "answered 503" },
      ],
      [
        "reset",
        { status: "failed", status_code: null, error: expect.stringContaining("could not be reached") },
      ],
    ] as const) {
      ground.receiver.fail("slack", fault);
      expect((await ask("POST", `${CHANNELS}/${id}/test`, ANNE)).body).toMatchObject(expected);
    }
    expect(ground.receiver.received).toHaveLength(3);
  });

  test("401, 403 with a reading token, 404 to who may not see it, 409 while it is disabled", async () => {
    const id = await make();
    const url = `${CHANNELS}/${id}/test`;
    expect((await ask("POST", url, null)).status).toBe(401);
    expect((await ask("POST", url, ANNE, { scope: "read" })).status).toBe(403);
    expect((await ask("POST", url, BEN)).status).toBe(404);
    expect((await ask("POST", `${CHANNELS}/${randomUUID()}/test`, ANNE)).status).toBe(404);
    await ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: { is_enabled: false } });
    expect((await ask("POST", url, ANNE)).status).toBe(409);
    expect(ground.receiver.received).toEqual([]);
  });
});

describe("GET deliveries", () => {
  test("200: newest first, by page and by status; 400, 401 and 404 otherwise", async () => {
    const id = await make();
    ground.receiver.fail("slack", { status: 400, body: "" });
    for (let count = 0; count < 3; count += 1) await ask("POST", `${CHANNELS}/${id}/test`, ANNE);
    const url = `${CHANNELS}/${id}/deliveries`;
    const all = (await ask("GET", url, ANNE)).body;
    expect(all.deliveries.map(({ status }: { status: string }) => status)).toEqual([
      "delivered",
      "delivered",
      "dead",
    ]);
    const page = (await ask("GET", `${url}?limit=1&offset=1`, ANNE)).body;
    expect(page).toEqual({ deliveries: [all.deliveries[1]], total: 3, has_more: true });
    expect((await ask("GET", `${url}?status=dead`, ANNE)).body.total).toBe(1);
    for (const query of ["?limit=0", "?limit=1001", "?offset=-1", "?status=lost", "?page=1"])
      expect((await ask("GET", url + query, ANNE)).status).toBe(400);
    expect((await ask("GET", url, null)).status).toBe(401);
    expect((await ask("GET", url, NICK)).status).toBe(404);
  });
});
