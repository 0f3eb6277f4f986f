// Paths of an older form: they answer exactly as their successor does, and say in headers that they are deprecated and where to go.
import type { FastifyInstance, RouteOptions } from "fastify";

/** When the older forms were declared deprecated: 2026-11-27T00:00:00Z, in Unix seconds. */
const DEPRECATED_SINCE_SECONDS = 1_795_737_600;

/**
 * Adds a route at its own path and again at an older one, whose answers carry `Deprecation` (RFC 9745, a date as `@` and Unix
 * seconds) and `Link: <…>; rel="successor-version"` (RFC 5829). Nothing else differs.
 */
export function routeWithOlderForm(
  app: FastifyInstance,
  route: RouteOptions & { url: string },
  olderUrl: string,
): void {
  app.route(route);
  const headers = {
    deprecation: `@${DEPRECATED_SINCE_SECONDS}`,
    link: `<${route.url}>; rel="successor-version"`,
  };
  app.route({
    ...route,
    url: olderUrl,
    config: { ...route.config, headers },
    schema: {
      ...route.schema,
      deprecated: true,
      description: `Older form of \`${route.url}\`, which answers the same.`,
    },
  });
}
