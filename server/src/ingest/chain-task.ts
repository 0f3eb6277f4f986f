// ChainTask: one chain, followed for as long as this process leads it, until told to stop. Two loops share it: the head, and the
// past beside it. Whatever fails is told (log, metrics, status), waited out and tried again from what is stored; no failure
// here reaches another chain.
import { setTimeout as sleep } from "node:timers/promises";
import { isChainFault } from "../chain/rpc/fault.ts";
import { withoutUrls } from "../platform/log.ts";
import type { ChainContext } from "./block/context.ts";
import { LeadLost } from "./block/store.ts";
import {
  introduceChain,
  type SetConfiguredManagers,
  settleConfiguration,
  surveySources,
  upsertChain,
} from "./configure.ts";
import { Adoption } from "./head/adopt.ts";
import { Follower } from "./head/follow.ts";
import { Moves } from "./head/move.ts";
import { Pace } from "./head/pace.ts";
import { checkAnchor, ForeignChain } from "./head/plan.ts";
import { retryDelayMs } from "./head/retry.ts";
import type { Lead, Leadership } from "./lead/leadership.ts";
import { Backfill } from "./past/backfill.ts";

/** How a chain stands, for readiness and for people. */
export interface ChainStatus {
  chainId: number;
  name: string;
  /** Whether this process leads the chain; one that waits for the lead knows nothing of the rest. */
  isLeading: boolean;
  /** Since when another process leads it (ISO time of the database); null where none is known to. */
  ledElsewhereSince: string | null;
  head: number | null;
  confirmed: number | null;
  /** How far the newest stored block lies behind the clock; null before there is one. */
  lagSeconds: number | null;
  /** The node answers, but the chain makes no new blocks. */
  isHalted: boolean;
  /** What keeps the chain from being followed right now, in words for an operator; null when nothing does. */
  error: string | null;
  /** What is being filled in; null when nothing is. */
  backfill: { sources: number; nextBlock: number; toBlock: number; secondsLeft: number | null } | null;
  /** Configured addresses at which there is no vault or no aggregator. */
  unready: { address: string; reason: string }[];
  /** What the operator may have configured otherwise than meant, in words. */
  warnings: string[];
}

const IDLE_MS = 500;
const PROGRESS_EVERY_MS = 10_000;
const SURVEY_AGAIN_MS = 60_000;

export class ChainTask {
  readonly #context: ChainContext;
  readonly #setConfiguredManagers: SetConfiguredManagers;
  readonly #leadership: Leadership;
  readonly #backfill: Backfill;
  readonly #adoption: Adoption;
  readonly #moves: Moves;
  readonly #follower: Follower;
  readonly #pace = new Pace();
  #lead: Lead | null = null;
  #isReady = false;
  /** The last failure of each loop, until it succeeds again. */
  readonly #errors: { head: string | null; past: string | null } = { head: null, past: null };
  /** Aborted when one loop has left work for the other, which then need not wait until its next turn. */
  readonly #wakes = { head: new AbortController(), past: new AbortController() };
  #unready: ChainStatus["unready"] = [];
  #surveyedAtMs = 0;

  constructor(context: ChainContext, leadership: Leadership, setConfiguredManagers: SetConfiguredManagers) {
    this.#context = context;
    this.#leadership = leadership;
    this.#setConfiguredManagers = setConfiguredManagers;
    this.#backfill = new Backfill(context);
    this.#adoption = new Adoption(context);
    this.#moves = new Moves(context);
    this.#follower = new Follower(context, this.#backfill, this.#adoption);
  }

  /** Resolves once the signal aborts and nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, settings } = this.#context;
    await this.#loop("head", signal, async () => {
      await introduceChain(store.db, settings);
      return null;
    });
    for (;;) {
      const lead = await this.#leadership.next(store.chainId, signal);
      if (!lead) return;
      await this.#follow(lead, AbortSignal.any([signal, lead.signal]));
    }
  }

  /** Works for as long as the lead lasts. */
  async #follow(lead: Lead, signal: AbortSignal): Promise<void> {
    const { store, metrics } = this.#context;
    this.#lead = lead;
    this.#isReady = false;
    metrics.isLeading.set({ chain_id: store.chainId }, 1);
    metrics.leads.inc({ chain_id: store.chainId });
    try {
      await Promise.all([
        this.#loop("head", signal, () => this.#followOnce(signal)),
        this.#loop("past", signal, () => this.#fillOnce(signal)),
      ]);
    } finally {
      this.#lead = null;
      this.#unready = [];
      this.#errors.head = null;
      this.#errors.past = null;
      metrics.isLeading.set({ chain_id: store.chainId }, 0);
      await this.#leadership.release(lead);
    }
  }

  status(): ChainStatus {
    const { settings, store, clock } = this.#context;
    const { head } = store;
    const isLeading = this.#lead !== null;
    const other = isLeading ? null : this.#leadership.other(settings.chain_id);
    const waiting = isLeading || other ? null : "no process leads the chain yet";
    return {
      chainId: settings.chain_id,
      name: settings.name,
      isLeading,
      ledElsewhereSince: other?.since ?? null,
      head: head?.number ?? null,
      confirmed: store.confirmed < 0 ? null : store.confirmed,
      lagSeconds: head && Math.max(0, Math.floor(clock.now() / 1000) - head.timestamp),
      isHalted: store.isHalted,
      error: this.#errors.head ?? this.#follower.warning ?? this.#errors.past ?? waiting,
      backfill: this.#progress(),
      unready: this.#unready,
      warnings: [...this.#unready.map(({ reason }) => reason), ...this.#notYet()],
    };
  }

  /** Runs a loop's step over and over; the step tells how long to wait (ms) until the next, or null to end. */
  async #loop(name: "head" | "past", signal: AbortSignal, step: () => Promise<number | null>): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let delayMs: number | null;
      try {
        delayMs = await step();
        failures = 0;
        this.#errors[name] = null;
        if (delayMs === null) return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeadLost && this.#lead) {
          await this.#leadership.release(this.#lead);
          return;
        }
        failures += 1;
        delayMs = this.#failed(name, error, failures);
      }
      await this.#pause(name, delayMs, signal);
    }
  }

  /** Waits so long; unless it failed, no longer than until the other loop or a node's word of a new head wakes it. */
  async #pause(name: "head" | "past", delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs <= 0 || signal.aborted) return;
    const hasFailed = this.#errors[name] !== null;
    const over = new AbortController();
    const ends = [signal, over.signal, ...(hasFailed ? [] : [this.#wakes[name].signal])];
    const either = AbortSignal.any(ends);
    const slept = sleep(delayMs, undefined, { signal: either }).catch(() => {});
    await (name === "head" && !hasFailed
      ? Promise.race([slept, this.#context.client.nextHead(either)])
      : slept);
    over.abort();
    if (this.#wakes[name].signal.aborted) this.#wakes[name] = new AbortController();
  }

  async #followOnce(signal: AbortSignal): Promise<number> {
    const { store, clock, metrics } = this.#context;
    if (!this.#isReady || this.#isSurveyDue()) await this.#prepare();
    // Between two blocks: nobody else writes of the vault meanwhile.
    if (await this.#moves.finish(signal)) await this.#prepare();
    const startedAtMs = clock.now();
    const { blocks, hasMore } = await this.#follower.step(signal);
    const nowMs = clock.now();
    if (blocks > 0) {
      this.#pace.moved(blocks, startedAtMs);
      metrics.blockSeconds.observe({ chain_id: store.chainId }, (nowMs - startedAtMs) / 1000 / blocks);
    } else if (this.#pace.isHalted(nowMs) && !store.isHalted) {
      await store.commitAlone({ isHalted: true }, null);
      this.#context.log.warn({ head: store.head?.number }, "the chain makes no new blocks");
    }
    this.#measure();
    if (this.#backfill.isWanted()) this.#wakes.past.abort();
    if (hasMore) return 0;
    const isHeard = store.head !== null && this.#context.client.hearsAfter(store.head.number);
    return isHeard ? this.#pace.checkMs(nowMs) : this.#pace.delayMs(nowMs);
  }

  async #fillOnce(signal: AbortSignal): Promise<number> {
    if (!this.#isReady) return IDLE_MS;
    const ticker = setInterval(() => this.#tellProgress(), PROGRESS_EVERY_MS);
    try {
      const isAny =
        (await this.#backfill.step(signal)) ||
        (await this.#adoption.gather(signal)) ||
        (await this.#moves.gather(signal)) ||
        (await this.#follower.gatherControl(signal));
      if (!isAny) return IDLE_MS;
      // What has been filled in, or gathered, goes on with the head.
      this.#wakes.head.abort();
      return 0;
    } finally {
      clearInterval(ticker);
    }
  }

  /** Brings configuration, tables and memory in step, and makes sure that it is the same chain as ever. */
  async #prepare(): Promise<void> {
    const { client, store, settings } = this.#context;
    this.#isReady = false;
    const { token } = this.#lead!;
    await client.start();
    await store.load(token, []);
    await upsertChain(store.db, settings);
    await checkAnchor(this.#context);
    const survey = await surveySources(this.#context, settings, store);
    this.#surveyedAtMs = this.#context.clock.now();
    this.#unready = survey.unready;
    for (const { address, reason } of survey.unready) {
      this.#context.log.warn(
        { address, reason },
        "a configured address does not answer as the contract that it is configured as; trying again",
      );
    }
    await settleConfiguration(store, settings, this.#setConfiguredManagers, survey.sources);
    this.#context.seeds = survey.seeds;
    await store.load(token, survey.sources);
    this.#moves.plan(survey.moves);
    this.#follower.reset();
    this.#isReady = true;
  }

  #isSurveyDue(): boolean {
    return (
      this.#unready.length > 0 && Math.abs(this.#context.clock.now() - this.#surveyedAtMs) > SURVEY_AGAIN_MS
    );
  }

  #failed(name: "head" | "past", error: unknown, failures: number): number {
    const { log, metrics, store } = this.#context;
    // What is in memory may be ahead of what is stored, or behind it; save that the past keeps to itself what it reads.
    if (name === "head" || !isChainFault(error)) this.#isReady = false;
    metrics.failures.inc({ chain_id: store.chainId });
    const message = error instanceof Error ? withoutUrls(error.message) : String(error);
    this.#errors[name] = message;
    const delayMs = retryDelayMs(error, failures);
    const level = failures === 1 && !(error instanceof ForeignChain) ? "info" : "warn";
    log[level](
      { err: error, loop: name, failures, retryInMs: Math.round(delayMs) },
      "following the chain failed",
    );
    return delayMs;
  }

  #notYet(): string[] {
    const { head, sources } = this.#context.store;
    return sources.flatMap(({ source, startBlock }) =>
      head !== null && startBlock > head.number
        ? [
            `${source.address} is followed from start_block ${startBlock} on, above the newest block ${head.number}`,
          ]
        : [],
    );
  }

  #progress(): ChainStatus["backfill"] {
    const { progress } = this.#backfill;
    if (!progress) return null;
    const { sources, fromBlock, nextBlock, toBlock, startedAtMs } = progress;
    const done = nextBlock - fromBlock;
    const elapsedSeconds = (this.#context.clock.now() - startedAtMs) / 1000;
    const secondsLeft = done > 0 ? Math.ceil(((toBlock + 1 - nextBlock) / done) * elapsedSeconds) : null;
    return { sources, nextBlock, toBlock, secondsLeft };
  }

  #tellProgress(): void {
    const progress = this.#progress();
    if (progress) this.#context.log.info(progress, "filling in the past");
  }

  #measure(): void {
    const { metrics, store } = this.#context;
    const status = this.status();
    const labels = { chain_id: store.chainId };
    metrics.head.set(labels, status.head ?? 0);
    metrics.confirmed.set(labels, status.confirmed ?? 0);
    metrics.lagSeconds.set(labels, status.lagSeconds ?? 0);
    metrics.isHalted.set(labels, status.isHalted ? 1 : 0);
    const furthest = Math.min(store.confirmed + 1, ...store.behind.map((source) => source.nextBlock!));
    metrics.backfillBlocksLeft.set(labels, store.confirmed + 1 - furthest);
    metrics.backfillSecondsLeft.set(labels, status.backfill?.secondsLeft ?? 0);
  }
}
