// The maintained counts against the entries in one pass and at constant memory: both sides are summed up to a fingerprint, and only
// where the two differ the counts are looked at one by one (verify-counts.ts), to say which.
//
// The fingerprint of counts n of cells c is the sum of n × h(c), for four h of 32 bits, hashed with a key drawn for this check
// alone, so that nobody can have made two different logs have one. It adds up, so an entry's cells need not be together.
import { hash, randomBytes } from "node:crypto";

/** What of an entry is counted. Times are microseconds since 1970. */
export interface CountedRow {
  cell: Cell;
  actor: Actor;
  timestamp: number;
  occurredAt: number;
}

/** What entries of one action on one vault have in common. */
export interface Cell {
  action: string;
  vault: string;
  chain: string;
  /** The check's own. It is here, and an actor's there, because looking it up for each entry would be most of its work. */
  tallies: Tallies | null;
}

/** The actor of many entries. */
export interface Actor {
  name: string;
  tally: ActorTally | null;
}

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

/**
 * Entries of one actor ('' for anyone), place and action on one axis, in the bucket at hand of one level. What it has counted it hands
 * on to the tallies above, of longer stretches and wider places, when the next bucket begins: an entry touches the lowest alone.
 */
class Tally {
  readonly #sum: Fingerprint;
  readonly #level: number;
  readonly #before: string;
  readonly #after: string;
  readonly #above: readonly Tally[];
  #bucket = 0;
  #n = 0;

  constructor(sum: Fingerprint, level: number, place: TallyPlace, above: readonly Tally[]) {
    this.#sum = sum;
    this.#level = level;
    this.#before = `${place.actor}\t${level}\t${place.chain}\t${place.vault}\t${place.axis}\t`;
    this.#after = `\t${place.action}`;
    this.#above = above;
  }

  /** `fine` is a bucket of level 13. */
  add(fine: number, n: number): void {
    const bucket = this.#level === 63 ? (fine < 0 ? -1 : 0) : fine >> (this.#level - FINEST);
    if (bucket !== this.#bucket) {
      this.flush();
      this.#bucket = bucket;
    }
    this.#n += n;
  }

  flush(): void {
    if (this.#n === 0) return;
    const [bucket, n] = [this.#bucket, this.#n];
    this.#n = 0;
    this.#sum.add(this.#before + bucket + this.#after, n);
    const fine = this.#level === 63 ? bucket : bucket << (this.#level - FINEST);
    for (const tally of this.#above) tally.add(fine, n);
  }
}

const FINEST = 13;

/** The tallies that the entries of a cell go into: of its vault and its chain, or of one actor on its vault. */
interface Tallies {
  here: Tally[];
  /** Where block time and timestamp are in different buckets: what is added by block time, and what is taken away. */
  moved: { to: Tally[]; from: Tally[] };
}

/** An actor's entries, and those of each cell where they are counted by cell. */
interface ActorTally {
  n: number;
  ofCell: Map<Cell, Tallies> | null;
}

/** Takes every entry that is in the counts, then every stored count and actor. */
export class CountsCheck {
  readonly #expected: Fingerprint;
  readonly #stored: Fingerprint;
  readonly #counted: ReadonlySet<string>;
  #tallies = new Map<string, Tally>();
  /** Those to which tallies are attached. */
  #cells: Cell[] = [];
  #actors: Actor[] = [];
  #isOutOfBounds = false;

  /** `counted`: the actors that are counted by cell. */
  constructor(counted: ReadonlySet<string>) {
    const key = randomBytes(32).toString("hex");
    this.#expected = new Fingerprint(key);
    this.#stored = new Fingerprint(key);
    this.#counted = counted;
  }

  add({ cell, actor, timestamp, occurredAt }: CountedRow): void {
    const served = Math.floor(timestamp / MICROSECONDS_PER_FINE);
    const happened = timestamp === occurredAt ? served : Math.floor(occurredAt / MICROSECONDS_PER_FINE);
    cell.tallies ??= this.#talliesOf(cell);
    count(cell.tallies, served, happened);
    actor.tally ??= this.#tallyOf(actor);
    actor.tally.n += 1;
    const { ofCell } = actor.tally;
    if (ofCell !== null) {
      let own = ofCell.get(cell);
      if (own === undefined) {
        own = this.#talliesOn(cell, actor.name);
        ofCell.set(cell, own);
      }
      count(own, served, happened);
    }
    if (this.#actors.length > MAX_PENDING || this.#tallies.size > MAX_PENDING) this.#flush();
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

  #tallyOf(actor: Actor): ActorTally {
    this.#actors.push(actor);
    return { n: 0, ofCell: this.#counted.has(actor.name) ? new Map() : null };
  }

  #talliesOf(cell: Cell): Tallies {
    this.#cells.push(cell);
    return this.#talliesOn(cell, "");
  }

  #talliesOn({ action, vault, chain }: Cell, actor: string): Tallies {
    const of = (axis: number, part: string) => {
      const onVault = this.#lowest({ vault, chain, actor, action, axis }, part, []);
      if (actor !== "") return [onVault];
      const everything = this.#lowest({ vault: "*", chain: "-1", actor, action, axis }, part, []);
      return [onVault, this.#lowest({ vault: "*", chain, actor, action, axis }, part, [everything])];
    };
    return { here: of(0, "here"), moved: { to: of(1, "to"), from: of(1, "from") } };
  }

  /** The tally of a place's finest level, below those of its longer stretches and of what is `above`. Cells of one chain share its. */
  #lowest(place: TallyPlace, part: string, above: readonly Tally[]): Tally {
    const key = `${part}\t${place.actor}\t${place.chain}\t${place.vault}\t${place.action}`;
    const known = this.#tallies.get(key);
    if (known !== undefined) return known;
    const all = this.#made(`${key}\t63`, 63, place, []);
    const coarse = this.#made(`${key}\t20`, 20, place, [all]);
    return this.#made(key, place.vault === "*" ? FINEST : 16, place, [coarse, ...above]);
  }

  #made(key: string, level: number, place: TallyPlace, above: readonly Tally[]): Tally {
    const tally = new Tally(this.#expected, level, place, above);
    this.#tallies.set(key, tally);
    return tally;
  }

  #flush(): void {
    // Those above were made first, and take what those below hand on.
    for (const tally of [...this.#tallies.values()].reverse()) tally.flush();
    for (const actor of this.#actors) {
      this.#expected.add(actor.name, actor.tally!.n);
      actor.tally = null;
    }
    for (const cell of this.#cells) cell.tallies = null;
    this.#tallies.clear();
    this.#cells = [];
    this.#actors = [];
  }
}

function count({ here, moved }: Tallies, served: number, happened: number): void {
  for (const tally of here) tally.add(served, 1);
  if (served === happened) return;
  for (const tally of moved.to) tally.add(happened, 1);
  for (const tally of moved.from) tally.add(served, -1);
}
