// Emergency liquidity exit: armed until it is stopped. It leaves no trace onchain; the engine reports it, and no reorganisation undoes that.

import { sql } from "kysely";
import type { Address } from "viem";
import type { Tx } from "../../platform/db/db.ts";
import { readableTime } from "../../platform/http/time.ts";
import { engineSource, monitor, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf, withVault } from "../base/named-vault.ts";
import { thresholds } from "../base/thresholds.ts";
import { vaultWords } from "../base/wording.ts";

export interface ExitState extends NamedVault {
  since: string | null;
  by: Address | null;
}

export const emergencyExit = monitor({
  category: "emergency_exit",
  name: "Emergency exit",
  subject: "`exit`",
  fires: "**critical**: armed, as the engine reports. Stopping it resolves it",
  rule: thresholds("An emergency liquidity exit that is armed.", {}),
  source: engineSource(loadExits),
  judge(exit) {
    const { since, by } = exit;
    const when = since === null ? "" : ` since ${readableTime(since)}`;
    return {
      findings: [
        {
          subject: "exit",
          severity: "critical",
          title: "Emergency liquidity exit armed",
          message: `${vaultWords(exit)}: an emergency liquidity exit has been armed${when}${by === null ? "" : `, by ${by}`}.`,
          nextStep:
            "Make sure that this is intended. Follow the unwinding of its positions, and stop the exit when it is done.",
          details: { since, by },
          conditions: ["armed"],
        },
      ],
    };
  },
});

async function loadExits(tx: Tx): Promise<ExitState[]> {
  const { rows } = await sql<RefRow & { since: string | null; by: Address | null }>`
    select ${REF}, r.data ->> 'since' as since, r.data ->> 'by' as by
    from vault_reports r ${withVault("r")}
    where r.kind = 'emergency_exit' and (r.data ->> 'is_armed')::boolean`.execute(tx);
  return rows.map((row) => ({ ...refOf(row), since: row.since, by: row.by }));
}
