// Calls for bots: alerts that a vault's rules have calls handed out with wait here until those are prepared, then their event goes out, with them.
//
// Guarantee: each goes out once, whichever worker prepares it and whoever dies; no later than DUE_MS and a round after it was found, then without calls.
// A setting whose maker is no primary manager of the vault any more is not used. What is over or silenced by then is not told of.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { Address } from "viem";
import { isPrimaryManager } from "../../../auth/vaults.ts";
import { emit } from "../../../events/emit.ts";
import type { AlertDispatch } from "../../../events/types.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import type { Notifier } from "../../../platform/db/notifier.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { every } from "../../../platform/lifecycle/every.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";
import type { VaultRef } from "../../../vault.ts";
import type { DispatchCalls } from "./calls.ts";
import { loadDispatch, type StoredSetting } from "./settings.ts";

export interface DispatchParts {
  db: Pick<Database, "kysely" | "transaction">;
  clock: Clock;
  log: Logger;
  calls: DispatchCalls;
  /** For one alert; 10 s unless told. */
  prepareMs?: number;
}

/** From the evaluation that found the alert. */
const DUE_MS = 20_000;
const PREPARE_MS = 10_000;
const ROUND_MS = 2_000;
const AT_ONCE = 4;
const LATE_AT_ONCE = 500;
const CHANNEL = "alert_dispatches";
const LATE = "The calls were not prepared in time.";
const CHANGED = "It was set anew while the calls were prepared.";

export function dispatchTask(parts: DispatchParts & { notifier: Pick<Notifier, "listen"> }): Task {
  return every(
    {
      name: "alerts: prepare calls for bots",
      role: "worker",
      ms: ROUND_MS,
      log: parts.log,
      wakenBy: (wake, signal) => parts.notifier.listen(CHANNEL, wake, signal),
    },
    (signal) => dispatchRound(parts, signal),
  );
}

/** What waits for its calls. */
export interface Waiting {
  place: VaultRef;
  data: Pick<AlertDispatch, "alert" | "as_of">;
}

export async function awaitCalls(tx: Tx, waiting: readonly Waiting[], nowMs: number): Promise<void> {
  if (waiting.length === 0) return;
  const rows = waiting.map(({ place, data }) => ({
    alert_id: data.alert.id,
    chain_id: place.chainId,
    vault_address: place.vaultAddress,
    data,
  }));
  await sql`
    insert into alert_dispatches (alert_id, chain_id, vault_address, data, found_at, due_at)
    select alert_id, chain_id, vault_address, data, ${timestampOfMs(nowMs)}::timestamptz, ${timestampOfMs(nowMs + DUE_MS)}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (alert_id uuid, chain_id bigint, vault_address text, data json)
    on conflict (alert_id) do nothing`.execute(tx);
  await sql`select pg_notify(${CHANNEL}, '')`.execute(tx);
}

interface DueRow {
  alert_id: string;
  chain_id: number;
  vault_address: Address;
  data: Waiting["data"];
  found_at: string;
}

const COLUMNS = sql.raw("alert_id, chain_id, vault_address, data, found_at");

/** Until nothing waits that nobody has begun with. */
export async function dispatchRound(parts: DispatchParts, signal?: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const late = await tellLate(parts);
    const claimed = await claim(parts);
    await Promise.all(claimed.map((row) => handOut(parts, row)));
    isMore = late > 0 || claimed.length > 0;
  }
}

async function tellLate({ db, clock }: DispatchParts): Promise<number> {
  return await db.transaction(async (tx) => {
    const { rows } = await sql<DueRow & { dispatch: { category: string; action: string }[] | null }>`
      with late as (
        delete from alert_dispatches where alert_id in (
          select alert_id from alert_dispatches where due_at <= ${timestampOfMs(clock.now())} order by due_at
           limit ${LATE_AT_ONCE} for update skip locked)
        returning ${COLUMNS})
      select l.*, r.dispatch from late l
        left join alert_rules r on r.chain_id = l.chain_id and r.vault_address = l.vault_address`.execute(tx);
    const due = await stillDue(
      tx,
      rows.map(({ alert_id }) => alert_id),
      clock.now(),
    );
    const told = rows.filter(({ alert_id }) => due.has(alert_id));
    await emit(
      tx,
      told.map(({ dispatch, ...row }) => {
        const { category } = row.data.alert;
        const own = (dispatch ?? []).filter((setting) => setting.category === category);
        return eventOf(row, {
          calls: [],
          unprepared: own.map(({ action }) => ({ action, reason: LATE })),
        });
      }),
    );
    return rows.length;
  });
}

async function claim({ db, clock }: DispatchParts): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    update alert_dispatches set claimed_at = ${timestampOfMs(clock.now())}
     where alert_id in (
       select alert_id from alert_dispatches where claimed_at is null order by due_at limit ${AT_ONCE} for update skip locked)
    returning ${COLUMNS}`.execute(db.kysely);
  return rows;
}

type Handed = Pick<AlertDispatch, "calls" | "unprepared">;

interface Outcome {
  by: Address;
  setting: StoredSetting;
  result: Awaited<ReturnType<DispatchCalls["prepare"]>>;
}

/** Whoever takes the row away has told of it: a worker that was slower tells nothing. What could not be read is told of when it is late. */
async function handOut(parts: DispatchParts, row: DueRow): Promise<void> {
  try {
    const outcomes = await prepared(parts, row);
    await parts.db.transaction(async (tx) => {
      const { numAffectedRows } = await sql`
        delete from alert_dispatches where alert_id = ${row.alert_id}`.execute(tx);
      if (Number(numAffectedRows ?? 0) === 0) return;
      if ((await stillDue(tx, [row.alert_id], parts.clock.now())).size === 0) return;
      await emit(tx, [eventOf(row, await standing(tx, row, outcomes))]);
    });
  } catch (error) {
    parts.log.error({ err: error, alert_id: row.alert_id }, "calls for an alert could not be prepared");
  }
}

/** Those of the alerts that are told of now, as when they were found. What is held back comes later by itself; what is over never does. */
async function stillDue(tx: Tx, ids: readonly string[], nowMs: number): Promise<Set<string>> {
  await sql`
    update alerts a set dispatched_at = null
     where a.id = any (${[...ids]}::uuid[]) and a.resolved_at is null
       and (a.severity <> 'critical' or a.is_unconfirmed or a.quiet_since is not null
         or exists (select from silences s where s.chain_id = a.chain_id and s.vault_address = a.vault_address
           and s.ends_at > ${timestampOfMs(nowMs)} and (s.category is null or s.category = a.category)))`.execute(
    tx,
  );
  const { rows } = await sql<{ id: string }>`
    select id from alerts where id = any (${[...ids]}::uuid[]) and resolved_at is null and dispatched_at is not null for share`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

async function prepared(
  { db, calls, prepareMs = PREPARE_MS }: DispatchParts,
  row: DueRow,
): Promise<Outcome[]> {
  const place = { chainId: row.chain_id, vaultAddress: row.vault_address };
  const { category, subject, details } = row.data.alert;
  const set = await loadDispatch(db, place, category);
  if (set === null || !(await isPrimaryManager(db, set.by, place))) return [];
  return await Promise.all(
    set.settings.map(async (setting) => {
      const asked = { place, wallet: set.by, setting: setting as never, alert: { subject, details } };
      const late = sleep(prepareMs, { reason: LATE }, { ref: false });
      return { by: set.by, setting, result: await Promise.race([calls.prepare(asked), late]) };
    }),
  );
}

/** What of it still stands: rules and roles may have changed while the calls were prepared. */
async function standing(tx: Tx, row: DueRow, outcomes: readonly Outcome[]): Promise<Handed> {
  const place = { chainId: row.chain_id, vaultAddress: row.vault_address };
  const set = await loadDispatch({ kysely: tx }, place, row.data.alert.category);
  if (set === null) return { calls: [], unprepared: [] };
  const isInForce = await isPrimaryManager({ kysely: tx }, set.by, place);
  const lost = { reason: `It was set by ${set.by}, who is no primary manager of the vault now.` };
  const results = set.settings.map((setting) => {
    const own = outcomes.find(({ by, setting: had }) => by === set.by && isDeepStrictEqual(had, setting));
    return { action: setting.action, ...(isInForce ? (own?.result ?? { reason: CHANGED }) : lost) };
  });
  return {
    calls: results.flatMap((each) => ("calls" in each ? each.calls : [])),
    unprepared: results.flatMap((each) =>
      "reason" in each ? [{ action: each.action, reason: each.reason }] : [],
    ),
  };
}

function eventOf({ chain_id, vault_address, data, found_at }: DueRow, handed: Handed) {
  return {
    type: "alert.dispatch" as const,
    chainId: chain_id,
    vaultAddress: vault_address,
    at: found_at,
    data: { ...data, ...handed } satisfies AlertDispatch,
  };
}
