import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ANNE,
  BEN,
  CHANNELS,
  type ChannelGround,
  MIA,
  NICK,
  openChannelGround,
  VERA,
} from "../../../../test/channels.ts";
import { RECEIVER_SECRET } from "../../../../test/provider-receiver.ts";

let ground: ChannelGround;
const ask: ChannelGround["ask"] = (...asked) => ground.ask(...asked);

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());
beforeEach(() => ground.clear());

const slack = () => ({ provider: "slack", name: "Ops", config: ground.receiver.configOf("slack") });

describe("POST", () => {
  test("201: the channel with its secret masked, its place, and an entry without the secret", async () => {
    const { status, body, headers } = await ask("POST", CHANNELS, ANNE, { body: slack() });
    expect(status).toBe(201);
    expect(headers.location).toBe(`${CHANNELS}/${body.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider: "slack",
      name: "Ops",
      config: { webhook_url: "••••lack" },
      created_by: ANNE,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: body.created_at,
      is_enabled: true,
      disabled_reason: null,
      can_manage: true,
      interactive: false,
      inbound_url: null,
      unconfirmed_addresses: [],
      failed_confirmations: [],
      last_delivery: null,
    });
    expect((await ground.entries()).at(-1)).toMatchObject({
      action_type: "notification_channel_create",
      actor_wallet: ANNE,
      chain_id: 0,
      details: { channel_id: body.id, provider: "slack", name: "Ops" },
    });
  });

  test.each([
    ["slack", { webhook_url: "https://hooks.slack.com/services/T/B/abcdefgh1234" }],
    ["discord", { webhook_url: "https://discord.com/api/webhooks/1/abcdefgh1234" }],
    ["telegram", { bot_token: "123456:ABCdefGHIjklMNO", chat_id: "-100123" }],
    ["pagerduty", { routing_key: "R".repeat(32), region: "eu" }],
    [
      "opsgenie",
      { api_key: "00000000-0000-0000-0000-000000000001", region: "eu", base_url: "https://proxy.example/og" },
    ],
    ["teams", { webhook_url: "https://prod.logic.azure.com/workflows/1/triggers?sig=abcdefgh1234" }],
    ["email", { to: "ops@example.org, duty@example.org" }],
    ["webhook", { url: "https://hooks.example/in", secret: RECEIVER_SECRET }],
  ])("201: %s, with what is not secret as it was sent", async (provider, config) => {
    const { status, body } = await ask("POST", CHANNELS, BEN, { body: { provider, name: "x", config } });
    expect(status).toBe(201);
    for (const [name, value] of Object.entries(config)) {
      const shown = body.config[name] as string;
      if (shown.startsWith("••••")) expect(shown).toBe(`••••${value.slice(-4)}`);
      else expect(shown).toBe(value);
    }
    for (const secret of ["webhook_url", "bot_token", "routing_key", "api_key", "url", "secret"]) {
      if (secret in config) expect(body.config[secret]).toMatch(/^••••.{4}$/u);
    }
  });

  test("201 once for one Idempotency-Key, at once or again; 409 for another body under it", async () => {
    const headers = { "idempotency-key": "key-1" };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask("POST", CHANNELS, ANNE, { body: slack(), headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ body, headers }) => JSON.stringify([body, headers.location]))).size).toBe(
      1,
    );
    expect((await ask("GET", CHANNELS, ANNE)).body).toHaveLength(1);
    const other = await ask("POST", CHANNELS, ANNE, { body: { ...slack(), name: "Other" }, headers });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
  });

  test("400: naming the place, and never the value of a secret", async () => {
    const planted = "https://hooks.slack.com/planted value";
    for (const [body, path] of [
      [{ ...slack(), provider: "pager" }, "/provider"],
      [{ ...slack(), name: "" }, "/name"],
      [{ ...slack(), name: "two\nlines" }, "/name"],
      [{ ...slack(), name: "x".repeat(101) }, "/name"],
      [{ ...slack(), more: 1 }, "/more"],
      [{ ...slack(), config: {} }, "/config/webhook_url"],
      [{ ...slack(), config: { webhook_url: planted } }, "/config/webhook_url"],
      [{ ...slack(), config: { webhook_url: 5 } }, "/config/webhook_url"],
      [{ ...slack(), config: { ...slack().config, chanel: "x" } }, "/config/chanel"],
      [{ provider: "email", name: "x", config: { to: "a@b.example\r\nBcc: c@d.example" } }, "/config/to"],
      [
        { provider: "webhook", name: "x", config: { url: "https://x.example", secret: "planted" } },
        "/config/secret",
      ],
      [
        {
          provider: "webhook",
          name: "x",
          config: { url: "ftp://x.example/planted", secret: RECEIVER_SECRET },
        },
        "/config/url",
      ],
    ] as const) {
      const { status, body: answer } = await ask("POST", CHANNELS, ANNE, { body });
      expect([status, answer.code, answer.errors?.[0]?.path]).toEqual([400, "invalid_request", path]);
      expect(JSON.stringify(answer)).not.toContain("planted");
    }
    expect(
      (await ask("POST", CHANNELS, ANNE, { body: slack(), headers: { "idempotency-key": "" } })).status,
    ).toBe(400);
  });

  test("400: an address that is not public, where it can be told at once", async () => {
    const closed = await openChannelGround({ allowedNetworks: [] });
    try {
      for (const host of [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "[::1]",
        "169.254.169.254",
        "[::ffff:10.0.0.1]",
      ]) {
        const body = { ...slack(), config: { webhook_url: `https://${host}/planted` } };
        const { status, body: answer } = await closed.ask("POST", CHANNELS, ANNE, { body });
        expect([host, status, answer.errors?.[0]?.path]).toEqual([host, 400, "/config/webhook_url"]);
        expect(JSON.stringify(answer)).not.toContain("planted");
      }
    } finally {
      await closed.close();
    }
  });

  test("401: without a token", async () => {
    expect((await ask("POST", CHANNELS, null, { body: slack() })).status).toBe(401);
  });

  test("403: a wallet that manages nothing, a reading token", async () => {
    for (const wallet of [VERA, NICK, MIA])
      expect((await ask("POST", CHANNELS, wallet, { body: slack() })).body.code).toBe("insufficient_role");
    expect((await ask("POST", CHANNELS, ANNE, { body: slack(), scope: "read" })).body.code).toBe(
      "insufficient_scope",
    );
  });

  test("415: a body that is no JSON", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await ask("POST", CHANNELS, ANNE, { body: "x", headers })).status).toBe(415);
  });
});
