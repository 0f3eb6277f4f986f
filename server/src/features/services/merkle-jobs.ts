// Merkle jobs: a root being generated or published by the engine. Its newest report is its state; its end is an audit entry, once,
// whatever is reported of it later.
import { sql } from "kysely";
import { type AuditEntryInput, ZERO_ADDRESS } from "../../audit/entries/entries.ts";
import type { Tx } from "../../platform/db/db.ts";
import { laterReport, newest, type Report, type ReportHandler } from "../../reports/handler.ts";
import { type VaultRef, vaultIdOfRow } from "../../vault.ts";

type Job = Report<"vaultops.merkle.job">;

export const merkleJobs: ReportHandler<"vaultops.merkle.job"> = {
  type: "vaultops.merkle.job",
  async apply(tx, reports, effects) {
    await store(tx, reports);
    for (const report of await unrecordedEnds(tx, reports)) effects.audit(entryOf(report));
    return reports.map(() => null);
  },
};

const ROW = `chain_id bigint, vault_address text, kind text, job_id text, status text, root text, error text,
  actor_wallet text, started_at timestamptz, reported_at timestamptz, report_id text`;

async function store(tx: Tx, reports: readonly Job[]): Promise<void> {
  const firstAt = new Map<string, string>();
  for (const report of reports) {
    const before = firstAt.get(keyOf(report));
    if (before === undefined || report.time < before) firstAt.set(keyOf(report), report.time);
  }
  const rows = JSON.stringify(
    newest(reports, keyOf).map((report) => ({
      ...matterOf(report),
      status: report.data.status,
      root: report.data.root?.toLowerCase(),
      error: report.data.error,
      actor_wallet: report.data.actor_wallet,
      started_at: firstAt.get(keyOf(report)),
      reported_at: report.time,
      report_id: report.id,
    })),
  );
  await sql`
    insert into merkle_jobs as j
      (chain_id, vault_address, kind, job_id, status, root, error, actor_wallet, started_at, reported_at, report_id)
    select * from jsonb_to_recordset(${rows}::jsonb) as r (${sql.raw(ROW)})
    on conflict (chain_id, vault_address, kind, job_id) do update set started_at = least(j.started_at, excluded.started_at)`.execute(
    tx,
  );
  await sql`
    update merkle_jobs j set status = r.status, root = r.root, error = r.error, actor_wallet = r.actor_wallet,
      reported_at = r.reported_at, report_id = r.report_id
    from jsonb_to_recordset(${rows}::jsonb) as r (${sql.raw(ROW)})
    where j.chain_id = r.chain_id and j.vault_address = r.vault_address and j.kind = r.kind and j.job_id = r.job_id collate "C"
      and (j.reported_at, j.report_id) < (r.reported_at, r.report_id)`.execute(tx);
}

/** The reports that end a job of which no end is in the audit log yet: of several the earliest. They are marked as recorded. */
async function unrecordedEnds(tx: Tx, reports: readonly Job[]): Promise<Job[]> {
  const ends = new Map<string, Job>();
  for (const report of reports) {
    const before = ends.get(keyOf(report));
    if (report.data.status !== "running" && (before === undefined || laterReport(before, report)))
      ends.set(keyOf(report), report);
  }
  if (ends.size === 0) return [];
  const { rows } = await sql<Matter>`
    update merkle_jobs j set is_recorded = true
    from jsonb_to_recordset(${JSON.stringify([...ends.values()].map(matterOf))}::jsonb)
      as r (chain_id bigint, vault_address text, kind text, job_id text)
    where j.chain_id = r.chain_id and j.vault_address = r.vault_address and j.kind = r.kind and j.job_id = r.job_id collate "C"
      and not j.is_recorded
    returning j.chain_id, j.vault_address, j.kind, j.job_id`.execute(tx);
  const recorded = new Set(rows.map(textOf));
  return [...ends].filter(([key]) => recorded.has(key)).map(([, report]) => report);
}

function entryOf({ source, time, vault, data }: Job): AuditEntryInput {
  const { chainId, vaultAddress } = vault as VaultRef;
  return {
    action_type: data.kind === "generate" ? "merkle_generate" : "merkle_publish",
    vault_address: vaultAddress,
    chain_id: chainId,
    actor_wallet: data.actor_wallet ?? ZERO_ADDRESS,
    details: {
      job_id: data.job_id,
      status: data.status,
      ...(data.root === undefined ? {} : { root: data.root.toLowerCase() }),
      ...(data.error === undefined ? {} : { error: data.error }),
      reported_at: time,
      source,
      reported: true,
    },
  };
}

interface Matter {
  chain_id: number;
  vault_address: string;
  kind: string;
  job_id: string;
}

function matterOf({ vault, data }: Job): Matter {
  const { chainId, vaultAddress } = vault as VaultRef;
  return { chain_id: chainId, vault_address: vaultAddress, kind: data.kind, job_id: data.job_id };
}

function keyOf(report: Job): string {
  return textOf(matterOf(report));
}

function textOf(matter: Matter): string {
  return `${vaultIdOfRow(matter)}:${matter.kind}:${matter.job_id}`;
}
