// How the routes of actions come to answer each of their statuses, for statuses.db.test.ts: over a vault that stands on a node.
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Address } from "viem";

interface Wish {
  filled?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}
type Own<R> = (route: R) => InjectOptions | Promise<InjectOptions>;

const PREPARED = "/api/v1/vaults/{chain_id}/{vault}/prepared-actions";
const ONE = `GET ${PREPARED}/{id}`;
const SUBMISSIONS = `POST ${PREPARED}/{id}/submissions`;
const HASH = `0x${"ab".repeat(32)}`;

export const ACTION_BODIES: Record<string, () => unknown> = {
  [`POST ${PREPARED}`]: () => ({ action: "pause" }),
  [SUBMISSIONS]: () => ({ transaction_hash: HASH }),
};

export interface ActionStatusesParts<R> {
  app: () => FastifyInstance;
  request: (route: R, wish?: Wish) => InjectOptions;
  /** Who manages the vault on the chain. */
  from: Address;
  nobodysId: string;
}

export function actionStatuses<R extends { method: string; path: string }>(
  parts: ActionStatusesParts<R>,
): Record<string, Own<R>> {
  const { app, request, from, nobodysId } = parts;
  const prepared = async (): Promise<string> => {
    const route = { method: "POST", path: PREPARED } as R;
    const answer = await app().inject(request(route, { body: { action: "pause", from } }));
    return answer.json().id;
  };
  return {
    [`POST ${PREPARED} 201`]: (route) => request(route, { body: { action: "pause", from } }),
    [`POST ${PREPARED} 409`]: (route) => request(route, { body: { action: "unpause", from } }),
    [`${ONE} 200`]: async (route) => request(route, { filled: { id: await prepared() } }),
    [`${ONE} 404`]: (route) => request(route, { filled: { id: nobodysId } }),
    [`${SUBMISSIONS} 200`]: async (route) => request(route, { filled: { id: await prepared() } }),
    [`${SUBMISSIONS} 404`]: (route) => request(route, { filled: { id: nobodysId } }),
    [`${SUBMISSIONS} 409`]: async (route) =>
      request(route, { filled: { id: await prepared() }, body: { safe_tx_hash: HASH } }),
  };
}
