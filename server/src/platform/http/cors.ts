// Who may read answers from a web page of another origin: anyone the unauthenticated GETs, the configured origins everything else.
// No credentials mode: tokens travel in the Authorization header, and there are no cookies.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RouteTable } from "./routes.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS =
  "Authorization, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id";
const EXPOSED_HEADERS =
  "ETag, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Location, Link, Deprecation, X-Total-Count, Content-Disposition, WWW-Authenticate";
const MAX_AGE_SECONDS = "600";

export interface Cors {
  /** Adds the headers of an actual request's answer. */
  mark(request: FastifyRequest, reply: FastifyReply, isPublicRead: boolean): void;
  /** Answers a preflight (Fetch standard, CORS-preflight); false when the request is none. */
  preflight(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** `origins` are the configured ones, exactly as browsers send them (`https://console.example`). */
export function buildCors(origins: readonly string[], routes: RouteTable): Cors {
  const allowed = new Set(origins);
  return {
    mark(request, reply, isPublicRead) {
      const { origin } = request.headers;
      if (isPublicRead) {
        // Said to everyone, so that an answer kept by a shared cache holds for web pages too.
        reply.header("access-control-allow-origin", "*");
        if (origin !== undefined) reply.header("access-control-expose-headers", EXPOSED_HEADERS);
        return;
      }
      if (allowed.size === 0) return;
      reply.header("vary", "Origin");
      if (origin === undefined || !allowed.has(origin)) return;
      reply.header("access-control-allow-origin", origin);
      reply.header("access-control-expose-headers", EXPOSED_HEADERS);
    },
    preflight(request, reply) {
      const { origin, "access-control-request-method": method } = request.headers;
      if (request.method !== "OPTIONS" || origin === undefined || method === undefined) return false;
      reply.header("vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
      const isRead = method === "GET" || method === "HEAD";
      const anyone = isRead && routes.isPublicGet(request.url.split("?", 1)[0] ?? "");
      if (anyone || allowed.has(origin)) {
        reply.header("access-control-allow-origin", anyone ? "*" : origin);
        reply.header("access-control-allow-methods", METHODS);
        reply.header("access-control-allow-headers", REQUEST_HEADERS);
        reply.header("access-control-max-age", MAX_AGE_SECONDS);
      }
      reply.code(204).send();
      return true;
    },
  };
}
