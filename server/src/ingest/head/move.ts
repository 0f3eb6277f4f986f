// Move: a vault that was followed as a plain ERC-4626 one, and that the configuration names under its family now. Its whole past is decoded
// anew beside the head, which goes on with it as before; then its facts are replaced, what is derived is made anew, and entries that its
// family tells of and that are not in the log yet are appended, as of now and each marked. Entries that stand, stay. No event comes of it.
//
// Guarantee: all of a vault or nothing of it, in one transaction of the chain's leader. Until then it is the vault that it was, and whoever is
// stopped in between begins again. Only confirmed blocks are gathered; those above go with the source, which then joins the head.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChainClient, RawLog } from "../../chain/client/client.ts";
import type { KnownVault, Source } from "../../chain/directory.ts";
import type { VaultFact } from "../../chain/facts.ts";
import type { VaultDescription } from "../../chain/families/family/family.ts";
import { blocksOfFacts } from "../../chain/projection.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Tx } from "../../platform/db/db.ts";
import { confirmedFactsOf } from "../block/confirm.ts";
import type { ChainContext } from "../block/context.ts";
import { extract } from "../block/extract.ts";
import { type Gap, insertGaps } from "../block/gaps.ts";
import { replayIn } from "../block/replay.ts";
import { insertBlocks, insertFacts } from "../block/rows.ts";
import { loadWorld, type World } from "../block/world.ts";
import { Timestamps } from "../past/timestamps.ts";

/** How far below the head a node may still lag. */
const CHECKED_BLOCKS = 1_024;

export interface PlannedMove {
  /** As it is followed, and as it is to be. */
  from: Source;
  to: Source;
  description: VaultDescription;
  /** Where its past begins. */
  startBlock: number;
}

interface Gathered {
  move: PlannedMove;
  world: World;
  facts: VaultFact[];
  gaps: Gap[];
  toBlock: number;
  epoch: number;
}

export class Moves {
  readonly #context: ChainContext;
  #planned: readonly PlannedMove[] = [];
  #gathered: Gathered | null = null;

  constructor(context: ChainContext) {
    this.#context = context;
  }

  /** What is gathered of the same moves is not given up: they are planned anew whenever the configuration is looked at. */
  plan(moves: readonly PlannedMove[]): void {
    if (placesOf(moves) === placesOf(this.#planned)) return;
    this.#planned = moves;
    this.#gathered = null;
  }

  /** Decodes the past of a vault that is to move; false when there is none, or one waits for the head. */
  async gather(signal: AbortSignal): Promise<boolean> {
    const { store, settings } = this.#context;
    const planned = this.#planned;
    if (this.#gathered?.epoch === store.epoch) return false;
    this.#gathered = null;
    // What is still being filled in as it was, moves when that is done.
    const joined = new Set(store.joined.map(({ source }) => `${source.family}:${source.address}`));
    const move = planned.find(({ from }) => joined.has(`${from.family}:${from.address}`));
    if (move === undefined) return false;
    const { epoch, confirmed } = store;
    const seeds = new Map([[move.to.address, { ...move.description.managers, isConfigured: false }]]);
    const world = await loadWorld(store.db, {
      chainId: settings.chain_id,
      sources: [move.to],
      upTo: move.startBlock - 1,
      seeds,
    });
    world.directory.addVault(vaultOf(move));
    world.managers.seed(move.to.address, seeds.get(move.to.address)!, false);
    const gathered: Gathered = { move, world, facts: [], gaps: [], toBlock: move.startBlock - 1, epoch };
    await this.#goOn(gathered, confirmed, signal);
    if (this.#planned === planned && store.epoch === epoch) this.#gathered = gathered;
    return true;
  }

  /** Writes what was gathered. True when a vault has moved: what is in memory of the configuration is no longer so. */
  async finish(signal: AbortSignal): Promise<boolean> {
    const { store, log } = this.#context;
    const gathered = this.#gathered;
    if (gathered === null) return false;
    // Whatever comes of it: what is in memory has been added to, and serves once.
    this.#gathered = null;
    if (gathered.epoch !== store.epoch) return false;
    const { confirmed, epoch } = store;
    await this.#goOn(gathered, confirmed, signal);
    await this.#mustBeStoredChain();
    const isWritten = await store.commit(
      {},
      (tx) => this.#write(tx, gathered, signal),
      () => store.epoch === epoch && store.confirmed === confirmed,
    );
    if (!isWritten) return false;
    const { from, to } = gathered.move;
    log.info(
      { vault: to.address, from: from.family, to: to.family, facts: gathered.facts.length },
      "a vault has moved to its family",
    );
    return true;
  }

  async #goOn(gathered: Gathered, toBlock: number, signal: AbortSignal): Promise<void> {
    const { client, store } = this.#context;
    const { world, move } = gathered;
    const checkFrom = (store.head?.number ?? 0) - CHECKED_BLOCKS;
    while (gathered.toBlock < toBlock) {
      const range = { fromBlock: gathered.toBlock + 1, toBlock, checkFrom, signal };
      for await (const chunk of client.logsInRange({ ...range, addresses: world.directory.addresses() })) {
        signal.throwIfAborted();
        const { facts, gaps, hasNewAddresses } = await this.#extract(world, move.to, chunk);
        for (const fact of facts) gathered.facts.push(fact);
        gathered.gaps.push(...gaps);
        gathered.toBlock = chunk.toBlock;
        // The rest of the range was asked for without the addresses just found.
        if (hasNewAddresses) break;
      }
    }
  }

  async #extract(
    world: World,
    source: Source,
    chunk: { fromBlock: number; toBlock: number; logs: readonly RawLog[] },
  ) {
    const { client } = this.#context;
    const timestamps = new Timestamps(client);
    await timestamps.learn(chunk.logs);
    return await extract(this.#context, world, {
      logs: chunk.logs,
      sources: new Set([source]),
      logsOf: async (addresses) => {
        const { fromBlock, toBlock } = chunk;
        const logs = await logsOfRange(client, { fromBlock, toBlock, addresses });
        await timestamps.learn(logs);
        return logs;
      },
      timestampOf: (log) => timestamps.of(log),
    });
  }

  /** @throws ChainFault where the node's chain is not the one that is stored */
  async #mustBeStoredChain(): Promise<void> {
    const { client, store } = this.#context;
    const held = store.window.find(({ number }) => number <= store.confirmed);
    if (held === undefined || (await client.blockByNumber(held.number)).hash === held.hash) return;
    throw new ChainFault("inconsistent", `the node has another block ${held.number} than the one stored`);
  }

  async #write(tx: Tx, { move, facts, gaps, toBlock }: Gathered, signal: AbortSignal): Promise<void> {
    const { store, projections, recorder } = this.#context;
    const { chainId } = store;
    const vault = move.to.address;
    await sql`delete from facts where chain_id = ${chainId} and vault_address = ${vault}`.execute(tx);
    for (const { replay } of projections) await replay.forget?.(tx, chainId, vault);
    await becomeFamily(tx, chainId, move, toBlock + 1);
    await insertBlocks(
      tx,
      chainId,
      blocksOfFacts(facts).map(({ block }) => ({ ...block, parentHash: null, isEmpty: false })),
    );
    const stored = confirmedFactsOf(facts, gaps, () => false);
    await insertFacts(tx, chainId, stored);
    const numbers = new Set(facts.map(({ blockNumber }) => blockNumber));
    await insertGaps(
      tx,
      chainId,
      gaps.filter(({ blockNumber }) => numbers.has(blockNumber)),
    );
    await replayIn(tx, { chainId, vault, projections, signal });
    await recorder.missing(tx, stored);
  }
}

function placesOf(moves: readonly PlannedMove[]): string {
  return moves.map(({ to, startBlock }) => `${to.family}:${to.address}:${startBlock}`).join(" ");
}

function vaultOf({ to, description }: PlannedMove): KnownVault {
  const { asset, share, assetDecimals, shareDecimals, capabilities } = description;
  return {
    family: to.family,
    address: to.address,
    source: to,
    strategy: null,
    escrow: null,
    asset,
    share,
    assetDecimals,
    shareDecimals,
    configuredPrimary: null,
    capabilities,
  };
}

/**
 * The vault's row, and its source's, which counts as configured when the last confirmed block was over: what lies before it raises no alert, and
 * what comes after is no history.
 */
async function becomeFamily(
  tx: Tx,
  chainId: number,
  { to, description, startBlock }: PlannedMove,
  nextBlock: number,
): Promise<void> {
  await sql`
    update vaults set family = ${to.family}, source_address = ${to.address}, asset_address = ${description.asset},
           asset_symbol = ${description.assetSymbol}, share_address = ${description.share}, name = ${description.name},
           symbol = ${description.symbol}, share_decimals = ${description.shareDecimals},
           asset_decimals = ${description.assetDecimals}, capabilities = ${JSON.stringify(description.capabilities)}::jsonb
     where chain_id = ${chainId} and address = ${to.address}`.execute(tx);
  await sql`
    update sources set start_block = ${startBlock}, next_block = ${nextBlock},
           configured_at = coalesce((select block_timestamp + interval '1 second' from blocks
                                      where chain_id = ${chainId} and number = ${nextBlock - 1}), now())
     where chain_id = ${chainId} and family = ${to.family} and address = ${to.address}`.execute(tx);
  await sql`select pg_notify('vaultops_vaults', '')`.execute(tx);
}

async function logsOfRange(
  client: ChainClient,
  range: { fromBlock: number; toBlock: number; addresses: Address[] },
): Promise<RawLog[]> {
  const logs: RawLog[] = [];
  for await (const part of client.logsInRange(range)) logs.push(...part.logs);
  return logs;
}
