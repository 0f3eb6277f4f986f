// An alert as everybody sees it: the API, webhooks and the notices of channels.
import type { Address } from "viem";
import type { Alert } from "../../../events/alert.ts";
import { titleOf } from "../../../judgements/held-open.ts";
import { readableTime } from "../../../platform/http/time.ts";

export interface AlertRow {
  id: string;
  chain_id: number;
  vault_address: Address;
  category: Alert["category"];
  subject: string;
  severity: Alert["severity"];
  status: Alert["status"];
  vault_name: string | null;
  title: string;
  message: string;
  next_step: string;
  details: Record<string, unknown>;
  transaction_url: string | null;
  is_unconfirmed: boolean;
  is_withdrawn: boolean;
  is_flapping: boolean;
  /** Held open although nothing is seen of it since then. */
  quiet_since: string | null;
  started_at: string;
  last_seen_at: string;
  resolved_at: string | null;
  acknowledged_at: string | null;
  acknowledged_by: Address | null;
  last_notice: Alert["last_notice"];
}

/** The columns that the view is made of. */
export const ALERT_COLUMNS = `id, chain_id, vault_address, category, subject, severity, status, vault_name, title, message, next_step, details,
  transaction_url, is_unconfirmed, is_withdrawn, is_flapping, quiet_since, started_at, last_seen_at, resolved_at, acknowledged_at, acknowledged_by, last_notice`;

export function alertOf(row: AlertRow, publicUrl: string): Alert {
  return {
    id: row.id,
    category: row.category,
    subject: row.subject,
    severity: row.severity,
    status: row.status,
    vault_address: row.vault_address,
    chain_id: row.chain_id,
    vault_name: row.vault_name,
    ...wordsOf(row),
    next_step: row.next_step,
    details: row.details,
    console_url: `${publicUrl}/alerts/${row.id}`,
    transaction_url: row.transaction_url,
    is_unconfirmed: row.is_unconfirmed,
    is_withdrawn: row.is_withdrawn,
    is_flapping: row.is_flapping,
    started_at: row.started_at,
    last_seen_at: row.last_seen_at,
    resolved_at: row.resolved_at,
    acknowledged_at: row.acknowledged_at,
    acknowledged_by: row.acknowledged_by,
    last_notice: row.last_notice,
  };
}

/** What is held open is not so now, and does not say that it is. */
function wordsOf({ title, message, quiet_since, resolved_at }: AlertRow): Pick<Alert, "title" | "message"> {
  if (quiet_since === null || resolved_at !== null) return { title, message };
  return {
    title: titleOf(title, quiet_since),
    message: `${message} This has not been so since ${readableTime(quiet_since)}; the alert stays open until that has lasted five minutes, since it comes and goes.`,
  };
}
