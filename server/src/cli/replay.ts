// `vaultops replay`: rebuilds everything that is derived from stored facts, chain by chain, each under its lease.
//
// Safe beside a running service: it takes a chain's lease or refuses, and while it has it nobody else writes that chain. Ended in the
// middle, by Ctrl-C or in any other way, it has changed nothing of the current chain.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { replayChain } from "../ingest/block/replay.ts";
import { type Lead, Leadership } from "../ingest/lead/leadership.ts";
import type { Holder } from "../ingest/lead/lease-session.ts";
import { type Database, openDatabase } from "../platform/db/db.ts";
import { mustOwn } from "../platform/db/owner.ts";
import type { Logger } from "../platform/log.ts";
import { tellSlowly } from "../platform/progress.ts";
import { PROJECTIONS } from "../service/indexer.ts";

export interface ReplayCommandOptions {
  db: Database;
  /** The same database as the owner of its tables. */
  ownerUrl: string;
  /** null: every chain that is stored. */
  chainId: number | null;
  log: Logger;
  /** What has been done. */
  print(line: string): void;
  /** How far it is. */
  tell(line: string): void;
  /** Aborts when it shall end. */
  signal: AbortSignal;
}

/** @returns the exit code: 130 when it was ended before it was done */
export async function replayCommand(options: ReplayCommandOptions): Promise<number> {
  const { db, chainId, print } = options;
  const { rows: chains } = await sql<{ chain_id: number; name: string }>`
    select chain_id, name from chains
    where ${chainId}::bigint is null or chain_id = ${chainId} order by chain_id`.execute(db.kysely);
  if (chains.length === 0)
    throw new Error(chainId === null ? "No chain is stored here." : `Chain ${chainId} is not stored here.`);
  const owner = await openDatabase({ url: options.ownerUrl, maxConnections: 2 });
  try {
    await mustOwn(owner);
    for (const { chain_id, name } of chains) {
      const startedAtMs = performance.now();
      const facts = await replayOne(options, owner, chain_id);
      if (facts === null) {
        print(`Stopped. Chain ${chain_id} (${name}) is unchanged.`);
        return 130;
      }
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
      const made = PROJECTIONS.map((projection) => projection.name).join(", ");
      print(`Chain ${chain_id} (${name}): ${made} rebuilt from ${facts} facts in ${seconds} s.`);
    }
    print(
      "What was read from the nodes (vaults' states, samples of prices) is unchanged: the stored facts do not hold it.",
    );
    return 0;
  } finally {
    await owner.close();
  }
}

/** How many facts there were; null when it was ended. */
async function replayOne(
  options: ReplayCommandOptions,
  owner: Database,
  chainId: number,
): Promise<number | null> {
  return await underLease(options, chainId, async (lead, signal) => {
    const tellProgress = tellSlowly(options.tell);
    const { facts } = await replayChain({
      db: owner,
      chainId,
      token: lead.token,
      projections: PROJECTIONS,
      signal,
      onProgress(count, total) {
        tellProgress(() => `chain ${chainId}: ${count} of ${total} facts`);
      },
    });
    return facts;
  });
}

/** Does work while this process holds the chain's lease; null when the signal aborted first or in between. */
export async function underLease<T>(
  { db, log, signal }: Pick<ReplayCommandOptions, "db" | "log" | "signal">,
  chainId: number,
  work: (lead: Lead, signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const leadership = new Leadership(db.directUrl, log.child({}, { level: "warn" }));
  const done = new AbortController();
  const running = leadership.run(done.signal);
  let lead: Lead | null = null;
  try {
    lead = await takeLease(leadership, chainId, AbortSignal.any([signal, done.signal]));
    if (lead === null) return null;
    return await work(lead, AbortSignal.any([signal, lead.signal]));
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    if (lead) await leadership.release(lead);
    done.abort();
    await running;
  }
}

/** null when the signal aborts first. @throws Error when another process leads the chain */
async function takeLease(leadership: Leadership, chainId: number, signal: AbortSignal): Promise<Lead | null> {
  const giveUp = new AbortController();
  const lead = leadership.next(chainId, AbortSignal.any([signal, giveUp.signal]));
  for (;;) {
    const taken = await Promise.race([lead, sleep(20)]);
    if (taken !== undefined) return taken;
    const holder = leadership.other(chainId);
    if (!holder) continue;
    giveUp.abort();
    // It may have become ours in the very moment.
    const late = await lead;
    if (late) return late;
    throw new Error(refusal(chainId, holder));
  }
}

function refusal(chainId: number, { name, since }: Holder): string {
  return (
    `Chain ${chainId} is being followed by a running service (${name}, since ${since}). Nothing was changed. ` +
    "Stop that service, or run it with --role api,worker for that time, and try again."
  );
}
