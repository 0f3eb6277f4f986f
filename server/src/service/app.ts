// Builds the HTTP app from its parts. It does not listen: tests inject requests, service/start.ts listens.
// Guarantee: what is built serves only routes that declare a permission, under the rules of platform/http/rules.ts.
import type { Socket } from "node:net";
import swagger from "@fastify/swagger";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from "fastify";
import { type Clock, systemClock } from "../platform/clock.ts";
import { addConsole, type ConsoleFiles, sendConsolePage } from "../platform/http/pages/console.ts";
import { addDocs } from "../platform/http/pages/docs.ts";
import { openApiOptions, renderOpenApi } from "../platform/http/pages/openapi.ts";
import { problemOf } from "../platform/http/problem.ts";
import { answerClientError, refuseTunnel } from "../platform/http/raw.ts";
import {
  type HttpParts,
  type HttpSettings,
  installHttp,
  requestIdOf,
  sendProblem,
} from "../platform/http/rules.ts";
import { buildLazySerializers } from "../platform/http/serialize.ts";
import type { Feature } from "../platform/lifecycle/feature.ts";
import { addHealthRoutes, Readiness } from "../platform/lifecycle/health.ts";
import { type Logger, silentLogger } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Guard } from "../platform/permission.ts";
import { RELEASE } from "../platform/release.ts";

export interface AppParts {
  http: HttpSettings & { trustedProxies: readonly string[] };
  log: Logger;
  clock: Clock;
  features: readonly Feature[];
  guard: Guard;
  /** Counts requests where given. */
  metrics?: Metrics;
  /** Quotas over all processes; see `HttpParts`. */
  sharedBudget?: HttpParts["sharedBudget"];
  /** The console's built files; none: it is not served. */
  console?: ConsoleFiles | null;
  /** What `/readyz` asks; none means always ready. */
  readiness?: Readiness;
}

/** Slow or broken clients may hold a connection this long, at each stage. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;
/** Far above the 8 KiB that a token may have, so that one much too long is still answered 401 and not 431. */
const MAX_HEADER_BYTES = 65_536;
/** Of a route that does not say itself what it takes. Far more than a request needs that a person makes. */
const MAX_BODY_BYTES = 32_768;

/** Builds the app, ready for `app.inject` or `app.listen`. Throws when a route declares no permission or no schema for its path. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { http, log, clock, guard, metrics, console: files } = parts;
  const problems = { typeBase: `${http.publicUrl}/docs/errors` };
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: requestIdOf,
    trustProxy: http.trustedProxies.length === 0 ? false : [...http.trustedProxies],
    bodyLimit: MAX_BODY_BYTES,
    // While the app closes, a request that still comes over an open connection is answered as any other; then that connection ends.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500 },
    schemaController: { compilersFactory: { buildSerializer: buildLazySerializers } },
    // None while an answer is made, which statements' own time-outs bound; http/head.ts sets one on what a client does not read.
    connectionTimeout: 0,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: 5_000,
      // Node's own answer would be no problem document: see platform/http/rules.ts.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket, problems),
    frameworkErrors: (error, request, reply) => {
      sendProblem(problemOf(error).problem, request, reply as unknown as FastifyReply, problems);
    },
  }) as unknown as FastifyInstance;

  const webhooks = Object.assign({}, ...parts.features.map((feature) => feature.webhooks ?? {}));
  // An expectation that is not known may be passed over (RFC 9110, 10.1.1); Node's own answer would be no problem document.
  app.server.on("checkExpectation", (request, response) => app.server.emit("request", request, response));
  // Without a listener Node ends the connection without a word.
  app.server.on("connect", (_request, socket) => refuseTunnel(socket as Socket, problems));

  await app.register(swagger, openApiOptions(RELEASE, webhooks));
  installHttp(app, {
    settings: http,
    clock,
    guard,
    logsReads: log.isLevelEnabled("debug"),
    sharedBudget: parts.sharedBudget,
    ...(files ? { page: (request, reply) => sendConsolePage(files, request, reply) } : {}),
    ...(metrics === undefined ? {} : { observe: metrics.observeRequest }),
  });
  addHealthRoutes(app, parts.readiness ?? new Readiness(clock));
  addDocs(app);
  if (files) addConsole(app, files);
  for (const feature of parts.features) feature.routes?.(app);
  closeIdleConnectionsAtEnd(app);
  await app.ready();
  return app;
}

/** While the app closes, a connection whose request has just ended would be kept alive for the client's next one, and hold up the end. */
function closeIdleConnectionsAtEnd(app: FastifyInstance): void {
  app.addHook("preClose", (done) => {
    const timer = setInterval(() => app.server.closeIdleConnections(), 50);
    app.server.once("close", () => clearInterval(timer));
    timer.unref();
    done();
  });
}

/** The text of openapi.json for these features, whose handlers are never called. */
export async function describeApi(features: readonly Feature[]): Promise<string> {
  const app = await buildApp({
    http: {
      publicUrl: "http://127.0.0.1:8080",
      corsOrigins: [],
      trustedProxies: [],
      rateLimits: { perWallet: 1, perIp: 1, challengesPerIp: 1, recordedPerWallet: 1 },
    },
    log: silentLogger(),
    clock: systemClock,
    features,
    guard: { authenticate() {}, authorise() {} },
  });
  const text = renderOpenApi(app);
  await app.close();
  return text;
}
