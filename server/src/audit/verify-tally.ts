// The maintained counts against the entries in one pass and at constant memory: both sides are summed up to a fingerprint, and only
// where the two differ the counts are looked at one by one (verify-counts.ts), to say which.
//
// The fingerprint of counts n of cells c is the sum of n × h(c), for four h of 32 bits, hashed with a key drawn for this check
// alone, so that nobody can have made two different logs have one. It adds up, so an entry's cells need not be together.
import { hash, randomBytes } from "node:crypto";
import type { Cell, StoredRow } from "./verify-rows.ts";

const MAX_PENDING = 65_536;
const MICROSECONDS_PER_FINE = 2 ** 13 * 1e6;
/** An actor with more entries is counted by cell, too. */
const MAX_UNCOUNTED = 1024;

/** A sum of n × h(name), and how it is added to. */
class Fingerprint {
  readonly #key: string;
  readonly #lanes = new Int32Array(4);

  constructor(key: string) {
    this.#key = key;
  }

  add(name: string, n: number): void {
    MARK.latin1Write(hash("sha256", this.#key + name, "binary"), 0);
    for (let lane = 0; lane < 4; lane += 1) {
      this.#lanes[lane] = this.#lanes[lane]! + Math.imul(n, MARK.readInt32LE(lane * 4));
    }
  }

  equals(other: Fingerprint): boolean {
    return this.#lanes.every((lane, i) => lane === other.#lanes[i]);
  }
}

const MARK = Buffer.alloc(32);

interface TallyPlace {
  actor: string;
  chain: string;
  vault: string;
  axis: number;
  action: string;
}

/** Entries of one actor ('' for anyone), place and action on one axis, in the buckets at hand of its three levels. */
class Tally {
  readonly #sum: Fingerprint;
  readonly #levels: readonly number[];
  readonly #names: [before: string, after: string][];
  readonly #buckets: number[] = [0, 0, 0];
  readonly #counts: number[] = [0, 0, 0];

  constructor(sum: Fingerprint, { actor, chain, vault, axis, action }: TallyPlace) {
    this.#sum = sum;
    this.#levels = vault === "*" ? [13, 20, 63] : [16, 20, 63];
    this.#names = this.#levels.map((level) => [
      `${actor}\t${level}\t${chain}\t${vault}\t${axis}\t`,
      `\t${action}`,
    ]);
  }

  /** `fine` is a bucket of level 13. */
  add(fine: number, n: number): void {
    for (let i = 0; i < 3; i += 1) {
      const level = this.#levels[i]!;
      const bucket = level === 63 ? (fine < 0 ? -1 : 0) : fine >> (level - 13);
      if (bucket !== this.#buckets[i]) {
        this.#flush(i);
        this.#buckets[i] = bucket;
      }
      this.#counts[i]! += n;
    }
  }

  flush(): void {
    for (let i = 0; i < 3; i += 1) this.#flush(i);
  }

  #flush(i: number): void {
    if (this.#counts[i] === 0) return;
    const [before, after] = this.#names[i]!;
    this.#sum.add(before + this.#buckets[i] + after, this.#counts[i]!);
    this.#counts[i] = 0;
  }
}

/** The tallies that the entries of a cell go into: of its vault, its chain and everything, or of one actor on its vault. */
interface Tallies {
  here: Tally[];
  /** Where block time and timestamp are in different buckets: what is added by block time, and what is taken away. */
  moved: { to: Tally[]; from: Tally[] };
}

/** Takes every entry that is in the counts, then every stored count and actor. */
export class CountsCheck {
  readonly #expected: Fingerprint;
  readonly #stored: Fingerprint;
  readonly #counted: ReadonlySet<string>;
  #tallies = new Map<string, Tally>();
  /** By cell, and by actor; '' for anyone. */
  #ofCell = new Map<Cell, Map<string, Tallies>>();
  #actors = new Map<string, number>();
  #isOutOfBounds = false;

  /** `counted`: the actors that are counted by cell. */
  constructor(counted: ReadonlySet<string>) {
    const key = randomBytes(32).toString("hex");
    this.#expected = new Fingerprint(key);
    this.#stored = new Fingerprint(key);
    this.#counted = counted;
  }

  add({ cell, actor, timestamp, occurredAt }: StoredRow): void {
    const served = Math.floor(timestamp / MICROSECONDS_PER_FINE);
    const happened = timestamp === occurredAt ? served : Math.floor(occurredAt / MICROSECONDS_PER_FINE);
    this.#tally("", cell, served, happened);
    if (this.#counted.has(actor)) this.#tally(actor, cell, served, happened);
    this.#actors.set(actor, (this.#actors.get(actor) ?? 0) + 1);
    if (this.#actors.size > MAX_PENDING || this.#tallies.size > MAX_PENDING) this.#flush();
  }

  /** `name` is the count's columns but `n`, joined by tabs in the order of the table's key. */
  addStoredCount(name: string, n: number): void {
    // What is off by 2^32 would leave the lanes as they are.
    if (!(Math.abs(n) < 2 ** 31)) this.#isOutOfBounds = true;
    this.#stored.add(name, n);
  }

  addStoredActor(actor: string, n: number, isCounted: boolean): void {
    if (!(n > 0 && n < 2 ** 31) || isCounted !== n > MAX_UNCOUNTED) this.#isOutOfBounds = true;
    this.#stored.add(actor, n);
  }

  /** Whether the counts are those of the entries. */
  holds(): boolean {
    this.#flush();
    return !this.#isOutOfBounds && this.#expected.equals(this.#stored);
  }

  #tally(actor: string, cell: Cell, served: number, happened: number): void {
    const { here, moved } = this.#talliesOf(actor, cell);
    for (const tally of here) tally.add(served, 1);
    if (served === happened) return;
    for (const tally of moved.to) tally.add(happened, 1);
    for (const tally of moved.from) tally.add(served, -1);
  }

  #talliesOf(actor: string, cell: Cell): Tallies {
    let byActor = this.#ofCell.get(cell);
    if (byActor === undefined) {
      byActor = new Map();
      this.#ofCell.set(cell, byActor);
    }
    let tallies = byActor.get(actor);
    if (tallies === undefined) {
      const { action, vault, chain } = cell;
      const places = [
        { vault, chain },
        ...(actor === ""
          ? [
              { vault: "*", chain },
              { vault: "*", chain: "-1" },
            ]
          : []),
      ];
      const of = (axis: number, part: string) =>
        places.map((place) => this.#shared({ ...place, actor, action, axis }, part));
      tallies = { here: of(0, "here"), moved: { to: of(1, "to"), from: of(1, "from") } };
      byActor.set(actor, tallies);
    }
    return tallies;
  }

  /** Cells of one chain share its tallies. */
  #shared(place: TallyPlace, part: string): Tally {
    const key = JSON.stringify([part, place]);
    const tally = this.#tallies.get(key) ?? new Tally(this.#expected, place);
    this.#tallies.set(key, tally);
    return tally;
  }

  #flush(): void {
    for (const tally of this.#tallies.values()) tally.flush();
    for (const [actor, n] of this.#actors) this.#expected.add(actor, n);
    this.#tallies.clear();
    this.#ofCell.clear();
    this.#actors.clear();
  }
}
