// Applies reported executions of redemptions, each joined with what is known of its transaction.
//
// One transaction is one execution per vault. An execution reported before its transaction was known, and a transaction seen before
// its execution was reported, become one when a report names both; the id of the one known first stays. Of the reports of an
// execution the one made latest stands; a `tx_hash` once reported is kept by reports that name none.
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import { isLater, oneByOne, type Rejection, type Report } from "../../reports/handler.ts";

type ExecutionReport = Report<"vaultops.redemption.execution">;

/** A row of redemption_executions, as far as it is decided on here. */
interface Row {
  id: string;
  execution_id: string | null;
  tx_hash: string | null;
  event_time: string | null;
  event_id: string | null;
  tx_event_time: string | null;
  tx_event_id: string | null;
  is_onchain: boolean;
}

export const redemptionHandler = oneByOne("vaultops.redemption.execution", async (tx, report) => {
  const { execution, transaction } = await load(tx, report);
  const other = transaction?.execution_id ?? null;
  if (other !== null && other !== report.data.execution_id)
    return conflict(`That transaction is execution ${JSON.stringify(other)} of the vault already.`);
  const row = execution ?? transaction;
  if (row === null) {
    await insert(tx, report);
    return null;
  }
  const txHash = txOf(report);
  const isNewestTx = txHash !== null && isNewer(report, row.tx_event_time, row.tx_event_id);
  if (isNewestTx && row.is_onchain && row.tx_hash !== txHash)
    return conflict(
      `The execution's transaction ${row.tx_hash} is onchain; it cannot have become ${txHash}.`,
    );
  if (isNewer(report, row.event_time, row.event_id)) await writeReport(tx, row.id, report);
  if (isNewestTx) {
    const joined = transaction !== null && transaction.id !== row.id ? transaction.id : null;
    await writeTransaction(tx, row.id, joined, report, txHash);
  }
  return null;
});

function conflict(detail: string): Rejection {
  return { code: "execution_conflict", detail };
}

function isNewer(report: ExecutionReport, time: string | null, id: string | null): boolean {
  if (time === null || id === null) return true;
  return isLater({ event_time: report.time, event_id: report.id }, { event_time: time, event_id: id });
}

function placeOf({ vault }: ExecutionReport): { chainId: number; vaultAddress: string } {
  if (vault === null) throw new Error("an execution names no vault");
  return vault;
}

function txOf({ data }: ExecutionReport): string | null {
  return data.tx_hash?.toLowerCase() ?? null;
}

/** What is known by the report's execution id, and by its transaction; they may be the same. */
async function load(
  tx: Tx,
  report: ExecutionReport,
): Promise<{ execution: Row | null; transaction: Row | null }> {
  const { chainId, vaultAddress } = placeOf(report);
  const { execution_id: executionId } = report.data;
  const txHash = txOf(report);
  const { rows } = await sql<Row>`
    select id, execution_id, tx_hash, event_time, event_id, tx_event_time, tx_event_id, exists (
        select from redemption_fulfilments f
        where f.chain_id = r.chain_id and f.vault_address = r.vault_address and f.tx_hash = r.tx_hash
      ) as is_onchain
    from redemption_executions r
    where chain_id = ${chainId} and vault_address = ${vaultAddress}
      and (execution_id = ${executionId} or tx_hash = ${txHash})
    order by id for update of r`.execute(tx);
  return {
    execution: rows.find((row) => row.execution_id === executionId) ?? null,
    transaction: rows.find((row) => txHash !== null && row.tx_hash === txHash) ?? null,
  };
}

/** The indexer may see the transaction at this very moment; then its row is there, and gets the report. */
async function insert(tx: Tx, report: ExecutionReport): Promise<void> {
  const { chainId, vaultAddress } = placeOf(report);
  const { data } = report;
  const txHash = txOf(report);
  const [txTime, txId] = txHash === null ? [null, null] : [report.time, report.id];
  await sql`
    insert into redemption_executions (chain_id, vault_address, execution_id, tx_hash, status, controllers_count,
      total_shares_fulfilled, total_assets_out, pps_at_fulfillment, event_time, event_id, tx_event_time, tx_event_id, created_at)
    values (${chainId}, ${vaultAddress}, ${data.execution_id}, ${txHash}, ${data.status}, ${data.controllers_count},
      ${data.total_shares_fulfilled}, ${data.total_assets_out}, ${data.pps_at_fulfillment}, ${report.time}, ${report.id},
      ${txTime}, ${txId}, ${data.created_at})
    on conflict (chain_id, vault_address, tx_hash) do update set execution_id = excluded.execution_id, status = excluded.status,
      controllers_count = excluded.controllers_count, total_shares_fulfilled = excluded.total_shares_fulfilled,
      total_assets_out = excluded.total_assets_out, pps_at_fulfillment = excluded.pps_at_fulfillment,
      event_time = excluded.event_time, event_id = excluded.event_id, tx_event_time = excluded.tx_event_time,
      tx_event_id = excluded.tx_event_id, created_at = excluded.created_at`.execute(tx);
}

async function writeReport(tx: Tx, id: string, { data, ...report }: ExecutionReport): Promise<void> {
  await sql`
    update redemption_executions set execution_id = ${data.execution_id}, status = ${data.status},
      controllers_count = ${data.controllers_count}, total_shares_fulfilled = ${data.total_shares_fulfilled},
      total_assets_out = ${data.total_assets_out}, pps_at_fulfillment = ${data.pps_at_fulfillment},
      event_time = ${report.time}, event_id = ${report.id}, created_at = ${data.created_at}
    where id = ${id}`.execute(tx);
}

/** Gives an execution its transaction. Where a row of the transaction's own was there (`joined`), the two become one. */
async function writeTransaction(
  tx: Tx,
  id: string,
  joined: string | null,
  report: ExecutionReport,
  txHash: string,
): Promise<void> {
  const { rows } = await sql<{ id: string; first_seen_at: string }>`
    delete from redemption_executions where id = ${joined} returning id, first_seen_at`.execute(tx);
  const [gone] = rows;
  try {
    await sql`
      update redemption_executions set tx_hash = ${txHash}, tx_event_time = ${report.time}, tx_event_id = ${report.id},
        id = case when first_seen_at <= coalesce(${gone?.first_seen_at ?? null}::timestamptz, 'infinity') then id else ${gone?.id ?? null}::uuid end,
        first_seen_at = least(first_seen_at, ${gone?.first_seen_at ?? null}::timestamptz)
      where id = ${id}`.execute(tx);
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    // The indexer has written the transaction's row since it was looked for: the whole request is run again.
    throw Object.assign(new Error("the transaction was seen in the meantime", { cause: error }), {
      code: SERIALIZATION_FAILURE,
    });
  }
}

const UNIQUE_VIOLATION = "23505";
const SERIALIZATION_FAILURE = "40001";
