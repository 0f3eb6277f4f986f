// The SQL behind the reads of alerts, and their acknowledgement. A page and its total come from one statement, so from one snapshot.
import { sql } from "kysely";
import type { Address } from "viem";
import { record } from "../../../audit/append/record.ts";
import type { ChatVia } from "../../../audit/entries/details.ts";
import type { VaultAccess } from "../../../auth/vaults.ts";
import type { Alert, AlertStatus } from "../../../events/alert.ts";
import { emit } from "../../../events/emit.ts";
import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import { all, type Condition, vaultRows } from "../../../platform/db/conditions.ts";
import { type Database, executeNamed, type Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf } from "../judge/view.ts";

const COLUMNS = sql.raw(ALERT_COLUMNS);

/** Of which vaults a caller sees alerts. */
export type Scope = Awaited<ReturnType<VaultAccess["visible"]>>;

export interface AlertFilter {
  category?: AlertCategory[];
  severity?: AlertSeverity[];
  status?: AlertStatus[];
  from_timestamp?: string;
  to_timestamp?: string;
  limit: number;
  offset: number;
}

/** The newest first. */
export async function listAlerts(
  db: Pick<Database, "kysely">,
  scope: Scope,
  filter: AlertFilter,
): Promise<{ rows: AlertRow[]; total: number }> {
  const matching = sql`from alerts where ${all([...scopeConditions(scope), ...filterConditions(filter)])}`;
  const { rows } = await sql<{ total: number } & (AlertRow | { id: null })>`
    select t.total, a.* from (select count(*) as total ${matching}) t
    left join (
      select ${COLUMNS} ${matching}
      order by alerts.started_at desc, id desc limit ${filter.limit} offset ${filter.offset}
    ) a on true
    order by a.started_at desc, a.id desc`.execute(db.kysely);
  return {
    rows: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [row as AlertRow])),
    total: rows[0]?.total ?? 0,
  };
}

/** What restricts a list to what may be seen; shared with the silences' list. */
export function scopeConditions(scope: Scope): Condition[] {
  if (!scope.all) return [sql`(chain_id, vault_address) in (${vaultRows(scope.vaults)})`];
  return [
    ...(scope.chainId === null ? [] : [sql`chain_id = ${scope.chainId}`]),
    ...(scope.vaultAddress === null ? [] : [sql`vault_address = ${scope.vaultAddress}`]),
  ];
}

function filterConditions(filter: AlertFilter): Condition[] {
  const { category, severity, status, from_timestamp: from, to_timestamp: to } = filter;
  return [
    ...(category ? [sql`category = any(${category})`] : []),
    ...(severity ? [sql`severity = any(${severity})`] : []),
    ...(status ? [sql`status = any(${status})`] : []),
    ...(from ? [sql`started_at >= ${from}`] : []),
    ...(to ? [sql`started_at < ${to}`] : []),
  ];
}

export async function findAlert(db: Pick<Database, "kysely">, id: string): Promise<AlertRow | null> {
  const alert = sql<AlertRow>`select ${COLUMNS} from alerts where id = ${id}`;
  const { rows } = await executeNamed(db.kysely, "alert", alert);
  return rows[0] ?? null;
}

/** Acknowledges an alert that fires, with its audit entry. False: it does not fire any more, or was acknowledged before. */
export async function acknowledge(
  db: Pick<Database, "transaction">,
  alert: AlertRow,
  wallet: Address,
  nowMs: number,
): Promise<boolean> {
  return db.transaction((tx) => acknowledgeIn(tx, alert, wallet, nowMs));
}

/** The same in a transaction, of which it is the last. `via`: how it came, where it did not come over the API. */
export async function acknowledgeIn(
  tx: Tx,
  alert: AlertRow,
  wallet: Address,
  nowMs: number,
  via?: ChatVia,
): Promise<boolean> {
  const { rows } = await sql`
    update alerts set acknowledged_at = ${timestampOfMs(nowMs)}, acknowledged_by = ${wallet}
    where id = ${alert.id} and status = 'firing' returning id`.execute(tx);
  if (rows.length === 0) return false;
  await emit(tx, [
    {
      type: "alert.acknowledged",
      chainId: alert.chain_id,
      vaultAddress: alert.vault_address,
      at: timestampOfMs(nowMs),
      data: { id: alert.id },
    },
  ]);
  await record(tx, [
    {
      action_type: "alert_acknowledge",
      chain_id: alert.chain_id,
      vault_address: alert.vault_address,
      actor_wallet: wallet,
      details: { alert_id: alert.id, category: alert.category, ...(via && { via }) },
    },
  ]);
  return true;
}

/** Alerts as they are now, as everybody sees them. */
export async function alertsById(tx: Tx, ids: readonly string[], publicUrl: string): Promise<Alert[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<AlertRow>`
    select ${COLUMNS} from alerts where id = any (${[...ids]}::uuid[])`.execute(tx);
  return rows.map((row) => alertOf(row, publicUrl));
}
