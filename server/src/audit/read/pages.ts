// Pages of the log that have been read, kept for as long as they are what a reading would give again: entries are numbered without a gap
// in the order of commits and never change, so a page is a function of what was asked for, of the log's size and of what of it is archived. What is
// kept is therefore found by these, and where the log stands is asked for anew each time.
//
// Guarantee: a kept page is what the database would have answered at a moment after it was asked for.
import type { Stand } from "./query.ts";

export interface Pages {
  /** Whether a page was kept of what is asked for, of whatever size of the log. */
  has(asked: string): boolean;
  /** Where the log stands now. Begun after the call, and one reading for all who have asked until it begins. */
  stand(): Promise<Stand>;
  get(asked: string, stand: Stand): Buffer | undefined;
  keep(asked: string, stand: Stand, body: Buffer): void;
}

/** Bytes of all pages that are kept, and of the largest that is. */
const [MAX_BYTES, MAX_PAGE_BYTES] = [33_554_432, 1_048_576];

/** `readStand` reads where the log stands. */
export function createPages(readStand: () => Promise<Stand>): Pages {
  /** Of the log as it stood then, in the order in which they were kept. */
  const kept = new Map<string, Buffer>();
  let at: Stand = { size: -1, below: 1 };
  let bytes = 0;
  return {
    has: (asked) => kept.has(asked),
    stand: oneForAll(readStand),
    get: (asked, { size, below }) => (size === at.size && below === at.below ? kept.get(asked) : undefined),
    keep(asked, stand, body) {
      // Read of a longer log meanwhile, or, from a replica that is behind, of a shorter one.
      if (stand.size < at.size || body.length > MAX_PAGE_BYTES) return;
      if (stand.size > at.size || stand.below !== at.below) {
        kept.clear();
        [at, bytes] = [stand, 0];
      }
      bytes += body.length - (kept.get(asked)?.length ?? 0);
      kept.set(asked, body);
      for (const [oldest, { length }] of kept) {
        if (bytes <= MAX_BYTES) break;
        kept.delete(oldest);
        bytes -= length;
      }
    },
  };
}

/** Whoever asks while a reading is under way shares the next one, for the one under way may have begun before what the asker must see. */
function oneForAll<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<void> | null = null;
  let next: Promise<T> | null = null;
  const start = (): Promise<T> => {
    next = null;
    const result = read();
    const settled = result.then(
      () => {},
      () => {},
    );
    running = settled;
    settled.then(() => {
      if (running === settled) running = null;
    });
    return result;
  };
  return () => {
    if (running === null) return start();
    next ??= running.then(start);
    return next;
  };
}
