// Webhook endpoints, one block for each route, with the audit entries that changes leave.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  CHAIN,
  createWebhookWorld,
  MANAGER,
  OTHER_ID,
  OTHER_MANAGER,
  STRANGER,
  VAULT,
  VAULT_ID,
  VIEWER,
  type WebhookWorld,
} from "../../../test/webhooks.ts";
import { ALERT_CATEGORIES } from "../../monitors/categories.ts";
import { ALL_EVENTS } from "./payload.ts";

const WEBHOOKS = "/api/v1/webhooks";
const NOBODYS = "00000000-0000-4000-8000-000000000000";
const URL = "https://hooks.example.org/vaultops";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  for (const table of ["webhooks", "deliveries", "delivery_attempts", "delivery_targets", "idempotency_keys"])
    await world.database.db.pool.query(`delete from ${table}`);
});

const make = (body: unknown = { url: URL }, by: typeof MANAGER | null = MANAGER, headers = {}) =>
  world.ask("POST", WEBHOOKS, by, { body, headers });

/** What the audit log says since so many entries. */
async function entries(since: number) {
  const { rows } = await world.database.db.pool.query("select body from audit_entries order by seq");
  return rows.slice(since).map(({ body }) => {
    const { action_type, actor_wallet, chain_id, details } = JSON.parse(body);
    return { action_type, actor_wallet, chain_id, details };
  });
}
const count = async () =>
  Number((await world.database.db.pool.query("select count(*) as n from audit_entries")).rows[0].n);

describe("POST webhooks", () => {
  test("201: all types and all vaults unless told, the secret shown, and who made it on record", async () => {
    const before = await count();
    const { status, body, headers } = await make();
    expect(status).toBe(201);
    expect(headers.location).toBe(`${WEBHOOKS}/${body.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: URL,
      event_types: ALL_EVENTS,
      is_all_event_types: true,
      categories: [...ALERT_CATEGORIES],
      is_all_categories: true,
      vaults: [VAULT_ID, OTHER_ID],
      is_all_vaults: true,
      is_enabled: true,
      disabled_reason: null,
      disabled_at: null,
      description: "",
      retry_schedule: "standard",
      rate_limit: null,
      old_secrets_valid_until: [],
      secret_error: null,
      last_delivery: null,
      created_by: MANAGER,
      limited_to_chain_id: null,
      created_at: "2026-05-09T10:00:00.000000Z",
      updated_at: "2026-05-09T10:00:00.000000Z",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(await entries(before)).toEqual([
      {
        action_type: "webhook_create",
        actor_wallet: MANAGER,
        chain_id: 0,
        details: { webhook_id: body.id, event_types: ["*"], vaults: ["*"] },
      },
    ]);
  });

  test("201: as told; a vault named in two spellings counts once", async () => {
    const wish = {
      url: URL,
      event_types: ["pps.stale", "alert.firing"],
      is_enabled: false,
      description: "Risk desk",
      retry_schedule: "extended",
      rate_limit: 5,
    };
    const { status, body } = await make({ ...wish, vaults: [VAULT_ID.toLowerCase(), VAULT_ID] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...wish,
      vaults: [VAULT_ID],
      is_all_vaults: false,
      is_all_event_types: false,
    });
  });

  test("50 at once with one Idempotency-Key make one endpoint and get one answer", async () => {
    const before = await count();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => make({ url: URL }, MANAGER, { "idempotency-key": "once" })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => `${body.id} ${body.secret}`)).size).toBe(1);
    expect((await world.ask("GET", WEBHOOKS)).body.total).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  test("409 idempotency_conflict: the same key with another body", async () => {
    await make({ url: URL }, MANAGER, { "idempotency-key": "again" });
    const { status, body } = await make({ url: URL, description: "another" }, MANAGER, {
      "idempotency-key": "again",
    });
    expect([status, body.code]).toEqual([409, "idempotency_conflict"]);
  });

  test("409 conflict: more endpoints than one may have", async () => {
    for (let n = 0; n < 100; n += 1) expect((await make()).status).toBe(201);
    expect((await make()).body.code).toBe("conflict");
  });

  test.each([
    ["no URL", {}],
    ["not a URL", { url: "hooks" }],
    ["another scheme", { url: "ftp://example.org/" }],
    ["credentials in the URL", { url: "https://user:secret@example.org/" }],
    ["a private address", { url: "https://10.0.0.1/" }],
    ["an encoded private address", { url: "https://0x0a000001/" }],
    ["a mapped private address", { url: "https://[::ffff:10.0.0.1]/" }],
    ["an unknown type", { url: URL, event_types: ["pps.gone"] }],
    ["no types", { url: URL, event_types: [] }],
    ["a type twice", { url: URL, event_types: ["pps.stale", "pps.stale"] }],
    ["no vaults", { url: URL, vaults: [] }],
    ["an unknown schedule", { url: URL, retry_schedule: "forever" }],
    ["a rate of nothing", { url: URL, rate_limit: 0 }],
    ["an unknown member", { url: URL, events: [] }],
  ])("400: %s", async (_, body) => {
    const answer = await make(body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  test("400 invalid_vault_id: a vault without its chain", async () => {
    expect((await make({ url: URL, vaults: [VAULT] })).body.code).toBe("invalid_vault_id");
  });

  test("401: without a token", async () => {
    expect((await make({ url: URL }, null)).status).toBe(401);
  });

  test("403 insufficient_role: a viewer, a stranger, a vault that another manages", async () => {
    for (const wallet of [VIEWER, STRANGER])
      expect((await make({ url: URL }, wallet)).body.code).toBe("insufficient_role");
    expect((await make({ url: URL, vaults: [VAULT_ID] }, OTHER_MANAGER)).body.code).toBe("insufficient_role");
  });

  test("403 insufficient_scope: a token for reading", async () => {
    const { body } = await world.ask("POST", WEBHOOKS, MANAGER, { body: { url: URL }, scope: "read" });
    expect(body.code).toBe("insufficient_scope");
  });

  test("404: a vault or chain that does not exist", async () => {
    expect((await make({ url: URL, vaults: [`${CHAIN}:${STRANGER}`] })).body.code).toBe("vault_not_found");
    expect((await make({ url: URL, vaults: [`5:${VAULT}`] })).body.code).toBe("chain_not_found");
  });
});

describe("GET webhooks", () => {
  test("200: one's own, newest first, in pages, without secrets", async () => {
    const made = [];
    for (let n = 0; n < 3; n += 1) {
      world.clock.at(n * 1000);
      made.push((await make()).body);
    }
    world.clock.at(0);
    await make({ url: URL }, OTHER_MANAGER);
    const { status, body } = await world.ask("GET", `${WEBHOOKS}?limit=2`);
    expect([status, body.total, body.has_more]).toEqual([200, 3, true]);
    expect(body.webhooks.map(({ id }: { id: string }) => id)).toEqual([made[2].id, made[1].id]);
    expect(JSON.stringify(body)).not.toMatch(/whsec_|sealed|v1\./);
    const rest = await world.ask("GET", `${WEBHOOKS}?limit=2&offset=2`);
    expect([rest.body.webhooks.length, rest.body.has_more]).toEqual([1, false]);
  });

  test("304: until one changes", async () => {
    const { body } = await make();
    const { etag } = (await world.ask("GET", WEBHOOKS)).headers as { etag: string };
    const again = () => world.ask("GET", WEBHOOKS, MANAGER, { headers: { "if-none-match": etag } });
    expect((await again()).status).toBe(304);
    await world.ask("PATCH", `${WEBHOOKS}/${body.id}`, MANAGER, { body: { description: "new" } });
    expect((await again()).status).toBe(200);
  });

  test("403: a viewer", async () => {
    expect((await world.ask("GET", WEBHOOKS, VIEWER)).status).toBe(403);
  });
});

describe("GET webhooks/{id}", () => {
  test("200 for its owner; 404 for everybody else, the manager of the same vault included", async () => {
    const { body } = await make({ url: URL, vaults: [OTHER_ID] });
    const shown = await world.ask("GET", `${WEBHOOKS}/${body.id}`);
    const { secret, ...endpoint } = body;
    expect([shown.status, shown.body]).toEqual([200, endpoint]);
    expect((await world.ask("GET", `${WEBHOOKS}/${body.id}`, OTHER_MANAGER)).body.code).toBe("not_found");
    expect((await world.ask("GET", `${WEBHOOKS}/${NOBODYS}`)).body.code).toBe("not_found");
  });

  test("400: an id that is none", async () => {
    expect((await world.ask("GET", `${WEBHOOKS}/hook`)).status).toBe(400);
  });
});

describe("PATCH webhooks/{id}", () => {
  test("200: changes what is named, and says so in the audit log; nothing new, no entry", async () => {
    const { id } = (await make()).body;
    const before = await count();
    const change = { url: `${URL}/2`, event_types: ["pps.stale"], vaults: [VAULT_ID], rate_limit: 3 };
    const { status, body } = await world.ask("PATCH", `${WEBHOOKS}/${id}`, MANAGER, { body: change });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...change, is_all_vaults: false, description: "" });
    await world.ask("PATCH", `${WEBHOOKS}/${id}`, MANAGER, { body: change });
    await world.ask("PATCH", `${WEBHOOKS}/${id}`, MANAGER, { body: {} });
    expect(await entries(before)).toEqual([
      {
        action_type: "webhook_update",
        actor_wallet: MANAGER,
        chain_id: 0,
        details: { webhook_id: id, changed: ["event_types", "rate_limit", "url", "vaults"] },
      },
    ]);
    const all = await world.ask("PATCH", `${WEBHOOKS}/${id}`, MANAGER, {
      body: { event_types: null, vaults: null },
    });
    expect(all.body).toMatchObject({ event_types: ALL_EVENTS, vaults: [VAULT_ID, OTHER_ID] });
  });

  test("200: event types of a newer process stay, whatever is asked of the others", async () => {
    const { id } = (await make()).body;
    const pool = world.database.db.pool;
    await pool.query("update webhooks set event_types = '{pps.stale,weather.storm}' where id = $1", [id]);
    const stored = async () =>
      (await pool.query("select event_types from webhooks where id = $1", [id])).rows[0].event_types;
    await world.ask("PATCH", `${WEBHOOKS}/${id}`, MANAGER, { body: { rate_limit: 3 } });
    expect(await stored()).toEqual(["pps.stale", "weather.storm"]);
    await world.ask("PATCH", `${WEBHOOKS}/${id}`, MANAGER, { body: { event_types: ["alert.firing"] } });
    expect(await stored()).toEqual(["alert.firing", "weather.storm"]);
  });

  test("400, 403, 404: as when it is made", async () => {
    const { id } = (await make({ url: URL }, OTHER_MANAGER)).body;
    const patch = (body: unknown, by = OTHER_MANAGER) =>
      world.ask("PATCH", `${WEBHOOKS}/${id}`, by, { body });
    expect((await patch({ url: "https://127.0.0.1.nip/@" })).status).toBe(200);
    expect((await patch({ url: "https://169.254.169.254/" })).body.code).toBe("invalid_request");
    expect((await patch({ url: null })).body.code).toBe("invalid_request");
    expect((await patch({ vaults: [VAULT_ID] })).body.code).toBe("insufficient_role");
    expect((await patch({ vaults: [`${CHAIN}:${STRANGER}`] })).body.code).toBe("vault_not_found");
    expect((await patch({ description: "mine now" }, MANAGER)).body.code).toBe("not_found");
  });
});

describe("DELETE webhooks/{id}", () => {
  test("204, then 404; only its owner, and on record", async () => {
    const { id } = (await make()).body;
    const before = await count();
    expect((await world.ask("DELETE", `${WEBHOOKS}/${id}`, OTHER_MANAGER)).status).toBe(404);
    expect((await world.ask("DELETE", `${WEBHOOKS}/${id}`)).status).toBe(204);
    expect((await world.ask("DELETE", `${WEBHOOKS}/${id}`)).body.code).toBe("not_found");
    expect(await entries(before)).toEqual([
      { action_type: "webhook_delete", actor_wallet: MANAGER, chain_id: 0, details: { webhook_id: id } },
    ]);
  });
});

describe("POST webhooks/{id}/rotate-secret", () => {
  test("200: a new secret, the old one valid for a day, on record without either", async () => {
    const { id, secret } = (await make()).body;
    const before = await count();
    const { status, body } = await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`);
    expect(status).toBe(200);
    expect(body.secret).not.toBe(secret);
    expect(body.old_secret_valid_until).toBe("2026-05-10T10:00:00.000000Z");
    expect((await world.ask("GET", `${WEBHOOKS}/${id}`)).body.old_secrets_valid_until).toEqual([
      "2026-05-10T10:00:00.000000Z",
    ]);
    expect(await entries(before)).toEqual([
      {
        action_type: "webhook_secret_rotate",
        actor_wallet: MANAGER,
        chain_id: 0,
        details: { webhook_id: id },
      },
    ]);
  });

  test("409: a fifth time within a day; another's endpoint is 404", async () => {
    const { id } = (await make()).body;
    for (let n = 0; n < 4; n += 1)
      expect((await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`)).status).toBe(200);
    expect((await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`)).body.code).toBe("conflict");
    expect((await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`, OTHER_MANAGER)).status).toBe(404);
  });

  test("with one Idempotency-Key once, so that a lost answer loses no secret", async () => {
    const { id } = (await make()).body;
    const headers = { "idempotency-key": "rotate" };
    const [first, second] = [
      await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`, MANAGER, { headers }),
      await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`, MANAGER, { headers }),
    ];
    expect(second.body).toEqual(first.body);
  });
});

test("no secret stands in the database in clear", async () => {
  const { id, secret } = (await make({ url: URL }, MANAGER, { "idempotency-key": "sealed" })).body;
  const rotated = (await world.ask("POST", `${WEBHOOKS}/${id}/rotate-secret`)).body.secret;
  for (const table of ["webhooks", "idempotency_keys", "audit_entries"]) {
    const { rows } = await world.database.db.pool.query(`select t::text as row from ${table} t`);
    const text = rows.map(({ row }) => row).join("\n");
    for (const each of [secret, rotated]) expect(text).not.toContain(each.slice(6));
  }
});
