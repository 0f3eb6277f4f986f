// ChainStore: one chain's rows, and the only way to write them.
//
// Guarantee: every commit raises chains.revision from the number that this store left there, in the same transaction as
// everything else it writes; a writer that finds another number has lost the lead (`LeadLost`), has written nothing, and
// must load again. Loading is for the holder of the lease alone, and whoever takes the lease raises the revision too: so a leader
// that was paused, whenever it wakes, writes nothing any more. Commits of one store run one after the other. What is in
// memory here changes only once it is committed.
import { type RawBuilder, sql } from "kysely";
import type { Hash } from "viem";
import type { Source } from "../../chain/directory.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import type { HeldBlock } from "./reconcile.ts";

/** Another process leads or writes this chain. */
export class LeadLost extends Error {
  constructor(chainId: number) {
    super(`another process leads chain ${chainId}`);
    this.name = "LeadLost";
  }
}

export interface FollowedSource {
  source: Source;
  startBlock: number;
  /** The first block not yet filled in; null once the source follows the head. */
  nextBlock: number | null;
  /** Unix seconds. Older blocks are history. */
  configuredAt: number;
}

/** What a commit changes in the chain's row, and in memory when it has succeeded. */
export interface ChainChange {
  head?: BlockHeader;
  confirmed?: number;
  anchor?: HeldBlock;
  isHalted?: boolean;
}

/** Blocks kept in memory, and kept in the table though empty, below the newest confirmed one. */
const MARGIN = 64;
const MAX_WINDOW = 4096;
/** A writer that is paused in a transaction keeps the next leader out for so long at most: then the server ends its session. */
export const IDLE_IN_COMMIT_MS = 3_000;

const IDLE_LIMIT = sql`set_config('idle_in_transaction_session_timeout', ${String(IDLE_IN_COMMIT_MS)}, true)`;
/** So often a transaction that waits for the one before it shows the server that it is not paused; so many times, and it gives up. */
const BEAT_MS = 1_000;
const MAX_BEATS = 4;

/** What was written in a transaction is not to stand. */
class NotWritten extends Error {}

export class ChainStore {
  readonly chainId: number;
  readonly db: Database;
  head: BlockHeader | null = null;
  confirmed = -1;
  anchor: HeldBlock | null = null;
  isHalted = false;
  /** The newest blocks held, newest first. */
  window: HeldBlock[] = [];
  /** Those of the configuration; what it no longer names is left alone. */
  sources: FollowedSource[] = [];
  /** Raised whenever blocks are undone: what was read from the chain before may be void. */
  epoch = 0;
  #revision = -1;
  #lane: Promise<unknown> = Promise.resolve();

  constructor(db: Database, chainId: number) {
    this.db = db;
    this.chainId = chainId;
  }

  /**
   * Reads the chain's row and its newest blocks, under the lease with that token. `sources` are those to follow; their cursors are
   * read too. @throws LeadLost when the lease has been taken by another
   */
  load(token: number, sources: readonly Source[]): Promise<void> {
    return this.#inTurn(() => this.#load(token, sources));
  }

  async #load(token: number, sources: readonly Source[]): Promise<void> {
    const row = await this.#loadRow(token);
    this.#revision = row.revision;
    this.confirmed = row.confirmed_number ?? -1;
    this.isHalted = row.is_halted;
    this.anchor =
      row.anchor_number === null ? null : { number: row.anchor_number, hash: row.anchor_hash as Hash };
    this.window =
      row.head_number === null ? [] : await this.olderThan(row.head_number + 1, this.#windowSize(row));
    this.head =
      row.head_number === null
        ? null
        : {
            number: row.head_number,
            hash: row.head_hash as Hash,
            parentHash: row.head_parent_hash as Hash,
            timestamp: row.head_timestamp!,
          };
    this.sources = await this.#loadSources(sources);
    this.epoch += 1;
  }

  get joined(): FollowedSource[] {
    return this.sources.filter((source) => source.nextBlock === null);
  }

  get behind(): FollowedSource[] {
    return this.sources.filter((source) => source.nextBlock !== null);
  }

  /** Held blocks below a number, newest first. */
  async olderThan(number: number, limit: number): Promise<HeldBlock[]> {
    const { rows } = await sql<HeldBlock>`
      select number, hash from blocks where chain_id = ${this.chainId} and number < ${number}
       order by number desc limit ${limit}`.execute(this.db.kysely);
    return rows;
  }

  /**
   * Runs `write` in a transaction that only the leader can commit. `isStill` is asked when it is this commit's turn; false
   * gives it up, and the result is null.
   * @throws LeadLost when another process has written the chain since
   */
  async commit<T>(
    change: ChainChange,
    write: (tx: Tx) => Promise<T>,
    isStill: () => boolean = () => true,
  ): Promise<{ value: T } | null> {
    return this.#inTurn(async () => {
      if (!isStill()) return null;
      const value = await this.db.transaction(async (tx) => {
        await this.#fence(tx, change);
        return write(tx);
      });
      this.#revision += 1;
      this.#adopt(change);
      return { value };
    });
  }

  /**
   * The same in a transaction that begins before its turn: `before` writes meanwhile what no earlier commit of this store reads or writes, then
   * it waits until the one before it has ended (`previous`, false where that wrote nothing). Nothing of it stands unless the whole does.
   *
   * A writer that is paused while it waits is ended by the server like one that is paused later: one that waits asks it something now and
   * then. Where its turn does not come soon, or anything else goes wrong before it, all is written when its turn has come: somebody who
   * comes first may be waiting for a row that was written here.
   */
  async commitAhead<A, T>(
    before: (tx: Tx) => Promise<A>,
    previous: Promise<boolean>,
    write: (tx: Tx, begun: A) => Promise<T>,
    isStill: () => boolean,
  ): Promise<{ value: T } | null> {
    let leave: (() => void) | null = null;
    try {
      const value = await this.db.transaction(async (tx) => {
        leave?.();
        leave = null;
        await sql`select ${IDLE_LIMIT}`.execute(tx);
        const begun = await before(tx);
        if (!(await alive(tx, previous))) throw new NotWritten();
        // It stays its turn until the transaction has ended.
        leave = await this.#enter(BEAT_MS);
        if (!isStill()) throw new NotWritten();
        await this.#fence(tx, {});
        return write(tx, begun);
      });
      this.#revision += 1;
      return { value };
    } catch (error) {
      if (error instanceof NotWritten) return null;
      if (leave !== null) throw error;
    } finally {
      (leave as (() => void) | null)?.();
    }
    if (!(await previous)) return null;
    return this.commit({}, async (tx) => write(tx, await before(tx)), isStill);
  }

  /** Whether a transaction may be held open while it waits: not where others need the connections. */
  get hasRoomAhead(): boolean {
    const { totalCount, idleCount, waitingCount, options } = this.db.pool;
    return waitingCount === 0 && totalCount - idleCount <= options.max / 2;
  }

  /** The same without a row of its own to write: one statement instead of a transaction. */
  async commitAlone(change: ChainChange, block: BlockHeader | null): Promise<void> {
    await this.#inTurn(async () => {
      const insert = block
        ? sql`, b as (
            insert into blocks (chain_id, number, hash, parent_hash, block_timestamp, is_empty)
            select chain_id, ${block.number}, ${block.hash}, ${block.parentHash}, to_timestamp(${block.timestamp}), true
              from lead)`
        : sql``;
      const { rows } = await sql`
        with lead as (${this.#update(change)})${insert}
        select ${this.#notice(change)} from lead`.execute(this.db.kysely);
      if (rows.length === 0) throw new LeadLost(this.chainId);
      this.#revision += 1;
      this.#adopt(change);
    });
  }

  /** Keeps the window in step with what was committed. */
  pushBlocks(blocks: readonly HeldBlock[]): void {
    for (const { number, hash } of blocks) this.window.unshift({ number, hash });
    const floor = Math.min(this.confirmed, (this.window[0]?.number ?? 0) - 1) - MARGIN;
    while (this.window.length > 1 && this.window.at(-1)!.number < floor) this.window.pop();
  }

  restartWindow(block: HeldBlock): void {
    this.window = [{ number: block.number, hash: block.hash }];
  }

  dropBlocksAbove(number: number): void {
    this.window = this.window.filter((block) => block.number <= number);
    for (const source of this.behind)
      source.nextBlock = Math.max(source.startBlock, Math.min(source.nextBlock!, number + 1));
    this.epoch += 1;
  }

  async #fence(tx: Tx, change: ChainChange): Promise<void> {
    const { rows } = await this.#update(change, sql`, ${IDLE_LIMIT}`).execute(tx);
    if (rows.length === 0) throw new LeadLost(this.chainId);
    if (change.head) await sql`select ${this.#notice(change)}`.execute(tx);
  }

  #update(change: ChainChange, also = sql``): RawBuilder<unknown> {
    const sets = [sql`revision = revision + 1`];
    if (change.head) {
      const { number, hash, timestamp } = change.head;
      sets.push(
        sql`head_number = ${number}, head_hash = ${hash}, head_timestamp = to_timestamp(${timestamp}), head_seen_at = now(), is_halted = false`,
      );
    }
    if (change.confirmed !== undefined) sets.push(sql`confirmed_number = ${change.confirmed}`);
    if (change.isHalted !== undefined) sets.push(sql`is_halted = ${change.isHalted}`);
    if (change.anchor) {
      sets.push(sql`anchor_number = ${change.anchor.number}, anchor_hash = ${change.anchor.hash}`);
    }
    return sql`
      update chains set ${sql.join(sets)}
       where chain_id = ${this.chainId} and revision = ${this.#revision} returning chain_id${also}`;
  }

  /** Listeners are told at the commit, and told nothing that is rolled back. */
  #notice(change: ChainChange): RawBuilder<unknown> {
    if (!change.head) return sql`1`;
    return sql`pg_notify('head', ${JSON.stringify({ chain_id: this.chainId, number: change.head.number })})`;
  }

  #adopt(change: ChainChange): void {
    if (change.head) {
      this.head = change.head;
      this.isHalted = false;
    }
    if (change.confirmed !== undefined) this.confirmed = change.confirmed;
    if (change.anchor) this.anchor = change.anchor;
    if (change.isHalted !== undefined) this.isHalted = change.isHalted;
  }

  /** Waits for its turn, which lasts until the answer is called. @throws Error when it has not come in that time */
  async #enter(ms: number): Promise<() => void> {
    const entered = new Promise<() => void>((resolve) => {
      void this.#inTurn(() => new Promise<void>((leave) => resolve(leave)));
    });
    try {
      return await within(ms, entered);
    } catch (error) {
      void entered.then((leave) => leave());
      throw error;
    }
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#lane.then(run, run);
    this.#lane = turn.catch(() => {});
    return turn;
  }

  /** One statement: the revision is that of the lease's holder. */
  async #loadRow(token: number): Promise<ChainRow> {
    const { rows } = await sql<ChainRow>`
      select revision, confirmed_number, is_halted, anchor_number, anchor_hash, head_number, head_hash,
             extract(epoch from head_timestamp)::bigint as head_timestamp,
             (select parent_hash from blocks b where b.chain_id = c.chain_id and b.number = c.head_number) as head_parent_hash
        from chains c join chain_leases l using (chain_id)
       where chain_id = ${this.chainId} and l.token = ${token}`.execute(this.db.kysely);
    if (!rows[0]) throw new LeadLost(this.chainId);
    return rows[0];
  }

  #windowSize(row: ChainRow): number {
    return Math.min(MAX_WINDOW, row.head_number! - (row.confirmed_number ?? 0) + MARGIN);
  }

  async #loadSources(sources: readonly Source[]): Promise<FollowedSource[]> {
    const { rows } = await sql<SourceRow>`
      select family, address, start_block, next_block, ceil(extract(epoch from configured_at))::bigint as configured_at
        from sources where chain_id = ${this.chainId}`.execute(this.db.kysely);
    const cursors = new Map(rows.map((row) => [`${row.family}:${row.address}`, row]));
    return sources.flatMap((source) => {
      const row = cursors.get(`${source.family}:${source.address}`);
      if (!row) return [];
      return [
        { source, startBlock: row.start_block, nextBlock: row.next_block, configuredAt: row.configured_at },
      ];
    });
  }
}

/** Waits within a transaction that must not look paused. @throws Error when it takes too long */
async function alive(tx: Tx, awaited: Promise<boolean>): Promise<boolean> {
  for (let beat = 1; ; beat += 1) {
    try {
      return await within(BEAT_MS, awaited);
    } catch (error) {
      if (beat === MAX_BEATS) throw error;
      await sql`select 1`.execute(tx);
    }
  }
}

/** @throws Error when it takes longer */
async function within<T>(ms: number, awaited: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([awaited, over]);
  } finally {
    clearTimeout(timer);
  }
}

interface ChainRow {
  revision: number;
  confirmed_number: number | null;
  is_halted: boolean;
  anchor_number: number | null;
  anchor_hash: string | null;
  head_number: number | null;
  head_hash: string | null;
  head_parent_hash: string | null;
  /** Unix seconds. */
  head_timestamp: number | null;
}

interface SourceRow {
  family: string;
  address: string;
  start_block: number;
  next_block: number | null;
  configured_at: number;
}
