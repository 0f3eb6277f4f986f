// What the log's triggers keep beside the entries - tiles of the tree, counts - summed up in the process that fills a log: one pass at
// the speed of rendering, where the triggers' own functions over ten million entries take the better part of an hour. The verifier,
// which trusts neither, decides whether it was done right.
import { hash } from "node:crypto";
import type { AuditEntryInput } from "../../server/src/audit/entries/entries.ts";
import { subtreeRoot } from "../../server/src/audit/tree/tree.ts";
import { operation, type Pace } from "./audit-log.ts";

const WIDTH = 256;
/** An actor with more entries is counted by vault, too. */
const MAX_UNCOUNTED = 1024;

/** Full tiles of every level, as lines of COPY. */
export class FilledTree {
  readonly #levels: { hashes: Buffer; filled: number; tiles: number }[] = [];
  #lines = "";

  add(body: string): void {
    // A leaf's hash as a text of bytes, which is made fastest.
    this.#put(0, hash("sha256", `\0${body}`, "binary"));
  }

  takeLines(): string {
    const lines = this.#lines;
    this.#lines = "";
    return lines;
  }

  #put(at: number, leaf: string): void {
    const level = this.#levels[at] ?? { hashes: Buffer.alloc(WIDTH * 32), filled: 0, tiles: 0 };
    this.#levels[at] = level;
    level.hashes.latin1Write(leaf, level.filled * 32);
    level.filled += 1;
    if (level.filled < WIDTH) return;
    const root = subtreeRoot(level.hashes);
    this.#lines += `${at}\t${level.tiles}\t\\\\x${level.hashes.toString("hex")}\t\\\\x${root.toString("hex")}\n`;
    level.tiles += 1;
    level.filled = 0;
    this.#put(at + 1, root.latin1Slice());
  }
}

interface Running {
  before: string;
  after: string;
  shift: number;
  bucket: number;
  n: number;
}

/** Counts, as lines of COPY: operations come in the order of time, and of each the block's time is the timestamp. */
export class FilledCounts {
  readonly #busy: ReadonlySet<string>;
  readonly #actors: ReadonlyMap<string, number>;
  readonly #cells = new Map<string, Running[]>();
  readonly #running = new Map<string, Running>();
  #lines = "";

  /** Of the first `counted` operations. */
  constructor(counted: number, pace: Pace) {
    const actors = new Map<string, number>();
    for (let n = 0; n < counted; n += 1) {
      const { actor_wallet } = operation(n, pace);
      actors.set(actor_wallet, (actors.get(actor_wallet) ?? 0) + 1);
    }
    this.#actors = actors;
    this.#busy = new Set([...actors].filter(([, n]) => n > MAX_UNCOUNTED).map(([actor]) => actor));
  }

  add(entry: AuditEntryInput): void {
    const second = entry.occurredAt!;
    const { actor_wallet: actor, chain_id, vault_address, action_type } = entry;
    this.#count(`${chain_id}\t${vault_address}\t${action_type}`, second, () => [
      ...this.#levels("", chain_id, vault_address, action_type),
      ...this.#levels("", chain_id, "*", action_type),
      ...this.#levels("", -1, "*", action_type),
    ]);
    if (!this.#busy.has(actor)) return;
    this.#count(`${actor}\t${chain_id}\t${vault_address}\t${action_type}`, second, () =>
      this.#levels(actor, chain_id, vault_address, action_type),
    );
  }

  finish(): void {
    for (const running of this.#running.values()) this.#flush(running);
  }

  takeLines(): string {
    const lines = this.#lines;
    this.#lines = "";
    return lines;
  }

  actorLines(): string[] {
    return [...this.#actors].map(([actor, n]) => `${actor}\t${n}\t${this.#busy.has(actor) ? "t" : "f"}\n`);
  }

  #count(key: string, second: number, make: () => Running[]): void {
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = make();
      this.#cells.set(key, cell);
    }
    for (const running of cell) {
      const bucket = running.shift === 63 ? 0 : Math.floor(second / 2 ** running.shift);
      if (bucket !== running.bucket) {
        this.#flush(running);
        running.bucket = bucket;
      }
      running.n += 1;
    }
  }

  #flush(running: Running): void {
    if (running.n > 0) this.#lines += `${running.before}${running.bucket}${running.after}${running.n}\n`;
    running.n = 0;
  }

  #levels(actor: string, chain: number, vault: string, action: string): Running[] {
    return [vault === "*" ? 13 : 16, 20, 63].map((shift) => {
      const before = `${actor}\t${shift}\t${chain}\t${vault}\t0\t`;
      const after = `\t${action}\t`;
      const running = this.#running.get(before + after) ?? { before, after, shift, bucket: 0, n: 0 };
      this.#running.set(before + after, running);
      return running;
    });
  }
}
