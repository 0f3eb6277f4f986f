// Managers' actions that leave no trace onchain: each becomes an audit entry. An emergency exit armed or stopped is also what the
// vault's record shows as `emergency_exit`.
import { sql } from "kysely";
import type { AuditEntryInput } from "../../audit/entries/entries.ts";
import type { DomainEvent } from "../../events/types.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Rejection, Report, ReportHandler } from "../../reports/handler.ts";
import type { VaultRef } from "../../vault.ts";

type Action = Report<"vaultops.action">;

/** Details go into the audit log for good, and are served with every page of it. */
const MAX_DETAILS_BYTES = 16_384;

export const actions: ReportHandler<"vaultops.action"> = {
  type: "vaultops.action",
  async apply(tx, reports, effects) {
    const rejections = reports.map(refusalOf);
    const standing = reports.filter((_, index) => rejections[index] === null);
    if (standing.length === 0) return rejections;
    const fresh = await store(tx, standing);
    for (const report of standing) {
      if (!fresh.has(report.id)) continue;
      effects.audit(entryOf(report));
      const event = eventOf(report);
      if (event !== null) effects.event(event);
    }
    const exits = standing.filter(({ data }) => data.action_type.startsWith("emergency_exit_"));
    if (exits.length > 0) await showExits(tx, exits);
    return rejections;
  },
};

function refusalOf({ data }: Action): Rejection | null {
  if (Buffer.byteLength(JSON.stringify(data.details)) <= MAX_DETAILS_BYTES) return null;
  return { code: "invalid_event", detail: `data/details is larger than ${MAX_DETAILS_BYTES} bytes.` };
}

/** The ids of those that were not stored before: one whose id has been forgotten since must not be recorded again. */
async function store(tx: Tx, reports: readonly Action[]): Promise<Set<string>> {
  const rows = reports.map(({ source, id, time, vault, data }) => ({
    source,
    report_id: id,
    chain_id: vault?.chainId,
    vault_address: vault?.vaultAddress,
    action_type: data.action_type,
    actor_wallet: data.actor_wallet,
    reported_at: time,
  }));
  const { rows: fresh } = await sql<{ report_id: string }>`
    insert into engine_actions (source, report_id, chain_id, vault_address, action_type, actor_wallet, reported_at)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (source text, report_id text, chain_id bigint,
      vault_address text, action_type text, actor_wallet text, reported_at timestamptz)
    on conflict do nothing returning report_id`.execute(tx);
  return new Set(fresh.map(({ report_id }) => report_id));
}

function entryOf({ source, time, vault, data }: Action): AuditEntryInput {
  const { chainId, vaultAddress } = vault as VaultRef;
  return {
    action_type: data.action_type,
    vault_address: vaultAddress,
    chain_id: chainId,
    actor_wallet: data.actor_wallet,
    // What the engine says stands apart: no name in it can be taken for one of the service's own.
    details: { reported_details: data.details, reported_at: time, source, reported: true },
  };
}

/** An emergency exit is sent as an event; changes of session keys are not. */
function eventOf({ source, time, vault, data }: Action): DomainEvent | null {
  const type = EVENT_OF[data.action_type];
  if (type === undefined) return null;
  const said = { actor_wallet: data.actor_wallet, source, details: data.details };
  return { type, ...(vault as VaultRef), at: time, data: said };
}

const EVENT_OF: { [action: string]: "emergency_exit.armed" | "emergency_exit.stopped" } = {
  emergency_exit_arm: "emergency_exit.armed",
  emergency_exit_stop: "emergency_exit.stopped",
};

/**
 * The exit is armed when the newest of the two actions says so, since the first of those that agree with it, by its actor. Worked out from
 * all of them, so that a late report counts in its place.
 */
async function showExits(tx: Tx, reports: readonly Action[]): Promise<void> {
  const places = [
    ...new Map(reports.map(({ vault }) => [JSON.stringify(vault), vault as VaultRef])).values(),
  ];
  const rows = places.map(({ chainId, vaultAddress }) => ({
    chain_id: chainId,
    vault_address: vaultAddress,
  }));
  const newestOf = (condition: string) =>
    sql.raw(`
      select * from engine_actions a where a.chain_id = p.chain_id and a.vault_address = p.vault_address and ${condition}
      order by a.reported_at desc, a.report_id desc limit 1`);
  await sql`
    insert into vault_reports as v (chain_id, vault_address, kind, data, reported_at, report_id)
    select p.chain_id, p.vault_address, 'emergency_exit',
      jsonb_build_object('is_armed', newest.action_type = 'emergency_exit_arm', 'by', began.actor_wallet,
        'since', to_char(began.reported_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')),
      newest.reported_at, newest.report_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as p (chain_id bigint, vault_address text)
    cross join lateral (${newestOf("a.action_type in ('emergency_exit_arm', 'emergency_exit_stop')")}) newest
    left join lateral (${newestOf(
      "a.action_type = case newest.action_type when 'emergency_exit_arm' then 'emergency_exit_stop' else 'emergency_exit_arm' end",
    )}) other on true
    cross join lateral (
      select * from engine_actions a where a.chain_id = p.chain_id and a.vault_address = p.vault_address
        and a.action_type = newest.action_type
        and (a.reported_at, a.report_id) > (coalesce(other.reported_at, '-infinity'), coalesce(other.report_id, ''))
      order by a.reported_at, a.report_id limit 1
    ) began
    on conflict (chain_id, vault_address, kind) do update set
      data = excluded.data, reported_at = excluded.reported_at, report_id = excluded.report_id`.execute(tx);
}
