// The log as it grows, to any number of listeners over one LISTEN: new entries are read once per process and handed to every
// listener whose filter they match.
//
// Guarantee: a listener gets every entry of its filter after its place, once, in the order of `seq`. One that is too slow is
// cut off and can come back with the last id it saw; none holds back another.
import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type QueryExecutorProvider, sql } from "kysely";
import { executeNamed } from "../../platform/db/db.ts";
import type { Notifier } from "../../platform/db/notifier.ts";
import type { Logger } from "../../platform/log.ts";
import { ARCHIVED_BELOW } from "./archived.ts";
import { cursorAfter } from "./cursor.ts";
import { type AuditFilter, matches } from "./filter.ts";
import { readBetween, readSize } from "./query.ts";

export interface Listener {
  filter: AuditFilter;
  /** Takes a ready piece of the stream. False: the listener is gone or too slow, and is dropped. */
  send(piece: Buffer): boolean;
  /** Resolves when what was sent has been taken; rejects when the listener is gone. Asked only while it catches up. */
  drained(): Promise<void>;
}

export interface Hub {
  /** Hands the listener everything after a place of the log, from then on, until `signal` aborts or it is dropped. */
  join(listener: Listener, after: number, signal: AbortSignal): Promise<void>;
  readonly listeners: number;
}

export interface HubParts {
  /** Where all of the log is. */
  reader: QueryExecutorProvider;
  /** Where it is read from: may be behind. */
  lagging: QueryExecutorProvider;
  notifier: Notifier;
  log: Logger;
}

export function createHub({ reader, lagging, notifier, log }: HubParts): Hub {
  /** Each with the place after which it is to get entries. */
  const joined = new Map<Listener, number>();
  let session: Session | null = null;

  const drop = (listener: Listener) => {
    joined.delete(listener);
    if (joined.size > 0 || session === null) return;
    session.ended.abort();
    session = null;
  };

  const hand = (entries: readonly Fresh[]) => {
    const first = entries[0]!.seq;
    const last = entries.at(-1)!.seq;
    // Many listeners have the same few filters: each filter is asked, and its piece encoded, once.
    const pieces = new Map<string, Buffer>();
    for (const [listener, place] of joined) {
      const key = `${keyOf(listener.filter)} ${Math.max(place, first - 1)}`;
      const piece = pieces.get(key) ?? pieceOf(entries, listener.filter, place);
      pieces.set(key, piece);
      joined.set(listener, last);
      if (piece.length > 0 && !listener.send(piece)) drop(listener);
    }
  };

  const start = (): Session => {
    const own: Session = { ended: new AbortController(), seen: 0, begun: Promise.resolve() };
    const wake = wakerOf(own, { reader, lagging, log }, hand);
    own.begun = readSize(lagging).then((size) => {
      own.seen = size;
      notifier.listen("vaultops_audit", wake, own.ended.signal);
    });
    return own;
  };

  return {
    get listeners() {
      return joined.size;
    },
    async join(listener, after, signal) {
      const own = session ?? start();
      session = own;
      await own.begun.catch((error) => {
        if (session === own) session = null;
        throw error;
      });
      // What lies between the listener's place and the hub's is read for it alone, and by its filter, until the two meet.
      let place = after;
      while (!signal.aborted && place < own.seen) {
        const upTo = own.seen;
        const request = { filter: listener.filter, after: place, upTo, limit: BATCH };
        const entries = (await readBetween(lagging, request)) ?? (await readBetween(reader, request)) ?? [];
        place = entries.length < BATCH ? upTo : entries.at(-1)!.seq;
        if (entries.length > 0 && !listener.send(Buffer.from(entries.map(eventOf).join("")))) return;
        await listener.drained();
      }
      if (signal.aborted) return;
      // The session may have ended meanwhile, with its last listener.
      if (own.ended.signal.aborted) return this.join(listener, place, signal);
      joined.set(listener, place);
      signal.addEventListener("abort", () => drop(listener), { once: true });
    },
  };
}

/** One entry as it goes to listeners: what filters look at, and its event, rendered once for all. */
interface Fresh {
  seq: number;
  vault_address: string;
  chain_id: number;
  actor_wallet: string;
  action_type: string;
  timestamp: string;
  occurred_at: string;
  event: string;
}

/** The time from the first listener to the last. */
interface Session {
  ended: AbortController;
  /** Every entry up to this seq has been handed on. */
  seen: number;
  begun: Promise<void>;
}

/** How many entries are read at a time. */
const BATCH = 500;
const RETRY_MS = 1000;
const REPLAY_PAUSE_MS = 50;

/** Reads on whenever it is called; calls that come while it reads are one more round. */
function wakerOf(
  session: Session,
  { reader, lagging, log }: Omit<HubParts, "notifier">,
  hand: (entries: readonly Fresh[]) => void,
): () => void {
  let isReading = false;
  let isStale = false;
  const read = async () => {
    while (isStale && !session.ended.signal.aborted) {
      isStale = false;
      // A replica may hear of what is told of here only in a moment: nobody tells when, so it is asked again.
      const target = lagging === reader ? 0 : await readSize(reader);
      let entries = await readAfter(lagging, session.seen);
      while (entries.length === 0 && session.seen < target && !session.ended.signal.aborted) {
        await sleep(REPLAY_PAUSE_MS);
        entries = await readAfter(lagging, session.seen);
      }
      if (session.ended.signal.aborted || entries.length === 0) continue;
      session.seen = entries.at(-1)!.seq;
      hand(entries);
      if (entries.length === BATCH || session.seen < target) isStale = true;
    }
  };
  const wake = () => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    read()
      .catch((error) => {
        log.warn({ err: error }, "new audit entries could not be read for streams; trying again");
        setTimeout(wake, RETRY_MS).unref();
      })
      .finally(() => {
        isReading = false;
      });
  };
  return wake;
}

async function readAfter(reader: QueryExecutorProvider, seq: number): Promise<Fresh[]> {
  const fresh = sql<Omit<Fresh, "event"> & { body: string }>`
    select seq, body, vault_address, chain_id, actor_wallet, action_type, "timestamp", occurred_at
      from audit_entries where seq > ${seq} and seq >= ${ARCHIVED_BELOW} order by seq limit ${sql.lit(BATCH)}`;
  const { rows } = await executeNamed(reader, "audit_fresh", fresh);
  return rows.map(({ body, ...row }) => ({ ...row, event: eventOf({ seq: row.seq, body }) }));
}

function eventOf({ seq, body }: { seq: number; body: string }): string {
  return `id: ${cursorAfter(seq)}\ndata: ${body}\n\n`;
}

function pieceOf(entries: readonly Fresh[], filter: AuditFilter, after: number): Buffer {
  const own = entries.filter((entry) => entry.seq > after && matches(filter, entry));
  return Buffer.from(own.map((entry) => entry.event).join(""));
}

const KEYS = new WeakMap<AuditFilter, string>();

function keyOf(filter: AuditFilter): string {
  let key = KEYS.get(filter);
  if (key === undefined) {
    key = hash("sha1", JSON.stringify(filter), "base64");
    KEYS.set(filter, key);
  }
  return key;
}
