// How the routes of notification channels come to answer each of their statuses, for statuses.db.test.ts.
import { createHmac } from "node:crypto";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Database } from "../src/platform/db/db.ts";

interface Route {
  method: string;
  path: string;
}
interface Wish {
  filled?: Record<string, string>;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
}
type Own<R> = (route: R) => InjectOptions | Promise<InjectOptions>;

const ALL = "/api/v1/notification-channels";
const ONE = `${ALL}/{id}`;
const LINKS = "/api/v1/me/links";
const INBOUND = "POST /api/v1/inbound/{provider}/{inbound_id}";
const SIGNING_SECRET = "5".repeat(32);
const BOUND = "/api/v1/vaults/{chain_id}/{vault_address}/notification-channels";
/** As Slack signs it at this moment. */
function signed(payload: string): Pick<InjectOptions, "payload" | "headers"> {
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", SIGNING_SECRET).update(`v0:${time}:${payload}`).digest("hex");
  return {
    payload,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": String(time),
      "x-slack-signature": `v0=${signature}`,
    },
  };
}

/** Without a mail server nothing leaves the machine. */
const BODY = { provider: "email", name: "Duty", config: { to: "duty@example.org" } };

export const CHANNEL_BODIES: Record<string, () => unknown> = {
  [`POST ${ALL}`]: () => BODY,
  [`PATCH ${ONE}`]: () => ({ name: "Night" }),
  [`POST ${LINKS}`]: () => ({ channel_id: "00000000-0000-7000-8000-000000000000" }),
  [`PUT ${LINKS}/{id}`]: () => ({ confirmed: true }),
  [INBOUND]: () => ({}),
  [`POST ${BOUND}`]: () => ({ channel_id: "00000000-0000-7000-8000-000000000000" }),
  [`POST ${BOUND}/{channel_id}`]: () => ({ min_severity: "warning" }),
};

export function channelStatuses<R extends Route>(world: {
  app: () => FastifyInstance;
  db: () => Pick<Database, "pool">;
  request: (route: R, wish?: Wish) => InjectOptions;
  manager: string;
  nobodysId: string;
  /** The vault's path, filled in. */
  vaultPath: string;
}): Record<string, Own<R>> {
  const { request, nobodysId } = world;
  const by = (scope: "full" | "read") => ({ authorization: `Bearer ${scope}:${world.manager}` });
  const ask = async (method: "POST" | "PATCH", url: string, payload: object, headers = {}) =>
    (await world.app().inject({ method, url, payload, headers: { ...by("full"), ...headers } })).json();
  const channel = async (): Promise<string> => (await ask("POST", ALL, BODY)).id;
  const asking = async (): Promise<string> =>
    (await ask("POST", ALL, { ...BODY, config: { to: "duty@elsewhere.example" } })).id;
  const slack = async (): Promise<string> => {
    const config = { webhook_url: "https://hooks.slack.com/services/T0/B0/none" };
    return (await ask("POST", ALL, { provider: "slack", name: "Ops", config })).id;
  };
  const bound = async (): Promise<string> => {
    const id = await channel();
    await ask("POST", `${world.vaultPath}/notification-channels/${id}`, {});
    return id;
  };
  const disabled = async (): Promise<string> => {
    const id = await channel();
    await ask("PATCH", `${ALL}/${id}`, { is_enabled: false });
    return id;
  };
  const one =
    (make: () => Promise<string>, wish: Wish = {}): Own<R> =>
    async (route) =>
      request(route, { ...wish, filled: { id: await make() } });
  const inPath =
    (make: () => Promise<string>): Own<R> =>
    async (route) =>
      request(route, { filled: { channel_id: await make() } });
  const inBody =
    (make: () => Promise<string>): Own<R> =>
    async (route) =>
      request(route, { body: { channel_id: await make() } });
  const nobodys: Own<R> = (route) => request(route, { filled: { id: nobodysId, channel_id: nobodysId } });
  const reading: Own<R> = one(channel, { headers: by("read") });

  /** A bot that cannot be asked whether it has a webhook. */
  const unreachable = async (): Promise<string> => {
    const config = { bot_token: "1:aaaaaaaaaaaa", chat_id: "-1", base_url: "https://telegram.invalid" };
    return (await ask("POST", ALL, { provider: "telegram", name: "Bot", config })).id;
  };
  const interactive = async (): Promise<{ id: string; inbound_url: string }> => {
    const place = { team_id: "T01", channel_id: "C01", signing_secret: SIGNING_SECRET };
    const config = { webhook_url: "https://hooks.slack.invalid/services/T0/B0/none", ...place };
    return ask("POST", ALL, { provider: "slack", name: "Ops", config, interactive: true });
  };
  /** A link that waits, is pressed, or holds. */
  const linked = async (state: "waiting" | "pressed" | "confirmed"): Promise<string> => {
    const { id, inbound_url: url } = await interactive();
    const { rows } = await world.db().pool.query(
      `insert into chat_links (id, channel_id, endpoint_id, wallet, created_at, expires_at, provider_user, confirmed_at)
       values (gen_random_uuid(), $1, $2, $3, now(), now() + interval '10 minutes', $4, case when $5 then now() end) returning id`,
      [id, url.split("/").at(-1), world.manager, state === "waiting" ? null : "U1", state === "confirmed"],
    );
    return rows[0].id;
  };

  return {
    [`GET ${LINKS} 200`]: (route) => request(route),
    [`POST ${LINKS} 201`]: async (route) =>
      request(route, { body: { channel_id: (await interactive()).id } }),
    [`POST ${LINKS} 404`]: (route) => request(route),
    [`POST ${LINKS} 409`]: inBody(slack),
    [`PUT ${LINKS}/{id} 200`]: one(() => linked("pressed")),
    [`PUT ${LINKS}/{id} 404`]: nobodys,
    [`PUT ${LINKS}/{id} 409`]: one(() => linked("waiting")),
    [`DELETE ${LINKS}/{id} 204`]: one(() => linked("confirmed")),
    [`DELETE ${LINKS}/{id} 404`]: nobodys,
    [`POST ${LINKS} 403`]: reading,
    [`PUT ${LINKS}/{id} 403`]: reading,
    [`DELETE ${LINKS}/{id} 403`]: reading,
    [`${INBOUND} 200`]: async () => {
      const { inbound_url: url } = await interactive();
      return { method: "POST", url: new URL(url).pathname, ...signed("payload=%7B%7D") };
    },
    [`${INBOUND} 413`]: (route) => request(route, { text: "x".repeat(70_000) }),
    [`PATCH ${ONE} 409`]: async (route) =>
      request(route, { filled: { id: await unreachable() }, body: { interactive: true } }),
    [`POST ${ALL} 201`]: (route) => request(route),
    [`POST ${ALL} 409`]: async (route) => {
      const headers = { "idempotency-key": "used" };
      await ask("POST", ALL, BODY, headers);
      return request(route, { headers, body: { ...BODY, name: "Another" } });
    },
    [`GET ${ONE} 200`]: one(channel),
    [`GET ${ONE} 404`]: nobodys,
    [`PATCH ${ONE} 200`]: one(channel),
    [`PATCH ${ONE} 403`]: reading,
    [`PATCH ${ONE} 404`]: nobodys,
    [`DELETE ${ONE} 204`]: one(channel),
    [`DELETE ${ONE} 403`]: reading,
    [`DELETE ${ONE} 404`]: nobodys,
    [`POST ${ONE}/test 200`]: one(channel),
    [`POST ${ONE}/test 403`]: reading,
    [`POST ${ONE}/test 404`]: nobodys,
    [`POST ${ONE}/test 409`]: one(disabled),
    [`POST ${ONE}/confirmations 202`]: one(asking),
    [`POST ${ONE}/confirmations 403`]: reading,
    [`POST ${ONE}/confirmations 404`]: nobodys,
    [`POST ${ONE}/confirmations 409`]: one(slack),
    [`GET ${ONE}/deliveries 200`]: one(channel),
    [`GET ${ONE}/deliveries 404`]: nobodys,
    [`POST ${BOUND} 200`]: inBody(bound),
    [`POST ${BOUND} 201`]: inBody(channel),
    [`POST ${BOUND} 404`]: (route) => request(route),
    [`POST ${BOUND}/{channel_id} 200`]: inPath(bound),
    [`POST ${BOUND}/{channel_id} 201`]: inPath(channel),
    [`POST ${BOUND}/{channel_id} 404`]: nobodys,
    [`DELETE ${BOUND}/{channel_id} 204`]: inPath(bound),
    [`DELETE ${BOUND}/{channel_id} 404`]: nobodys,
  };
}
