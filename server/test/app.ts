// The HTTP app for tests: real routes and rules, no listener (`app.inject`) or a real one on a free port.
import type { FastifyInstance } from "fastify";
import { systemClock } from "../src/platform/clock.ts";
import type { Feature } from "../src/platform/lifecycle/feature.ts";
import { silentLogger } from "../src/platform/log.ts";
import type { Caller, Guard } from "../src/platform/permission.ts";
import { type AppParts, buildApp } from "../src/service/app.ts";

export interface TestAppOptions {
  features: readonly Feature[];
  /** Default: `openGuard()`, under which every request is made by nobody in particular and may do all. */
  guard?: Guard;
  clock?: AppParts["clock"];
  log?: AppParts["log"];
  http?: Partial<AppParts["http"]>;
  metrics?: NonNullable<AppParts["metrics"]>;
  readiness?: NonNullable<AppParts["readiness"]>;
  sharedBudget?: NonNullable<AppParts["sharedBudget"]>;
}

/** Builds an app for `app.inject`. Quotas are out of the way unless the test sets them. */
export function buildTestApp(options: TestAppOptions): Promise<FastifyInstance> {
  return buildApp({
    http: {
      publicUrl: "http://127.0.0.1:8080",
      corsOrigins: [],
      trustedProxies: [],
      rateLimits: { perWallet: 1e9, perIp: 1e9, challengesPerIp: 1e9, recordedPerWallet: 1e9 },
      ...options.http,
    },
    log: options.log ?? silentLogger(),
    clock: options.clock ?? systemClock,
    features: options.features,
    guard: options.guard ?? openGuard(),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    ...(options.readiness === undefined ? {} : { readiness: options.readiness }),
    ...(options.sharedBudget === undefined ? {} : { sharedBudget: options.sharedBudget }),
  });
}

/** The same app listening on a free port of the loopback. Close it with `app.close()`. */
export async function startTestApp(options: TestAppOptions): Promise<{ app: FastifyInstance; url: string }> {
  const app = await buildTestApp(options);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url };
}

/** A guard that lets every request in as the given caller, for tests of routes that are not about permissions. */
export function openGuard(caller: Partial<Caller> = {}): Guard {
  return {
    authenticate(request) {
      request.caller = {
        wallet: "0x000000000000000000000000000000000000dEaD",
        scope: "full",
        isMaintainer: false,
        expiresAt: 4_102_444_800,
        grants: [],
        limitedToChainId: null,
        hasRolesElsewhere: false,
        isTokenGood: () => true,
        ...caller,
      };
    },
    authorise() {},
  };
}
