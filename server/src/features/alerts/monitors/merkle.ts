// Merkle roots of hooks: one that a guardian vetoed (by confirmed readings), and jobs of the engine that failed.
import type { AlertRules } from "../../../config/alert-rules.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { type Finding, type Monitor, NOTHING } from "../state/finding.ts";
import type { ChainVault, FailedJob } from "../state/state.ts";
import { errorWords, vaultWords } from "../state/wording.ts";

const ROOT = "root";
const GLOBAL_ROOT = "global_root";

export const merkleRoot: Monitor<ChainVault, AlertRules["merkle"]> = {
  category: "merkle",
  judge(vault) {
    if (!vault.isKnown || vault.veto === "unknown") return { findings: [], unknown: [ROOT, GLOBAL_ROOT] };
    const findings: Finding[] = [];
    if (vault.veto !== null) {
      const { root, txHash } = vault.veto;
      findings.push({
        subject: ROOT,
        severity: "critical",
        title: "Merkle root vetoed",
        message: `${vaultWords(vault)}: a guardian vetoed the merkle root ${root}. The strategy's hooks are refused while the veto is in force.`,
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
        message: `${vaultWords(vault)}: a guardian vetoed the global merkle root of its aggregator. Deposits and hooks are refused while the veto is in force.`,
        nextStep: "Ask the guardians of the protocol for the reason. A vault's manager cannot lift it.",
        details: {},
        conditions: ["global_root_vetoed"],
      });
    }
    return findings.length === 0 ? NOTHING : { findings };
  },
};

const VERBS = { generate: ["generation", "Generating"], publish: ["publication", "Publishing"] } as const;

export const merkleJobs: Monitor<FailedJob, AlertRules["merkle"]> = {
  category: "merkle",
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
};
