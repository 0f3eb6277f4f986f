// Forgets what no judgement needs any more, so that the tables do not grow for ever: runs and states of services.
//
// Guarantee: nothing that is served changes by it, nor does what reports to come will bring about. A service is judged by its last 100
// runs and shown with its last error and its last pause, which are kept however old they are. What tells of a time whose history was
// forgotten is refused from then on (`runs_from`, `states_from`), so that no run counts and no change is recorded twice. The history is
// measured back from the service's own newest run or state, not from now: an engine that was away for long finds everything as it left it.
import { sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { vaultLocks } from "../../reports/vault-lock.ts";
import type { VaultRef } from "../../vault.ts";

const MAX_AT_ONCE = 5000;

/** One vault at a time, so that engines wait only for a moment. Returns how many rows were removed. */
export async function forgetHistory(
  db: Pick<Database, "kysely" | "transaction">,
  keepDays: number,
  signal: AbortSignal,
): Promise<number> {
  const { rows } = await sql<{ chain_id: number; vault_address: VaultRef["vaultAddress"] }>`
    select distinct chain_id, vault_address from services order by 1, 2`.execute(db.kysely);
  let total = 0;
  for (const { chain_id: chainId, vault_address: vaultAddress } of rows) {
    const place = { chainId, vaultAddress };
    for (let gone = 1; gone > 0 && !signal.aborted; total += gone) {
      gone = await db.transaction(async (tx) => {
        await vaultLocks([chainId === 0 ? null : place]).execute(tx);
        return (await forgetRuns(tx, place, keepDays)) + (await forgetStates(tx, place, keepDays));
      });
    }
  }
  return total;
}

async function forgetRuns(tx: Tx, place: VaultRef, keepDays: number): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    with old as (
      select s.id as service_id, h.kept_from, r.run_id
      from services s
      cross join lateral (select s.last_run - make_interval(days => ${keepDays}::integer) as kept_from) h
      cross join lateral service_window(s.id) w
      cross join lateral (
        (select o.run_id from service_runs o where o.service_id = s.id and o.status <> 'skipped'
            and o.finished_at < least(h.kept_from, w.earliest) and (o.status <> 'failed' or o.finished_at < w.last_failed_at)
          order by o.finished_at, o.run_id limit ${MAX_AT_ONCE}::integer)
        union all
        (select o.run_id from service_runs o where o.service_id = s.id and o.status = 'skipped' and o.finished_at < h.kept_from
          order by o.finished_at limit ${MAX_AT_ONCE}::integer)
      ) r
      where s.chain_id = ${place.chainId} and s.vault_address = ${place.vaultAddress}
      limit ${MAX_AT_ONCE}::integer
    ), gone as (
      delete from service_runs r using old where r.service_id = old.service_id and r.run_id = old.run_id
    ), told as (
      update services s set runs_from = greatest(s.runs_from, o.kept_from)
      from (select distinct service_id, kept_from from old) o where s.id = o.service_id
    )
    select count(*) as gone from old`.execute(tx);
  return rows[0]?.gone ?? 0;
}

/**
 * Of the old states, those from the last pause among them on are kept, as far as a stretch begins or ends with them or has its audit entry
 * from them; without a pause, the ends of the one stretch that there is.
 */
async function forgetStates(tx: Tx, place: VaultRef, keepDays: number): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    with horizon as (
      select s.id as service_id, newest.reported_at - make_interval(days => ${keepDays}::integer) as kept_from
      from services s
      cross join lateral (
        select o.reported_at from service_states o where o.service_id = s.id
        order by o.reported_at desc, o.report_id desc, o.source desc limit 1
      ) newest
      where s.chain_id = ${place.chainId} and s.vault_address = ${place.vaultAddress}
    ), old as (
      select o.*, h.kept_from, lag(o.is_paused) over places as before, lead(o.is_paused) over places as after
      from horizon h join service_states o on o.service_id = h.service_id and o.reported_at < h.kept_from
      window places as (partition by o.service_id order by o.reported_at, o.report_id, o.source)
    ), pauses as (
      select distinct on (service_id) service_id, reported_at, report_id, source from old
      where is_paused and before is distinct from true
      order by service_id, reported_at desc, report_id desc, source desc
    ), needless as (
      select o.* from old o left join pauses p on p.service_id = o.service_id
      where (o.reported_at, o.report_id, o.source) < (p.reported_at, p.report_id, p.source)
        or (not o.is_recorded and o.before = o.is_paused and o.after = o.is_paused)
    ), gone as (
      delete from service_states s using needless n
      where s.service_id = n.service_id and s.reported_at = n.reported_at and s.report_id = n.report_id and s.source = n.source
    ), told as (
      update services s set states_from = greatest(s.states_from, n.kept_from)
      from (select distinct service_id, kept_from from needless) n where s.id = n.service_id
    )
    select count(*) as gone from needless`.execute(tx);
  return rows[0]?.gone ?? 0;
}
