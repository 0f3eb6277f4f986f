// The rules that hold for every route of the HTTP API, installed once on an app: request ids, security and caching headers, CORS,
// quotas, permissions, validation, problem documents, request metrics and logs.
//
// What depends on the route alone is worked out when the route is added, so that a request costs one hook and one loop over ready
// headers. The parts: http/schemas.ts (what routes are written with), validate.ts, json.ts (bodies), etag.ts (polled answers), head.ts, paging.ts,
// time.ts, address.ts, problem.ts, rate-limit.ts, cors.ts, older-form.ts, routes.ts (405).
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { Type } from "typebox";
import type { Clock } from "./clock.ts";
import { type ErrorCode, Problem } from "./errors.ts";
import { buildCors, type Cors } from "./http/cors.ts";
import { completeHead } from "./http/head.ts";
import { parseJsonBody } from "./http/json.ts";
import { type ProblemSettings, problemOf, renderProblem } from "./http/problem.ts";
import { networkKey, Quota } from "./http/rate-limit.ts";
import { RouteTable } from "./http/routes.ts";
import { buildValidatorCompiler } from "./http/validate.ts";
import { accountOf, type Guard, type Permission } from "./permission.ts";

/** Requests a minute. */
export interface RateLimits {
  perWallet: number;
  perIp: number;
  challengesPerIp: number;
}

export interface HttpSettings {
  /** Base of all links, without a trailing slash. */
  publicUrl: string;
  corsOrigins: readonly string[];
  rateLimits: RateLimits;
}

export interface HttpParts {
  settings: HttpSettings;
  clock: Clock;
  guard: Guard;
  /** Whether successful reads are logged too (level debug); everything else always is (info). */
  logsReads: boolean;
  /** Answers a browser's navigation to a path that no route has, where it is one of a page; true when it did. */
  page?(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Told of each answered request; `route` is the path's template, or "none" where no route matched. */
  observe?(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** What a route's requests need, worked out once. */
interface RoutePlan {
  url: string;
  permission: Permission;
  quota: "wallet" | "ip" | "challenge" | "none";
  /** Names and values in turn of what all its answers say, but for `cache-control`. */
  head: readonly string[];
  isPublicRead: boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** `challenge`: the narrow quota of sign-in challenges. `none`: not counted, for health checks. Default: by permission. */
    rateLimit?: "challenge" | "none";
    /** The Content-Security-Policy of a page. Default: one that allows nothing. */
    contentSecurityPolicy?: string;
    /** Further headers of every answer, names in lower case. */
    headers?: Record<string, string>;
  }
  interface FastifyRequest {
    plan: RoutePlan | null;
    /** The code of the problem that the request was answered with. */
    problemCode: ErrorCode | null;
  }
}

/** Installs the rules. Call before any route is added; a route added later without a permission throws, and so stops the start. */
export function installHttp(app: FastifyInstance, parts: HttpParts): void {
  const { settings, clock, guard } = parts;
  const routes = new RouteTable();
  const cors = buildCors(settings.corsOrigins, routes);
  const problems: ProblemSettings = { typeBase: `${settings.publicUrl}/docs/errors` };
  const minute = (name: string, quota: number) => new Quota({ name, quota, windowSeconds: 60 }, clock);
  const quotas = {
    wallet: minute("wallet", settings.rateLimits.perWallet),
    ip: minute("ip", settings.rateLimits.perIp),
    challenge: minute("challenge", settings.rateLimits.challengesPerIp),
  };
  const security = securityHeaders(settings.publicUrl);

  app.decorateRequest("caller", null);
  app.decorateRequest("plan", null);
  app.decorateRequest("problemCode", null);
  app.decorateRequest("quota", null);
  app.decorateRequest("corsHead", null);
  app.setValidatorCompiler(buildValidatorCompiler());
  app.removeAllContentTypeParsers();
  addJsonType(app, "application/json");

  app.addHook("onRoute", (route) => {
    const plan = planOf(route, security);
    routes.add(route.url, route.method, plan.permission);
    route.schema = strictSchema(route);
    const own = [route.onRequest ?? []].flat().filter((hook) => !PLAN_HOOKS.has(hook));
    const begin = beginHook(plan, { cors, guard, quotas, problems });
    PLAN_HOOKS.add(begin);
    route.onRequest = [begin, ...own];
    if (plan.permission !== "public" && plan.permission !== "ingest") {
      const ownHandlers = [route.preHandler ?? []].flat().filter((hook) => !PLAN_HOOKS.has(hook));
      const authorise = authoriseHook(guard);
      PLAN_HOOKS.add(authorise);
      route.preHandler = [authorise, ...ownHandlers];
    }
  });

  app.setNotFoundHandler((request, reply) => {
    if (lacksHost(request)) throw hostMissing();
    reply.headers(security);
    if (cors.preflight(request, reply)) return reply;
    if (parts.page?.(request, reply)) return reply;
    charge(quotas.ip, networkKey(request.ip), request);
    const methods = routes.methodsOf(pathOf(request.url));
    if (methods.length === 0)
      throw new Problem("not_found", `There is no path ${pathOf(request.url).slice(0, 200)}.`);
    const allow = [...methods, "OPTIONS"].join(", ");
    if (request.method === "OPTIONS") return reply.code(204).header("allow", allow).send();
    throw new Problem("method_not_allowed", `This path has ${methods.join(", ")}.`, { headers: { allow } });
  });

  app.setErrorHandler((error, request, reply) => {
    let { problem, isFault } = problemOf(error);
    if (problem.status === 401 && request.plan !== null) {
      // A client that tries tokens is charged like one without any; valid callers behind the same address are not held up by it.
      const state = quotas.ip.take(networkKey(request.ip));
      request.quota = state;
      if (!state.isAllowed) problem = tooMany(state.resetSeconds);
    }
    if (isFault) request.log.error({ err: error, ...subjectOf(request) }, "request failed");
    return sendProblem(problem, request, reply, problems);
  });

  app.addHook("onSend", (request, reply, payload, done) => {
    completeHead(request, reply);
    done(null, payload);
  });

  app.addHook("onResponse", (request, reply, done) => {
    const seconds = reply.elapsedTime / 1000;
    const status = reply.statusCode;
    parts.observe?.({ method: request.method, route: request.plan?.url ?? "none", status, seconds });
    const isQuiet = status < 400 && (request.method === "GET" || request.method === "HEAD");
    if (!isQuiet || parts.logsReads) {
      const code = request.problemCode ?? undefined;
      const line = { ...subjectOf(request), status, code, duration_ms: Math.round(seconds * 1e6) / 1e3 };
      request.log[isQuiet ? "debug" : "info"](line, "request");
    }
    done();
  });
}

/** Accepts another JSON media type for bodies, read by the same strict rules. */
export function addJsonType(app: FastifyInstance, mediaType: string): void {
  app.addContentTypeParser(mediaType, { parseAs: "buffer" }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
    const coding = request.headers["content-encoding"] ?? "identity";
    if ((charset !== undefined && !/^utf-?8$/i.test(charset)) || coding.toLowerCase() !== "identity") {
      done(new Problem("unsupported_media_type", "JSON is sent in UTF-8 and not compressed."));
      return;
    }
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The id of a request: the client's, when it is 1 to 128 printable characters, else a new one, unique by a part drawn once a process. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  if (typeof given === "string" && PRINTABLE.test(given)) return given;
  made++;
  return PROCESS_PART + made.toString(36);
}

const PROCESS_PART = `${randomBytes(9).toString("hex")}-`;
let made = 0;

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;
/** Hooks that this file added to routes. A HEAD route is made from its GET route's options, hooks included, and gets its own. */
const PLAN_HOOKS = new WeakSet<object>();

function planOf(route: RouteOptions, security: Record<string, string>): RoutePlan {
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
    head: Object.entries({
      ...security,
      ...pageHeaders(route.config?.contentSecurityPolicy),
      ...route.config?.headers,
    }).flat(),
    isPublicRead: isRead && permission === "public",
  };
}

/** Every path parameter must be declared, and a route that declares no query parameters takes none. */
function strictSchema(route: RouteOptions): NonNullable<RouteOptions["schema"]> {
  const schema = route.schema ?? {};
  if ((schema as { hide?: boolean }).hide === true) return schema;
  if (/:[A-Za-z_]/.test(route.url) && schema.params === undefined) {
    throw new Error(`The route ${route.url} has path parameters but no schema for them (schema.params).`);
  }
  return { querystring: NO_QUERY, ...schema };
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

interface BeginParts {
  cors: Cors;
  guard: Guard;
  quotas: Record<"wallet" | "ip" | "challenge", Quota>;
  problems: ProblemSettings;
}

type BeginHook = (request: FastifyRequest, reply: FastifyReply, done: (error?: FastifyError) => void) => void;

/** The first thing that happens to a request of a route: headers, who is asking, quota. */
function beginHook(plan: RoutePlan, { cors, guard, quotas }: BeginParts): BeginHook {
  const isOpen = plan.permission === "public" || plan.permission === "ingest";
  return (request, _reply, done) => {
    if (lacksHost(request)) {
      done(hostMissing() as Error as FastifyError);
      return;
    }
    request.plan = plan;
    request.corsHead = cors.headOf(request.headers.origin, plan.isPublicRead);
    try {
      if (isOpen) {
        if (plan.quota !== "none") charge(quotas[plan.quota], networkKey(request.ip), request);
        done();
        return;
      }
      const pending = guard.authenticate(request);
      if (pending === undefined) {
        chargeCaller(quotas.wallet, request);
        done();
      } else {
        pending.then(() => chargeCaller(quotas.wallet, request)).then(() => done(), done);
      }
    } catch (error) {
      done(error as FastifyError);
    }
  };
}

/** RFC 9112, 3.2: a request of HTTP/1.1 without a Host is answered 400. */
function lacksHost({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersion === "1.1";
}

function hostMissing(): Problem {
  return new Problem("invalid_request", "A request of HTTP/1.1 must have a Host header.");
}

function authoriseHook(guard: Guard) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: FastifyError) => void): void => {
    try {
      const pending = guard.authorise(request);
      if (pending === undefined) done();
      else pending.then(() => done(), done);
    } catch (error) {
      done(error as FastifyError);
    }
  };
}

function chargeCaller(quota: Quota, request: FastifyRequest): void {
  charge(quota, request.caller ? accountOf(request.caller) : networkKey(request.ip), request);
}

function charge(quota: Quota, key: string, request: FastifyRequest): void {
  const state = quota.take(key);
  request.quota = state;
  if (!state.isAllowed) throw tooMany(state.resetSeconds);
}

function tooMany(resetSeconds: number): Problem {
  return new Problem("rate_limited", `The quota is used up; it is renewed in ${resetSeconds} s.`, {
    retryAfterSeconds: resetSeconds,
  });
}

/** Sends a problem document in place of whatever had been prepared. */
export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  settings: ProblemSettings,
): FastifyReply {
  request.problemCode = problem.code;
  const { body, headers } = renderProblem(problem, request.id, settings);
  reply.removeHeader("etag");
  return reply.code(problem.status).headers(headers).send(body);
}

/** Who asked for what, for the log. */
function subjectOf(request: FastifyRequest): Record<string, unknown> {
  return { method: request.method, route: request.plan?.url ?? "none", wallet: request.caller?.wallet };
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}

/** Headers of every answer. An API answer is never a page, so it may load nothing and be framed by nobody. */
function securityHeaders(publicUrl: string): Record<string, string> {
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
