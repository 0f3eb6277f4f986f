// What a route's requests need, worked out once when the route is added, so that a request costs a few hooks and one loop over ready
// headers.
import type { RouteOptions } from "fastify";
import { Type } from "typebox";
import type { Permission } from "../permission.ts";

export interface RoutePlan {
  url: string;
  permission: Permission;
  quota: "wallet" | "ip" | "challenge" | "none";
  /** Whether it counts against the quota of changes that stay in the audit log. */
  isRecorded: boolean;
  /** Names and values in turn of what all its answers say, but for `cache-control`. */
  head: readonly string[];
  isPublicRead: boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** `challenge`: the narrow quota of sign-in challenges. `none`: not counted, for health checks. Default: by permission. */
    rateLimit?: "challenge" | "none";
    /**
     * What it does ends in the audit log, from which nothing can be removed: it counts against the wallet's narrow quota of such changes.
     * Every route that a wallet records entries by has it.
     */
    isRecorded?: boolean;
    /** The Content-Security-Policy of a page. Default: one that allows nothing. */
    contentSecurityPolicy?: string;
    /** Further headers of every answer, names in lower case. */
    headers?: Record<string, string>;
  }
  interface FastifyRequest {
    plan: RoutePlan | null;
  }
}

/** @throws Error for a route that declares no permission */
export function planOf(route: RouteOptions, security: Record<string, string>): RoutePlan {
  const permission = route.config?.permission;
  if (permission === undefined) {
    throw new Error(
      `The route ${[route.method].flat().join(",")} ${route.url} declares no permission (config.permission).`,
    );
  }
  const isRead = [route.method].flat().every((method) => method === "GET" || method === "HEAD");
  const byPermission = permission === "public" ? "ip" : "wallet";
  return {
    url: route.url,
    permission,
    quota: route.config?.rateLimit ?? byPermission,
    isRecorded: route.config?.isRecorded ?? false,
    head: Object.entries({
      ...security,
      ...pageHeaders(route.config?.contentSecurityPolicy),
      ...route.config?.headers,
    }).flat(),
    isPublicRead: isRead && permission === "public",
  };
}

/** Every path parameter must be declared, and a route that declares no query parameters takes none. */
export function strictSchema(route: RouteOptions): NonNullable<RouteOptions["schema"]> {
  const schema = route.schema ?? {};
  if ((schema as { hide?: boolean }).hide === true) return schema;
  if (/:[A-Za-z_]/.test(route.url) && schema.params === undefined) {
    throw new Error(`The route ${route.url} has path parameters but no schema for them (schema.params).`);
  }
  return { querystring: NO_QUERY, ...schema };
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/** Headers of every answer. An API answer is never a page, so it may load nothing and be framed by nobody. */
export function securityHeaders(publicUrl: string): Record<string, string> {
  const transport = publicUrl.startsWith("https:")
    ? { "strict-transport-security": "max-age=31536000; includeSubDomains" }
    : {};
  return {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    ...transport,
  };
}

/** Further headers of a route that serves a page. */
function pageHeaders(contentSecurityPolicy: string | undefined): Record<string, string> {
  if (contentSecurityPolicy === undefined) return {};
  return {
    "content-security-policy": contentSecurityPolicy,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  };
}
