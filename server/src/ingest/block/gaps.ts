// Gaps: what the nodes did not tell for so long that the chain went on without. Nothing stops a chain for good: what is known is stored,
// what lacks is marked beside it, and an alert tells of it.
import { sql } from "kysely";
import { isAboutOneThing } from "../../chain/rpc/fault.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Logger } from "../../platform/log.ts";
import type { Patience } from "./patience.ts";

export interface Gap {
  blockNumber: number;
  /** What was not told: a vault's address, a transaction's hash, a log's index. */
  subject: string;
  lacks:
    | "vault_description"
    | "managers"
    | "rejected_vault"
    | "rejected_price"
    | "pps_expiration"
    | "cancelled_shares"
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
  const what = `${place.lacks} ${place.subject}`;
  try {
    const answer = await ask();
    context.patience.end(what);
    return answer;
  } catch (error) {
    if (!isAboutOneThing(error) || !context.patience.isOver(what)) throw error;
    gaps.push({ ...place, reason: error.code });
    const { blockNumber: block, subject, lacks } = place;
    context.log.error(
      { err: error, block, subject, lacks },
      "the node does not tell what is needed: stored without, and marked",
    );
    return otherwise();
  }
}

/** Their blocks must be there. */
export async function insertGaps(tx: Tx, chainId: number, gaps: readonly Gap[]): Promise<void> {
  for (const { blockNumber, subject, lacks, reason } of gaps) {
    await sql`
      insert into chain_gaps (chain_id, block_number, subject, lacks, reason)
      values (${chainId}, ${blockNumber}, ${subject}, ${lacks}, ${reason}) on conflict do nothing`.execute(
      tx,
    );
  }
}
