// What holds from one block to another: a pause, a yield source, a change that a timelock holds back.
//
// An interval is a row with a first block and, once it has ended, a last one. Undoing a block removes what began in it and
// reopens what ended in it, by the foreign keys alone.
import { sql } from "kysely";
import type { Address } from "viem";
import type { FactBody, VaultFact } from "../../chain/facts.ts";
import type { PendingChange } from "../../chain/reading.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Columns, insertRows, tableOf } from "../../platform/db/rows.ts";
import { timestampOrNull } from "../../platform/http/time.ts";

export type IntervalKind = "pause" | "yield_source" | "pending_change";

/** What a fact does to the intervals of its vault; `subject` names the interval within vault and kind. */
export interface IntervalStep {
  kind: IntervalKind;
  subject: string;
  /** `begin` does nothing while one is open; `replace` ends it first, `continue` too but keeps its `since`. */
  does: "begin" | "replace" | "continue" | "end";
  data: Record<string, unknown>;
}

/** The step of a fact, or null for one that begins and ends nothing. */
export function intervalStepOf({
  body,
  actorWallet,
}: Pick<VaultFact, "body" | "actorWallet">): IntervalStep | null {
  switch (body.kind) {
    case "vault_paused":
      return { kind: "pause", subject: "vault", does: "begin", data: { by: body.account } };
    case "vault_unpaused":
      return { kind: "pause", subject: "vault", does: "end", data: {} };
    case "yield_source_added":
      return { kind: "yield_source", subject: body.source, does: "begin", data: { oracle: body.oracle } };
    case "yield_source_oracle_updated":
      return {
        kind: "yield_source",
        subject: body.source,
        does: "continue",
        data: { oracle: body.newOracle },
      };
    case "yield_source_removed":
      return { kind: "yield_source", subject: body.source, does: "end", data: {} };
    default:
      return pendingStepOf(body, actorWallet);
  }
}

function pendingStepOf(body: FactBody, actorWallet: Address): IntervalStep | null {
  switch (body.kind) {
    case "primary_manager_proposed":
      return propose("primary_manager", body, body.proposer, body.newManager);
    case "fee_config_proposed":
      return propose("fee_config", body, actorWallet, {
        performance_fee_bps: Number(body.performanceFeeBps),
        management_fee_bps: Number(body.managementFeeBps),
        recipient: body.recipient,
      });
    case "pps_expiration_proposed":
      return propose("pps_expiration", body, actorWallet, body.ppsExpiration.toString());
    case "min_update_interval_proposed":
      return propose("min_update_interval", body, body.proposer, body.newMinUpdateInterval.toString());
    case "hooks_root_proposed":
      return propose("hooks_root", body, body.proposer, body.root);
    case "upkeep_withdrawal_proposed":
      return propose("upkeep_withdrawal", body, body.mainManager, body.amount.toString());
    case "primary_manager_change_cancelled":
    case "primary_manager_changed":
      return settle("primary_manager");
    case "fee_config_updated":
      return settle("fee_config");
    case "pps_expiration_updated":
    case "pps_expiration_proposal_cancelled":
      return settle("pps_expiration");
    case "min_update_interval_changed":
    case "min_update_interval_rejected":
    case "min_update_interval_cancelled":
      return settle("min_update_interval");
    case "hooks_root_updated":
      return settle("hooks_root");
    case "upkeep_withdrawal_cancelled":
    case "upkeep_withdrawn":
      return settle("upkeep_withdrawal");
    default:
      return null;
  }
}

function propose(
  kind: PendingChange["kind"],
  { effectiveTime }: { effectiveTime: bigint },
  proposer: Address | null,
  proposed: unknown,
): IntervalStep {
  const effectiveAt = timestampOrNull(effectiveTime);
  return {
    kind: "pending_change",
    subject: kind,
    does: "replace",
    data: { proposed, proposer, effective_at: effectiveAt },
  };
}

function settle(kind: PendingChange["kind"]): IntervalStep {
  return { kind: "pending_change", subject: kind, does: "end", data: {} };
}

interface Interval {
  chain_id: number;
  from_block: number;
  from_log_index: number;
  vault_address: string;
  kind: IntervalKind;
  subject: string;
  data: Record<string, unknown>;
  since: number | null;
  to_block: number | null;
}

/** Applies the steps of facts in chain order. */
export async function writeIntervalSteps(
  tx: Tx,
  chainId: number,
  steps: readonly { fact: VaultFact; vault: string; step: IntervalStep }[],
): Promise<void> {
  if (steps.length === 0) return;
  const open = await loadOpen(tx, chainId, [...new Set(steps.map(({ vault }) => vault))]);
  const stored = new Set(open.values());
  const begun: Interval[] = [];
  const ended: Interval[] = [];
  for (const { fact, vault, step } of steps) {
    const key = `${vault}:${step.kind}:${step.subject}`;
    const before = open.get(key);
    if (before && step.does === "begin") continue;
    if (before) {
      before.to_block = fact.blockNumber;
      if (stored.has(before)) ended.push(before);
      open.delete(key);
    }
    if (step.does === "end") continue;
    const interval: Interval = {
      chain_id: chainId,
      from_block: fact.blockNumber,
      from_log_index: fact.logIndex,
      vault_address: vault,
      kind: step.kind,
      subject: step.subject,
      data: step.data,
      since: step.does === "continue" ? (before?.since ?? null) : fact.blockTimestamp,
      to_block: null,
    };
    open.set(key, interval);
    begun.push(interval);
  }
  await insertRows(tx, "vault_intervals", COLUMNS, begun);
  if (ended.length === 0) return;
  await sql`update vault_intervals i set to_block = r.to_block from ${tableOf(ENDS, ended)} as r
    where i.chain_id = r.chain_id and i.from_block = r.from_block and i.from_log_index = r.from_log_index`.execute(
    tx,
  );
}

const COLUMNS: Columns<Interval> = {
  chain_id: "bigint",
  from_block: "bigint",
  from_log_index: "integer",
  vault_address: "text",
  kind: "text",
  subject: "text",
  data: "jsonb",
  since: "timestamptz",
  to_block: "bigint",
};

const ENDS = {
  chain_id: "bigint",
  from_block: "bigint",
  from_log_index: "integer",
  to_block: "bigint",
} as const;

async function loadOpen(tx: Tx, chainId: number, vaults: readonly string[]): Promise<Map<string, Interval>> {
  const { rows } = await sql<Interval>`
    select chain_id, from_block, from_log_index, vault_address, kind, subject, data,
      extract(epoch from since)::float8 as since, to_block
    from vault_intervals
    where chain_id = ${chainId} and vault_address = any(${vaults}) and to_block is null
    order by from_block, from_log_index`.execute(tx);
  return new Map(rows.map((row) => [`${row.vault_address}:${row.kind}:${row.subject}`, row]));
}
