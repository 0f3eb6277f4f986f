// A feature that shows the rules of HTTP at work: it answers what its handlers were given, or fails in the way that the path names.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { Problem } from "../errors.ts";
import type { Feature } from "../lifecycle/feature.ts";
import type { Guard } from "../permission.ts";
import { polled } from "./etag.ts";
import { limitParam, offsetParam } from "./paging.ts";
import {
  AddressParam,
  ListParam,
  Nullable,
  OneOf,
  strictBody,
  strictQuery,
  TimestampParam,
  VaultAddressPath,
  VaultIdPath,
} from "./schemas.ts";

export const VAULT = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";

/** Answers with what the handler was given. */
export const echo: Feature = {
  name: "echo",
  routes(app) {
    app.get(
      "/api/v1/vaults/:chain_id/:vault_address/list",
      {
        schema: {
          params: VaultAddressPath,
          querystring: strictQuery(
            {
              limit: limitParam(100, 1000),
              offset: offsetParam,
              vault_address: Type.Optional(AddressParam),
              from_timestamp: Type.Optional(TimestampParam),
              to_timestamp: Type.Optional(TimestampParam),
              action_type: Type.Optional(ListParam(OneOf(["pps_update", "deposit"]))),
              is_enabled: Type.Optional(Type.Boolean()),
              name: Type.Optional(Type.String({ maxLength: 20 })),
              code: Type.Optional(
                Type.String({ pattern: "^[0-9]{2}$", description: "Two digits. Not more." }),
              ),
            },
            { period: ["from_timestamp", "to_timestamp"] },
          ),
        },
        config: { permission: "vault_member" },
      },
      async (request) => ({ params: request.params, query: request.query }),
    );
    app.get(
      "/api/v1/shards/:vault_id/state",
      { schema: { params: VaultIdPath }, config: { permission: "vault_member" } },
      async (request) => request.params,
    );
    app.post(
      "/api/v1/things",
      {
        schema: {
          body: strictBody({
            address: AddressParam,
            until: Type.Optional(TimestampParam),
            count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
            label: Type.Optional(Nullable(Type.String())),
            inner: Type.Optional(Type.Object({ kind: OneOf(["a", "b"]) }, { additionalProperties: false })),
          }),
          response: { 200: Type.Object({ address: Type.String() }) },
        },
        config: { permission: "authenticated" },
      },
      async (request) => request.body,
    );
    app.post(
      "/api/v1/period",
      {
        schema: {
          body: Type.Object({ from: TimestampParam, to: TimestampParam }, { "x-period": ["from", "to"] }),
        },
        config: { permission: "authenticated" },
      },
      async () => ({}),
    );
    app.get(
      "/api/v1/objects/:id",
      {
        schema: { params: Type.Object({ id: Type.String({ format: "uuid" }) }) },
        config: { permission: "public" },
      },
      async () => ({}),
    );
    app.post("/api/v1/bodiless", { config: { permission: "authenticated" } }, async () => ({}));
    app.get("/api/v1/listing", { config: { permission: "public" } }, (request, reply) =>
      polled(request, reply, '{"a":1}', { publicMaxAgeSeconds: 10 }),
    );
    app.get("/api/v1/own", { config: { permission: "own_vaults" } }, (request, reply) =>
      polled(request, reply, '{"a":2}'),
    );
    app.get(
      "/api/v1/fails/:how",
      { schema: { params: Type.Object({ how: Type.String() }) }, config: { permission: "public" } },
      (request) => {
        const { how } = request.params as { how: string };
        throw FAILURES[how] ?? new Error("no such failure");
      },
    );
  },
};

const withCode = (message: string, code: string, more = {}) =>
  Object.assign(new Error(message), { code, ...more });
const FAILURES: Record<string, unknown> = {
  bug: new TypeError("secret-in-a-message postgres://u:hunter2@db/x"),
  text: "thrown text secret",
  conflict: new Problem("conflict", "It exists.", { existing_id: "7" }),
  refused: withCode("connect ECONNREFUSED", "ECONNREFUSED", { syscall: "connect" }),
  shutdown: withCode("terminating connection due to administrator command", "57P01"),
  starting: withCode("the database system is starting up", "57P03"),
  full: withCode("sorry, too many clients already", "53300"),
  cut: new Error("Connection terminated unexpectedly"),
  exhausted: new Error("timeout exceeded when trying to connect"),
  socket: withCode("connect ENOENT", "ENOENT", { syscall: "connect" }),
  file: withCode("no such file", "ENOENT", { syscall: "open" }),
  constraint: withCode("duplicate key value violates unique constraint secret", "23505"),
  syntax: withCode("syntax error at or near secret", "42601"),
};

/** Knows nobody. */
export const refusing: Guard = {
  authenticate() {
    throw new Problem("invalid_token", "Send a token.");
  },
  authorise() {},
};

/** Asks the app for the echo's list, and posts something to it. */
export function echoClient(app: () => FastifyInstance) {
  return {
    list: (query: string) => app().inject(`/api/v1/vaults/8453/${VAULT.toLowerCase()}/list?${query}`),
    post: (payload: string | Buffer, headers: Record<string, string> = {}) =>
      app().inject({
        method: "POST",
        url: "/api/v1/things",
        payload,
        headers: { "content-type": "application/json", ...headers },
      }),
  };
}
