// The stored tree, read: full tiles from audit_tiles, the newest leaves from the entries themselves, proofs from both.
// A tile that should be there and is not is an error, never an empty answer.

import { consistencyRanges, EMPTY_ROOT, inclusionRanges, type Range, splitOf } from "@vaultops/proof";
import { type QueryExecutorProvider, sql } from "kysely";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import { executeNamed } from "../../platform/db/db.ts";
import { leafHash, nodeHash, writeNodeHashes } from "./tree.ts";

const WIDTH = 256;
const MAX_KEPT = 512;

/** The stored tree does not hold what it must. The database has been tampered with, or lost data. */
export class TreeUnreadable extends Error {}

/**
 * Reads hashes of the tree. Hashes never change, so tiles are kept, up to 512 of them (8 MB); one that was not full is
 * read again when a hash is asked for that it did not have yet.
 */
export class TileReader {
  readonly #db: QueryExecutorProvider;
  readonly #kept = new BoundedCache<string, Buffer[]>(MAX_KEPT);

  constructor(db: QueryExecutorProvider) {
    this.#db = db;
  }

  /** The root of the tree over the first `size` entries, all of which must exist. */
  async root(size: number): Promise<Buffer> {
    return size === 0 ? Buffer.from(EMPTY_ROOT) : this.range([0, size]);
  }

  /** The proof that the entry at leaf `index` (its seq − 1) is in the tree of `size`. */
  inclusionProof(index: number, size: number): Promise<Buffer[]> {
    return this.#all(inclusionRanges(index, size));
  }

  /** The proof that the tree of `to` begins with the tree of `from`; empty for from = 0. */
  consistencyProof(from: number, to: number): Promise<Buffer[]> {
    return from === 0 ? Promise.resolve([]) : this.#all(consistencyRanges(from, to));
  }

  /** The hash over leaves that a proof names: a range that begins at a multiple of the power of two it fits in. */
  async range([begin, end]: Range): Promise<Buffer> {
    const size = end - begin;
    const height = Math.log2(size);
    if (Number.isInteger(height) && begin % size === 0) return this.#node(height, begin / size);
    const middle = begin + splitOf(size);
    const left = await this.range([begin, middle]);
    return nodeHash(left, await this.range([middle, end]));
  }

  async #all(ranges: readonly Range[]): Promise<Buffer[]> {
    const hashes: Buffer[] = [];
    for (const range of ranges) hashes.push(await this.range(range));
    return hashes;
  }

  /** The root of the full subtree of 2^height leaves, the `index`-th of its height. */
  async #node(height: number, index: number): Promise<Buffer> {
    const level = Math.floor(height / 8);
    const inner = height % 8;
    const perTile = 2 ** (8 - inner);
    const tile = Math.floor(index / perTile);
    const place = index % perTile;
    const kept = hashAt(this.#kept.get(`${level}/${tile}`), inner, place);
    const hash = kept ?? hashAt(await this.#load(level, tile), inner, place);
    if (hash === null) throw new TreeUnreadable(`the audit tree lacks node ${index} of height ${height}`);
    return hash;
  }

  /**
   * Writes the hashes of the 256 leaves from 256 × `tile` on, all of which must exist, into `target`. For who goes through them all: they
   * are not kept, and no piece of memory is left behind for each.
   */
  async writeLeavesOf(tile: number, target: Buffer): Promise<void> {
    const text = sql<{ hashes: string }>`
      select encode(hashes, 'base64') as hashes from audit_tiles where level = 0 and index = ${tile}`;
    const [row] = (await executeNamed(this.#db, "audit_tile_text", text)).rows;
    const isWhole = row !== undefined && target.write(row.hashes, "base64") === WIDTH * 32;
    if (!isWhole) throw new TreeUnreadable(`the audit tree lacks tile ${tile}`);
  }

  /** The rows of a tile, from its own hashes up; of a tile that is not full as many as there are. */
  async #load(level: number, tile: number): Promise<Buffer[]> {
    const full = sql<{
      hashes: Buffer;
    }>`select hashes from audit_tiles where level = ${level} and index = ${tile}`;
    const [row] = (await executeNamed(this.#db, "audit_tile", full)).rows;
    const tree = rowsOver(row?.hashes ?? (await this.#partial(level, tile)));
    this.#kept.set(`${level}/${tile}`, tree);
    return tree;
  }

  async #partial(level: number, tile: number): Promise<Buffer> {
    const [first, end] = [tile * WIDTH, (tile + 1) * WIDTH];
    const nodes = level === 0 ? await this.#leaves(first, end) : await this.#roots(level - 1, first, end);
    nodes.forEach(({ at }, i) => {
      if (at !== first + i + 1)
        throw new TreeUnreadable(`the audit tree has a gap at ${first + i + 1} of level ${level}`);
    });
    return Buffer.concat(nodes.map(({ hash }) => hash));
  }

  async #leaves(after: number, upTo: number): Promise<Node[]> {
    const leaves = sql<{ at: number; body: string }>`
      select seq::float8 as at, body from audit_entries where seq > ${after} and seq <= ${upTo} order by seq`;
    const { rows } = await executeNamed(this.#db, "audit_tail_leaves", leaves);
    return rows.map(({ at, body }) => ({ at, hash: leafHash(body) }));
  }

  async #roots(level: number, first: number, end: number): Promise<Node[]> {
    const roots = sql<Node>`
      select index::float8 + 1 as at, root as hash from audit_tiles
       where level = ${level} and index >= ${first} and index < ${end} order by index`;
    return (await executeNamed(this.#db, "audit_tile_roots", roots)).rows;
  }
}

/** A hash that a tile is made of, with its place, from 1. */
interface Node {
  at: number;
  hash: Buffer;
}

/** In one piece of memory: thousands of small ones take several times as much. */
function rowsOver(hashes: Buffer): Buffer[] {
  const whole = Buffer.allocUnsafeSlow(2 * hashes.length);
  hashes.copy(whole);
  const rows = [whole.subarray(0, hashes.length)];
  for (let below = rows[0]!, at = hashes.length; below.length >= 64; ) {
    const above = whole.subarray(at, at + Math.floor(below.length / 64) * 32);
    writeNodeHashes(below, above);
    rows.push(above);
    at += above.length;
    below = above;
  }
  return rows;
}

function hashAt(rows: readonly Buffer[] | undefined, height: number, place: number): Buffer | null {
  const row = rows?.[height];
  return row !== undefined && (place + 1) * 32 <= row.length
    ? row.subarray(place * 32, place * 32 + 32)
    : null;
}
