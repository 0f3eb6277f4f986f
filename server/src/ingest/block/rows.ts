// Rows: blocks, vaults and facts into their tables, and facts back.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { StoredBody, StoredFact } from "../../chain/facts.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { type Columns, tableOf } from "../../platform/db/rows.ts";
import type { Scope } from "../../platform/db/scope.ts";
import type { FoundVault } from "./discover.ts";

/** `parentHash` is null for a block known from its logs alone. */
export interface BlockRow {
  number: number;
  hash: string;
  parentHash: string | null;
  timestamp: number;
  isEmpty: boolean;
}

/**
 * Blocks that are there already stay, and are no longer empty when they are not.
 * @throws ChainFault `inconsistent` when another block stands at the height of one
 */
export async function insertBlocks(tx: Tx, chainId: number, blocks: readonly BlockRow[]): Promise<void> {
  await blocksInsertion(chainId, blocks)(tx);
}

/** The same, with everything but the statement done before the transaction. */
export function blocksInsertion(chainId: number, blocks: readonly BlockRow[]): (tx: Tx) => Promise<void> {
  if (blocks.length === 0) return async () => {};
  const statement = sql`
    insert into blocks as held (chain_id, number, hash, parent_hash, block_timestamp, is_empty)
    select ${chainId}, * from ${tableOf(BLOCK_COLUMNS, blocks)} as given
    on conflict (chain_id, number) do update set is_empty = held.is_empty and excluded.is_empty
      where held.hash = excluded.hash`;
  return async (tx) => {
    const { numAffectedRows } = await statement.execute(tx);
    if (numAffectedRows !== BigInt(blocks.length)) {
      throw new ChainFault(
        "inconsistent",
        "the node gives another block than the one stored at the same height",
      );
    }
  };
}

const BLOCK_COLUMNS: Columns<BlockRow> = {
  number: "bigint",
  hash: "text",
  parentHash: "text",
  timestamp: "timestamptz",
  isEmpty: "boolean",
};

export async function insertVaults(tx: Tx, chainId: number, found: readonly FoundVault[]): Promise<void> {
  for (const { vault, description, announcement, holders, isIncomplete = false } of found) {
    await sql`
      insert into vaults (chain_id, address, family, source_address, strategy_address, escrow_address, asset_address,
                          asset_symbol, share_address, name, symbol, share_decimals, asset_decimals, capabilities,
                          created_block, created_at, is_incomplete, described_managers)
      values (${chainId}, ${vault.address}, ${vault.family}, ${vault.source.address}, ${vault.strategy}, ${vault.escrow},
              ${description.asset}, ${description.assetSymbol}, ${vault.share}, ${description.name}, ${description.symbol}, ${description.shareDecimals},
              ${description.assetDecimals}, ${JSON.stringify(description.capabilities)}::jsonb,
              ${announcement?.blockNumber ?? null}, to_timestamp(${announcement?.blockTimestamp ?? null}::bigint),
              ${isIncomplete}, ${holders}::text[])`.execute(tx);
  }
  // Its token is to be read and priced now rather than at the next look.
  if (found.length > 0) await sql`select pg_notify('vaultops_vaults', '')`.execute(tx);
}

/**
 * Their blocks must be there. A vault's fact that is there already is an error: nothing is recorded twice. What concerns no vault
 * (a governor's events) may have come by another source that shares the contract, and stays as it is.
 */
export async function insertFacts(tx: Tx, chainId: number, facts: readonly StoredFact[]): Promise<void> {
  await factsInsertion(chainId, facts)(tx);
}

/** The same, with everything but the statement done before the transaction. It answers the facts that were there already. */
export function factsInsertion<F extends StoredFact>(
  chainId: number,
  facts: readonly F[],
): (tx: Tx) => Promise<ReadonlySet<F>> {
  const { own = [], shared = [] } = Object.groupBy(facts, (fact) =>
    fact.vaultAddress === null ? "shared" : "own",
  );
  const ownInsert = own.length > 0 ? factsInsert(chainId, own) : null;
  const sharedInsert =
    shared.length > 0
      ? sql<{ block_number: number; log_index: number }>`
          ${factsInsert(chainId, shared)} on conflict do nothing returning block_number, log_index`
      : null;
  return async (tx) => {
    await ownInsert?.execute(tx);
    if (sharedInsert === null) return new Set();
    const { rows } = await sharedInsert.execute(tx);
    const written = new Set(rows.map((row) => `${row.block_number}:${row.log_index}`));
    return new Set(shared.filter((fact) => !written.has(`${fact.blockNumber}:${fact.logIndex}`)));
  };
}

function factsInsert(chainId: number, facts: readonly StoredFact[]) {
  const rows = facts.map(({ body: { kind, ...data }, ...place }) => ({ ...place, kind, data }));
  return sql`
    insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, tx_from, data)
    select ${chainId}, * from ${tableOf(FACT_COLUMNS, rows)} as given`;
}

const FACT_COLUMNS = {
  blockNumber: "bigint",
  logIndex: "integer",
  kind: "text",
  vaultAddress: "text",
  txHash: "text",
  txIndex: "integer",
  actorWallet: "text",
  txFrom: "text",
  data: "jsonb",
} as const;

interface FactRow {
  vault_address: Address | null;
  actor_wallet: Address;
  block_number: number;
  hash: Hash;
  block_timestamp: number;
  tx_hash: Hash;
  tx_index: number;
  log_index: number;
  tx_from: Address | null;
  kind: string;
  data: object;
}

/** The facts of a range of blocks, in order: at least `limit` of them or all, the last block whole. */
export async function loadStoredFacts(
  db: Database["kysely"],
  { chainId, vault }: Scope,
  { above, upTo }: { above: number; upTo: number },
  limit: number,
): Promise<StoredFact[]> {
  const { rows } = await sql<FactRow>`
    select f.vault_address, f.actor_wallet, f.block_number, b.hash,
           extract(epoch from b.block_timestamp)::bigint as block_timestamp, f.tx_hash, f.tx_index, f.log_index, f.tx_from, f.kind, f.data
      from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
     where f.chain_id = ${chainId} and f.block_number > ${above} and f.block_number <= ${upTo}
       ${vault === undefined ? sql`` : sql`and f.vault_address = ${vault}`}
     order by f.block_number
     fetch first ${limit} rows with ties`.execute(db);
  rows.sort((a, b) => a.block_number - b.block_number || a.log_index - b.log_index);
  return rows.map((row) => ({
    chainId,
    vaultAddress: row.vault_address,
    actorWallet: row.actor_wallet,
    blockNumber: row.block_number,
    blockHash: row.hash,
    blockTimestamp: row.block_timestamp,
    txHash: row.tx_hash,
    txIndex: row.tx_index,
    logIndex: row.log_index,
    txFrom: row.tx_from,
    body: { kind: row.kind, ...row.data } as StoredBody,
  }));
}
