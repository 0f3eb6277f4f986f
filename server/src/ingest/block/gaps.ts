// Gaps: what the nodes did not tell for so long that the chain went on without. Nothing stops a chain for good: what is known is stored,
// what lacks is marked beside it, and an alert tells of it.
import { sql } from "kysely";
import { type ChainFault, isAboutOneThing, isChainFault } from "../../chain/rpc/fault.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import type { Logger } from "../../platform/log.ts";
import type { Patience } from "./patience.ts";

export interface Gap {
  blockNumber: number;
  /** What was not told: a block's hash, a vault's address, a transaction's hash, a log's index. */
  subject: string;
  lacks: /** All of a block's: none of them is stored, for what was told of them contradicted itself. Filled in later (fill.ts). */
    | "logs"
    | "vault_description"
    /** A vault's state in the past. */
    | "sample"
    | "managers"
    | "rejected_vault"
    | "rejected_price"
    | "pps_expiration"
    | "cancelled_shares"
    | "governance_state"
    | "transaction"
    | "user_operations";
  reason: string;
}

/**
 * What `ask` gives. While it fails about this one thing, its fault goes on to the caller, who asks again; once that has lasted longer
 * than the patience, a gap is noted and `otherwise` stands in.
 */
export async function orGap<T>(
  context: { patience: Patience; log: Logger },
  gaps: Gap[],
  place: Omit<Gap, "reason">,
  ask: () => Promise<T>,
  otherwise: () => T,
): Promise<T> {
  try {
    const answer = await ask();
    context.patience.end(whatOf(place));
    return answer;
  } catch (error) {
    if (!isAboutOneThing(error)) throw error;
    // A state that a node has forgotten does not come back to it while it is waited for; another may have it one day.
    const isGone = isChainFault(error, "state_missing") && place.lacks === "governance_state";
    const gap = isGone ? { ...place, reason: error.code } : gapAfter(context, place, error);
    if (!gap) throw error;
    gaps.push(gap);
    return otherwise();
  }
}

/** The gap that is gone on with, once the same has failed for so long that it is no longer waited for; null before. */
export function gapAfter(
  context: { patience: Patience; log: Logger },
  place: Omit<Gap, "reason">,
  error: ChainFault,
): Gap | null {
  if (!context.patience.isOver(whatOf(place))) return null;
  const { blockNumber: block, subject, lacks } = place;
  context.log.error(
    { err: error, block, subject, lacks },
    "the node does not give all that is needed: stored without it, and marked",
  );
  return { ...place, reason: error.code };
}

/** All of a block's logs. */
export function logsOf({ number, hash }: { number: number; hash: string }) {
  return { blockNumber: number, subject: hash, lacks: "logs" } as const;
}

function whatOf({ lacks, subject }: Omit<Gap, "reason">): string {
  return `${lacks} ${subject}`;
}

/**
 * Their blocks must be there. One that was filled in and lacks again, to a source that came to its block later, is open again; so is one
 * that is just being filled in, for whoever does so compares `found_at`.
 */
export async function insertGaps(tx: Tx, chainId: number, gaps: readonly Gap[]): Promise<void> {
  for (const { blockNumber, subject, lacks, reason } of gaps) {
    await sql`
      insert into chain_gaps (chain_id, block_number, subject, lacks, reason)
      values (${chainId}, ${blockNumber}, ${subject}, ${lacks}, ${reason})
      on conflict (chain_id, block_number, subject, lacks) do update
        set filled_at = null, found_at = now(), reason = excluded.reason`.execute(tx);
  }
}

/** Those of a range of blocks that are open. */
export async function loadGaps(
  db: Database["kysely"],
  chainId: number,
  { above, upTo }: { above: number; upTo: number },
): Promise<Pick<Gap, "blockNumber" | "subject" | "lacks">[]> {
  const { rows } = await sql<{ block_number: number; subject: string; lacks: Gap["lacks"] }>`
    select block_number, subject, lacks from chain_gaps
     where chain_id = ${chainId} and block_number > ${above} and block_number <= ${upTo} and filled_at is null`.execute(
    db,
  );
  return rows.map(({ block_number: blockNumber, ...row }) => ({ blockNumber, ...row }));
}
