// One endpoint: what it takes, who may call it, and what answers. The handler sees the request as the schema says and the caller as the
// permission says, without a cast; the rules of every route (http/rules.ts, http/plan.ts) are fastify's hooks, as ever.
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
} from "fastify";
import type { Static, TSchema } from "typebox";
import type { Caller, Permission } from "../permission.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface EndpointSchema extends FastifySchema {
  params?: TSchema;
  querystring?: TSchema;
  headers?: TSchema;
  body?: TSchema;
  response?: Record<number, unknown>;
}

export interface Endpoint<S extends EndpointSchema, P extends Permission> {
  schema: S;
  config: FastifyContextConfig & { permission: P };
  /** Bytes that a body may have; the service's own bound where not given. */
  bodyLimit?: number;
  /** Before the schema is applied. */
  preValidation?: (request: FastifyRequest) => Promise<void>;
}

type Told<T> = T extends TSchema ? Static<T> : unknown;

/** A request as an endpoint's schema and permission say. Nobody is asking where no token is read. */
type RequestOf<S extends EndpointSchema, P extends Permission> = FastifyRequest<{
  Params: Told<S["params"]>;
  Querystring: Told<S["querystring"]>;
  Headers: Told<S["headers"]>;
  Body: Told<S["body"]>;
}> & { caller: P extends "public" | "ingest" ? Caller | null : Caller };

export type Handler<S extends EndpointSchema, P extends Permission> = (
  request: RequestOf<S, P>,
  reply: FastifyReply,
) => unknown;

/** Adds an endpoint. What the handler returns is sent, unless it has sent an answer itself. */
export function route<const S extends EndpointSchema, const P extends Permission>(
  app: FastifyInstance,
  method: Method,
  url: string,
  endpoint: Endpoint<S, P>,
  handler: Handler<S, P>,
): void {
  app.route({ ...endpoint, method, url, handler: handler as never });
}
