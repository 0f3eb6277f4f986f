// The rules that hold for every route of the HTTP API, installed once on an app: request ids, security and caching headers, CORS,
// quotas, permissions, validation, problem documents, request metrics and logs.
//
// What depends on the route alone is worked out when the route is added (http/plan.ts). The parts: schemas.ts (what routes are written
// with), admit.ts (the order of checks), validate.ts, json.ts (bodies), etag.ts (polled answers), head.ts, paging.ts, time.ts, address.ts,
// problem.ts, rate-limit.ts, cors.ts, older-form.ts, routes.ts (405).
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../clock.ts";
import { type ErrorCode, Problem } from "../errors.ts";
import type { Guard } from "../permission.ts";
import { beginWithin, isTracing, parseTraceparent, type Span } from "../telemetry/trace.ts";
import { buildAdmission, charge, hostMissing, lacksHost, tooMany } from "./admit.ts";
import { buildCors } from "./cors.ts";
import { completeHead } from "./head.ts";
import { parseJsonBody } from "./json.ts";
import { securityHeaders } from "./plan.ts";
import { type ProblemSettings, problemOf, renderProblem } from "./problem.ts";
import { type Budget, networkKey, Quota, type QuotaPolicy } from "./rate-limit.ts";
import { RouteTable } from "./routes.ts";
import { buildValidatorCompiler } from "./validate.ts";

/** Requests a minute. */
export interface RateLimits {
  perWallet: number;
  perIp: number;
  challengesPerIp: number;
  /** Changes of one wallet that stay in the audit log. */
  recordedPerWallet: number;
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
  /** Gives out what holds over all processes; each has quotas of its own where left out. */
  sharedBudget?: ((policy: QuotaPolicy) => Budget) | undefined;
  /** Answers a browser's navigation to a path that no route has, where it is one of a page; true when it did. */
  page?(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Told of each answered request; `route` is the path's template, or "none" where no route matched. */
  observe?(request: { method: string; route: string; status: number; seconds: number }): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The code of the problem that the request was answered with. */
    problemCode: ErrorCode | null;
    /** What traces the request, where requests are traced. */
    span: Span | null;
  }
}

/** Installs the rules. Call before any route is added; a route added later without a permission throws, and so stops the start. */
export function installHttp(app: FastifyInstance, parts: HttpParts): void {
  const { settings, clock, guard } = parts;
  const routes = new RouteTable();
  const cors = buildCors(settings.corsOrigins, routes);
  const problems: ProblemSettings = { typeBase: `${settings.publicUrl}/docs/errors` };
  const minute = (name: string, quota: number) => new Quota({ name, quota, windowSeconds: 60 }, clock);
  const shared = (name: string, quota: number): Budget =>
    parts.sharedBudget?.({ name, quota, windowSeconds: 60 }) ?? minute(name, quota);
  const quotas = {
    wallet: minute("wallet", settings.rateLimits.perWallet),
    ip: minute("ip", settings.rateLimits.perIp),
    challenge: shared("challenge", settings.rateLimits.challengesPerIp),
    recorded: shared("recorded", settings.rateLimits.recordedPerWallet),
  };
  const security = securityHeaders(settings.publicUrl);

  app.decorateRequest("caller", null);
  app.decorateRequest("plan", null);
  app.decorateRequest("problemCode", null);
  app.decorateRequest("span", null);
  if (isTracing()) traceRequests(app);
  app.decorateRequest("quota", null);
  app.decorateRequest("corsHead", null);
  app.setValidatorCompiler(buildValidatorCompiler());
  app.removeAllContentTypeParsers();
  addJsonType(app, "application/json");

  const admit = buildAdmission({ cors, guard, quotas, security });
  app.addHook("onRoute", (route) => {
    const plan = admit(route);
    routes.add(route.url, route.method, plan.permission);
  });

  const answerNowhere = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
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
  };
  // Here and not in a not-found handler, which is asked only when the body has been read and parsed.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404) answerNowhere(request, reply);
    else done();
  });

  app.setErrorHandler((error, request, reply) => {
    if (isBrokenOff(request)) {
      // Nobody reads an answer, and none is told of as a request.
      request.log.info(subjectOf(request), "the client cut off its request body");
      return sendProblem(brokenOff(), request, reply, problems);
    }
    let { problem, isFault } = problemOf(error, request.routeOptions.bodyLimit);
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

/** Makes a span for each request, and runs the request within it. A client's own trace is continued. */
function traceRequests(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const name = `${request.method} ${request.routeOptions.url ?? "none"}`;
    beginWithin(name, "server", parseTraceparent(request.headers.traceparent), (span) => {
      request.span = span;
      done();
    });
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { span } = request;
    span?.set({
      "http.request.method": request.method,
      "http.route": request.routeOptions.url ?? "none",
      "http.response.status_code": reply.statusCode,
      "vaultops.request_id": request.id,
    });
    span?.end(reply.statusCode >= 500 ? (request.problemCode ?? "error") : null);
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

/** Whether the client went away before its body was whole. */
function isBrokenOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function brokenOff(): Problem {
  return new Problem("invalid_request", "The body was cut off.");
}

/** Who asked for what, for the log. */
function subjectOf(request: FastifyRequest): Record<string, unknown> {
  return { method: request.method, route: request.plan?.url ?? "none", wallet: request.caller?.wallet };
}

function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? url;
}
