// How a request is let in, before anything of its body is read: 401 · quota · 400 of path and query · 404 of the chain or vault that the path
// names · 403. Only then come 413, 415 and 400 of the body, and what the handler refuses.
//
// Guarantee: of a request that nobody may make, or that names nothing that exists, no byte of the body is parsed.
import type { FastifyError, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { Problem } from "../errors.ts";
import { accountOf, type Guard } from "../permission.ts";
import type { Cors } from "./cors.ts";
import { planOf, strictSchema } from "./plan.ts";
import { type Budget, networkKey, type Quota, type QuotaState } from "./rate-limit.ts";
import { buildTextChecks } from "./validate.ts";

export interface AdmissionParts {
  cors: Cors;
  guard: Guard;
  quotas: Record<"wallet" | "ip", Quota> & Record<"challenge" | "recorded", Budget>;
  /** Headers of every answer. */
  security: Record<string, string>;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: FastifyError) => void) => void;

/** Hooks that this file added to routes. A HEAD route is made from its GET route's options, hooks included, and gets its own. */
const OWN_HOOKS = new WeakSet<object>();

/** Puts the admission before a route's own hooks. For Fastify's `onRoute`. */
export function buildAdmission(parts: AdmissionParts) {
  const checkOf = buildTextChecks();
  return (route: RouteOptions) => {
    const plan = planOf(route, parts.security);
    route.schema = strictSchema(route);
    const { params, querystring } = route.schema;
    const checks = {
      params: params === undefined ? null : checkOf(params as object),
      query: querystring === undefined ? null : checkOf(querystring as object),
    };
    const begin = beginHook(plan, parts);
    const admit = admitHook(plan, checks, parts.guard);
    // An ingest token is asked for by its route's own hook, which so stands between.
    route.onRequest = [begin, ...othersOf(route.onRequest), admit];
    if (plan.isRecorded)
      route.preHandler = [...othersOf(route.preHandler), recordedHook(parts.quotas.recorded)];
    return plan;
  };
}

function othersOf(hooks: RouteOptions["onRequest"] | RouteOptions["preHandler"]): never[] {
  return [hooks ?? []].flat().filter((hook) => !OWN_HOOKS.has(hook)) as never[];
}

function own(hook: Hook): Hook {
  OWN_HOOKS.add(hook);
  return hook;
}

type Plan = ReturnType<typeof planOf>;

/** The first thing that happens to a request of a route: headers, who is asking, quota. */
function beginHook(plan: Plan, { cors, guard, quotas }: AdmissionParts): Hook {
  const isOpen = isOpenTo(plan);
  return own((request, _reply, done) => {
    if (lacksHost(request)) {
      done(hostMissing() as Error as FastifyError);
      return;
    }
    request.plan = plan;
    request.corsHead = cors.headOf(request.headers.origin, plan.isPublicRead);
    attempt(done, () => {
      if (isOpen) {
        return plan.quota === "none"
          ? undefined
          : charge(quotas[plan.quota], networkKey(request.ip), request);
      }
      const pending = guard.authenticate(request);
      if (pending === undefined) chargeCaller(quotas.wallet, request);
      return pending?.then(() => chargeCaller(quotas.wallet, request));
    });
  });
}

type TextCheck = ReturnType<ReturnType<typeof buildTextChecks>>;

/** What can be told without the body. */
function admitHook(
  plan: Plan,
  checks: { params: TextCheck | null; query: TextCheck | null },
  guard: Guard,
): Hook {
  const isOpen = isOpenTo(plan);
  return own((request, _reply, done) => {
    forgetTypeOfNothing(request);
    const problem =
      checks.params?.(request.params as Record<string, unknown>) ??
      checks.query?.(request.query as Record<string, unknown>);
    if (problem) done(problem as Error as FastifyError);
    else if (isOpen) done();
    else attempt(done, () => guard.authorise(request));
  });
}

/** The last thing before the handler, so that what is refused as invalid costs nothing. */
function recordedHook(quota: Budget): Hook {
  return own((request, _reply, done) => {
    attempt(done, () => charge(quota, keyOf(request), request, "of changes that stay in the audit log"));
  });
}

function attempt(done: (error?: FastifyError) => void, run: () => Promise<void> | void): void {
  try {
    const pending = run();
    if (pending === undefined) done();
    else pending.then(() => done(), done);
  } catch (error) {
    done(error as FastifyError);
  }
}

function isOpenTo({ permission }: Plan): boolean {
  return permission === "public" || permission === "ingest";
}

/** No body has no type, whatever is said of it: `curl -X POST -d ''` says that of a form, and is a request without a body. */
function forgetTypeOfNothing({ headers }: FastifyRequest): void {
  if (headers["content-length"] === "0") delete headers["content-type"];
}

/** RFC 9112, 3.2: a request of HTTP/1.1 without a Host is answered 400. */
export function lacksHost({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersion === "1.1";
}

export function hostMissing(): Problem {
  return new Problem("invalid_request", "A request of HTTP/1.1 must have a Host header.");
}

/** Whom a request is charged to. */
function keyOf({ caller, ip }: FastifyRequest): string {
  return caller === null ? networkKey(ip) : accountOf(caller);
}

function chargeCaller(quota: Quota, request: FastifyRequest): void {
  charge(quota, keyOf(request), request);
}

/** At once where the quota is this process's own. `what` is limited, for the refusal. */
export function charge(quota: Quota, key: string, request: FastifyRequest, what?: string): void;
export function charge(
  quota: Budget,
  key: string,
  request: FastifyRequest,
  what?: string,
): Promise<void> | void;
export function charge(quota: Budget, key: string, request: FastifyRequest, what = ""): Promise<void> | void {
  const admit = (state: QuotaState) => {
    request.quota = state;
    if (!state.isAllowed) throw tooMany(state.resetSeconds, what);
  };
  const state = quota.take(key);
  return state instanceof Promise ? state.then(admit) : admit(state);
}

export function tooMany(resetSeconds: number, what = ""): Problem {
  const quota = what === "" ? "The quota" : `The quota ${what}`;
  return new Problem("rate_limited", `${quota} is used up; it is renewed in ${resetSeconds} s.`, {
    retryAfterSeconds: resetSeconds,
  });
}
