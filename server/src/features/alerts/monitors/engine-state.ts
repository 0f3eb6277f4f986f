// What the monitors of the engine judge, for all vaults in one statement each: services, session keys, exits, merkle jobs and failed
// intents of which something may have to be said within HORIZON_MS.
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import { cleanText } from "../../../chain/text.ts";
import { type Listening, MOST_GRACE_MS, windowFromMs } from "../../../judgements/listening.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { vaultIdOf, vaultIdOfRow } from "../../../vault.ts";
import { HORIZON_MS } from "../state/chain-state.ts";
import type { RuleBook } from "../state/rules.ts";
import type {
  ExitState,
  FailedJob,
  NamedVault,
  ServiceState,
  SessionKeyState,
  StrategyFailures,
  VaultService,
} from "../state/state.ts";
import { MOST_COUNTED } from "./keeper-run.ts";

interface RefRow {
  chain_id: number;
  address: Address;
  vault_name: string | null;
  chain_name: string;
  explorer_url: string | null;
}

const REF = sql.raw("v.chain_id, v.address, v.name as vault_name, c.name as chain_name, c.explorer_url");

/** Joins the vault that a row is about, and its chain. A row about a vault that is not known says nothing. */
const withVault = (row: string): RawBuilder<unknown> =>
  sql.raw(
    `join vaults v on v.chain_id = ${row}.chain_id and v.address = ${row}.vault_address join chains c on c.chain_id = v.chain_id`,
  );

function refOf(row: RefRow): NamedVault {
  return {
    chainId: row.chain_id,
    address: row.address,
    name: row.vault_name,
    chainName: row.chain_name,
    explorerUrl: row.explorer_url,
  };
}

interface ServiceRow {
  chain_id: number;
  vault_address: Address;
  name: string;
  display_name: string | null;
  schedule_seconds: number | null;
  last_run: string | null;
  last_run_ms: number | null;
  first_state_ms: number | null;
  last_error: string | null;
  recent_success: number;
  recent_failed: number;
  consecutive_failures: number;
}

/** Services that are neither paused nor switched off and have failed lately, or are late. Those of no vault belong to every vault. */
export async function loadServices(tx: Tx, book: RuleBook, nowMs: number): Promise<VaultService[]> {
  const schedules = book.least(({ keeper_run: rule }) =>
    Math.min(rule.warning_schedules, rule.critical_schedules),
  );
  const { rows } = await sql<ServiceRow>`
    select s.chain_id, s.vault_address, s.name, s.settings #>> '{display_name,value}' as display_name, s.schedule_seconds,
      s.last_run, (extract(epoch from s.last_run) * 1000)::float8 as last_run_ms,
      (extract(epoch from s.first_state_at) * 1000)::float8 as first_state_ms, s.last_error, s.recent_success, s.recent_failed,
      case when s.recent_failed = 0 then 0 else (
        select count(*) filter (where successes = 0)::integer from (
          select sum(case r.status when 'success' then 1 else 0 end) over (order by r.finished_at desc, r.run_id desc) as successes
          from (
            select status, finished_at, run_id from service_runs r where r.service_id = s.id and r.status <> 'skipped'
            order by finished_at desc, run_id desc limit ${MOST_COUNTED}
          ) r
        ) counted
      ) end as consecutive_failures
    from (select *, (settings #>> '{schedule_seconds,value}')::float8 as schedule_seconds from services) s
    where not s.is_paused and coalesce((s.settings #>> '{is_enabled,value}')::boolean, true)
      and (s.recent_failed > 0
        or extract(epoch from coalesce(s.last_run, s.first_state_at))::float8 + s.schedule_seconds * ${schedules}::float8
           <= ${(nowMs + HORIZON_MS) / 1000}::float8)`.execute(tx);
  const shared = Map.groupBy(
    rows.filter((row) => row.chain_id === 0),
    (row) => row.name,
  );
  const own = rows.filter((row) => row.chain_id !== 0);
  if (rows.length === 0) return [];
  const vaults = await loadVaults(tx, shared.size > 0 ? null : own);
  const ownOf = Map.groupBy(own, vaultIdOfRow);
  return vaults.flatMap((vault) => {
    const mine = Map.groupBy(
      ownOf.get(vaultIdOf({ chainId: vault.chainId, vaultAddress: vault.address })) ?? [],
      (row) => row.name,
    );
    const names = new Set([...mine.keys(), ...shared.keys()]);
    return [...names].map((name) => ({
      ...vault,
      rows: [...(mine.get(name) ?? []), ...(shared.get(name) ?? [])].map(serviceOf),
    }));
  });
}

/** The vaults that the rows are about; all of them where `rows` is null. */
async function loadVaults(
  tx: Tx,
  rows: readonly { chain_id: number; vault_address: string }[] | null,
): Promise<NamedVault[]> {
  const places = JSON.stringify(
    rows?.map(({ chain_id, vault_address }) => ({ chain_id, vault_address })) ?? [],
  );
  const named = sql`where (v.chain_id, v.address) in (
    select chain_id, vault_address from jsonb_to_recordset(${places}::jsonb) as p (chain_id bigint, vault_address text))`;
  const found = await sql<RefRow>`
    select ${REF} from vaults v join chains c on c.chain_id = v.chain_id ${rows === null ? sql`` : named}`.execute(
    tx,
  );
  return found.rows.map(refOf);
}

function serviceOf(row: ServiceRow): ServiceState {
  const words = row.name.replaceAll("_", " ");
  return {
    name: row.name,
    displayName: cleanText(row.display_name ?? words.charAt(0).toUpperCase() + words.slice(1), 64),
    isPaused: false,
    isEnabled: true,
    scheduleSeconds: row.schedule_seconds,
    lastRunMs: row.last_run_ms,
    firstStateMs: row.first_state_ms,
    recentSuccess: row.recent_success,
    recentFailed: row.recent_failed,
    lastRun: row.last_run,
    lastError: row.last_error,
    consecutiveFailures: row.consecutive_failures,
  };
}

export async function loadSessionKeys(tx: Tx, book: RuleBook, nowMs: number): Promise<SessionKeyState[]> {
  const within = book.greatest(({ session_key: rule }) => rule.expires_within_seconds) * 1000;
  const { rows } = await sql<
    RefRow & {
      is_ready: boolean;
      key_address: Address;
      expires_at: string;
      pending_rotation: boolean;
      reason: string | null;
      reported_ms: number;
    }
  >`
    select ${REF}, k.is_ready, k.key_address, k.expires_at, k.pending_rotation, k.reason,
      (extract(epoch from k.reported_at) * 1000)::float8 as reported_ms
    from session_keys k ${withVault("k")}
    where not k.is_ready or k.pending_rotation or k.expires_at <= ${timestampOfMs(nowMs + within + HORIZON_MS)}`.execute(
    tx,
  );
  return rows.map((row) => ({
    ...refOf(row),
    isReady: row.is_ready,
    keyAddress: row.key_address,
    expiresAt: row.expires_at,
    isRotationPending: row.pending_rotation,
    reason: row.reason,
    reportedMs: row.reported_ms,
  }));
}

export async function loadExits(tx: Tx): Promise<ExitState[]> {
  const { rows } = await sql<RefRow & { since: string | null; by: Address | null }>`
    select ${REF}, r.data ->> 'since' as since, r.data ->> 'by' as by
    from vault_reports r ${withVault("r")}
    where r.kind = 'emergency_exit' and (r.data ->> 'is_armed')::boolean`.execute(tx);
  return rows.map((row) => ({ ...refOf(row), since: row.since, by: row.by }));
}

export async function loadFailedJobs(tx: Tx): Promise<FailedJob[]> {
  const { rows } = await sql<
    RefRow & { kind: "generate" | "publish"; job_id: string; reported_at: string; error: string | null }
  >`
    select ${REF}, f.kind, f.job_id, f.reported_at, j.error
    from (
      select distinct on (chain_id, vault_address, kind) chain_id, vault_address, kind, job_id, reported_at, report_id
      from merkle_jobs where status = 'failed'
      order by chain_id, vault_address, kind, reported_at desc, report_id desc
    ) f
    join merkle_jobs j on j.chain_id = f.chain_id and j.vault_address = f.vault_address and j.kind = f.kind and j.job_id = f.job_id
    ${withVault("f")}
    where not exists (
      select from merkle_jobs later where later.chain_id = f.chain_id and later.vault_address = f.vault_address and later.kind = f.kind
        and later.status = 'success' and (later.reported_at, later.report_id) > (f.reported_at, f.report_id))`.execute(
    tx,
  );
  return rows.map((row) => ({
    ...refOf(row),
    kind: row.kind,
    jobId: row.job_id,
    failedAt: row.reported_at,
    error: row.error,
  }));
}

/** Failures that are kept of one strategy: more than any rule counts. */
const MOST_FAILURES = 200;

export async function loadFailures(
  tx: Tx,
  book: RuleBook,
  listening: Listening,
): Promise<StrategyFailures[]> {
  const windowMs = book.greatest(({ execution: rule }) => rule.window_seconds) * 1000;
  const fromMs = windowFromMs(listening.untilMs, windowMs + MOST_GRACE_MS, listening.gaps);
  const { rows } = await sql<
    RefRow & { strategy_id: string; intent_ids: string[]; at_ms: number[]; error_codes: (string | null)[] }
  >`
    select ${REF}, i.strategy_id, array_agg(i.intent_id order by i.n) as intent_ids,
      array_agg((extract(epoch from i.terminal_at) * 1000)::float8 order by i.n) as at_ms,
      array_agg(i.error_code order by i.n) as error_codes
    from (
      select chain_id, vault_address, intent_id, terminal_at, error_code, coalesce(strategy_id, '') as strategy_id,
        row_number() over (partition by chain_id, vault_address, strategy_id order by terminal_at desc, intent_id) as n
      from intents where state in ('FAILED', 'ABORTED') and terminal_at > ${Number.isFinite(fromMs) ? timestampOfMs(fromMs) : "-infinity"}
    ) i ${withVault("i")}
    where i.n <= ${MOST_FAILURES}
    group by 1, 2, 3, 4, 5, 6`.execute(tx);
  return rows.map((row) => ({
    ...refOf(row),
    strategyId: row.strategy_id,
    failures: row.intent_ids.map((intentId, index) => ({
      intentId,
      atMs: row.at_ms[index]!,
      errorCode: row.error_codes[index] ?? null,
    })),
  }));
}
