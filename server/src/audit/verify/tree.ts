// The tree over leaves that come in order, against the stored tiles and the signed checkpoints.
import { Frontier } from "@vaultops/proof";
import { type QueryExecutorProvider, sql } from "kysely";
import type { StoredCheckpoint } from "../tree/stored.ts";
import { sha256, subtreeRoot } from "../tree/tree.ts";
import type { LogFailure } from "./row.ts";

/** Hashes of a tile. */
export const WIDTH = 256;

/** So many tiles of leaves are read at once. */
const READ_AHEAD = 8;

interface Tile {
  index: number;
  hashes: Buffer;
  root: Buffer;
}

/** Takes every leaf's hash once, from the first, a tile of them at a time. */
export class TreeCheck {
  readonly #snapshot: QueryExecutorProvider;
  /** Those that no leaves have come for yet, the smallest first. */
  readonly #checkpoints: StoredCheckpoint[];
  readonly #frontier = new Frontier(sha256);
  /** Of each level above the leaves: the roots of full tiles below that make its tile at hand, and how many tiles were full before. */
  readonly #above: { roots: Buffer[]; tiles: number }[] = [];
  #signedUpTo = 0;
  /** Stored tiles of leaves, as far as they were read, by index. */
  #ahead = new Map<number, Tile>();

  constructor(snapshot: QueryExecutorProvider, checkpoints: readonly StoredCheckpoint[]) {
    this.#snapshot = snapshot;
    this.#checkpoints = checkpoints.filter(({ size }) => size > 0);
  }

  /** The hashes of the leaves of the next tile; of the last one, or up to an entry that does not hold, they may be fewer. */
  async add(leaves: readonly Buffer[]): Promise<LogFailure | null> {
    const index = this.#frontier.size / WIDTH;
    const first = this.#frontier.size + 1;
    const last = first + WIDTH - 1;
    const stored = await this.#leafTile(index);
    const isFull = leaves.length === WIDTH;
    if (isFull && stored === undefined)
      return { seq: first, reason: `the stored tree lacks the tile of entries ${first} to ${last}` };
    if (stored !== undefined) {
      const changed = leaves.findIndex(
        (leaf, i) => !leaf.equals(stored.hashes.subarray(i * 32, i * 32 + 32)),
      );
      if (changed >= 0) return { seq: first + changed, reason: "its hash is not the one in the tree" };
    }
    for (const leaf of leaves) {
      this.#frontier.add(leaf);
      const failure = this.#checkpointFault();
      if (failure !== null) return failure;
    }
    if (!isFull) return null;
    const root = subtreeRoot(Buffer.concat(leaves));
    if (!stored?.root.equals(root))
      return { seq: first, reason: `the root of the tile of entries ${first} to ${last} is wrong` };
    return this.#addRoot(1, root);
  }

  /** The stored hashes of a tile's leaves, for entries whose texts are archived. */
  async hashesOf(index: number): Promise<Buffer | null> {
    return (await this.#tiles(0, index, 1))[0]?.hashes ?? null;
  }

  /** After the last leaf: no tile may be too many. */
  async finish(): Promise<LogFailure | null> {
    const { rows } = await sql<{ level: number; tiles: number }>`
      select level, count(*) as tiles from audit_tiles group by level`.execute(this.#snapshot);
    const isExact = rows.every(
      ({ level, tiles }) => tiles === Math.floor(this.#frontier.size / WIDTH ** (level + 1)),
    );
    return isExact ? null : { seq: null, reason: "the stored tree has tiles that no entries belong to" };
  }

  /** Adds the root of a full tile to the tile at hand of the level above. */
  async #addRoot(level: number, root: Buffer): Promise<LogFailure | null> {
    this.#above[level] ??= { roots: [], tiles: 0 };
    const above = this.#above[level];
    above.roots.push(root);
    if (above.roots.length < WIDTH) return null;
    const hashes = Buffer.concat(above.roots);
    const own = subtreeRoot(hashes);
    const [stored] = await this.#tiles(level, above.tiles, 1);
    if (!stored?.hashes.equals(hashes) || !stored.root.equals(own)) {
      const fault = stored === undefined ? "missing" : "wrong";
      return { seq: null, reason: `tile ${above.tiles} of level ${level} of the stored tree is ${fault}` };
    }
    above.roots = [];
    above.tiles += 1;
    return this.#addRoot(level + 1, own);
  }

  /** Checks the checkpoint that ends with the newest leaf, if there is one. */
  #checkpointFault(): LogFailure | null {
    const { size } = this.#frontier;
    while (this.#checkpoints[0]?.size === size) {
      const { root } = this.#checkpoints.shift()!;
      const from = this.#signedUpTo + 1;
      if (!root.equals(this.#frontier.root())) {
        const reason = `entries ${from} to ${size} are not those that the checkpoint of ${size} entries was signed for`;
        return { seq: from, reason };
      }
      this.#signedUpTo = size;
    }
    return null;
  }

  /** Every tile of leaves is asked for, one after the other. */
  async #leafTile(index: number): Promise<Tile | undefined> {
    if (index % READ_AHEAD === 0)
      this.#ahead = new Map((await this.#tiles(0, index, READ_AHEAD)).map((tile) => [tile.index, tile]));
    return this.#ahead.get(index);
  }

  async #tiles(level: number, first: number, count: number): Promise<Tile[]> {
    const { rows } = await sql<Tile>`
      select index, hashes, root from audit_tiles
       where level = ${level} and index >= ${first} and index < ${first + count}`.execute(this.#snapshot);
    return rows;
  }
}
