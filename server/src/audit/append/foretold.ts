// The audit entries that facts would become, without what only the mined block knows. Nothing is written.
import type { ConfirmedFact } from "../../chain/facts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type AuditEntryInput, ZERO_ADDRESS } from "../entries/entries.ts";
import { auditEntriesOf } from "../entries/from-facts.ts";
import { type Prepared, prepare } from "./render.ts";
import { Submissions } from "./submissions.ts";

export interface ForetoldEntry {
  action_type: string;
  vault_address: string;
  chain_id: number;
  actor_wallet: string | null;
  details: Record<string, unknown>;
}

const OF_THE_BLOCK = ["block_number", "block_timestamp", "block_hash", "tx_hash", "log_index"] as const;

/** In the order in which they would be written. An unknown actor or sender is null. */
export async function foretoldEntries(tx: Tx, facts: readonly ConfirmedFact[]): Promise<ForetoldEntry[]> {
  const prepared = facts.flatMap(auditEntriesOf).map((entry) => prepare(entry));
  const submissions = await Submissions.load(tx, prepared);
  return prepared.map((entry) => entryOf(entry, submissions.entryIdOf(entry.input)));
}

function entryOf({ input, head }: Prepared, submitEntryId: string | undefined): ForetoldEntry {
  const { details, actor_wallet, ...rest } = JSON.parse(`${head}}`) as ForetoldEntry;
  const unknown = Object.fromEntries(OF_THE_BLOCK.map((name) => [name, null]));
  return {
    ...rest,
    vault_address: input.vault_address,
    actor_wallet: actor_wallet === ZERO_ADDRESS ? null : actor_wallet,
    details: {
      ...details,
      ...unknown,
      ...(input.submission && { submit_entry_id: submitEntryId ?? null }),
      tx_from: senderOf(input),
    },
  };
}

function senderOf({ block }: AuditEntryInput): string | null {
  const from = block?.txFrom ?? null;
  return from === ZERO_ADDRESS ? null : from;
}
