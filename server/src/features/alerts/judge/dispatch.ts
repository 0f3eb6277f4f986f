// What bots act on: critical alerts of vaults that stand on confirmed blocks and are not silenced, with the state that is known of the vault.
//
// Guarantee: an alert is dispatched once while it fires, in the transaction that finds it so, whoever evaluates; where the vault's rules have calls
// handed out with it, that transaction leaves it to whoever prepares them. What is held open although nothing is seen of it waits.
import { sql } from "kysely";
import { emit } from "../../../events/emit.ts";
import type { AlertDispatch } from "../../../events/types.ts";
import { ALERT_CATEGORIES } from "../../../monitors/categories.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { awaitCalls } from "../dispatch/task.ts";
import type { ApplyParts } from "./store.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf } from "./view.ts";

interface DispatchedRow extends AlertRow {
  is_wanted: boolean;
  has_calls: boolean;
  block_number: number | null;
  block_hash: string | null;
  block_timestamp: string | null;
  is_confirmed: boolean | null;
}

export async function dispatch(tx: Tx, { area, nowMs, publicUrl }: ApplyParts): Promise<void> {
  const now = timestampOfMs(nowMs);
  const { rows } = await sql<DispatchedRow>`
    with due as (
      update alerts a set dispatched_at = ${now}
      where a.area = ${area} and a.resolved_at is null and a.dispatched_at is null and a.severity = 'critical'
        and not a.is_unconfirmed and a.quiet_since is null and a.chain_id <> 0 and a.category = any (${[...ALERT_CATEGORIES]}::text[])
        and not exists (select from silences s where s.chain_id = a.chain_id and s.vault_address = a.vault_address
          and s.ends_at > ${now} and (s.category is null or s.category = a.category))
      returning *
    )
    select ${sql.raw(ALERT_COLUMNS.replace(/\w+/g, "d.$&"))},
      exists (select from webhooks w where w.is_enabled and 'alert.dispatch' = any (w.event_types)) as is_wanted,
      exists (select from alert_rules r where r.chain_id = d.chain_id and r.vault_address = d.vault_address
        and r.dispatch @> jsonb_build_array(jsonb_build_object('category', d.category))) as has_calls,
      b.number as block_number, b.hash as block_hash, b.block_timestamp, b.number <= c.confirmed_number as is_confirmed
    from due d
    left join chains c on c.chain_id = d.chain_id
    left join lateral (
      -- Alerts collate by bytes: under their collation the index of readings could not be used.
      select s.chain_id, coalesce(s.as_of_block, s.block_number) as number from vault_states s
      where s.chain_id = d.chain_id and s.vault_address = d.vault_address collate "default" order by s.block_number desc limit 1
    ) s on true
    left join blocks b on b.chain_id = s.chain_id and b.number = s.number`.execute(tx);
  const told = rows
    .filter((row) => row.is_wanted)
    .map((row) => ({
      hasCalls: row.has_calls,
      place: { chainId: row.chain_id, vaultAddress: row.vault_address },
      data: { alert: alertOf(row, publicUrl), as_of: asOf(row) },
    }));
  const events = told
    .filter(({ hasCalls }) => !hasCalls)
    .map(({ place, data }) => ({
      type: "alert.dispatch" as const,
      ...place,
      at: now,
      data: { ...data, calls: [], unprepared: [] } satisfies AlertDispatch,
    }));
  await emit(tx, events);
  await awaitCalls(
    tx,
    told.filter(({ hasCalls }) => hasCalls),
    nowMs,
  );
}

function asOf(row: DispatchedRow): AlertDispatch["as_of"] {
  const { block_number, block_hash, block_timestamp, is_confirmed } = row;
  if (block_number === null || block_hash === null || block_timestamp === null) return null;
  return { block_number, block_hash, block_timestamp, confirmed: is_confirmed === true };
}
