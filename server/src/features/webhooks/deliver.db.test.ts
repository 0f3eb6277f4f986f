// What endpoints get, over real HTTP: which events, in which bytes, when, and signed so that the public library takes them.
import { Webhook } from "standardwebhooks";
import { Value } from "typebox/value";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { acceptAll } from "../../../test/chain-rows.ts";
import { type Received, status } from "../../../test/receiver.ts";
import {
  CHAIN,
  createWebhookWorld,
  emptyWebhooks,
  MANAGER,
  OTHER_ID,
  OTHER_MANAGER,
  OTHER_VAULT,
  paused,
  VAULT,
  VAULT_ID,
  type WebhookWorld,
} from "../../../test/webhooks.ts";
import { type DomainEvent, EVENT_TYPES, type WebhookEventType } from "../../events/types.ts";
import { type EndedSpan, startTracing } from "../../platform/telemetry/trace.ts";
import { payloadExample, payloadSchema } from "./openapi.ts";

let world: WebhookWorld;
beforeAll(async () => {
  world = await createWebhookWorld();
});
afterAll(() => world.close());
beforeEach(() => emptyWebhooks(world));

/** Verifies with the public library, as a receiver would at the clock's time, over the raw bytes. */
function verify(received: Received, secret: string): Record<string, unknown> {
  vi.useFakeTimers({ toFake: ["Date"], now: world.clock.now() });
  try {
    return new Webhook(secret).verify(received.body, received.headers as Record<string, string>) as Record<
      string,
      unknown
    >;
  } finally {
    vi.useRealTimers();
  }
}

const bodies = () => world.receiver.received.map(({ body }) => JSON.parse(body.toString("utf8")));
const blocks = () => bodies().map(({ data }) => data.block_number);

test("an endpoint for all vaults gets nothing of a vault that its owner has not accepted; one that names the vault does", async () => {
  const { pool } = world.database.db;
  const all = await world.create();
  const named = await world.create({ vaults: [VAULT_ID] });
  const place = "where wallet = $1 and vault_address = $2";
  await pool.query(`update vault_acceptances set is_accepted = false ${place}`, [MANAGER, VAULT]);
  expect((await world.ask("GET", `/api/v1/webhooks/${all.id}`)).body.vaults).toEqual([OTHER_ID]);
  await world.emit(paused(1));
  expect(await world.deliver()).toBe(1);
  const { rows } = await pool.query("select target_id from deliveries");
  expect(rows).toEqual([{ target_id: named.id }]);
  await pool.query(`update vault_acceptances set is_accepted = true ${place}`, [MANAGER, VAULT]);
  await world.emit(paused(2));
  expect(await world.deliver()).toBe(2);
});

test("alert.dispatch goes only to endpoints that name it, and not for categories that they do not ask for", async () => {
  await world.create();
  const { id } = await world.create({ event_types: ["alert.dispatch"] });
  await world.create({ event_types: ["alert.dispatch"], categories: ["upkeep"] });
  const { data } = payloadExample("alert.dispatch");
  const at = "2026-05-09T10:00:00.123456Z";
  await world.emit({ type: "alert.dispatch", chainId: CHAIN, vaultAddress: VAULT, at, data } as DomainEvent);
  expect(await world.deliver()).toBe(1);
  expect((await world.database.db.pool.query("select target_id from deliveries")).rows).toEqual([
    { target_id: id },
  ]);
});

describe("the payload", () => {
  test.each(Object.keys(EVENT_TYPES).filter((type) => type !== "webhook.test") as WebhookEventType[])(
    "%s: as its schema and its example say, and verified by the public library",
    async (type) => {
      const { secret } = await world.create({ event_types: [type] });
      const { data } = payloadExample(type);
      const at = "2026-05-09T10:00:00.123456Z";
      await world.emit({ type, chainId: CHAIN, vaultAddress: VAULT, at, data } as DomainEvent);
      expect(await world.deliver()).toBe(1);
      const [received] = world.receiver.received as [Received];
      const payload = verify(received, secret);
      expect(Value.Errors(payloadSchema(type), payload)).toEqual([]);
      expect(payload).toEqual({
        event_id: received.headers["webhook-id"],
        event_type: type,
        timestamp: at,
        vault_address: VAULT,
        chain_id: CHAIN,
        data,
      });
      expect(received.headers).toMatchObject({
        "content-type": "application/json",
        "content-length": String(received.body.length),
        "user-agent": expect.stringMatching(/^VaultOps/),
      });
    },
  );

  test("any text and the greatest integers go out in the bytes that are signed", async () => {
    const { secret } = await world.create();
    const message = `été 日本 🏦 \u2028\u2029 </script> \\ " \u0007 ${"𝔘".repeat(300)}`;
    const amount = "9".repeat(78);
    const data = { ...EVENT_TYPES["alert.firing"].example, message, details: { amount } };
    await world.emit({
      type: "alert.firing",
      chainId: CHAIN,
      vaultAddress: VAULT,
      at: "2026-05-09T10:00:00.000000Z",
      data,
    });
    await world.deliver();
    const payload = verify(world.receiver.received[0] as Received, secret);
    expect(payload.data).toMatchObject({ message, details: { amount } });
  });

  test("bears the trace that it belongs to while deliveries are traced, and none otherwise", async () => {
    const { secret } = await world.create();
    const spans: EndedSpan[] = [];
    const stop = startTracing({ take: (span) => void spans.push(span) });
    await world.emit(paused(1));
    await world.deliver();
    stop();
    const [traced] = world.receiver.received as [Received];
    verify(traced, secret);
    const sent = spans.find(({ name }) => name === "deliver");
    expect(sent?.attributes).toMatchObject({ "vaultops.queue": "webhook", "vaultops.outcome": "delivered" });
    expect(traced.headers.traceparent).toBe(`00-${sent?.traceId}-${sent?.spanId}-01`);
    await world.emit(paused(2));
    await world.deliver();
    expect(world.receiver.received.at(-1)?.headers.traceparent).toBeUndefined();
  });

  test("an alert that was withdrawn is told as resolved", async () => {
    await world.create();
    const data = { ...EVENT_TYPES["alert.firing"].example, status: "resolved" as const, is_withdrawn: true };
    await world.emit({
      type: "alert.withdrawn",
      chainId: CHAIN,
      vaultAddress: VAULT,
      at: "2026-05-09T10:00:00.000000Z",
      data,
    });
    await world.deliver();
    expect(bodies()).toMatchObject([{ event_type: "alert.resolved", data: { is_withdrawn: true } }]);
  });

  test("while a secret rotates both verify, the new one first; a day later the new one alone", async () => {
    const { id, secret } = await world.create();
    const { body } = await world.ask("POST", `/api/v1/webhooks/${id}/rotate-secret`);
    await world.emit(paused(1));
    await world.deliver();
    const [first] = world.receiver.received as [Received];
    for (const each of [secret, body.secret]) verify(first, each);
    const signatures = String(first.headers["webhook-signature"]).split(" ");
    expect(signatures).toHaveLength(2);
    verify({ ...first, headers: { ...first.headers, "webhook-signature": signatures[0] } }, body.secret);

    world.clock.at(86_400_000);
    await world.emit(paused(2));
    await world.deliver();
    const second = world.receiver.received[1] as Received;
    verify(second, body.secret);
    expect(() => verify(second, secret)).toThrow();
  });
});

describe("which events", () => {
  test("only of types and vaults that the endpoint takes, and only while it is enabled", async () => {
    await world.create({ vaults: [OTHER_ID], event_types: ["vault.paused"] });
    await world.create({ event_types: ["vault.unpaused"] });
    await world.create({ is_enabled: false });
    await world.emit(paused(1), paused(2, OTHER_VAULT), {
      ...paused(3),
      type: "vault.unpaused",
    } as DomainEvent);
    await world.deliver();
    expect(blocks().sort()).toEqual([2, 3]);
  });

  test("of a vault that its owner manages at the moment: not before he does, not when he does no more", async () => {
    const { pool } = world.database.db;
    const { id } = (
      await world.ask("POST", "/api/v1/webhooks", OTHER_MANAGER, { body: { url: world.receiver.url } })
    ).body;
    await world.emit(paused(1));
    await world.deliver();
    const role = [CHAIN, VAULT, OTHER_MANAGER];
    await pool.query(
      "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'secondary_manager', 6)",
      role,
    );
    await acceptAll(world.database.db);
    await world.emit(paused(2));
    await world.deliver();
    const { body } = await world.ask("GET", `/api/v1/webhooks/${id}/deliveries`, OTHER_MANAGER);
    // At the head, not yet confirmed.
    await pool.query(
      "update vault_roles set to_block = 9 where chain_id = $1 and vault_address = $2 and wallet = $3",
      role,
    );
    await world.emit(paused(3));
    await world.deliver();
    await pool.query("delete from vault_roles where vault_address = $1 and wallet = $2", [
      VAULT,
      OTHER_MANAGER,
    ]);
    expect(blocks()).toEqual([2]);

    const replay = `/api/v1/webhook-deliveries/${body.deliveries[0].id}/replay`;
    expect((await world.ask("POST", replay, OTHER_MANAGER)).body.code).toBe("insufficient_role");
  });

  test("none of what concerns no vault", async () => {
    await world.create();
    await world.emit({
      ...paused(1),
      chainId: 0,
      vaultAddress: "0x0000000000000000000000000000000000000000",
    });
    expect(await world.deliver()).toBe(0);
  });
});

describe("retries", () => {
  /** Seconds at which something was sent. */
  async function sendTimes(untilS: number, stepS = 0.5): Promise<number[]> {
    const times: number[] = [];
    for (let s = 0; s <= untilS; s += stepS) {
      world.clock.at(s * 1000);
      if ((await world.deliver()) > 0) times.push(s);
    }
    return times;
  }

  test("at 0, 1, 3, 7, 15 and 31 s: the same id and bytes, signed anew each time; then dead", async () => {
    const { id, secret } = await world.create();
    world.receiver.answer = (response) => response.writeHead(500).end("down \0 for a while");
    await world.emit(paused());
    expect(await sendTimes(40)).toEqual([0, 1, 3, 7, 15, 31]);
    const { received } = world.receiver;
    const first = received[0] as Received;
    for (const [index, each] of received.entries()) {
      expect(each.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
      expect(each.body.equals(first.body)).toBe(true);
      expect(Number(each.headers["webhook-timestamp"])).toBe(
        Number(first.headers["webhook-timestamp"]) + [0, 1, 3, 7, 15, 31][index]!,
      );
      verify(each, secret);
    }
    const { body } = await world.ask("GET", `/api/v1/webhooks/${id}/deliveries`);
    expect(body).toMatchObject({ total: 1, has_more: false });
    expect(body.deliveries[0]).toMatchObject({
      event_id: first.headers["webhook-id"],
      event_type: "vault.paused",
      vault_address: VAULT,
      chain_id: CHAIN,
      status: "dead",
      next_attempt_at: null,
    });
    expect(body.deliveries[0].attempts).toEqual(
      [0, 1, 3, 7, 15, 31].map((second, index) => ({
        number: index + 1,
        at: `2026-05-09T10:00:${String(second).padStart(2, "0")}.000000Z`,
        status_code: 500,
        error: "answered 500",
        duration_ms: expect.any(Number),
        response_excerpt: "down \ufffd for a while",
      })),
    );
  });

  test("extended goes on after 1 min, 5 min, 30 min, 2 h and 6 h", async () => {
    await world.create({ retry_schedule: "extended" });
    world.receiver.answer = status(500);
    await world.emit(paused());
    await sendTimes(31);
    let at = 31;
    for (const wait of [60, 300, 1800, 7200, 21_600]) {
      world.clock.at((at + wait) * 1000 - 1);
      expect(await world.deliver()).toBe(0);
      at += wait;
      world.clock.at(at * 1000);
      expect(await world.deliver()).toBe(1);
    }
    world.clock.at(at * 1000 + 86_400_000);
    expect(await world.deliver()).toBe(0);
  });

  test("Retry-After puts off, in seconds or as a date, and never brings forward; it holds for the endpoint as a whole", async () => {
    await world.create();
    const waits = ["5", new Date(world.clock.now() + 20_000).toUTCString(), "1"];
    world.receiver.answer = (response, request) => {
      const isFirst = JSON.parse(request.body.toString()).data.block_number === 1;
      const header = isFirst ? waits.shift() : undefined;
      status(header === undefined ? 204 : 429, header === undefined ? {} : { "retry-after": header })(
        response,
        request,
      );
    };
    await world.emit(paused(1));
    // 5 s instead of 1; until 20 s instead of 7; then 4 s, as the schedule says.
    expect(await sendTimes(5)).toEqual([0, 5]);
    await world.emit(paused(2));
    expect(await sendTimes(30)).toEqual([20, 24]);
    expect(blocks().sort()).toEqual([1, 1, 1, 1, 2]);
  });
});

test("an alert's endpoint of another manager of the same vault gets it as well, each under its own secret", async () => {
  const mine = await world.create({ vaults: [OTHER_ID] });
  const theirs = (
    await world.ask("POST", "/api/v1/webhooks", OTHER_MANAGER, { body: { url: world.receiver.url } })
  ).body;
  await world.emit(paused(1, OTHER_VAULT));
  await world.deliver();
  expect(world.receiver.received).toHaveLength(2);
  const verified = (secret: string) =>
    world.receiver.received.filter((each) => {
      try {
        return verify(each, secret);
      } catch {
        return false;
      }
    }).length;
  expect([verified(mine.secret), verified(theirs.secret)]).toEqual([1, 1]);
});
