// Builds the HTTP app from its parts. It does not listen: tests inject requests, main.ts listens.
// Guarantee: what is built serves only routes that declare a permission, under the rules of platform/http.ts.
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from "fastify";
import type { Clock } from "./platform/clock.ts";
import type { Feature } from "./platform/feature.ts";
import { problemOf } from "./platform/http/problem.ts";
import { type HttpSettings, installHttp, requestIdOf, sendProblem } from "./platform/http.ts";
import type { Logger } from "./platform/log.ts";
import type { Guard } from "./platform/permission.ts";

export interface AppParts {
  http: HttpSettings & { trustedProxies: readonly string[] };
  log: Logger;
  clock: Clock;
  features: readonly Feature[];
  guard: Guard;
}

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const problems = { typeBase: `${parts.http.publicUrl}/docs/errors` };
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: requestIdOf,
    trustProxy: parts.http.trustedProxies.length === 0 ? false : [...parts.http.trustedProxies],
    bodyLimit: 1_048_576,
    routerOptions: { maxParamLength: 500 },
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    frameworkErrors: (error, request, reply) => {
      sendProblem(problemOf(error).problem, request, reply as unknown as FastifyReply, problems);
    },
  }) as unknown as FastifyInstance;
  installHttp(app, {
    settings: parts.http,
    clock: parts.clock,
    guard: parts.guard,
    logsReads: parts.log.isLevelEnabled("debug"),
  });
  for (const feature of parts.features) feature.routes?.(app);
  await app.ready();
  return app;
}
