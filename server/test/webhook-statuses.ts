// How the routes of webhooks come to answer each of their statuses, for statuses.db.test.ts.
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Database } from "../src/platform/db/db.ts";

interface Route {
  method: string;
  path: string;
}
interface Wish {
  filled?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}
type Own<R> = (route: R) => InjectOptions | Promise<InjectOptions>;

const ONE = "/api/v1/webhooks/{id}";
const REPLAY = "POST /api/v1/webhook-deliveries/{id}/replay";
const BODY = { url: "https://hooks.example.org/" };

export const WEBHOOK_BODIES: Record<string, () => unknown> = {
  "POST /api/v1/webhooks": () => BODY,
  [`PATCH ${ONE}`]: () => ({ description: "new" }),
  [`POST ${ONE}/replay`]: () => ({ from: "2026-05-01", to: "2026-06-01" }),
};

export function webhookStatuses<R extends Route>(world: {
  app: () => FastifyInstance;
  db: () => Database;
  request: (route: R, wish?: Wish) => InjectOptions;
  manager: string;
  noVaultId: string;
  nobodysId: string;
}): Record<string, Own<R>> {
  const { request, nobodysId } = world;
  const post = async (url: string, payload?: object) => {
    const headers = { authorization: `Bearer full:${world.manager}` };
    return (await world.app().inject({ method: "POST", url, headers, ...(payload && { payload }) })).json();
  };
  /** Its URL is one that is never called, so that nothing leaves the machine. */
  const endpoint = async (): Promise<string> => {
    const { id } = await post("/api/v1/webhooks", BODY);
    await world.db().pool.query("update webhooks set url = 'https://127.0.0.1:9/' where id = $1", [id]);
    return id;
  };
  const disabled = async () => {
    const id = await endpoint();
    await world.db().pool.query("update webhooks set is_enabled = false where id = $1", [id]);
    return id;
  };
  const of =
    (make: () => Promise<string>, wish: Wish = {}): Own<R> =>
    async (route) =>
      request(route, { ...wish, filled: { id: await make() } });
  const nobodys: Own<R> = (route) => request(route, { filled: { id: nobodysId } });
  const rotatedOften = async () => {
    const id = await endpoint();
    for (let n = 0; n < 4; n += 1) await post(`/api/v1/webhooks/${id}/rotate-secret`);
    return id;
  };
  return {
    "POST /api/v1/webhooks 404": (route) => request(route, { body: { ...BODY, vaults: [world.noVaultId] } }),
    "POST /api/v1/webhooks 201": (route) => request(route),
    "POST /api/v1/webhooks 409": async (route) => {
      const headers = { "idempotency-key": "used" };
      await world.app().inject(request(route, { headers }));
      return request(route, { headers, body: { ...BODY, description: "another" } });
    },
    [`GET ${ONE} 200`]: of(endpoint),
    [`GET ${ONE} 404`]: nobodys,
    [`PATCH ${ONE} 200`]: of(endpoint),
    [`PATCH ${ONE} 404`]: nobodys,
    [`DELETE ${ONE} 204`]: of(endpoint),
    [`DELETE ${ONE} 404`]: nobodys,
    [`POST ${ONE}/rotate-secret 200`]: of(endpoint),
    [`POST ${ONE}/rotate-secret 404`]: nobodys,
    [`POST ${ONE}/rotate-secret 409`]: of(rotatedOften),
    [`GET ${ONE}/deliveries 200`]: of(endpoint),
    [`GET ${ONE}/deliveries 404`]: nobodys,
    [`POST ${ONE}/test 200`]: of(endpoint),
    [`POST ${ONE}/test 404`]: nobodys,
    [`POST ${ONE}/test 409`]: of(disabled),
    [`POST ${ONE}/replay 202`]: of(endpoint),
    [`POST ${ONE}/replay 404`]: nobodys,
    [`POST ${ONE}/replay 409`]: of(disabled),
    [`${REPLAY} 202`]: of(async () => (await post(`/api/v1/webhooks/${await endpoint()}/test`)).id),
    [`${REPLAY} 404`]: nobodys,
    [`${REPLAY} 409`]: of(async () => {
      const id = await endpoint();
      const delivery = await post(`/api/v1/webhooks/${id}/test`);
      await world.db().pool.query("update webhooks set is_enabled = false where id = $1", [id]);
      return delivery.id;
    }),
  };
}
