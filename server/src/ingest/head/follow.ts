// Follow: the head of one chain. Each step asks the node where it stands, reconciles that with what is held, and writes what
// is new: a block in one transaction; a reorganisation with all its new blocks in one; then what has become deep enough.
//
// Everything is fetched before the transaction begins. A step that fails half way has written whole blocks or nothing, and
// is simply taken again.
import { sql } from "kysely";
import type { Block } from "../../chain/client/client.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { Tx } from "../../platform/db/db.ts";
import { traced } from "../../platform/telemetry/trace.ts";
import { confirmedFactsOf, confirmUpTo } from "../block/confirm.ts";
import { type ChainContext, historyJudge } from "../block/context.ts";
import { insertGaps } from "../block/gaps.ts";
import { project } from "../block/projection.ts";
import type { PlannedUpdate, ReconcileRules } from "../block/reconcile.ts";
import { insertBlocks, insertFacts, insertVaults } from "../block/rows.ts";
import { insertSightings, listedManagers } from "../block/sightings.ts";
import type { FollowedSource } from "../block/store.ts";
import { loadWorld, type World } from "../block/world.ts";
import { type Backfill, NEAR_BLOCKS } from "../past/backfill.ts";
import type { Adoption } from "./adopt.ts";
import { agreedUpTo, holdNodesAgainst } from "./agree.ts";
import { Control } from "./control.ts";
import { joinHead } from "./join.ts";
import { Missing } from "./missing.ts";
import { PassedOver } from "./passed-over.ts";
import { planUpdates } from "./plan.ts";
import { type PreparedBlock, prepareBlocks } from "./prepare.ts";
import { Sampler } from "./sampler.ts";
import { begin, confirmedTarget, jump } from "./start.ts";

/** Blocks taken in by one step. */
const MAX_BLOCKS = 64;
/** From this far behind the confirmed block on, the gap is filled in as the past is, and the head goes on from its end. */
const JUMP_BLOCKS = 512;
const PRUNE_EVERY = 32;
const KEEP_EMPTY = 64;

export interface Step {
  /** Blocks written. */
  blocks: number;
  /** The node has more than what was written. */
  hasMore: boolean;
}

export class Follower {
  readonly #context: ChainContext;
  readonly #backfill: Backfill;
  readonly #adoption: Adoption;
  readonly #sampler: Sampler;
  readonly #control: Control;
  readonly #missing: Missing;
  readonly #passedOver: PassedOver;
  /** What an operator should know although the head is followed. */
  warning: string | null = null;
  #world: World | null = null;
  #prunedTo = 0;

  constructor(context: ChainContext, backfill: Backfill, adoption: Adoption) {
    this.#context = context;
    this.#backfill = backfill;
    this.#adoption = adoption;
    this.#sampler = new Sampler(context);
    this.#control = new Control(context);
    this.#missing = new Missing(context);
    this.#passedOver = new PassedOver(context);
  }

  /** Forgets what is in memory, after a failure or a new load of the store. */
  reset(): void {
    this.#world = null;
    this.#sampler.lost();
    this.#control.lost();
  }

  /** Beside the head: what it needs to know of timelocks that come to a role. True when something waits for the head. */
  gatherControl(signal: AbortSignal): Promise<boolean> {
    return this.#control.gather(signal);
  }

  /**
   * One poll.
   * @throws ChainFault when the node fails or contradicts itself, ForeignChain, LeadLost, and what the database throws
   */
  async step(signal: AbortSignal): Promise<Step> {
    const { store, client } = this.#context;
    const head = await client.head();
    const { target, warning } = await confirmedTarget(this.#context, head);
    this.warning = warning;
    if (store.head === null) await begin(this.#context, target);
    if (target - store.head!.number > JUMP_BLOCKS && (await this.#isOnChain(store.head!))) {
      const hasJumped = await jump(this.#context, target, () => this.#loaded());
      if (hasJumped) this.#world = null;
    }
    const blocks = await this.#catchUp(head, target);
    await this.#joinReady(signal);
    const adopted = await this.#adoption.finish(this.#sampler, signal);
    if (adopted) {
      this.#control.note(adopted);
      this.#control.readAll();
      this.#world = null;
    }
    await this.#takeOwed();
    if (blocks === 0) await this.#readOwed();
    // Where blocks come faster than they are asked for, or are told by a WebSocket, there is no step without one.
    if (store.head!.number >= head.number) {
      if (blocks > 0) await this.#passedOver.look(store.head!);
      await this.#missing.fill(signal, async ({ vaults, accounts }) => {
        // What is derived of them lacks what only a reading tells, so that is asked for at once.
        this.#world = null;
        this.#sampler.owe(vaults);
        this.#control.owe(accounts);
        await this.#readOwed();
      });
    }
    await this.#prune();
    holdNodesAgainst(this.#context);
    return { blocks, hasMore: blocks > 0 && store.head!.number < head.number };
  }

  #catchUp(head: Block, target: number): Promise<number> {
    const at = { "vaultops.chain_id": this.#context.store.chainId, "vaultops.block": head.number };
    return traced("block", "internal", at, () => this.#catchUpTo(head, target));
  }

  async #catchUpTo(head: Block, target: number): Promise<number> {
    const { store, settings, recorder } = this.#context;
    const { confirmations } = settings;
    const rules: ReconcileRules = {
      confirmations: typeof confirmations === "number" ? confirmations : { taggedNumber: target },
      maxBlocks: MAX_BLOCKS,
    };
    const updates = await planUpdates(this.#context, head, rules);
    const reorg = updates.find((update) => update.type === "reorg");
    const blocks = updates.flatMap((update) => (update.type === "block" ? [update.block] : []));
    if (reorg) await this.#undo(reorg, blocks, head.number);
    else await this.#take(blocks, head.number);
    const finalized = updates.find((update) => update.type === "finalized");
    if (finalized && store.confirmed < finalized.number) {
      const agreed = await agreedUpTo(this.#context, finalized.number);
      if ("warning" in agreed) this.warning = agreed.warning;
      const world = await this.#loaded();
      const target = "number" in agreed ? agreed.number : store.confirmed;
      await confirmUpTo(store, target, recorder, historyJudge(this.#context, world));
    }
    return blocks.length;
  }

  async #take(blocks: Block[], nodeHead: number): Promise<void> {
    const { store } = this.#context;
    if (blocks.length === 0) return;
    const world = await this.#loaded();
    for await (const prepared of prepareBlocks(this.#context, world, this.#readers, blocks, nodeHead)) {
      const { block } = prepared;
      const isAtOnce = this.#confirmsAtOnce && store.confirmed >= block.number - 1;
      const change = { head: block, ...(isAtOnce ? { confirmed: block.number } : {}) };
      if (isEmpty(prepared)) await store.commitAlone(change, block);
      else await store.commit(change, (tx) => this.#write(tx, world, [prepared], isAtOnce));
      store.pushBlocks([block]);
      this.#sampler.stored();
      this.#control.stored();
      this.#count([prepared]);
    }
  }

  /** What could not be read when its block was taken is read at the head as soon as the node answers, new block or not. */
  async #readOwed(): Promise<void> {
    const { store, projections } = this.#context;
    const head = store.head!;
    if (!this.#sampler.isOwing) return;
    const readings = await this.#sampler.readOwed(await this.#loaded(), head);
    if (readings.size === 0) return;
    const result = await store.commit(
      {},
      async (tx) => {
        await insertBlocks(tx, store.chainId, [{ ...head, isEmpty: false }]);
        const block = { ...head, chainId: store.chainId };
        await project(projections, tx, [{ block, facts: [], readings }]);
      },
      () => store.head?.hash === head.hash,
    );
    if (!result) return this.#sampler.lost();
    this.#sampler.stored();
    this.#control.note(readings);
  }

  /** Roles that were told outside a block are taken at the head, where no block may come for long. */
  async #takeOwed(): Promise<void> {
    const { store, client } = this.#context;
    if (!this.#control.isOwing) return;
    const head = store.head!;
    const world = await this.#loaded();
    const taken = await this.#control.take(world, {
      block: head,
      logs: [],
      readings: new Map(),
      facts: [],
      isNewest: true,
      nodeHead: head.number,
      learned: await this.#control.learned(world),
      // Whoever comes to light now is followed from the next block on.
      logsOf: async () => [],
    });
    const result = await store.commit(
      {},
      async (tx) => {
        await insertBlocks(tx, client.chainId, [{ ...head, isEmpty: false }]);
        await this.#control.write(tx, head.number, taken);
      },
      () => store.head?.hash === head.hash,
    );
    if (result) return this.#control.stored();
    this.#world = null;
    this.#control.lost();
  }

  /** Undoes the blocks above the ancestor and writes those that replace them, in one transaction. */
  async #undo(
    reorg: Extract<PlannedUpdate, { type: "reorg" }>,
    blocks: Block[],
    nodeHead: number,
  ): Promise<void> {
    const { store, recorder, log, metrics } = this.#context;
    const { ancestor, depth } = reorg;
    const isDeep = ancestor.number < store.confirmed;
    // Vaults announced above the ancestor are not known until they are announced again.
    const world = await this.#load(ancestor.number);
    this.#sampler.undo(ancestor.number);
    const prepared: PreparedBlock[] = [];
    for await (const each of prepareBlocks(this.#context, world, this.#readers, blocks, nodeHead))
      prepared.push(each);
    const head = blocks.at(-1) ?? ancestor;
    const isAtOnce = this.#confirmsAtOnce && store.confirmed >= ancestor.number;
    const confirmed = isAtOnce ? head.number : Math.min(store.confirmed, ancestor.number);

    const result = await store.commit({ head, confirmed }, async (tx) => {
      await sql`delete from blocks where chain_id = ${store.chainId} and number > ${ancestor.number}`.execute(
        tx,
      );
      await sql`
        update sources set next_block = greatest(start_block, least(next_block, ${ancestor.number + 1}))
         where chain_id = ${store.chainId} and next_block > ${ancestor.number + 1}`.execute(tx);
      const reverted = isDeep ? await recorder.reverts(tx, store.chainId, ancestor.number) : 0;
      await this.#write(tx, world, prepared, isAtOnce);
      return reverted;
    });
    store.dropBlocksAbove(ancestor.number);
    store.pushBlocks(blocks);
    this.#sampler.stored();
    this.#control.stored();
    this.#count(prepared);
    metrics.reorgs.inc({ chain_id: store.chainId, is_deep: String(isDeep) });
    const told = { ancestor: ancestor.number, depth, newBlocks: blocks.length, reverted: result?.value ?? 0 };
    if (isDeep)
      log.error(
        told,
        "a reorganisation reached below confirmed blocks; their audit entries are marked as reverted",
      );
    else log.info(told, "a reorganisation was undone");
  }

  async #write(
    tx: Tx,
    world: World,
    prepared: readonly PreparedBlock[],
    isConfirmed: boolean,
  ): Promise<void> {
    const { store, projections, recorder } = this.#context;
    const { chainId } = store;
    await insertBlocks(
      tx,
      chainId,
      prepared.map((each) => ({ ...each.block, isEmpty: isEmpty(each) })),
    );
    const all = prepared.flatMap((each) => each.facts);
    const gaps = prepared.flatMap((each) => each.gaps);
    const facts = confirmedFactsOf(all, gaps, historyJudge(this.#context, world));
    await insertVaults(
      tx,
      chainId,
      prepared.flatMap((each) => each.found),
    );
    await insertFacts(tx, chainId, facts);
    await insertGaps(tx, chainId, gaps);
    await insertSightings(
      tx,
      chainId,
      prepared.flatMap((each) => each.sightings),
    );
    for (const { block, control } of prepared)
      if (control) await this.#control.write(tx, block.number, control);
    await project(
      projections,
      tx,
      prepared
        .filter((each) => !isEmpty(each))
        .map((each) => ({ ...each, block: { ...each.block, chainId } })),
    );
    if (isConfirmed) await (await recorder.facts(facts))(tx);
  }

  get #readers() {
    return { sampler: this.#sampler, control: this.#control };
  }

  get #confirmsAtOnce(): boolean {
    return this.#context.settings.confirmations === 0 && this.#context.client.quorum === 1;
  }

  #count(prepared: readonly PreparedBlock[]): void {
    const facts = prepared.reduce((sum, each) => sum + each.facts.length, 0);
    this.#context.metrics.facts.inc({ chain_id: this.#context.store.chainId }, facts);
  }

  async #isOnChain(block: BlockHeader): Promise<boolean> {
    return (await this.#context.client.blockByNumber(block.number)).hash === block.hash;
  }

  /** Sources that are almost there are filled in to the confirmed block right here, where nothing moves it, and join the head. */
  async #joinReady(signal: AbortSignal): Promise<void> {
    const { store } = this.#context;
    const head = store.head!;
    const ready = Map.groupBy(
      store.behind.filter(
        (source) =>
          store.confirmed - source.nextBlock! < NEAR_BLOCKS &&
          source.nextBlock! <= head.number + 1 &&
          !this.#backfill.isBusy(source),
      ),
      (source) => source.nextBlock!,
    );
    for (const group of ready.values()) {
      await this.#backfill.fill(group, store.confirmed, signal);
      if (group.some((source) => source.nextBlock! <= store.confirmed)) continue;
      const hasJoined = await joinHead(this.#context, group, this.#sampler);
      if (hasJoined) {
        this.#control.note(hasJoined);
        this.#control.oweAll();
        this.#world = null;
      }
    }
  }

  async #prune(): Promise<void> {
    const { store } = this.#context;
    const below = store.confirmed - KEEP_EMPTY;
    if (below - this.#prunedTo < PRUNE_EVERY) return;
    await store.commit({}, (tx) =>
      sql`delete from blocks where chain_id = ${store.chainId} and is_empty and number < ${below}`.execute(
        tx,
      ),
    );
    this.#prunedTo = below;
  }

  async #loaded(): Promise<World> {
    return this.#world ?? (await this.#load(Number.MAX_SAFE_INTEGER));
  }

  async #load(upTo: number): Promise<World> {
    const { store, seeds, settings } = this.#context;
    const sources = store.joined.map((followed: FollowedSource) => followed.source);
    this.#world = await loadWorld(store.db, {
      chainId: store.chainId,
      sources,
      upTo,
      seeds,
      listed: listedManagers(settings),
    });
    return this.#world;
  }
}

function isEmpty(prepared: PreparedBlock): boolean {
  const { facts, readings, sightings, gaps, control } = prepared;
  const isControlled = control && control.states.size + control.vaults.size > 0;
  return (
    facts.length === 0 && readings.size === 0 && sightings.length === 0 && gaps.length === 0 && !isControlled
  );
}
