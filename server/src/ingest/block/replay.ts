// Replay: everything that is derived from a chain's stored facts, or from those of one of its vaults, made anew from them. It asks no node and touches neither facts nor the
// audit log; what was read from the node (states, samples, who manages where no event told) stays and is used again.
//
// Guarantee: all of a chain or nothing of it, in one transaction, which only the holder of the chain's lease can commit; readers see
// the old rows until then.
import { sql } from "kysely";
import type { Hash } from "viem";
import type { VaultFact } from "../../chain/facts.ts";
import {
  blocksOfFacts,
  type ChainBlock,
  NO_HASH,
  type ProjectedBlock,
  type ReadingsByBlock,
} from "../../chain/projection.ts";
import { fromStored } from "../../chain/stored-facts.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { type Scope, within } from "../../platform/db/scope.ts";
import { type Projection, project } from "./projection.ts";
import { loadStoredFacts } from "./rows.ts";
import { LeadLost } from "./store.ts";

export interface ReplayOptions {
  /** As the owner of the tables. */
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
  return await options.db.transaction(async (tx) => {
    await begin(tx, options);
    return await replayIn(tx, options);
  });
}

/** The same in a transaction of the chain's leader; of one vault it takes no longer than that vault's past, however large the chain's is. */
export async function replayIn(
  tx: Tx,
  options: Pick<ReplayOptions, "projections" | "signal" | "batchFacts"> &
    Partial<Pick<ReplayOptions, "onProgress">> &
    Scope,
): Promise<{ facts: number }> {
  const { chainId, vault, projections, signal, onProgress } = options;
  const scope: Scope = { chainId, ...(vault !== undefined && { vault }) };
  await sql`set local statement_timeout = 0`.execute(tx);
  const total = await countFacts(tx, scope);
  for (const { replay } of projections) await replay.clear(tx, scope);
  let done = 0;
  for (let after = -1; ; ) {
    signal.throwIfAborted();
    onProgress?.(done, total);
    const range = { above: after, upTo: Number.MAX_SAFE_INTEGER };
    const stored = await loadStoredFacts(tx, scope, range, options.batchFacts ?? 5_000);
    const facts = stored.map((fact): VaultFact => ({ ...fact, body: fromStored(fact.body) }));
    const isLast = facts.length === 0;
    const upTo = facts.at(-1)?.blockNumber ?? Number.MAX_SAFE_INTEGER;
    for (const projection of projections) {
      const kept = (await projection.replay.readings?.(tx, scope, after + 1, upTo)) ?? new Map();
      await project([projection], tx, await blocksOf(tx, chainId, facts, kept));
    }
    if (isLast) break;
    done += facts.length;
    after = upTo;
  }
  signal.throwIfAborted();
  return { facts: done };
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

async function countFacts(tx: Tx, scope: Scope): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from facts where ${within(scope)}`.execute(tx);
  return Number(rows[0]!.n);
}

/** Blocks that have facts or kept readings, in order. */
async function blocksOf(
  tx: Tx,
  chainId: number,
  facts: readonly VaultFact[],
  kept: ReadingsByBlock,
): Promise<ProjectedBlock[]> {
  const ofFacts = blocksOfFacts(facts, kept);
  const seen = new Set(ofFacts.map(({ block }) => block.number));
  const others = await loadBlocks(
    tx,
    chainId,
    [...kept.keys()].filter((number) => !seen.has(number)),
  );
  const ofReadings = others.map((block) => ({
    block,
    facts: [],
    readings: kept.get(block.number) ?? new Map(),
  }));
  return [...ofFacts, ...ofReadings].sort((a, b) => a.block.number - b.block.number);
}

async function loadBlocks(tx: Tx, chainId: number, numbers: number[]): Promise<ChainBlock[]> {
  if (numbers.length === 0) return [];
  const { rows } = await sql<{ number: number; hash: Hash; timestamp: number }>`
    select number, hash, extract(epoch from block_timestamp)::bigint as timestamp
      from blocks where chain_id = ${chainId} and number = any(${numbers}::bigint[])`.execute(tx);
  return rows.map((row) => ({ chainId, ...row, parentHash: NO_HASH }));
}
