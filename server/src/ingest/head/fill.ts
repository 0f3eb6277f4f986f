// Fill: what was stored without something that the nodes did not tell is filled in as soon as one does: blocks without their logs, with
// facts, vaults with the whole of their lives and audit entries (as of now, each marked), and facts of which something was not told, which
// then stand whole, with an entry more where theirs is written already. All that is derived is made anew.
//
// Guarantee: a block is filled in whole, in one transaction; what is derived follows in one more, and until that is done the gap is open
// and the next call goes on from there. No fact and no entry comes twice. What lacks anew while a block is filled in stays open. Only the
// head's loop calls it, so the head stands while it lasts.
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
import { Patience } from "../block/patience.ts";
import { replayIn } from "../block/replay.ts";
import { insertBlocks, insertFacts, insertVaults } from "../block/rows.ts";
import { insertSightings, listedManagers } from "../block/sightings.ts";
import { loadWorld } from "../block/world.ts";
import { addressesOfControl, controlPastOf, inChainOrder } from "../past/control.ts";
import { factsOfRange, type Life } from "../past/lives.ts";
import { completeFacts } from "./complete-facts.ts";

/** Blocks filled in before what is derived is made anew. */
const AT_ONCE = 64;
/** How far below the head a node may still lag. */
const CHECKED_BLOCKS = 1_024;
/** What nothing is derived from. */
const TOLD_ONLY: ReadonlySet<Gap["lacks"]> = new Set(["pps_expiration", "rejected_price"]);

const OF_TRANSACTION: ReadonlySet<Gap["lacks"]> = new Set(["transaction", "user_operations"]);

/** Gaps that are asked for together: blocks' logs; what facts lack; and what they lack because their state is gone, which few nodes keep. */
const LANES = {
  logs: sql`g.lacks = 'logs'`,
  details: sql`g.lacks not in ('logs', 'vault_description', 'sample') and g.reason <> 'state_missing'`,
  states: sql`g.lacks not in ('logs', 'vault_description', 'sample') and g.reason = 'state_missing'`,
};

export type Lane = keyof typeof LANES;

interface OpenGap extends Pick<Gap, "subject" | "lacks"> {
  /** As text, to the microsecond: it changes when the same is found to lack again. */
  foundAt: string;
  /** An entry says already what was told of it. */
  isTold: boolean;
}

interface OpenBlock {
  number: number;
  hash: string;
  gaps: OpenGap[];
}

export interface Filled {
  /** Some lacks still. */
  isWaiting: boolean;
  isAny: boolean;
  /** Of which something was found. */
  vaults: Address[];
  /** Who stands behind roles, and did something that was found. */
  accounts: Address[];
}

export class Filler {
  readonly #context: ChainContext;
  readonly #lane: Lane;
  /** The next call begins above it, and anew behind the newest: blocks that are never told hold up no other. */
  #triedTo = -1;

  constructor(context: ChainContext, lane: Lane) {
    this.#context = context;
    this.#lane = lane;
  }

  async fill(signal: AbortSignal): Promise<Filled> {
    const open = await this.#open();
    this.#triedTo = open.at(-1)?.number ?? -1;
    const { log } = this.#context;
    const filled: { block: OpenBlock; closed: OpenGap[] }[] = [];
    const vaults = new Set<Address>();
    const accounts = new Set<Address>();
    for (const block of open) {
      signal.throwIfAborted();
      try {
        const { closed, found, accounts: own } = await fillBlock(this.#context, block, this.#lane, signal);
        if (closed.length > 0) filled.push({ block, closed });
        for (const vault of found) vaults.add(vault);
        for (const account of own) accounts.add(account);
      } catch (error) {
        if (!isAboutOneThing(error)) throw error;
        log.info({ err: error, block: block.number }, "the node does not tell yet what a block lacks");
      }
    }
    if (filled.length > 0) await this.#close(filled, signal);
    return {
      isWaiting: open.length > 0,
      isAny: filled.length > 0,
      vaults: [...vaults],
      accounts: [...accounts],
    };
  }

  async #open(): Promise<OpenBlock[]> {
    const { store } = this.#context;
    const { rows } = await sql<OpenBlock>`
      select g.block_number as number, b.hash,
             json_agg(json_build_object('subject', g.subject, 'lacks', g.lacks, 'foundAt', g.found_at::text,
                                        'isTold', g.told_at is not null)) as gaps
        from chain_gaps g join blocks b on b.chain_id = g.chain_id and b.number = g.block_number
       where g.chain_id = ${store.chainId} and g.filled_at is null and ${LANES[this.#lane]}
       group by g.block_number, b.hash
       order by g.block_number <= ${this.#triedTo}, g.block_number limit ${AT_ONCE}`.execute(store.db.kysely);
    return rows;
  }

  async #close(
    filled: readonly { block: OpenBlock; closed: OpenGap[] }[],
    signal: AbortSignal,
  ): Promise<void> {
    const { store, projections, log } = this.#context;
    const rows = filled.flatMap(({ block, closed }) =>
      closed.map((gap) => ({ ...gap, number: block.number })),
    );
    const isDerivedFrom = rows.some(({ lacks }) => !TOLD_ONLY.has(lacks));
    await store.commit({}, async (tx) => {
      if (isDerivedFrom) await replayIn(tx, { chainId: store.chainId, projections, signal });
      // What was found to lack once more since it was looked up, by a source that passed its block meanwhile, stays open.
      await sql`
        update chain_gaps g set filled_at = now()
          from unnest(${rows.map(({ number }) => number)}::bigint[], ${rows.map(({ subject }) => subject)}::text[],
                      ${rows.map(({ lacks }) => lacks)}::text[], ${rows.map(({ foundAt }) => foundAt)}::timestamptz[])
                 as f (block_number, subject, lacks, found_at)
         where g.chain_id = ${store.chainId} and g.block_number = f.block_number and g.subject = f.subject
           and g.lacks = f.lacks and g.found_at = f.found_at`.execute(tx);
    });
    log.warn(
      {
        blocks: filled.map(({ block }) => block.number),
        lacked: [...new Set(rows.map(({ lacks }) => lacks))],
      },
      "what blocks were stored without is filled in",
    );
  }
}

/** @throws ChainFault while the nodes do not tell its logs as they are */
async function fillBlock(
  context: ChainContext,
  open: OpenBlock,
  lane: Lane,
  signal: AbortSignal,
): Promise<{ closed: OpenGap[]; found: Set<Address>; accounts: Address[] }> {
  const { client, store } = context;
  const block = await client.blockByNumber(open.number);
  if (block.hash !== open.hash)
    throw new ChainFault("inconsistent", `the node has another block ${block.number} than the one stored`);
  // Each thing that is told now is taken, and nothing waited for: what is not told is asked for again in any case.
  const asking: ChainContext =
    lane === "logs"
      ? context
      : { ...context, patience: new Patience(0), log: context.log.child({}, { level: "silent" }) };
  const { extracted, life } = await read(asking, block, signal);
  const facts = [...extracted.facts, ...life.facts];
  const gaps = [...extracted.gaps, ...life.gaps];
  const lacking = new Set(gaps.map(keyOf));
  const transactions = new Set<string>(facts.map(({ txHash }) => txHash));
  const closed = open.gaps.filter(
    (gap) =>
      !lacking.has(keyOf({ ...gap, blockNumber: block.number })) &&
      (!OF_TRANSACTION.has(gap.lacks) || transactions.has(gap.subject)),
  );
  if (lane !== "logs" && closed.length === 0) return { closed, found: new Set(), accounts: [] };
  await store.commit({}, (tx) => write(context, tx, { ...extracted, facts, gaps, life, closed, block }));
  const found = new Set(facts.flatMap(({ vaultAddress }) => vaultAddress ?? []));
  return { closed, found, accounts: extracted.accounts };
}

function placeOf({ blockNumber, logIndex }: ConfirmedFact): string {
  return `${blockNumber} ${logIndex}`;
}

function keyOf({ blockNumber, subject, lacks }: Omit<Gap, "reason">): string {
  return `${blockNumber} ${lacks} ${subject}`;
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
  const followed = [...world.directory.addresses(), ...addressesOfControl(world)];
  const logs = await client.logsOfBlock(block, followed);
  const own = await extract(context, world, {
    logs,
    sources: new Set(sources),
    logsOf: (addresses) => client.logsOfBlock(block, addresses),
    timestampOf: () => block.timestamp,
  });
  const control = await controlPastOf(context, world, logs, () => block.timestamp);
  const extracted = {
    ...own,
    facts: inChainOrder(own.facts, control.facts),
    gaps: [...own.gaps, ...control.gaps],
    accounts: control.accounts,
  };
  const head = store.head!.number;
  if (extracted.found.length === 0) return { extracted, life: { facts: [], gaps: [], leftOut: [] } };
  const life = await factsOfRange(context, world, extracted.found, {
    fromBlock: block.number + 1,
    toBlock: head,
    checkFrom: head - CHECKED_BLOCKS,
    signal,
    // They bring what they hold of these vaults when they are filled in themselves.
    open: await openBlocks(context, block.number),
  });
  return { extracted, life };
}

/** Blocks without their logs above one. */
async function openBlocks({ store }: ChainContext, above: number): Promise<Set<number>> {
  const { rows } = await sql<{ block_number: number }>`
    select block_number from chain_gaps
     where chain_id = ${store.chainId} and lacks = 'logs' and filled_at is null and block_number > ${above}`.execute(
    store.db.kysely,
  );
  return new Set(rows.map((row) => row.block_number));
}

interface Written extends Pick<Extracted, "facts" | "found" | "gaps" | "sightings"> {
  life: Life;
  closed: readonly OpenGap[];
  block: Block;
}

async function write(
  { store, recorder }: ChainContext,
  tx: Tx,
  { facts, found, gaps, sightings, life, closed, block }: Written,
): Promise<void> {
  const { chainId, confirmed } = store;
  const blocks = [
    ...blocksOfFacts(facts).map((each) => each.block),
    ...life.leftOut.map((each) => each.block),
  ].map((each) => ({ ...each, parentHash: null, isEmpty: false }));
  await insertBlocks(tx, chainId, [...new Map(blocks.map((each) => [each.number, each])).values()]);
  await insertVaults(tx, chainId, found);
  const all = confirmedFactsOf(facts, gaps, () => false);
  const missing = await missingOf(tx, chainId, all);
  await insertFacts(tx, chainId, missing.unknown);
  const completed = await completeFacts(tx, chainId, all, { blockNumber: block.number, closed });
  const isCompleted = new Set(completed.map(placeOf));
  const ownerless = missing.ownerless.filter((fact) => !isCompleted.has(placeOf(fact)));
  await adopt(tx, chainId, ownerless);
  const numbers = new Set(facts.map(({ blockNumber }) => blockNumber));
  const own = gaps.filter((gap) => numbers.has(gap.blockNumber));
  await insertNewGaps(tx, chainId, [...own, ...life.leftOut.map(({ gap }) => gap)]);
  await insertSightings(tx, chainId, sightings);
  // Those of blocks that are not confirmed yet come with their confirmation.
  const late = [...missing.unknown, ...ownerless, ...completed];
  await recorder.late(
    tx,
    late.filter(({ blockNumber }) => blockNumber <= confirmed),
  );
  if (completed.length > 0 && block.number <= confirmed) await noteTold(tx, chainId, block.number, closed);
}

/** Until they are closed the next call meets them again, and records nothing again. */
async function noteTold(tx: Tx, chainId: number, block: number, closed: readonly OpenGap[]): Promise<void> {
  await sql`
    update chain_gaps g set told_at = now()
      from unnest(${closed.map(({ subject }) => subject)}::text[], ${closed.map(({ lacks }) => lacks)}::text[]) as c (subject, lacks)
     where g.chain_id = ${chainId} and g.block_number = ${block} and g.subject = c.subject and g.lacks = c.lacks
       and g.told_at is null`.execute(tx);
}

/** Those that are open already stay as they are: when they were found tells how long they have lacked. */
async function insertNewGaps(tx: Tx, chainId: number, gaps: readonly Gap[]): Promise<void> {
  if (gaps.length === 0) return;
  const { rows } = await sql<{ block_number: number; subject: string; lacks: Gap["lacks"] }>`
    select block_number, subject, lacks from chain_gaps
     where chain_id = ${chainId} and filled_at is null
       and block_number = any(${gaps.map(({ blockNumber }) => blockNumber)}::bigint[])`.execute(tx);
  const open = new Set(rows.map(({ block_number: blockNumber, ...gap }) => keyOf({ ...gap, blockNumber })));
  await insertGaps(
    tx,
    chainId,
    gaps.filter((gap) => !open.has(keyOf(gap))),
  );
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
  const at = (fact: ConfirmedFact) => stored.get(placeOf(fact));
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
