// Backfill: the past of sources that are behind the confirmed block, range by range: facts, projections and audit entries of a
// batch of blocks in one transaction that moves the sources' cursor with it, so that a crash at any instant loses and
// doubles nothing. The next range is fetched and decoded while the last one is committed; commits are in order.
//
// Only confirmed blocks are read here. Should a reorganisation reach below them all the same, the head undoes what was
// filled in, moves the cursors back, and what was under way is given up (`epoch`). The head may notice it after this loop has read from the
// other branch already: nothing is written unless the node still has a confirmed block that is held, asked for after what was read.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Block, RawLog } from "../../chain/client/client.ts";
import type { Source } from "../../chain/directory.ts";
import type { ConfirmedFact } from "../../chain/facts.ts";
import { blocksOfFacts, type ProjectedBlock } from "../../chain/projection.ts";
import type { VaultReading } from "../../chain/reading.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Tx } from "../../platform/db/db.ts";
import { traced } from "../../platform/telemetry/trace.ts";
import { confirmedFactsOf, type Recorder } from "../block/confirm.ts";
import { type BatchLimits, type ChainContext, historyJudge } from "../block/context.ts";
import type { FoundVault } from "../block/discover.ts";
import { type Extracted, extract } from "../block/extract.ts";
import { type Gap, gapAfter, insertGaps, logsOf } from "../block/gaps.ts";
import { project } from "../block/projection.ts";
import { blocksInsertion, factsInsertion, insertBlocks, insertVaults } from "../block/rows.ts";
import { blocksOfSightings, insertSightings, listedManagers, type Sighting } from "../block/sightings.ts";
import type { ChainStore, FollowedSource } from "../block/store.ts";
import { loadWorld, type World } from "../block/world.ts";
import { addressesOfControl, controlPastOf, inChainOrder } from "./control.ts";
import { HistorySampler } from "./history.ts";
import { fetchSpans } from "./spans.ts";
import { Timestamps } from "./timestamps.ts";

/** How far behind the confirmed block a source must be to be filled in beside the head; nearer ones the head takes along. */
export const NEAR_BLOCKS = 128;
/** How far below the head a node may still lag: half an hour of blocks of two seconds. */
const CHECKED_BLOCKS = 1_024;
/** What a transaction costs by itself is small beside so many; twice as many would gain a few hundredths and hold the log's lock longer. */
export const DEFAULT_BATCH: BatchLimits = { facts: 8_000, ms: 2_000 };
/** A batch that holds so many is written as soon as none is: the database need not wait for a full one. */
const EARLY_FACTS = 1_000;
/** Where a batch takes longer, the next is written when its turn has come and no earlier: it would wait in an open transaction. */
const QUICK_MS = 3_000;
/** Logs asked for at once; two such answers are under way while a batch is written. */
const SPAN_LOGS = 4_000;

export interface Progress {
  /** Sources being filled in together. */
  sources: number;
  fromBlock: number;
  nextBlock: number;
  toBlock: number;
  startedAtMs: number;
}

interface Batch {
  extracted: Extracted[];
  readings: Map<number, Map<Address, VaultReading>>;
  /** Blocks whose logs the nodes do not tell. */
  /** Of samples. */
  gaps: Gap[];
  leftOut: { block: Block; gap: Gap }[];
  facts: number;
  toBlock: number;
  startedAtMs: number;
}

interface PreparedBatch {
  toBlock: number;
  found: FoundVault[];
  gaps: Gap[];
  sightings: Sighting[];
  blocks: ProjectedBlock[];
  facts: number;
  insertBlocks(tx: Tx): Promise<void>;
  /** Answers what is there already, which another source has recorded. */
  insertFacts(tx: Tx): Promise<ReadonlySet<ConfirmedFact>>;
  record(tx: Tx, known: ReadonlySet<ConfirmedFact>): Promise<void>;
}

export class Backfill {
  readonly #context: ChainContext;
  /** Sources that are being filled in right now, by whichever loop. */
  readonly #busy = new Set<Source>();
  progress: Progress | null = null;
  /** How long the last batch took, with its wait for its turn. */
  #wroteMs = 0;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  isBusy(source: FollowedSource): boolean {
    return this.#busy.has(source.source);
  }

  /** Whether `step` would find something to do. */
  isWanted(): boolean {
    return this.#far().length > 0;
  }

  #far(): FollowedSource[] {
    const { store } = this.#context;
    return store.behind.filter(
      (source) => store.confirmed - source.nextBlock! >= NEAR_BLOCKS && !this.isBusy(source),
    );
  }

  /** Fills in the sources that are furthest behind, up to the confirmed block. False when none is far behind. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#context;
    const far = this.#far();
    if (far.length === 0) return false;
    const from = Math.min(...far.map((source) => source.nextBlock!));
    const group = far.filter((source) => source.nextBlock === from);
    // Stopping where others begin, so that they go on together.
    const others = far.flatMap((source) => (source.nextBlock! > from ? [source.nextBlock! - 1] : []));
    await this.fill(group, Math.min(store.confirmed, ...others), signal);
    return true;
  }

  /** Fills in sources that stand at the same block, up to `toBlock`, a confirmed one. Returns early when blocks were undone. */
  async fill(group: readonly FollowedSource[], toBlock: number, signal?: AbortSignal): Promise<void> {
    const fromBlock = group[0]?.nextBlock;
    if (fromBlock === undefined || fromBlock === null || fromBlock > toBlock) return;
    for (const { source } of group) this.#busy.add(source);
    const progress = {
      sources: group.length,
      fromBlock,
      nextBlock: fromBlock,
      toBlock,
      startedAtMs: this.#context.clock.now(),
    };
    if (toBlock - fromBlock >= NEAR_BLOCKS) this.progress = progress;
    try {
      await this.#run(group, fromBlock, toBlock, progress, signal);
    } finally {
      for (const { source } of group) this.#busy.delete(source);
      if (this.progress === progress) this.progress = null;
    }
  }

  async #run(
    group: readonly FollowedSource[],
    fromBlock: number,
    toBlock: number,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { client, store, log, batchLimits } = this.#context;
    const { epoch } = store;
    const sources = group.map(({ source }) => source);
    const world = await loadWorld(store.db, {
      chainId: store.chainId,
      sources,
      upTo: fromBlock - 1,
      seeds: this.#context.seeds,
      listed: listedManagers(this.#context.settings),
    });
    const sampler = new HistorySampler(this.#context, world);
    // Those that are being written: of the later one what does not depend on the other goes in meanwhile.
    let [earlier, later] = [Promise.resolve(true), Promise.resolve(true)];
    let writing = 0;
    let batch = this.#newBatch(fromBlock);
    let next = fromBlock;
    const leftOut = new Map<number, { block: Block; gap: Gap }>();
    const isLeftOut = (block: Block, fault: ChainFault) => {
      const gap = gapAfter(this.#context, logsOf(block), fault);
      if (gap) leftOut.set(block.number, { block, gap });
      return gap !== null;
    };
    try {
      while (next <= toBlock) {
        const addresses = [...world.directory.addresses(), ...addressesOfControl(world)];
        const checkFrom = checkedFrom(store);
        const spans = {
          fromBlock: next,
          toBlock,
          addresses,
          checkFrom,
          logs: Math.min(SPAN_LOGS, batchLimits.facts),
          signal,
          isLeftOut,
        };
        for await (const chunk of fetchSpans(client, spans)) {
          const extracted = await this.#extract(world, sources, chunk, isLeftOut);
          await sampler.sample(extracted.facts, batch);
          batch.extracted.push(extracted);
          batch.facts += extracted.facts.length;
          batch.toBlock = chunk.toBlock;
          next = chunk.toBlock + 1;
          if (next > toBlock || this.#isDue(batch, writing > 0)) {
            batch.leftOut = takenUpTo(batch.toBlock, leftOut);
            // Made while the batch before is being written.
            const prepared = await this.#prepare(batch, world);
            if (!(await earlier)) return;
            const previous = writing > 0 ? later.catch(() => false) : null;
            if (previous === null && !(await later)) return;
            writing += 1;
            earlier = later;
            later = this.#commit(group, prepared, epoch, progress, previous).finally(() => {
              writing -= 1;
            });
            later.catch(() => {});
            batch = this.#newBatch(next);
          }
          // The rest of the range was asked for without the addresses just found.
          if (extracted.hasNewAddresses) break;
        }
      }
      if (!(await earlier) || !(await later)) return;
      log.debug({ fromBlock, toBlock, sources: group.length }, "filled in");
    } finally {
      await Promise.allSettled([earlier, later]);
    }
  }

  #isDue(batch: Batch, isWriting: boolean): boolean {
    const { batchLimits, clock } = this.#context;
    if (!isWriting && batch.facts >= EARLY_FACTS) return true;
    return batch.facts >= batchLimits.facts || Math.abs(clock.now() - batch.startedAtMs) >= batchLimits.ms;
  }

  #newBatch(fromBlock: number): Batch {
    return {
      extracted: [],
      readings: new Map(),
      gaps: [],
      leftOut: [],
      facts: 0,
      toBlock: fromBlock - 1,
      startedAtMs: this.#context.clock.now(),
    };
  }

  async #extract(
    world: World,
    sources: readonly Source[],
    chunk: { fromBlock: number; toBlock: number; logs: readonly RawLog[] },
    isLeftOut: (block: Block, fault: ChainFault) => boolean,
  ): Promise<Extracted> {
    const { client } = this.#context;
    const timestamps = new Timestamps(client);
    await timestamps.learn(chunk.logs);
    const extracted = await extract(this.#context, world, {
      logs: chunk.logs,
      sources: new Set(sources),
      logsOf: async (addresses) => {
        const logs: RawLog[] = [];
        const { fromBlock, toBlock } = chunk;
        const checkFrom = checkedFrom(this.#context.store);
        for await (const part of client.logsInRange({ fromBlock, toBlock, addresses, checkFrom, isLeftOut }))
          logs.push(...part.logs);
        await timestamps.learn(logs);
        return logs;
      },
      timestampOf: (log) => timestamps.of(log),
    });
    const control = await controlPastOf(this.#context, world, chunk.logs, (log) => timestamps.of(log));
    return {
      ...extracted,
      facts: inChainOrder(extracted.facts, control.facts),
      gaps: [...extracted.gaps, ...control.gaps],
    };
  }

  /** Everything about a batch that must not wait for its transaction. */
  async #prepare(batch: Batch, world: World): Promise<PreparedBatch> {
    const { store, recorder } = this.#context;
    const facts = batch.extracted.flatMap((each) => each.facts);
    const gaps = [
      ...batch.gaps,
      ...batch.leftOut.map(({ gap }) => gap),
      ...batch.extracted.flatMap((each) => each.gaps),
    ];
    const stored = confirmedFactsOf(facts, gaps, historyJudge(this.#context, world));
    const blocks = blocksOfFacts(facts, batch.readings);
    const known = new Set(blocks.map(({ block }) => block.number));
    const others = batch.leftOut.map(({ block }) => block).filter(({ number }) => !known.has(number));
    return {
      toBlock: batch.toBlock,
      found: batch.extracted.flatMap((each) => each.found),
      gaps,
      sightings: batch.extracted.flatMap((each) => each.sightings),
      blocks,
      facts: stored.length,
      insertBlocks: blocksInsertion(
        store.chainId,
        [...blocks.map(({ block }) => block), ...others].map((block) => ({
          ...block,
          parentHash: null,
          isEmpty: false,
        })),
      ),
      insertFacts: factsInsertion(store.chainId, stored),
      record: await recordNew(recorder, stored),
    };
  }

  /** @throws ChainFault where the node's chain is not the one that is stored: the head has to undo before anything is filled in */
  async #mustBeStoredChain(): Promise<void> {
    const { client, store } = this.#context;
    const held = store.window.find(({ number }) => number <= store.confirmed);
    if (held === undefined || (await client.blockByNumber(held.number)).hash === held.hash) return;
    throw new ChainFault("inconsistent", `the node has another block ${held.number} than the one stored`);
  }

  /** False when blocks were undone meanwhile, so that nothing was written. */
  #commit(
    group: readonly FollowedSource[],
    batch: PreparedBatch,
    epoch: number,
    progress: Progress,
    previous: Promise<boolean> | null,
  ): Promise<boolean> {
    const { toBlock, facts } = batch;
    const at = {
      "vaultops.chain_id": this.#context.store.chainId,
      "vaultops.block": toBlock,
      "vaultops.facts": facts,
    };
    return traced("past blocks", "internal", at, () => this.#write(group, batch, epoch, progress, previous));
  }

  async #write(
    group: readonly FollowedSource[],
    batch: PreparedBatch,
    epoch: number,
    progress: Progress,
    previous: Promise<boolean> | null,
  ): Promise<boolean> {
    const { store, projections, metrics, nowMs } = this.#context;
    const { toBlock, found, blocks } = batch;
    const nextBlock = toBlock + 1;
    await this.#mustBeStoredChain();
    const isStill = () => store.epoch === epoch && toBlock <= store.confirmed;
    const insert = async (tx: Tx) => {
      await batch.insertBlocks(tx);
      return batch.insertFacts(tx);
    };
    const rest = async (tx: Tx, known: ReadonlySet<ConfirmedFact>) => {
      await insertVaults(tx, store.chainId, found);
      await insertGaps(tx, store.chainId, batch.gaps);
      await insertBlocks(tx, store.chainId, blocksOfSightings(batch.sightings));
      await insertSightings(tx, store.chainId, batch.sightings);
      await project(projections, tx, blocks);
      await sql`
          update sources set next_block = ${nextBlock}, filling_from = ${progress.fromBlock},
                 filling_since = to_timestamp(${progress.startedAtMs / 1000}::float8)
           where chain_id = ${store.chainId}
             and family || ':' || address = any(${group.map(({ source }) => `${source.family}:${source.address}`)}::text[])`.execute(
        tx,
      );
      await batch.record(tx, known);
    };
    const startedAtMs = nowMs();
    const result =
      previous !== null && this.#wroteMs < QUICK_MS && store.hasRoomAhead
        ? await store.commitAhead(insert, previous, rest, isStill)
        : (previous === null || (await previous)) &&
          (await store.commit({}, async (tx) => rest(tx, await insert(tx)), isStill));
    this.#wroteMs = nowMs() - startedAtMs;
    if (!result) return false;
    for (const source of group) source.nextBlock = nextBlock;
    progress.nextBlock = nextBlock;
    metrics.facts.inc({ chain_id: store.chainId }, batch.facts);
    return true;
  }
}

/** Those of a batch; what is asked for ahead of it stays. */
function takenUpTo<T>(toBlock: number, leftOut: Map<number, T>): T[] {
  const taken = [...leftOut].filter(([number]) => number <= toBlock);
  for (const [number] of taken) leftOut.delete(number);
  return taken.map(([, each]) => each);
}

/** Prepared as if all of them were new, which they are but where a source shares its governor with one that was here before. */
async function recordNew(
  recorder: Recorder,
  facts: readonly ConfirmedFact[],
): Promise<PreparedBatch["record"]> {
  const all = await recorder.facts(facts);
  return async (tx, known) => {
    const record = known.size === 0 ? all : await recorder.facts(facts.filter((fact) => !known.has(fact)));
    await record(tx);
  };
}

/** Where nodes behind one another may differ: from so many blocks below the head on, every header is looked at. */
function checkedFrom(store: ChainStore): number {
  return (store.head?.number ?? 0) - CHECKED_BLOCKS;
}
