// Evaluates each area when something may have changed: a new head, a report, a rule or silence, or the moment that an evaluation named.
//
// An area is not evaluated more often than leaves the process four fifths of its time, so that many chains or many vaults make evaluations
// rarer, not the service slower. Of several workers one judges; the others look now and then whether it still does.
import { performance } from "node:perf_hooks";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import type { Notifier } from "../../../platform/db/notifier.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";
import { Wake } from "../../../platform/wake.ts";
import { type Area, type EvaluationParts, evaluateArea, nameOfArea } from "./evaluation.ts";
import { giveUpLease, takeLease } from "./lease.ts";

/** Told of in the transaction that changes a rule, a silence or an acknowledgement. */
export const ALERTS_CHANNEL = "alerts";

export interface WorkerParts extends Omit<EvaluationParts, "db"> {
  db: Pick<Database, "transaction" | "kysely">;
  clock: Clock;
  log: Logger;
  notifier: Pick<Notifier, "listen">;
  /** Told of each evaluation. */
  observe?(area: Area, seconds: number, notices: number): void;
}

const MIN_GAP_MS = 50;
const GAP_FACTOR = 4;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/** When an area may and must be evaluated, on the process's own timer. */
interface Slot {
  area: Area;
  isDirty: boolean;
  dueAtMs: number;
  notBeforeMs: number;
  failures: number;
}

export function evaluationTask(parts: WorkerParts): Task {
  return {
    name: "alerts: evaluate",
    role: "worker",
    run: (signal) => new Worker(parts, signal).run(),
  };
}

class Worker {
  readonly #parts: WorkerParts;
  readonly #signal: AbortSignal;
  readonly #wake = new Wake();
  readonly #slots: Slot[];
  #leadsUntilMs = 0;

  constructor(parts: WorkerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    const areas: Area[] = [...parts.chains.map(({ chainId }) => ({ chainId })), "engine", "system"];
    this.#slots = areas.map((area) => ({ area, isDirty: true, dueAtMs: 0, notBeforeMs: 0, failures: 0 }));
  }

  async run(): Promise<void> {
    this.#listen();
    while (!this.#signal.aborted) {
      const waitMs = await this.#turn().catch((error: unknown) => this.#lost(error));
      if (!this.#signal.aborted) await this.#wake.wait(waitMs);
    }
    await giveUpLease(this.#parts.db.kysely, this.#parts.holder).catch(() => {});
  }

  #listen(): void {
    const { notifier } = this.#parts;
    const mark = (isMeant: (area: Area) => boolean) => {
      for (const slot of this.#slots) slot.isDirty ||= isMeant(slot.area);
      this.#wake.call();
    };
    const onHead = (payload: string | null) => {
      const chainId = chainOf(payload);
      mark((area) => typeof area === "object" && (chainId === null || area.chainId === chainId));
    };
    notifier.listen("head", onHead, this.#signal);
    notifier.listen("reports", () => mark((area) => area === "engine"), this.#signal);
    const onChange = (payload: string | null) => mark((area) => payload !== "system" || area === "system");
    notifier.listen(ALERTS_CHANNEL, onChange, this.#signal);
    this.#signal.addEventListener("abort", () => this.#wake.call(), { once: true });
  }

  /** Evaluates what is due. Returns how long to wait for the next turn. */
  async #turn(): Promise<number> {
    const renewMs = this.#parts.leaseMs / 3;
    if (performance.now() >= this.#leadsUntilMs - 2 * renewMs && !(await this.#lead())) return renewMs;
    for (const slot of this.#slots) {
      if (this.#signal.aborted) return 0;
      if (this.#readyAtMs(slot) > performance.now()) continue;
      if (!(await this.#evaluate(slot))) return renewMs;
    }
    const next = Math.min(
      this.#leadsUntilMs - 2 * renewMs,
      ...this.#slots.map((slot) => this.#readyAtMs(slot)),
    );
    return Math.max(0, Math.ceil(next - performance.now()));
  }

  #readyAtMs(slot: Slot): number {
    return Math.max(slot.notBeforeMs, slot.isDirty ? 0 : slot.dueAtMs);
  }

  /** Takes or keeps the lease. Who takes it again has missed what was told meanwhile. */
  async #lead(): Promise<boolean> {
    const { db, clock, holder, leaseMs } = this.#parts;
    const askedAtMs = performance.now();
    const wasLeading = this.#leadsUntilMs > askedAtMs;
    if ((await takeLease(db.kysely, holder, leaseMs, clock.now())) === null) return this.#follow();
    this.#leadsUntilMs = askedAtMs + leaseMs;
    if (!wasLeading) for (const slot of this.#slots) slot.isDirty = true;
    return true;
  }

  #follow(): false {
    this.#leadsUntilMs = 0;
    return false;
  }

  /** False: another worker has the lease. */
  async #evaluate(slot: Slot): Promise<boolean> {
    const { clock, log, leaseMs, observe } = this.#parts;
    slot.isDirty = false;
    const startedAtMs = performance.now();
    try {
      const nowMs = clock.now();
      const result = await evaluateArea(this.#parts, slot.area, nowMs);
      if (result === null) return this.#follow();
      const endedAtMs = performance.now();
      const tookMs = endedAtMs - startedAtMs;
      this.#leadsUntilMs = startedAtMs + leaseMs;
      slot.failures = 0;
      slot.dueAtMs = endedAtMs + result.inMs;
      slot.notBeforeMs = endedAtMs + Math.max(MIN_GAP_MS, GAP_FACTOR * tookMs);
      observe?.(slot.area, tookMs / 1000, result.notices);
    } catch (error) {
      // What is wrong with one area must not keep the others from being judged.
      const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** slot.failures);
      slot.failures += 1;
      slot.isDirty = true;
      slot.notBeforeMs = performance.now() + backoffMs;
      log.error(
        { err: error, area: nameOfArea(slot.area), retry_in_ms: backoffMs },
        "alerts could not be evaluated",
      );
    }
    return true;
  }

  #lost(error: unknown): number {
    this.#follow();
    this.#parts.log.error({ err: error }, "the lease for alerts could not be requested");
    return FIRST_BACKOFF_MS;
  }
}

/** The chain that a notice of a head names; null, which stands for all, where it cannot be told. */
function chainOf(payload: string | null): number | null {
  try {
    const { chain_id: chainId } = JSON.parse(payload ?? "{}") as { chain_id?: unknown };
    return typeof chainId === "number" ? chainId : null;
  } catch {
    return null;
  }
}
