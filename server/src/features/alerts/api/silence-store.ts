// The SQL of silences, each change with its audit entry and a word to whoever evaluates.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Address } from "viem";
import { record } from "../../../audit/append/record.ts";
import type { ChatVia } from "../../../audit/entries/details.ts";
import type { AuditEntryInput } from "../../../audit/entries/entries.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import { all } from "../../../platform/db/conditions.ts";
import { type Database, executeNamed, type Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { VaultRef } from "../../../vault.ts";
import { ALERTS_CHANNEL } from "../judge/worker.ts";
import { type Scope, scopeConditions } from "./alert-store.ts";

/** A silence in the API's form. */
export interface SilenceRow {
  id: string;
  chain_id: number;
  vault_address: Address;
  category: AlertCategory | null;
  reason: string;
  created_by: Address;
  created_at: string;
  ends_at: string;
  /** Who ended it early. */
  ended_by: Address | null;
}

const COLUMNS = sql`id, chain_id, vault_address, category, reason, created_by, created_at, ends_at, ended_by`;

export async function listSilences(
  db: Pick<Database, "kysely">,
  scope: Scope,
  filter: { is_active?: boolean; limit: number; offset: number },
  nowMs: number,
): Promise<{ rows: SilenceRow[]; total: number }> {
  const conditions = scopeConditions(scope);
  if (filter.is_active !== undefined)
    conditions.push(sql`(ends_at > ${timestampOfMs(nowMs)}) = ${filter.is_active}`);
  const matching = sql`from silences where ${all(conditions)}`;
  const { rows } = await sql<{ total: number } & (SilenceRow | { id: null })>`
    select t.total, s.* from (select count(*) as total ${matching}) t
    left join (
      select ${COLUMNS} ${matching}
      order by silences.created_at desc, id desc limit ${filter.limit} offset ${filter.offset}
    ) s on true
    order by s.created_at desc, s.id desc`.execute(db.kysely);
  return {
    rows: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [row as SilenceRow])),
    total: rows[0]?.total ?? 0,
  };
}

export async function findSilence(db: Pick<Database, "kysely">, id: string): Promise<SilenceRow | null> {
  const silence = sql<SilenceRow>`select ${COLUMNS} from silences where id = ${id}`;
  const { rows } = await executeNamed(db.kysely, "silence", silence);
  return rows[0] ?? null;
}

export async function createSilence(
  db: Pick<Database, "transaction">,
  place: VaultRef,
  silence: NewSilence,
  wallet: Address,
  nowMs: number,
): Promise<SilenceRow> {
  return db.transaction((tx) => createSilenceIn(tx, place, silence, wallet, nowMs));
}

interface NewSilence {
  category: AlertCategory | null;
  ends_at: string;
  reason: string;
}

/** The same in a transaction, of which it is the last. `via`: how it came, where it did not come over the API. */
export async function createSilenceIn(
  tx: Tx,
  { chainId, vaultAddress }: VaultRef,
  silence: NewSilence,
  wallet: Address,
  nowMs: number,
  via?: ChatVia,
): Promise<SilenceRow> {
  const { rows } = await sql<SilenceRow>`
    insert into silences (id, chain_id, vault_address, category, reason, created_by, created_at, ends_at)
    values (${randomUUID()}, ${chainId}, ${vaultAddress}, ${silence.category}, ${silence.reason}, ${wallet},
      ${timestampOfMs(nowMs)}, ${silence.ends_at})
    returning ${COLUMNS}`.execute(tx);
  const made = rows[0] as SilenceRow;
  await tell(tx);
  await record(tx, [entryOf(made, wallet, via && { via })]);
  return made;
}

/** Ends a silence early. False: it had ended. */
export async function endSilence(
  db: Pick<Database, "transaction">,
  id: string,
  wallet: Address,
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const now = timestampOfMs(nowMs);
    const { rows } = await sql<SilenceRow>`
      update silences set ends_at = greatest(created_at, ${now}), ended_by = ${wallet}
      where id = ${id} and ends_at > ${now} returning ${COLUMNS}`.execute(tx);
    if (rows[0] === undefined) return false;
    await tell(tx);
    await record(tx, [entryOf(rows[0], wallet, { ended: true })]);
    return true;
  });
}

async function tell(tx: Tx): Promise<void> {
  await sql`select pg_notify(${ALERTS_CHANNEL}, '')`.execute(tx);
}

function entryOf(
  silence: SilenceRow,
  wallet: Address,
  more: { ended?: true; via?: ChatVia } = {},
): AuditEntryInput {
  return {
    action_type: "alert_silence",
    chain_id: silence.chain_id,
    vault_address: silence.vault_address,
    actor_wallet: wallet,
    details: {
      silence_id: silence.id,
      category: silence.category,
      ends_at: silence.ends_at,
      reason: silence.reason,
      ...more,
    },
  };
}
