// Book: every vault as the API shows it, kept ready in memory, so that a crowd of pollers costs the database one small query a
// second and chain.
//
// Guarantee: an answer holds all that was committed a second before it was asked for, and all that a notice told of before. A vault's
// entry is built again only when its stamp has changed. The countdown is not in here; it is computed for each answer.
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import { Kept } from "../../platform/kept.ts";
import { buildEntry, type Entry } from "./entry.ts";
import { loadChains, loadStamps, loadVaults } from "./store.ts";

/** The vaults of a chain. Never changed once it is made; `version` tells two apart. */
export interface Shelf {
  chainId: number;
  version: number;
  /** Unix seconds; null before the first block. */
  headSeconds: number | null;
  entries: ReadonlyMap<Address, Entry>;
}

export interface BookOptions {
  db: Pick<Database, "kysely">;
  clock: Clock;
  /** Where the console is, for links to alerts. */
  publicUrl: string;
  /** The longest that an answer may lag behind a commit of which no notice came. */
  maxAgeMs?: number;
}

export class Book {
  readonly #options: Required<BookOptions>;
  readonly #shelves = new Map<number, Kept<Shelf>>();
  readonly #chains: Kept<number[]>;
  #versions = 0;

  constructor(options: BookOptions) {
    this.#options = { maxAgeMs: 1000, ...options };
    this.#chains = new Kept(() => loadChains(this.#options.db), this.#options.maxAgeMs);
  }

  /** The chain's vaults; at once when they are fresh. null for a chain that is not known. */
  shelf(chainId: number): Shelf | null | Promise<Shelf | null> {
    const known = this.#shelves.get(chainId);
    if (known) return known.get();
    return this.#learn().then(() => this.#shelves.get(chainId)?.get() ?? null);
  }

  /** Every chain's vaults, by chain id. */
  all(): Shelf[] | Promise<Shelf[]> {
    const chains = this.#chains.get();
    if (!Array.isArray(chains)) return this.#learn().then(() => this.#all());
    return this.#all();
  }

  /** Makes the next answers look again: all that was committed before this call is in them. */
  invalidate(chainId?: number): void {
    if (chainId === undefined) this.#chains.invalidate();
    for (const [id, shelf] of this.#shelves) if (chainId === undefined || id === chainId) shelf.invalidate();
  }

  async #learn(): Promise<void> {
    for (const chainId of await this.#chains.get()) {
      if (this.#shelves.has(chainId)) continue;
      const shelf: Kept<Shelf> = new Kept(() => this.#load(chainId, shelf.value), this.#options.maxAgeMs);
      this.#shelves.set(chainId, shelf);
    }
  }

  #all(): Shelf[] | Promise<Shelf[]> {
    const shelves = [...this.#shelves.values()].map((shelf) => shelf.get());
    const isReady = shelves.every((shelf) => !(shelf instanceof Promise));
    return isReady ? (shelves as Shelf[]) : Promise.all(shelves);
  }

  async #load(chainId: number, before: Shelf | null): Promise<Shelf> {
    const { db, clock } = this.#options;
    const now = timestampOfMs(clock.now());
    const { headSeconds, stamps } = await loadStamps(db, chainId, now);
    const isKept = ({ address, stamp }: { address: Address; stamp: string }) =>
      before?.entries.get(address)?.stamp === stamp;
    const changed = stamps.filter((each) => !isKept(each));
    if (before && changed.length === 0 && before.entries.size === stamps.length) {
      return before.headSeconds === headSeconds ? before : { ...before, headSeconds };
    }
    const rows = await loadVaults(
      db,
      chainId,
      changed.map(({ address }) => address),
      now,
    );
    const built = new Map(rows.map((row) => [row.address, row]));
    const entries = new Map<Address, Entry>();
    for (const each of stamps) {
      const row = built.get(each.address);
      const entry = row
        ? buildEntry(row, each.stamp, this.#options.publicUrl)
        : before?.entries.get(each.address);
      if (entry) entries.set(each.address, entry);
    }
    this.#versions += 1;
    return { chainId, version: this.#versions, headSeconds, entries };
  }
}
