// The tree over leaves that come in order, against the stored tiles and the signed checkpoints, as they come.
import { Frontier } from "@vaultops/proof";
import type pg from "pg";
import type { StoredCheckpoint } from "./checkpoint.ts";
import { sha256, subtreeRoot } from "./tree.ts";
import type { LogFailure } from "./verify-row.ts";

const WIDTH = 256;
const READ_AHEAD = 64;

interface Tile {
  hashes: Buffer;
  root: Buffer;
}

/** Takes every leaf once, from the first. */
export class TreeCheck {
  readonly #pool: pg.Pool;
  readonly #checkpoints: readonly StoredCheckpoint[];
  #frontier = new Frontier(sha256);
  /** Hashes of the tile at hand, of level 0; of the levels above, roots of full tiles below. */
  #leaves = Buffer.alloc(WIDTH * 32);
  #filled = 0;
  readonly #above: { hashes: Buffer; filled: number; tiles: number }[] = [];
  #ahead = new Map<string, Tile>();
  #nextCheckpoint = 0;
  #signedUpTo = 0;

  constructor(pool: pg.Pool, checkpoints: readonly StoredCheckpoint[]) {
    this.#pool = pool;
    this.#checkpoints = checkpoints;
    while (checkpoints[this.#nextCheckpoint]?.size === 0) this.#nextCheckpoint += 1;
  }

  /** `leaf` begins with the 0x00 of a leaf. */
  add(leaf: Buffer): LogFailure | null | Promise<LogFailure | null> {
    sha256(leaf).copy(this.#leaves, this.#filled * 32);
    this.#filled += 1;
    return this.#filled === WIDTH ? this.#endTile() : null;
  }

  /** Whether a leaf of the tile at hand, as far as it has come, is not the stored one. */
  async faultSoFar(): Promise<LogFailure | null> {
    const index = this.#frontier.size / WIDTH;
    const stored = await this.#stored(0, index);
    return stored === null ? null : this.#leafFault(stored, index * WIDTH + 1);
  }

  #leafFault(stored: Tile, first: number): LogFailure | null {
    const changed = firstDifference(this.#leaves, stored.hashes, this.#filled);
    return changed < 0 ? null : { seq: first + changed, reason: "its hash is not the one in the tree" };
  }

  /** After the last leaf: the checkpoints in what is not a full tile, and that no tile is too many. */
  async finish(): Promise<LogFailure | null> {
    const failure = this.#checkpointFault();
    if (failure !== null) return failure;
    // Entries may have come meanwhile: tiles are held against the log as it stands in the same snapshot.
    const { rows } = await this.#pool.query(
      `select level, count(*)::int as tiles, (select seq from audit_entries order by seq desc limit 1) as size
         from audit_tiles group by level`,
    );
    const isExact = rows.every(({ level, tiles, size }) => tiles === Math.floor(size / WIDTH ** (level + 1)));
    return isExact ? null : { seq: null, reason: "the stored tree has tiles that no entries belong to" };
  }

  async #endTile(): Promise<LogFailure | null> {
    const index = this.#frontier.size / WIDTH;
    const stored = await this.#stored(0, index);
    const first = index * WIDTH + 1;
    if (stored === null)
      return {
        seq: first,
        reason: `the stored tree lacks the tile of entries ${first} to ${first + WIDTH - 1}`,
      };
    const changed = this.#leafFault(stored, first);
    if (changed !== null) return changed;
    const failure = this.#checkpointFault();
    if (failure !== null) return failure;
    const root = subtreeRoot(this.#leaves);
    if (!root.equals(stored.root))
      return {
        seq: first,
        reason: `the root of the tile of entries ${first} to ${first + WIDTH - 1} is wrong`,
      };
    this.#frontier.add(root, 8);
    this.#filled = 0;
    return this.#carry(0, root);
  }

  /** Adds a tile's root to the level above. */
  async #carry(level: number, root: Buffer): Promise<LogFailure | null> {
    const above = this.#above[level] ?? { hashes: Buffer.alloc(WIDTH * 32), filled: 0, tiles: 0 };
    this.#above[level] = above;
    root.copy(above.hashes, above.filled * 32);
    above.filled += 1;
    if (above.filled < WIDTH) return null;
    const stored = await this.#stored(level + 1, above.tiles);
    const own = subtreeRoot(above.hashes);
    if (stored === null || !stored.hashes.equals(above.hashes) || !stored.root.equals(own)) {
      return {
        seq: null,
        reason: `tile ${above.tiles} of level ${level + 1} of the stored tree is ${stored === null ? "missing" : "wrong"}`,
      };
    }
    above.filled = 0;
    above.tiles += 1;
    return this.#carry(level + 1, own);
  }

  /** Checks the checkpoints that end within the leaves at hand. */
  #checkpointFault(): LogFailure | null {
    for (;;) {
      const checkpoint = this.#checkpoints[this.#nextCheckpoint];
      if (checkpoint === undefined || checkpoint.size > this.#frontier.size + this.#filled) return null;
      const upTo = this.#frontier.copy();
      for (let i = 0; upTo.size < checkpoint.size; i++)
        upTo.add(Buffer.from(this.#leaves.subarray(i * 32, i * 32 + 32)));
      if (!checkpoint.root.equals(upTo.root())) {
        const from = this.#signedUpTo + 1;
        return {
          seq: from,
          reason: `entries ${from} to ${checkpoint.size} are not those that the checkpoint of ${checkpoint.size} entries was signed for`,
        };
      }
      this.#signedUpTo = checkpoint.size;
      this.#nextCheckpoint += 1;
    }
  }

  async #stored(level: number, index: number): Promise<Tile | null> {
    const key = `${level}/${index}`;
    if (!this.#ahead.has(key)) {
      const { rows } = await this.#pool.query(
        "select index::float8 as index, hashes, root from audit_tiles where level = $1 and index >= $2 order by index limit $3",
        [level, index, level === 0 ? READ_AHEAD : 1],
      );
      if (level === 0) this.#ahead = new Map();
      for (const row of rows) this.#ahead.set(`${level}/${Number(row.index)}`, row);
    }
    return this.#ahead.get(key) ?? null;
  }
}

function firstDifference(a: Buffer, b: Buffer, count: number): number {
  if (a.compare(b, 0, count * 32, 0, count * 32) === 0) return -1;
  for (let i = 0; i < count; i++) {
    if (a.compare(b, i * 32, i * 32 + 32, i * 32, i * 32 + 32) !== 0) return i;
  }
  return -1;
}
