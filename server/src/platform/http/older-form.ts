// Paths of an older form: they answer exactly as their successor does, and say in headers that they are deprecated and where to go.
import type { FastifyInstance } from "fastify";
import type { Permission } from "../permission.ts";
import { type Endpoint, type EndpointSchema, type Handler, type Method, route } from "./route.ts";

/** When the older forms were declared deprecated: 2026-11-27T00:00:00Z, in Unix seconds. */
const DEPRECATED_SINCE_SECONDS = 1_795_737_600;

/**
 * Adds an endpoint at its own path and again at an older one, whose answers carry `Deprecation` (RFC 9745, a date as `@` and Unix
 * seconds) and `Link: <…>; rel="successor-version"` (RFC 5829). Nothing else differs.
 */
export function routeWithOlderForm<const S extends EndpointSchema, const P extends Permission>(
  app: FastifyInstance,
  method: Method,
  url: string,
  endpoint: Endpoint<S, P>,
  handler: Handler<S, P>,
  olderUrl: string,
): void {
  route(app, method, url, endpoint, handler);
  const headers = {
    deprecation: `@${DEPRECATED_SINCE_SECONDS}`,
    link: `<${url}>; rel="successor-version"`,
  };
  const schema = {
    ...endpoint.schema,
    deprecated: true,
    description: `Older form of \`${url}\`, which answers the same.`,
  };
  route(app, method, olderUrl, { ...endpoint, config: { ...endpoint.config, headers }, schema }, handler);
}
