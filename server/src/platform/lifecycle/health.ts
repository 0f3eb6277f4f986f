// Health for load balancers and orchestrators: `/livez` (the process answers) and `/readyz` (everything it needs is in order, else 503
// naming what is not). Everybody may ask, so they answer in fixed words of ours; what a driver or a node said stands in the log and on the
// admin listener.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Clock } from "../clock.ts";
import { Problem } from "../errors.ts";
import { named, OneOf } from "../http/schemas.ts";
import { type Logger, silentLogger } from "../log.ts";

/**
 * `failed` takes the process out of rotation; `degraded` is only told. `detail` is for everybody, in words of ours. `reason` is what others
 * said, such as the text of an exception: for the log and the admin listener alone.
 */
export type Condition =
  | { state: "ok"; detail?: string; reason?: string }
  | { state: "degraded" | "failed"; detail: string; reason?: string };

/** A part whose state matters. `check` may take a moment, is never run twice at once, and counts as failed after two seconds. */
export interface ReadinessCheck {
  name: string;
  check(): Condition | Promise<Condition>;
}

export interface ReadinessReport {
  isReady: boolean;
  checks: { name: string; state: Condition["state"]; detail: string | null; reason?: string }[];
}

const CHECK_TIMEOUT_MS = 2_000;
/** How long a report is given out again, so that asking often costs nothing. */
const REPORT_LIFE_MS = 1_000;

export class Readiness {
  readonly #checks: ReadinessCheck[] = [];
  readonly #clock: Clock;
  readonly #log: Logger;
  /** What was logged last of each part. */
  readonly #told = new Map<string, string>();
  #report: { promise: Promise<ReadinessReport>; atMs: number } | null = null;
  #isStopping = false;

  constructor(clock: Clock, log: Logger = silentLogger()) {
    this.#clock = clock;
    this.#log = log;
  }

  add(check: ReadinessCheck): void {
    this.#checks.push(check);
    this.#report = null;
  }

  /** From now on not ready, so that no new requests are sent here while those in flight end. */
  stopping(): void {
    this.#isStopping = true;
    this.#report = null;
  }

  report(): Promise<ReadinessReport> {
    const nowMs = this.#clock.now();
    if (this.#report === null || Math.abs(nowMs - this.#report.atMs) >= REPORT_LIFE_MS) {
      this.#report = { promise: this.#ask(), atMs: nowMs };
    }
    return this.#report.promise;
  }

  async #ask(): Promise<ReadinessReport> {
    const checks = await Promise.all(this.#checks.map(askOne));
    for (const check of checks) this.#tell(check);
    if (this.#isStopping) checks.unshift({ name: "process", state: "failed", detail: "is stopping" });
    return { isReady: checks.every(({ state }) => state !== "failed"), checks };
  }

  /** Logs what is not in order, once while it stays as it is. */
  #tell({ name, state, detail, reason }: ReadinessReport["checks"][number]): void {
    const word = state === "ok" ? "ok" : `${state} ${reason ?? detail}`;
    const before = this.#told.get(name) ?? "ok";
    this.#told.set(name, word);
    if (word === before) return;
    if (state === "ok") this.#log.info({ check: name }, "a part is healthy again");
    else this.#log.warn({ check: name, state, detail, reason }, "a part is not healthy");
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function askOne({ name, check }: ReadinessCheck): Promise<ReadinessReport["checks"][number]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Condition>((resolve) => {
    timer = setTimeout(() => resolve({ state: "failed", detail: "does not answer" }), CHECK_TIMEOUT_MS);
  });
  try {
    const { state, detail = null, reason } = await Promise.race([Promise.resolve().then(check), late]);
    return { name, state, detail, ...(reason === undefined ? {} : { reason }) };
  } catch (error) {
    return { name, state: "failed", detail: "could not be checked", reason: textOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

const Check = named(
  "ReadinessCheck",
  Type.Object({
    name: Type.String(),
    state: OneOf(["ok", "degraded", "failed"]),
    detail: Type.Union([Type.String(), Type.Null()]),
  }),
);

/** Adds `/livez` and `/readyz`. They are not counted against any quota. */
export function addHealthRoutes(app: FastifyInstance, readiness: Readiness): void {
  const tags = ["Health"];
  app.get(
    "/livez",
    {
      schema: {
        tags,
        summary: "Whether the process answers",
        response: { 200: named("Liveness", Type.Object({ status: Type.Literal("ok") })) },
      },
      config: { permission: "public", rateLimit: "none" },
    },
    (_request, reply) =>
      reply.header("cache-control", "no-store").type("application/json").send('{"status":"ok"}'),
  );
  app.get(
    "/readyz",
    {
      schema: {
        tags,
        summary: "Whether all that the service needs is in order",
        description:
          "503 names the failing part. A degraded part is listed, but does not make the service unready.",
        response: {
          200: named("Readiness", Type.Object({ status: Type.Literal("ready"), checks: Type.Array(Check) })),
        },
      },
      config: { permission: "public", rateLimit: "none" },
    },
    async (_request, reply) => {
      const { isReady, checks: all } = await readiness.report();
      const checks = all.map(({ name, state, detail }) => ({ name, state, detail }));
      if (!isReady) {
        const failing = checks.filter(({ state }) => state === "failed");
        const detail = `Not ready: ${failing.map(({ name, detail }) => `${name} ${detail}`).join("; ")}.`;
        throw new Problem("not_ready", detail, { retryAfterSeconds: 5, checks });
      }
      return reply.header("cache-control", "no-store").send({ status: "ready", checks });
    },
  );
}
