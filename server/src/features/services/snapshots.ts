// Reports that replace what was reported before: the state of a vault's shard, its session key's readiness, the engine's own price.
// The newest by `time` stands, whenever it comes.
import { sql } from "kysely";
import type { EventType } from "../../reports/events.ts";
import { newest, type Report, type ReportHandler } from "../../reports/handler.ts";
import { type VaultRef, vaultIdOf } from "../../vault.ts";

export const shardStates: ReportHandler<"vaultops.shard.state"> = {
  type: "vaultops.shard.state",
  async apply(tx, reports) {
    const rows = newest(reports, vaultOf).map((report) => ({
      ...headOf(report),
      body: JSON.stringify(report.data),
      tick_interval: report.data.tick_interval,
    }));
    await sql`
      insert into shard_states as s (chain_id, vault_address, body, tick_interval, reported_at, report_id)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (chain_id bigint, vault_address text, body text,
        tick_interval double precision, reported_at timestamptz, report_id text)
      on conflict (chain_id, vault_address) do update set
        body = excluded.body, tick_interval = excluded.tick_interval, reported_at = excluded.reported_at, report_id = excluded.report_id
      where (s.reported_at, s.report_id) < (excluded.reported_at, excluded.report_id)`.execute(tx);
    return reports.map(() => null);
  },
};

export const sessionKeys: ReportHandler<"vaultops.session_key.readiness"> = {
  type: "vaultops.session_key.readiness",
  async apply(tx, reports) {
    const rows = newest(reports, vaultOf).map((report) => ({ ...headOf(report), ...report.data }));
    await sql`
      insert into session_keys as s
        (chain_id, vault_address, is_ready, key_address, expires_at, pending_rotation, reason, reported_at, report_id)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (chain_id bigint, vault_address text, is_ready boolean,
        key_address text, expires_at timestamptz, pending_rotation boolean, reason text, reported_at timestamptz, report_id text)
      on conflict (chain_id, vault_address) do update set
        is_ready = excluded.is_ready, key_address = excluded.key_address, expires_at = excluded.expires_at,
        pending_rotation = excluded.pending_rotation, reason = excluded.reason,
        reported_at = excluded.reported_at, report_id = excluded.report_id
      where (s.reported_at, s.report_id) < (excluded.reported_at, excluded.report_id)`.execute(tx);
    return reports.map(() => null);
  },
};

export const ppsReports: ReportHandler<"vaultops.pps.report"> = {
  type: "vaultops.pps.report",
  async apply(tx, reports) {
    const rows = newest(reports, vaultOf).map((report) => ({ ...headOf(report), data: report.data }));
    await sql`
      insert into vault_reports as v (chain_id, vault_address, kind, data, reported_at, report_id)
      select chain_id, vault_address, 'pps', data, reported_at, report_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r (chain_id bigint, vault_address text, data jsonb, reported_at timestamptz, report_id text)
      on conflict (chain_id, vault_address, kind) do update set
        data = excluded.data, reported_at = excluded.reported_at, report_id = excluded.report_id
      where (v.reported_at, v.report_id) < (excluded.reported_at, excluded.report_id)`.execute(tx);
    return reports.map(() => null);
  },
};

function headOf({ vault, time, id }: Report<EventType>) {
  const { chainId, vaultAddress } = vault as VaultRef;
  return { chain_id: chainId, vault_address: vaultAddress, reported_at: time, report_id: id };
}

function vaultOf({ vault }: Report<EventType>): string {
  return vaultIdOf(vault as VaultRef);
}
