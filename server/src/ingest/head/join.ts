// Join: the moment at which sources that have been filled in go on with the head. Their logs of the blocks that are not yet
// confirmed are fetched by block hash and written in one transaction with the end of their cursor, their vaults' state with it.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Block } from "../../chain/client/client.ts";
import type { VaultReading } from "../../chain/reading.ts";
import { confirmedFactsOf } from "../block/confirm.ts";
import type { ChainContext } from "../block/context.ts";
import { extract } from "../block/extract.ts";
import { type Gap, insertGaps, logsOf, orGap } from "../block/gaps.ts";
import { project } from "../block/projection.ts";
import { insertBlocks, insertFacts, insertVaults } from "../block/rows.ts";
import { insertSightings, listedManagers } from "../block/sightings.ts";
import type { FollowedSource } from "../block/store.ts";
import { loadWorld } from "../block/world.ts";
import type { PreparedBlock } from "./prepare.ts";
import type { Sampler } from "./sampler.ts";
import { unconfirmed } from "./unconfirmed.ts";

/**
 * Joins sources whose next block is the first unconfirmed one (or lies between it and the head) to the head.
 * Answers what was read of their vaults; null when the head moved meanwhile, and nothing was written then.
 */
export async function joinHead(
  context: ChainContext,
  group: readonly FollowedSource[],
  sampler: Sampler,
): Promise<ReadonlyMap<Address, VaultReading> | null> {
  const { client, store, projections, log } = context;
  const { epoch } = store;
  const head = store.head!;
  const nextBlock = group[0]!.nextBlock!;
  const sources = group.map(({ source }) => source);
  const world = await loadWorld(store.db, {
    chainId: store.chainId,
    sources,
    upTo: nextBlock - 1,
    seeds: context.seeds,
    listed: listedManagers(context.settings),
  });

  const prepared: PreparedBlock[] = [];
  let newest: Block | null = null;
  for await (const block of unconfirmed(context, Math.min(nextBlock, head.number))) {
    newest = block;
    // The head itself may lie before the first block to be filled in: it is there to be read at only.
    if (block.number < nextBlock) continue;
    const gaps: Gap[] = [];
    const ask = (addresses: Address[]) =>
      orGap(
        context,
        gaps,
        logsOf(block),
        () => client.logsOfBlock(block, addresses),
        () => [],
      );
    const extracted = await extract(context, world, {
      logs: await ask(world.directory.addresses()),
      sources: new Set(sources),
      logsOf: ask,
      timestampOf: () => block.timestamp,
    });
    gaps.push(...extracted.gaps);
    if (extracted.facts.length > 0 || extracted.sightings.length > 0 || gaps.length > 0)
      prepared.push({ block, ...extracted, gaps, readings: new Map() });
  }
  if (newest?.hash !== head.hash) return null;
  const readings = await sampler.readAll(world, [...world.directory.vaults()], newest);
  if (readings.size > 0) {
    const last = prepared.at(-1);
    if (last?.block.number === head.number) last.readings = readings;
    else
      prepared.push({
        block: newest,
        facts: [],
        found: [],
        gaps: [],
        sightings: [],
        hasNewAddresses: false,
        readings,
      });
  }

  const { chainId } = store;
  const result = await store.commit(
    {},
    async (tx) => {
      await insertBlocks(
        tx,
        chainId,
        prepared.map(({ block }) => ({ ...block, isEmpty: false })),
      );
      const found = prepared.flatMap((each) => each.found);
      await insertVaults(tx, chainId, found);
      const facts = prepared.flatMap((each) => each.facts);
      await insertFacts(
        tx,
        chainId,
        confirmedFactsOf(facts, [], () => false),
      );
      await insertGaps(
        tx,
        chainId,
        prepared.flatMap((each) => each.gaps),
      );
      await insertSightings(
        tx,
        chainId,
        prepared.flatMap((each) => each.sightings),
      );
      await project(
        projections,
        tx,
        prepared.map((each) => ({ ...each, block: { ...each.block, chainId } })),
      );
      const keys = sources.map(({ family, address }) => `${family}:${address}`);
      await sql`
        update sources set next_block = null
         where chain_id = ${chainId} and family || ':' || address = any(${keys}::text[])`.execute(tx);
    },
    () => store.epoch === epoch && store.head?.hash === head.hash,
  );
  if (!result) {
    sampler.lost();
    return null;
  }
  sampler.stored();
  for (const source of group) source.nextBlock = null;
  log.info(
    { sources: group.length, block: head.number, vaults: [...world.directory.vaults()].length },
    "sources follow the head now",
  );
  return readings;
}
