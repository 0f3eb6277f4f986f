// Adopt: vaults that were passed over, and that a listed manager has come to since, or whose manager is listed now. Their past is
// gathered beside the head, from their announcement to the confirmed block; then the head adds what is newer and writes all of it,
// and goes on with them.
//
// Guarantee: a vault comes with every fact of its life in chain order, in one transaction, or not at all. Only a confirmed block makes a vault
// come, so a reorganisation above it undoes nothing but the sighting. A vault that has come stays.
import { sql } from "kysely";
import type { Address } from "viem";
import type { KnownVault } from "../../chain/directory.ts";
import type { ConfirmedFact, VaultFact } from "../../chain/facts.ts";
import { blocksOfFacts, type ProjectedBlock } from "../../chain/projection.ts";
import type { VaultReading } from "../../chain/reading.ts";
import type { Tx } from "../../platform/db/db.ts";
import { confirmedFactsOf } from "../block/confirm.ts";
import { type ChainContext, historyJudge } from "../block/context.ts";
import type { FoundVault } from "../block/discover.ts";
import { type Gap, insertGaps, logsOf, orGap } from "../block/gaps.ts";
import { project } from "../block/projection.ts";
import { insertBlocks, insertFacts, insertVaults } from "../block/rows.ts";
import { listedManagers } from "../block/sightings.ts";
import type { ChainStore, FollowedSource } from "../block/store.ts";
import { loadWorld, type World } from "../block/world.ts";
import { addressesOfLives, factsIn, factsOfRange, findAnnounced, type Life } from "../past/lives.ts";
import type { Sampler } from "./sampler.ts";
import { unconfirmed } from "./unconfirmed.ts";

/** Vaults that come together: their past is read once for all of them, and is held in memory. */
const AT_ONCE = 16;
/** How far below the head a node may still lag. */
const CHECKED_BLOCKS = 1_024;

interface Candidate {
  strategy: Address;
  /** Of the announcement. */
  block_number: number;
  hash: string;
  /** Where a manager who was listed then came to it; null when none was. */
  gained_block: number | null;
}

interface Gathered extends Life {
  followed: FollowedSource;
  world: World;
  found: FoundVault[];
  /** By vault. */
  gainedBlocks: Map<Address, number | null>;
  toBlock: number;
  epoch: number;
}

export class Adoption {
  readonly #context: ChainContext;
  /** What was asked for last, and had no more candidates. */
  #settledAt = "";
  #gathered: Gathered | null = null;
  /** Strategies whose vaults do not answer as such. */
  readonly #left = new Set<Address>();

  constructor(context: ChainContext) {
    this.#context = context;
  }

  /** Gathers the past of some vaults that are to be followed; false when there are none, or some wait for the head. */
  async gather(signal: AbortSignal): Promise<boolean> {
    const { store, settings } = this.#context;
    if (this.#gathered?.epoch === store.epoch) return false;
    this.#gathered = null;
    const { epoch, confirmed, joined } = store;
    const listed = listedManagers(settings);
    // Without a list nothing is passed over any more: what once was is asked for once.
    const at = `${epoch} ${joined.length} ${listed.size > 0 ? confirmed : ""}`;
    if (at === this.#settledAt) return false;
    for (const followed of joined) {
      const { family, address, isFactory } = followed.source;
      if (family !== "supervault" && !isFactory) continue;
      const candidates = await this.#candidates(address, listed.get(address), confirmed);
      if (candidates.length === 0) continue;
      this.#gathered = await this.#gather(followed, candidates, { confirmed, epoch, signal });
      return true;
    }
    this.#settledAt = at;
    return false;
  }

  async #candidates(
    source: Address,
    list: ReadonlySet<Address> | undefined,
    confirmed: number,
  ): Promise<Candidate[]> {
    const { store } = this.#context;
    const managers = list ? sql`and s.manager_address = any(${[...list]}::text[])` : sql``;
    const { rows } = await sql<Candidate>`
      select s.strategy_address as strategy, a.block_number, b.hash,
             min(s.block_number) filter (where s.is_listed) as gained_block
        from manager_sightings s
        join lateral (select min(block_number) as block_number from manager_sightings
                       where chain_id = s.chain_id and strategy_address = s.strategy_address and is_announcement) a
          on a.block_number <= s.block_number
        join blocks b on b.chain_id = s.chain_id and b.number = a.block_number
       where s.chain_id = ${store.chainId} and s.source_address = ${source} and s.block_number <= ${confirmed} ${managers}
         and s.strategy_address <> all(${[...this.#left]}::text[])
         and not exists (select from vaults v where v.chain_id = s.chain_id and coalesce(v.strategy_address, v.address) = s.strategy_address)
       group by s.strategy_address, a.block_number, b.hash
       order by a.block_number limit ${AT_ONCE}`.execute(store.db.kysely);
    return rows;
  }

  async #gather(
    followed: FollowedSource,
    candidates: readonly Candidate[],
    { confirmed, epoch, signal }: { confirmed: number; epoch: number; signal: AbortSignal },
  ): Promise<Gathered | null> {
    const context = this.#context;
    const { store, seeds, log } = context;
    const { source } = followed;
    const world = await loadWorld(store.db, {
      chainId: store.chainId,
      sources: [source],
      upTo: Number.MAX_SAFE_INTEGER,
      seeds,
    });
    const wanted = new Map(candidates.map((each) => [each.strategy, each]));
    const found = await findAnnounced(context, world, [source], candidates, (vault) =>
      wanted.has(nameOf(vault)),
    );
    const strategies = new Set(found.map(({ vault }) => nameOf(vault)));
    for (const { strategy } of candidates) if (!strategies.has(strategy)) this.#left.add(strategy);
    if (found.length === 0) return null;
    log.info(
      { vaults: found.length },
      "a configured manager has vaults that were not followed: filling in their past",
    );
    const life = await factsOfRange(context, world, found, {
      fromBlock: found[0]!.announcement!.blockNumber,
      toBlock: confirmed,
      checkFrom: checkedFrom(store),
      signal,
    });
    const gainedBlocks = new Map(
      found.map(({ vault }) => [vault.address, wanted.get(nameOf(vault))!.gained_block]),
    );
    return { followed, world, found, ...life, gainedBlocks, toBlock: confirmed, epoch };
  }

  /**
   * Adds what is newer than what was gathered, and writes it. Answers what was read of vaults that have come, of which what is in memory
   * does not know; null when none have.
   */
  async finish(sampler: Sampler, signal: AbortSignal): Promise<ReadonlyMap<Address, VaultReading> | null> {
    const gathered = this.#gathered;
    const { store, client, log } = this.#context;
    if (gathered === null || gathered.followed.nextBlock !== null) return null;
    // Whatever comes of it: what is in memory has been added to, and serves once.
    this.#gathered = null;
    this.#settledAt = "";
    if (gathered.epoch !== store.epoch) return null;
    const { world, found, toBlock } = gathered;
    const head = store.head!;
    const { confirmed } = store;
    const lives: Life[] = [gathered];
    const range = { fromBlock: toBlock + 1, toBlock: confirmed, checkFrom: checkedFrom(store), signal };
    lives.push(await factsOfRange(this.#context, world, found, range));
    let newest = "";
    for await (const block of unconfirmed(this.#context, Math.min(confirmed + 1, head.number))) {
      newest = block.hash;
      if (block.number <= confirmed) continue;
      const gaps: Gap[] = [];
      const logsFrom = (addresses: Address[]) =>
        orGap(
          this.#context,
          gaps,
          logsOf(block),
          () => client.logsOfBlock(block, addresses),
          () => [],
        );
      const logs = await logsFrom(addressesOfLives(world, found));
      lives.push(await factsIn(this.#context, world, found, logs, logsFrom));
      lives.push({ facts: [], gaps: [], leftOut: gaps.map((gap) => ({ block, gap })) });
    }
    if (newest !== head.hash) return null;
    const readings = await sampler.readAll(
      world,
      found.map(({ vault }) => vault),
      head,
    );
    const facts = await this.#missing(lives.flatMap((each) => each.facts));
    const blocks = blocksOfFacts(facts);
    const last = blocks.at(-1);
    if (last?.block.number === head.number) last.readings = readings;
    else blocks.push({ block: { ...head, chainId: store.chainId }, facts: [], readings });
    const isWritten = await store.commit(
      {},
      (tx) =>
        this.#write(tx, {
          gathered,
          blocks,
          facts,
          gaps: lives.flatMap((each) => each.gaps),
          leftOut: lives.flatMap((each) => each.leftOut),
        }),
      () => store.epoch === gathered.epoch && store.head?.hash === head.hash,
    );
    if (!isWritten) {
      sampler.lost();
      return null;
    }
    sampler.stored();
    log.info(
      { vaults: found.map(({ vault }) => vault.address), facts: facts.length },
      "vaults are followed now",
    );
    return readings;
  }

  /** Without those that are stored under no vault, for nobody could tell then whose they were: they stay as they are. */
  async #missing(facts: readonly VaultFact[]): Promise<VaultFact[]> {
    const { store } = this.#context;
    const { rows } = await sql<{ block_number: number; log_index: number }>`
      select f.block_number, f.log_index
        from facts f join unnest(${facts.map((fact) => fact.blockNumber)}::bigint[],
                                 ${facts.map((fact) => fact.logIndex)}::integer[]) as given (block_number, log_index)
             using (block_number, log_index)
       where f.chain_id = ${store.chainId}`.execute(store.db.kysely);
    const stored = new Set(rows.map((row) => `${row.block_number} ${row.log_index}`));
    return facts.filter((fact) => !stored.has(`${fact.blockNumber} ${fact.logIndex}`));
  }

  async #write(
    tx: Tx,
    { gathered, blocks, facts, gaps, leftOut }: { gathered: Gathered; blocks: ProjectedBlock[] } & Life,
  ): Promise<void> {
    const { store, projections, recorder } = this.#context;
    const { chainId, confirmed } = store;
    const all = [...blocks, ...leftOut].map(({ block }) => ({ ...block, parentHash: null, isEmpty: false }));
    await insertBlocks(tx, chainId, [...new Map(all.map((block) => [block.number, block])).values()]);
    await insertVaults(tx, chainId, gathered.found);
    const stored = confirmedFactsOf(facts, gaps, historyJudge(this.#context, gathered.world));
    await insertFacts(tx, chainId, stored);
    const numbers = new Set(blocks.map(({ block }) => block.number));
    await insertGaps(tx, chainId, [
      ...gaps.filter(({ blockNumber }) => numbers.has(blockNumber)),
      ...leftOut.map(({ gap }) => gap),
    ]);
    await project(projections, tx, blocks);
    const isPast = pastOf(gathered);
    const recorded = stored
      .filter(({ blockNumber }) => blockNumber <= confirmed)
      .map((fact): ConfirmedFact => ({ ...fact, isHistory: fact.isHistory || isPast(fact) }));
    await (await recorder.facts(recorded))(tx);
  }
}

/** What lies before the block at which a listed manager came is history; all of it where the manager was listed afterwards. */
function pastOf({ gainedBlocks }: Gathered): (fact: ConfirmedFact) => boolean {
  return ({ vaultAddress, blockNumber }) => {
    const gained = vaultAddress && gainedBlocks.get(vaultAddress);
    return gained == null || blockNumber < gained;
  };
}

/** What a vault is sighted under. */
function nameOf({ strategy, address }: KnownVault): Address {
  return strategy ?? address;
}

function checkedFrom(store: ChainStore): number {
  return (store.head?.number ?? 0) - CHECKED_BLOCKS;
}
