// Replay: everything that is derived from a chain's stored facts, made anew from them. It asks no node and touches neither facts nor the
// audit log; what was read from the node (states, samples, who manages where no event told) stays and is used again.
//
// Guarantee: all of a chain or nothing of it, in one transaction, which only the holder of the chain's lease can commit; readers see
// the old rows until then.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { StoredBody, VaultFact } from "../chain/facts.ts";
import { fromStored } from "../chain/stored-facts.ts";
import type { Database, Tx } from "../platform/db.ts";
import {
  type ChainBlock,
  type KeptReadings,
  type ProjectedBlock,
  type Projection,
  project,
} from "./projection.ts";
import { LeadLost } from "./store.ts";

export interface ReplayOptions {
  /** As the owner of the tables: the application's role may remove nothing that is derived. */
  db: Database;
  chainId: number;
  /** Of the lease under which it is done. */
  token: number;
  projections: readonly Projection[];
  /** Aborted: nothing has been changed. */
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
  /** Facts applied at once. */
  batchFacts?: number;
}

/** @returns how many facts there were. @throws LeadLost when the lease is another's, the signal's reason when it aborts */
export async function replayChain(options: ReplayOptions): Promise<{ facts: number }> {
  const { db, chainId, projections, signal, onProgress } = options;
  return await db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await begin(tx, options);
    const total = await countFacts(tx, chainId);
    for (const { replay } of projections) await replay.clear(tx, chainId);
    let done = 0;
    for (let after = -1; ; ) {
      signal.throwIfAborted();
      onProgress(done, total);
      const facts = await loadFacts(tx, chainId, after, options.batchFacts ?? 5_000);
      const isLast = facts.length === 0;
      const upTo = facts.at(-1)?.blockNumber ?? Number.MAX_SAFE_INTEGER;
      for (const projection of projections) {
        const kept = (await projection.replay.readings?.(tx, chainId, after + 1, upTo)) ?? new Map();
        await project([projection], tx, await blocksOf(tx, chainId, facts, kept));
      }
      if (isLast) break;
      done += facts.length;
      after = upTo;
    }
    signal.throwIfAborted();
    return { facts: done };
  });
}

/** The fence of every commit of a leader: see ChainStore. */
async function begin(tx: Tx, { chainId, token }: ReplayOptions): Promise<void> {
  const { rows } = await sql`
    update chains c set revision = revision + 1 from chain_leases l
     where c.chain_id = ${chainId} and l.chain_id = c.chain_id and l.token = ${token} returning c.chain_id`.execute(
    tx,
  );
  if (rows.length === 0) throw new LeadLost(chainId);
}

async function countFacts(tx: Tx, chainId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from facts where chain_id = ${chainId}`.execute(tx);
  return Number(rows[0]!.n);
}

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

/** The facts of the blocks above one, in order, the last block whole. */
async function loadFacts(tx: Tx, chainId: number, after: number, limit: number): Promise<VaultFact[]> {
  const { rows } = await sql<FactRow>`
    select f.vault_address, f.actor_wallet, f.block_number, b.hash,
           extract(epoch from b.block_timestamp)::bigint as block_timestamp, f.tx_hash, f.tx_index, f.log_index, f.tx_from, f.kind, f.data
      from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
     where f.chain_id = ${chainId} and f.block_number > ${after}
     order by f.block_number
     fetch first ${limit} rows with ties`.execute(tx);
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
    body: fromStored({ kind: row.kind, ...row.data } as StoredBody),
  }));
}

/** Blocks that have facts or kept readings, in order. */
async function blocksOf(
  tx: Tx,
  chainId: number,
  facts: readonly VaultFact[],
  kept: KeptReadings,
): Promise<ProjectedBlock[]> {
  const byBlock = Map.groupBy(facts, ({ blockNumber }) => blockNumber);
  const blocks = new Map<number, ChainBlock>();
  for (const [number, [first]] of byBlock) {
    const { blockHash: hash, blockTimestamp: timestamp } = first!;
    blocks.set(number, { chainId, number, hash, parentHash: NO_HASH, timestamp });
  }
  const others = [...kept.keys()].filter((number) => !byBlock.has(number));
  for (const block of await loadBlocks(tx, chainId, others)) blocks.set(block.number, block);
  return [...blocks.values()]
    .sort((a, b) => a.number - b.number)
    .map((block) => ({
      block,
      facts: byBlock.get(block.number) ?? [],
      readings: kept.get(block.number) ?? new Map(),
    }));
}

async function loadBlocks(tx: Tx, chainId: number, numbers: number[]): Promise<ChainBlock[]> {
  if (numbers.length === 0) return [];
  const { rows } = await sql<{ number: number; hash: Hash; timestamp: number }>`
    select number, hash, extract(epoch from block_timestamp)::bigint as timestamp
      from blocks where chain_id = ${chainId} and number = any(${numbers}::bigint[])`.execute(tx);
  return rows.map((row) => ({ chainId, ...row, parentHash: NO_HASH }));
}

/** No projection has a use for a parent's hash. */
const NO_HASH: Hash = `0x${"0".repeat(64)}`;
