// How far prepared actions have come. It is never stored: it follows from the execution, the confirmed block, what was submitted, and the time.
import { type Kysely, sql } from "kysely";
import type { Address, Hash } from "viem";
import { type EntryPlace, entryIdsAt } from "../../../audit/read/entry-ids.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { ACTION_STATUSES } from "../schemas.ts";

export type ActionStatus = (typeof ACTION_STATUSES)[number];

export interface Submission {
  transaction_hash: Hash | null;
  safe_tx_hash: Hash | null;
  submitted_at: string;
  status: "pending" | "executed" | "failed" | "replaced" | "unrelated";
}

export interface Progress {
  status: ActionStatus;
  submissions: Submission[];
  transaction_hash: Hash | null;
  entry_ids: string[];
}

interface Row {
  id: string;
  chain_id: number;
  vault_address: Address;
  expires_at_ms: number;
  is_replaced: boolean;
  transaction_hash: Hash | null;
  block_number: number | null;
  block_timestamp: number | null;
  log_indexes: number[] | null;
  confirmed_number: number | null;
  submissions: {
    transaction_hash: Hash | null;
    safe_tx_hash: Hash | null;
    submitted_at_ms: number;
    is_failed: boolean;
    is_replaced: boolean;
    is_unrelated: boolean;
  }[];
}

export async function progressOf(
  db: Kysely<unknown>,
  ids: readonly string[],
  nowMs: number,
): Promise<Map<string, Progress>> {
  const { rows } = await sql<Row>`
    select p.id, p.chain_id, p.vault_address, extract(epoch from p.expires_at)::float8 * 1000 as expires_at_ms,
           w.replaced_at is not null as is_replaced, x.transaction_hash, x.block_number, x.log_indexes,
           extract(epoch from b.block_timestamp)::float8 as block_timestamp, c.confirmed_number,
           coalesce((select json_agg(json_build_object(
               'transaction_hash', s.transaction_hash, 'safe_tx_hash', s.safe_tx_hash,
               'submitted_at_ms', extract(epoch from s.submitted_at) * 1000, 'is_failed', s.failed_at is not null,
               'is_replaced', s.replaced_at is not null, 'is_unrelated', s.unrelated_at is not null) order by s.position)
             from prepared_action_submissions s where s.action_id = p.id), '[]') as submissions
      from prepared_actions p
      join chains c on c.chain_id = p.chain_id
      left join prepared_action_follows w on w.action_id = p.id
      left join prepared_action_executions x on x.action_id = p.id
      left join blocks b on b.chain_id = x.chain_id and b.number = x.block_number
     where p.id = any(${ids}::uuid[])`.execute(db);
  const progress = new Map<string, Progress>();
  for (const row of rows) {
    const submissions = row.submissions.map((each) => submissionOf(each, row));
    progress.set(row.id, {
      status: statusOf(row, submissions, nowMs),
      submissions,
      transaction_hash: row.transaction_hash,
      entry_ids: isConfirmed(row) ? await entryIdsAt(db, placeOf(row)) : [],
    });
  }
  return progress;
}

function placeOf(row: Row): EntryPlace {
  return {
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    blockTimestamp: row.block_timestamp!,
    transactionHash: row.transaction_hash!,
    logIndexes: row.log_indexes!,
  };
}

function isConfirmed({ block_number: number, confirmed_number: confirmed }: Row): boolean {
  return number !== null && confirmed !== null && number <= confirmed;
}

function submissionOf(own: Row["submissions"][number], row: Row): Submission {
  const { transaction_hash, safe_tx_hash } = own;
  const isExecution = row.transaction_hash !== null && row.transaction_hash === transaction_hash;
  const status = isExecution
    ? "executed"
    : own.is_failed
      ? "failed"
      : own.is_replaced
        ? "replaced"
        : own.is_unrelated
          ? "unrelated"
          : "pending";
  return { transaction_hash, safe_tx_hash, submitted_at: timestampOfMs(own.submitted_at_ms), status };
}

function statusOf(row: Row, submissions: readonly Submission[], nowMs: number): ActionStatus {
  if (row.transaction_hash !== null) return isConfirmed(row) ? "confirmed" : "executed";
  const isExpired = row.expires_at_ms <= nowMs;
  if (submissions.some(({ status }) => status === "pending")) return isExpired ? "expired" : "submitted";
  const last = submissions.findLast(({ status }) => status !== "unrelated");
  if (last?.status === "failed" || last?.status === "replaced") return last.status;
  if (row.is_replaced) return "replaced";
  return isExpired ? "expired" : "prepared";
}
