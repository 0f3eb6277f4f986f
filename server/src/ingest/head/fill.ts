// Fill: blocks that were stored without their logs, because the nodes never told them as they are, are filled in as soon as one does:
// facts, vaults with the whole of their lives, audit entries (as of now, each marked), and all that is derived, made anew.
//
// Guarantee: a block is filled in whole, in one transaction; what is derived follows in one more, and until that is done the gap is open
// and the next call goes on from there. No fact and no entry comes twice. Only the head's loop calls it, so the head stands while it lasts.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Block } from "../../chain/client/client.ts";
import type { ConfirmedFact } from "../../chain/facts.ts";
import { blocksOfFacts } from "../../chain/projection.ts";
import { ChainFault, isAboutOneThing } from "../../chain/rpc/fault.ts";
import type { Tx } from "../../platform/db/db.ts";
import { confirmedFactsOf } from "../block/confirm.ts";
import type { ChainContext } from "../block/context.ts";
import { type Extracted, extract } from "../block/extract.ts";
import { type Gap, insertGaps } from "../block/gaps.ts";
import { replayIn } from "../block/replay.ts";
import { insertBlocks, insertFacts, insertVaults } from "../block/rows.ts";
import { insertSightings, listedManagers } from "../block/sightings.ts";
import { loadWorld } from "../block/world.ts";
import { factsOfRange } from "../past/lives.ts";

/** Blocks filled in before what is derived is made anew. */
const AT_ONCE = 64;
/** How far below the head a node may still lag. */
const CHECKED_BLOCKS = 1_024;

interface Open {
  block_number: number;
  hash: string;
}

export class Filler {
  readonly #context: ChainContext;
  /** The next call begins above it, and anew behind the newest: blocks that are never told hold up no other. */
  #triedTo = -1;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  /** Answers the vaults that something was found of; null when no block could be filled in. */
  async fill(signal: AbortSignal): Promise<Address[] | null> {
    const { store } = this.#context;
    const { rows } = await sql<Open>`
      select g.block_number, b.hash from chain_gaps g join blocks b using (chain_id)
       where g.chain_id = ${store.chainId} and g.lacks = 'logs' and g.filled_at is null and b.number = g.block_number
       order by g.block_number <= ${this.#triedTo}, g.block_number limit ${AT_ONCE}`.execute(store.db.kysely);
    this.#triedTo = rows.at(-1)?.block_number ?? -1;
    return await fillThese(this.#context, rows, signal);
  }
}

async function fillThese(
  context: ChainContext,
  rows: readonly Open[],
  signal: AbortSignal,
): Promise<Address[] | null> {
  const { store, log, projections } = context;
  const filled: number[] = [];
  const vaults = new Set<Address>();
  for (const gap of rows) {
    signal.throwIfAborted();
    try {
      for (const vault of await fillBlock(context, gap, signal)) vaults.add(vault);
      filled.push(gap.block_number);
    } catch (error) {
      if (!isAboutOneThing(error)) throw error;
      log.info({ err: error, block: gap.block_number }, "the node does not tell a block's logs yet");
    }
  }
  if (filled.length === 0) return null;
  await store.commit({}, async (tx) => {
    if (vaults.size > 0) await replayIn(tx, { chainId: store.chainId, projections, signal });
    await sql`
      update chain_gaps set filled_at = now()
       where chain_id = ${store.chainId} and lacks = 'logs' and block_number = any(${filled}::bigint[])`.execute(
      tx,
    );
  });
  log.warn({ blocks: filled }, "blocks that were stored without their logs are filled in");
  return [...vaults];
}

/** Returns the vaults that it tells of. @throws ChainFault while the nodes do not tell its logs as they are */
async function fillBlock(context: ChainContext, gap: Open, signal: AbortSignal): Promise<Set<Address>> {
  const { client, store } = context;
  const block = await client.blockByNumber(gap.block_number);
  if (block.hash !== gap.hash)
    throw new ChainFault("inconsistent", `the node has another block ${block.number} than the one stored`);
  const { extracted, life } = await read(context, block, signal);
  const facts = [...extracted.facts, ...life.facts];
  const gaps = [...extracted.gaps, ...life.gaps];
  await store.commit({}, (tx) => write(context, tx, { ...extracted, facts, gaps }));
  return new Set(facts.flatMap(({ vaultAddress }) => vaultAddress ?? []));
}

/** What the block's logs say, and the later lives of vaults that it announced and nobody has followed since. */
async function read(context: ChainContext, block: Block, signal: AbortSignal) {
  const { client, store, settings, seeds } = context;
  // A source that has not come so far yet reads the block in its turn.
  const sources = store.sources
    .filter(
      ({ startBlock, nextBlock }) =>
        startBlock <= block.number && (nextBlock ?? Number.POSITIVE_INFINITY) > block.number,
    )
    .map(({ source }) => source);
  const listed = listedManagers(settings);
  const world = await loadWorld(store.db, {
    chainId: store.chainId,
    sources,
    upTo: block.number,
    seeds,
    listed,
  });
  const extracted = await extract(context, world, {
    logs: await client.logsOfBlock(block, world.directory.addresses()),
    sources: new Set(sources),
    logsOf: (addresses) => client.logsOfBlock(block, addresses),
    timestampOf: () => block.timestamp,
  });
  const head = store.head!.number;
  const range = { fromBlock: block.number + 1, toBlock: head, checkFrom: head - CHECKED_BLOCKS, signal };
  const life =
    extracted.found.length === 0
      ? { facts: [], gaps: [] }
      : await factsOfRange(context, world, extracted.found, range);
  return { extracted, life };
}

async function write(
  { store, recorder }: ChainContext,
  tx: Tx,
  { facts, found, gaps, sightings }: Pick<Extracted, "facts" | "found" | "gaps" | "sightings">,
): Promise<void> {
  const { chainId, confirmed } = store;
  const blocks = blocksOfFacts(facts).map(({ block }) => ({ ...block, parentHash: null, isEmpty: false }));
  await insertBlocks(tx, chainId, blocks);
  await insertVaults(tx, chainId, found);
  const missing = await missingOf(
    tx,
    chainId,
    confirmedFactsOf(facts, gaps, () => false),
  );
  await insertFacts(tx, chainId, missing.unknown);
  await adopt(tx, chainId, missing.ownerless);
  const numbers = new Set(facts.map(({ blockNumber }) => blockNumber));
  const own = (gap: Gap) => numbers.has(gap.blockNumber);
  await insertGaps(tx, chainId, gaps.filter(own));
  await insertSightings(tx, chainId, sightings);
  // Those of blocks that are not confirmed yet come with their confirmation.
  const late = [...missing.unknown, ...missing.ownerless].filter(
    ({ blockNumber }) => blockNumber <= confirmed,
  );
  await recorder.late(tx, late);
}

/** Those that are not stored, and those that stand without their vault, for its announcement was not known. */
async function missingOf(
  tx: Tx,
  chainId: number,
  facts: readonly ConfirmedFact[],
): Promise<{ unknown: ConfirmedFact[]; ownerless: ConfirmedFact[] }> {
  const { rows } = await sql<{ block_number: number; log_index: number; vault_address: Address | null }>`
    select block_number, log_index, vault_address from facts
     where chain_id = ${chainId} and block_number = any(${facts.map((fact) => fact.blockNumber)}::bigint[])`.execute(
    tx,
  );
  const stored = new Map(rows.map((row) => [`${row.block_number} ${row.log_index}`, row.vault_address]));
  const at = (fact: ConfirmedFact) => stored.get(`${fact.blockNumber} ${fact.logIndex}`);
  return {
    unknown: facts.filter((fact) => at(fact) === undefined),
    ownerless: facts.filter((fact) => at(fact) === null && fact.vaultAddress !== null),
  };
}

async function adopt(tx: Tx, chainId: number, facts: readonly ConfirmedFact[]): Promise<void> {
  if (facts.length === 0) return;
  await sql`
    update facts f set vault_address = given.vault_address
      from unnest(${facts.map((fact) => fact.blockNumber)}::bigint[], ${facts.map((fact) => fact.logIndex)}::integer[],
                  ${facts.map((fact) => fact.vaultAddress)}::text[]) as given (block_number, log_index, vault_address)
     where f.chain_id = ${chainId} and f.block_number = given.block_number and f.log_index = given.log_index
       and f.vault_address is null`.execute(tx);
}
