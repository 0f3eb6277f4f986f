// Applies reported fills of intents. A fill may come before its intent's first event: it is kept, and counted when the event comes.
// A fill is known by its vault, intent and `fill_id`; of two reports of it the one made later stands.
import { sql } from "kysely";
import { executeNamed, type Tx } from "../../platform/db/db.ts";
import { isLater, type Report, type ReportHandler } from "../../reports/handler.ts";
import { vaultIdOf, vaultIdOfRow } from "../../vault.ts";
import { otherVault } from "./reports.ts";

type FillReport = Report<"vaultops.intent.fill">;

interface FillRow {
  vault_chain_id: number;
  vault_address: string;
  intent_id: string;
  fill_id: string;
  chain_id: number;
  tx_hash: string;
  token_in: string;
  token_out: string;
  amount_in: string;
  amount_out: string;
  gas_used: string | null;
  venue: string | null;
  fill_time: string;
  event_time: string;
  event_id: string;
}

export const intentFillHandler: ReportHandler<"vaultops.intent.fill"> = {
  type: "vaultops.intent.fill",

  async apply(tx, reports) {
    const owners = await loadOwners(tx, reports);
    const rows = new Map<string, FillRow>();
    const rejections = reports.map((report) => {
      const row = rowOf(report);
      const owner = owners.get(row.intent_id);
      if (
        owner !== undefined &&
        owner !== vaultIdOf({ chainId: row.vault_chain_id, vaultAddress: row.vault_address })
      )
        return otherVault(row.intent_id);
      const key = JSON.stringify([row.vault_chain_id, row.vault_address, row.intent_id, row.fill_id]);
      const before = rows.get(key);
      if (before === undefined || isLater(row, before)) rows.set(key, row);
      return null;
    });
    await writeFills(tx, [...rows.values()]);
    return rejections;
  },
};

function rowOf({ vault, data, time, id }: FillReport): FillRow {
  if (vault === null) throw new Error("a fill names no vault");
  return {
    vault_chain_id: vault.chainId,
    vault_address: vault.vaultAddress,
    intent_id: data.intent_id,
    fill_id: data.fill_id,
    chain_id: data.chain_id,
    tx_hash: data.tx_hash.toLowerCase(),
    token_in: data.token_in,
    token_out: data.token_out,
    amount_in: data.amount_in,
    amount_out: data.amount_out,
    gas_used: data.gas_used ?? null,
    venue: data.venue ?? null,
    fill_time: data.fill_time,
    event_time: time,
    event_id: id,
  };
}

/** The vault of each intent that is known. */
async function loadOwners(tx: Tx, reports: readonly FillReport[]): Promise<Map<string, string>> {
  const ids = [...new Set(reports.map(({ data }) => data.intent_id))];
  const { rows } = await executeNamed(
    tx,
    "engine_fill_owners",
    sql<{ intent_id: string; chain_id: number; vault_address: string }>`
    select intent_id, chain_id, vault_address from intents where intent_id = any(${ids}::text[])`,
  );
  return new Map(rows.map((row) => [row.intent_id, vaultIdOfRow(row)]));
}

const COLUMNS = [
  "chain_id",
  "tx_hash",
  "token_in",
  "token_out",
  "amount_in",
  "amount_out",
  "gas_used",
  "venue",
  "fill_time",
  "event_time",
  "event_id",
];

/** Another transaction than the one reported before is looked for again. */
async function writeFills(tx: Tx, rows: readonly FillRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = COLUMNS.join(", ");
  const isAnother = "(excluded.chain_id, excluded.tx_hash) <> (held.chain_id, held.tx_hash)";
  const anew = (name: string, value: string) =>
    `${name} = case when ${isAnother} then ${value} else held.${name} end`;
  await executeNamed(
    tx,
    "engine_fills",
    sql`
    with written as (
      insert into intent_fills as held (vault_chain_id, vault_address, intent_id, fill_id, ${sql.raw(columns)})
      select vault_chain_id, vault_address, intent_id, fill_id, ${sql.raw(columns)}
      from json_populate_recordset(null::intent_fills, ${JSON.stringify(rows)}::json)
      on conflict (vault_chain_id, vault_address, intent_id, fill_id) do update set
        ${sql.raw(COLUMNS.map((name) => `${name} = excluded.${name}`).join(", "))},
        ${sql.raw(
          [
            anew("onchain", "'pending'"),
            anew("block_number", "null"),
            anew("block_hash", "null"),
            anew("is_reverted", "null"),
            anew("was_seen", "false"),
            anew("unknown_since", "null"),
            anew("check_at", "now()"),
          ].join(", "),
        )}
        where (excluded.event_time, excluded.event_id) > (held.event_time, held.event_id)
      returning vault_chain_id, vault_address, intent_id, xmax = 0 as is_new
    ), counted as (
      select vault_chain_id, vault_address, intent_id, count(*) as n from written where is_new group by 1, 2, 3
    )
    update intents i set fills_count = i.fills_count + c.n from counted c
    where i.intent_id = c.intent_id and i.chain_id = c.vault_chain_id and i.vault_address = c.vault_address`,
  );
}
