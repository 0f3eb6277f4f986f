// Confirm: the audit entries of blocks that are deep enough, written in one transaction with the mark that says so.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import { type StoredBody, toStored, type VaultFact } from "../chain/facts.ts";
import type { Tx } from "../platform/db.ts";
import type { StoredFact } from "./rows.ts";
import type { ChainStore } from "./store.ts";

/** A confirmed fact as the audit log takes it. */
export interface ConfirmedFact {
  chainId: number;
  vaultAddress: Address | null;
  actorWallet: Address;
  blockNumber: number;
  blockHash: Hash;
  /** Unix seconds. */
  blockTimestamp: number;
  txHash: Hash;
  logIndex: number;
  /** Who sent the transaction; null where that is not known. */
  txFrom: Address | null;
  body: StoredBody;
  /** Older than the moment at which its vault's source was first configured. */
  isHistory: boolean;
}

/** The door to the audit log. What writes does so in the given transaction and is called last in it. */
export interface Recorder {
  /** Makes the entries of confirmed facts, before the transaction, and returns what records them in it, in the given order. */
  facts(facts: readonly ConfirmedFact[]): (tx: Tx) => Promise<void>;
  /** Records that the entries of the blocks above `ancestor` were undone. Returns how many there were. */
  reverts(tx: Tx, chainId: number, ancestor: number): Promise<number>;
}

/** Tells whether a fact is history; unknown vaults' are not. */
export type IsHistory = (vault: Address | null, blockTimestamp: number) => boolean;

const MAX_FACTS = 2_000;

/**
 * Records every block up to `target`, which must not lie above the head. Blocks go one by one or many together, each
 * whole; a crash in between loses nothing, for the mark moves with the entries.
 */
export async function confirmUpTo(
  store: ChainStore,
  target: number,
  recorder: Recorder,
  isHistory: IsHistory,
): Promise<void> {
  while (store.confirmed < target) {
    const facts = await loadFacts(store, target, isHistory);
    if (facts.length === 0) {
      await store.commitAlone({ confirmed: target }, null);
      return;
    }
    const upTo = facts.length < MAX_FACTS ? target : facts.at(-1)!.blockNumber;
    await store.commit({ confirmed: upTo }, recorder.facts(facts));
  }
}

/** The facts as they are stored and recorded. */
export function confirmedFactsOf(
  facts: readonly VaultFact[],
  isHistory: IsHistory,
): (ConfirmedFact & StoredFact)[] {
  return facts.map((fact) => ({
    ...fact,
    body: toStored(fact.body),
    isHistory: isHistory(fact.vaultAddress, fact.blockTimestamp),
  }));
}

interface FactRow {
  vault_address: Address | null;
  actor_wallet: Address;
  block_number: number;
  hash: Hash;
  block_timestamp: number;
  tx_hash: Hash;
  log_index: number;
  tx_from: Address | null;
  kind: string;
  data: object;
}

/** Facts of unconfirmed blocks up to `target`, in order: at least MAX_FACTS of them or all, the last block whole. */
async function loadFacts(store: ChainStore, target: number, isHistory: IsHistory): Promise<ConfirmedFact[]> {
  const { rows } = await sql<FactRow>`
    select f.vault_address, f.actor_wallet, f.block_number, b.hash,
           extract(epoch from b.block_timestamp)::bigint as block_timestamp, f.tx_hash, f.log_index, f.tx_from, f.kind, f.data
      from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
     where f.chain_id = ${store.chainId} and f.block_number > ${store.confirmed} and f.block_number <= ${target}
     order by f.block_number
     fetch first ${MAX_FACTS} rows with ties`.execute(store.db.kysely);
  rows.sort((a, b) => a.block_number - b.block_number || a.log_index - b.log_index);
  return rows.map((row) => ({
    chainId: store.chainId,
    vaultAddress: row.vault_address,
    actorWallet: row.actor_wallet,
    blockNumber: row.block_number,
    blockHash: row.hash,
    blockTimestamp: row.block_timestamp,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    txFrom: row.tx_from,
    body: { kind: row.kind, ...row.data } as StoredBody,
    isHistory: isHistory(row.vault_address, row.block_timestamp),
  }));
}
