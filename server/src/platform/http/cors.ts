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
  /** The headers of an actual request's answer, names and values in turn. */
  headOf(origin: string | undefined, isPublicRead: boolean): readonly string[];
  /** Answers a preflight (Fetch standard, CORS-preflight); false when the request is none. */
  preflight(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** `origins` are the configured ones, exactly as browsers send them (`https://console.example`). */
export function buildCors(origins: readonly string[], routes: RouteTable): Cors {
  const exposed = ["access-control-expose-headers", EXPOSED_HEADERS];
  // Said to everyone, so that an answer kept by a shared cache holds for web pages too.
  const open = ["access-control-allow-origin", "*"];
  const openSeen = [...open, ...exposed];
  const unseen = origins.length === 0 ? [] : ["vary", "Origin"];
  const seenBy = new Map(
    origins.map((origin) => [origin, [...unseen, "access-control-allow-origin", origin, ...exposed]]),
  );
  return {
    headOf(origin, isPublicRead) {
      if (isPublicRead) return origin === undefined ? open : openSeen;
      return (origin === undefined ? undefined : seenBy.get(origin)) ?? unseen;
    },
    preflight(request, reply) {
      const { origin, "access-control-request-method": method } = request.headers;
      if (request.method !== "OPTIONS" || origin === undefined || method === undefined) return false;
      reply.header("vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
      const isRead = method === "GET" || method === "HEAD";
      const anyone = isRead && routes.isPublicGet(request.url.split("?", 1)[0] ?? "");
      if (anyone || seenBy.has(origin)) {
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
