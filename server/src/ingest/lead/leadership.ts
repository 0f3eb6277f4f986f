// Leadership: which chains this process leads. One process leads each chain, by a lease in the database; the others wait.
//
// Guarantee: a lead ends, and its signal aborts, as soon as the lease is not renewed, another process has taken it, or the connection
// that holds it is lost. That is only to stop in good time: what a leader that has not noticed yet tries to write is refused by
// the database (ChainStore). The lease of a leader that died or hangs is free LEASE_MS after its last renewal at the latest, of
// one whose connection has ended at once; of one that ends in order as soon as its work has.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../platform/log.ts";
import { type Holder, LEASE_MS, type LeaseSession, openLeaseSession, ROUND_MS } from "./lease-session.ts";

/** One process's time as leader of one chain. */
export interface Lead {
  chainId: number;
  token: number;
  /** Aborts when it is over. */
  signal: AbortSignal;
}

/** Leads that are not given back by then are left to run out. */
const RELEASE_WITHIN_MS = 10_000;

export class Leadership {
  readonly #url: string;
  readonly #log: Logger;
  readonly #leaseMs: number;
  readonly #holder = randomUUID();
  readonly #wanted = new Set<number>();
  readonly #leads = new Map<number, Lead & { end: AbortController }>();
  readonly #waiting = new Map<number, (lead: Lead) => void>();
  readonly #watching = new Set<{ chainId: number; tell(lead: Lead | null): void }>();
  #others = new Map<number, Holder>();
  #session: LeaseSession | null = null;
  #wake = new AbortController();
  /** Said once, not at every try. */
  #isAway = false;

  constructor(url: string, log: Logger, leaseMs = LEASE_MS) {
    this.#url = url;
    this.#log = log;
    this.#leaseMs = leaseMs;
  }

  /** Resolves with the lead of the chain once it is this process's; with null when the signal aborts first. */
  async next(chainId: number, signal: AbortSignal): Promise<Lead | null> {
    if (signal.aborted) return null;
    return await new Promise((resolve) => {
      const stop = () => {
        this.#waiting.delete(chainId);
        this.#wanted.delete(chainId);
        resolve(null);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.#waiting.set(chainId, (lead) => {
        signal.removeEventListener("abort", stop);
        resolve(lead);
      });
      this.#wanted.add(chainId);
      this.#wake.abort();
    });
  }

  /**
   * Does `work` while this process leads the chain, whenever it does, until the signal aborts or the work ends by itself. Nothing waits
   * for it when the lead ends: two may overlap for a moment.
   */
  async during(
    chainId: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const lead = this.#leads.get(chainId) ?? (await this.#begun(chainId, signal));
      if (lead === null || signal.aborted) return;
      await work(AbortSignal.any([signal, lead.signal]));
      if (!lead.signal.aborted) return;
    }
  }

  /** The lead of the chain when it begins; null when the signal aborts first. */
  async #begun(chainId: number, signal: AbortSignal): Promise<Lead | null> {
    if (signal.aborted) return null;
    return await new Promise((resolve) => {
      const watcher = { chainId, tell: resolve };
      const stop = () => {
        this.#watching.delete(watcher);
        resolve(null);
      };
      signal.addEventListener("abort", stop, { once: true });
      watcher.tell = (lead) => {
        signal.removeEventListener("abort", stop);
        this.#watching.delete(watcher);
        resolve(lead);
      };
      this.#watching.add(watcher);
    });
  }

  /** To be called when the work under a lead has ended: others may have it from now on. */
  async release(lead: Lead): Promise<void> {
    if (this.#leads.get(lead.chainId)?.token !== lead.token) return;
    this.#end(lead.chainId, "given back");
    // Where it fails the lease runs out by itself.
    await this.#session?.release(lead.chainId, lead.token).catch(() => {});
  }

  /** Who leads the chain, where it is another process; null when that is not known. */
  other(chainId: number): Holder | null {
    return this.#others.get(chainId) ?? null;
  }

  /** Renews and takes leases until the signal aborts and all leads have been given back. */
  async run(signal: AbortSignal): Promise<void> {
    let releaseBy = Number.POSITIVE_INFINITY;
    const onAbort = () => {
      releaseBy = performance.now() + RELEASE_WITHIN_MS;
      this.#wake.abort();
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted || (this.#leads.size > 0 && performance.now() < releaseBy)) {
        await this.#round(signal);
        const { signal: wake } = this.#wake;
        const pauseMs = signal.aborted ? ROUND_MS / 20 : ROUND_MS;
        if (!wake.aborted) await sleep(pauseMs, undefined, { signal: wake }).catch(() => {});
        if (wake.aborted) this.#wake = new AbortController();
      }
    } finally {
      for (const chainId of [...this.#leads.keys()]) this.#end(chainId, "the process ends");
      await this.#session?.close();
      this.#session = null;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    try {
      this.#session ??= await openLeaseSession({
        url: this.#url,
        holder: this.#holder,
        leaseMs: this.#leaseMs,
        onFree: () => this.#wake.abort(),
        onLost: (error) => this.#lose(error),
      });
      const session = this.#session;
      this.#isAway = false;
      const renewed = await session.renew([...this.#leads.keys()]);
      for (const { chainId, token } of [...this.#leads.values()]) {
        if (renewed.get(chainId) !== token) this.#end(chainId, "it was not renewed in time");
      }
      if (signal.aborted) return;
      const missing = [...this.#wanted].filter((chainId) => !this.#leads.has(chainId));
      for (const [chainId, token] of await session.acquire(missing)) this.#begin(session, chainId, token);
      const led = missing.filter((chainId) => !this.#leads.has(chainId));
      const others = await session.holders(led);
      for (const holder of others) {
        if (this.#others.get(holder.chainId)?.since !== holder.since)
          this.#log.info(
            { chain_id: holder.chainId, leader: holder.name },
            "another process leads the chain",
          );
      }
      this.#others = new Map(others.map((holder) => [holder.chainId, holder]));
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  #begin(session: LeaseSession, chainId: number, token: number): void {
    const end = new AbortController();
    const lead = { chainId, token, signal: end.signal, end };
    const waiting = this.#waiting.get(chainId);
    if (!waiting) {
      // Nobody waits for it any more. Where this fails it runs out.
      session.release(chainId, token).catch(() => {});
      return;
    }
    this.#waiting.delete(chainId);
    this.#wanted.delete(chainId);
    this.#leads.set(chainId, lead);
    this.#log.info({ chain_id: chainId, lease: token }, "this process leads the chain now");
    waiting(lead);
    for (const watcher of [...this.#watching]) if (watcher.chainId === chainId) watcher.tell(lead);
  }

  #end(chainId: number, reason: string): void {
    const lead = this.#leads.get(chainId);
    if (!lead) return;
    this.#leads.delete(chainId);
    this.#log.info(
      { chain_id: chainId, lease: lead.token, reason },
      "this process no longer leads the chain",
    );
    lead.end.abort(new Error(`the lead of chain ${chainId} is over: ${reason}`));
  }

  #lose(error: Error): void {
    const session = this.#session;
    this.#session = null;
    this.#others = new Map();
    if (session) this.#log.warn({ err: error }, "the connection that holds the leases was lost");
    else if (!this.#isAway) this.#log.warn({ err: error }, "no connection for leases; trying again");
    this.#isAway = true;
    for (const chainId of [...this.#leads.keys()]) this.#end(chainId, "the database connection was lost");
    void session?.close();
  }
}
