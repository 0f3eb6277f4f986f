// Merkle roots of hooks: one that a guardian vetoed (by confirmed readings), and jobs of the engine that failed.

import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import { readableTime } from "../../platform/http/time.ts";
import { type Finding, NOTHING } from "../base/finding.ts";
import { engineSource, monitor, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf, withVault } from "../base/named-vault.ts";
import { thresholds } from "../base/thresholds.ts";
import { errorWords, vaultWords } from "../base/wording.ts";
import { chainVaults } from "./chain-vaults.ts";

const ROOT = "root";
const GLOBAL_ROOT = "global_root";

const MERKLE = {
  category: "merkle",
  name: "Merkle root",
  subject: "`root`, `global_root`, `generate`, `publish`",
  fires:
    "**critical**: the root was vetoed, or the aggregator's own root, which every vault falls back on. **warning**: the newest job of the kind failed; the next that succeeds resolves it",
  rule: thresholds("A merkle root that could not be generated or published, or was vetoed.", {}),
} as const;

export const merkleRoot = monitor({
  ...MERKLE,
  source: chainVaults,
  judge(vault) {
    if (!vault.isKnown || vault.veto === "unknown") return { findings: [], unknown: [ROOT, GLOBAL_ROOT] };
    const findings: Finding[] = [];
    if (vault.veto !== null) {
      const { root, txHash } = vault.veto;
      findings.push({
        subject: ROOT,
        severity: "critical",
        title: "Merkle root vetoed",
        message: `${vaultWords(vault)}: a guardian vetoed the merkle root ${root}. The strategy's hooks are refused while the veto stands.`,
        nextStep: "Ask the guardian for the reason, and propose a root without what was objected to.",
        details: { root },
        conditions: ["vetoed"],
        txHash,
      });
    }
    if (vault.isGlobalRootVetoed) {
      findings.push({
        subject: GLOBAL_ROOT,
        severity: "critical",
        title: "Global merkle root vetoed",
        message: `${vaultWords(vault)}: a guardian vetoed the global merkle root of its aggregator. Deposits and hooks are refused while the veto stands.`,
        nextStep: "Ask the guardians of the protocol for the reason. A vault's manager cannot lift it.",
        details: {},
        conditions: ["global_root_vetoed"],
      });
    }
    return findings.length === 0 ? NOTHING : { findings };
  },
});

const VERBS = { generate: ["generation", "Generating"], publish: ["publication", "Publishing"] } as const;

/** The newest job of its kind that ended, which failed. */
export interface FailedJob extends NamedVault {
  kind: "generate" | "publish";
  jobId: string;
  failedAt: string;
  error: string | null;
}

export const merkleJobs = monitor({
  ...MERKLE,
  source: engineSource(loadFailedJobs),
  judge(job) {
    const [noun, verb] = VERBS[job.kind];
    return {
      findings: [
        {
          subject: job.kind,
          severity: "warning",
          title: `Merkle root ${noun} failed`,
          message: `${vaultWords(job)}: ${verb.toLowerCase()} the merkle root failed at ${readableTime(job.failedAt)}${errorWords(job.error)}.`,
          nextStep:
            "Read the engine's log of the job, and run it again. The alert resolves with the next job of its kind that succeeds.",
          details: { job_id: job.jobId, kind: job.kind, failed_at: job.failedAt, error: job.error },
          conditions: ["failed"],
        },
      ],
    };
  },
});

async function loadFailedJobs(tx: Tx): Promise<FailedJob[]> {
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
