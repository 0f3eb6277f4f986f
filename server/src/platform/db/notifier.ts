// Hears PostgreSQL's notifications (LISTEN/NOTIFY) for the whole process over one connection of its own.
// A notification only says "look now": none is kept while the connection is away, so whoever listens is called once more
// each time the channel begins to be heard, and must read what it missed from the tables.
//
// Whoever keeps something in memory until a notice of its change comes needs to know that notices do come. So one is sent each second,
// by the way that changes take: PostgreSQL delivers notices in the order of commits, so when it comes, every notice of a commit before it
// has come, too. Through a pooler that gives sessions no notices, or from a server where nothing is committed, it never does, and nothing is kept.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../log.ts";
import type { Database } from "./db.ts";
import { clientConfig, onReadOnly, openSession } from "./session.ts";

/** The notification's payload, or null: the channel is heard from now on, look for what came before. */
type OnNotify = (payload: string | null) => void;

export interface Notifier {
  /** Calls `onNotify` for each notification on `channel` until `signal` aborts. */
  listen(channel: string, onNotify: OnNotify, signal: AbortSignal): void;
  close(): Promise<void>;
}

export interface WatchingNotifier extends Notifier {
  /** Watches `channel` until the notifier is closed. */
  watch(channel: string): Watch;
}

/** How much a channel has said: what was read under one version holds for as long as `version` gives the same. */
export interface Watch {
  /**
   * null while it is not sure that every notice comes: nothing kept may be used. Else all that was committed `PROVEN_FOR_MS` ago is
   * counted in it, and all that a notice has come of.
   */
  version(): number | null;
  /** Counts a change that this process has made itself, whose notice may still be under way. */
  changed(): void;
}

/** One per process; the connection is made with the first listener. */
export function createNotifier(db: Database, log?: Logger): WatchingNotifier {
  const listeners = new Map<string, Set<OnNotify>>();
  const stopped = new AbortController();
  let session: Session | undefined;
  let running: Promise<void> | undefined;

  const tell = (channel: string, payload: string | null) => {
    for (const onNotify of listeners.get(channel) ?? []) {
      try {
        onNotify(payload);
      } catch (error) {
        log?.error({ err: error, channel }, "a listener of notifications failed");
      }
    }
  };

  const run = async () => {
    for (let failures = 0; !stopped.signal.aborted; ) {
      try {
        session = await openHearing(db, tell);
        for (const channel of listeners.keys()) await session.hear(channel);
        failures = 0;
        await session.ended(stopped.signal);
      } catch (error) {
        log?.warn({ err: error }, "the connection for notifications was lost; connecting again");
      }
      await session?.close();
      session = undefined;
      failures += 1;
      const pauseMs = Math.min(5000, 50 * 2 ** failures) * (0.5 + Math.random());
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
  };

  const notifier: WatchingNotifier = {
    listen(channel, onNotify, signal) {
      if (signal.aborted || stopped.signal.aborted) return;
      // The same function may listen twice, and each is ended by its own signal.
      const entry: OnNotify = (payload) => onNotify(payload);
      const others = listeners.get(channel);
      listeners.set(channel, (others ?? new Set()).add(entry));
      signal.addEventListener("abort", () => {
        const left = listeners.get(channel);
        left?.delete(entry);
        if (left?.size === 0) listeners.delete(channel);
        if (left?.size === 0) session?.forget(channel);
      });
      // A failure shows at the session's end, where it is dealt with.
      if (others === undefined) session?.hear(channel).catch(() => {});
      else if (session?.isHeard(channel) === true) queueMicrotask(() => entry(null));
      running ??= run();
    },
    watch(channel) {
      let version = 0;
      const changed = () => {
        version += 1;
      };
      notifier.listen(channel, changed, stopped.signal);
      return {
        version: () => (session?.isHeard(channel) === true && session.isProven() ? version : null),
        changed,
      };
    },
    async close() {
      stopped.abort();
      await running;
    },
  };
  return notifier;
}

const HEARTBEAT_MS = 1_000;
/** How long after a heartbeat that came back was sent the connection is believed to be alive. */
const PROVEN_FOR_MS = 3_000;
/** A statement not answered for so many of them: the connection is dead without a word (a firewall, a failed-over server). */
const DEAD_AFTER_HEARTBEATS = 15;

interface Session {
  hear(channel: string): Promise<void>;
  forget(channel: string): void;
  isHeard(channel: string): boolean;
  /** Whether notices have lately been seen to come. */
  isProven(): boolean;
  /** Resolves when `signal` aborts, rejects when the connection is lost. */
  ended(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

async function openHearing(
  { pool, url: commitsUrl, directUrl: url }: Database,
  tell: (channel: string, payload: string | null) => void,
): Promise<Session> {
  const settings = { url, applicationName: "vaultops notifications" };
  const client = new pg.Client(clientConfig(settings));
  const heartbeatChannel = `vaultops_heartbeat_${randomBytes(8).toString("hex")}`;
  /** When the last heartbeat that came back was sent. */
  let provenAtMs = Number.NEGATIVE_INFINITY;
  let isLost = false;
  const lost = new Promise<never>((_resolve, reject) => {
    const lose = (error: Error) => {
      isLost = true;
      reject(error);
    };
    client.on("error", lose);
    client.on("end", () => lose(new Error("Connection terminated")));
  });
  lost.catch(() => {});
  client.on("notification", ({ channel, payload }) => {
    if (channel === heartbeatChannel) provenAtMs = Number(payload);
    else tell(channel, payload ?? "");
  });
  await openSession(client, settings);
  // What is committed on another server is not heard of on this one.
  onReadOnly(client, () => client.connection.stream.destroy());

  const heard = new Set<string>();
  // One statement at a time; the chain itself never fails.
  let last: Promise<unknown> = Promise.resolve();
  const query = (text: string) => {
    const result = last.then(() => client.query(text));
    last = result.catch(() => {});
    return result;
  };
  const hear = async (channel: string) => {
    await query(`listen ${pg.escapeIdentifier(channel)}`);
    heard.add(channel);
    tell(channel, null);
  };
  const forget = (channel: string) => {
    heard.delete(channel);
    query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {});
  };
  let unanswered = 0;
  const beat = () => {
    unanswered += 1;
    // Counted and not timed: a process that was halted finds the answer waiting.
    if (unanswered > DEAD_AFTER_HEARTBEATS) client.connection.stream.destroy();
    if (unanswered > 1) return;
    query(url === commitsUrl ? `notify ${heartbeatChannel}, '${performance.now()}'` : "").then(
      () => {
        unanswered = 0;
      },
      () => {},
    );
  };
  let isCommitting = false;
  const beatByCommit = () => {
    if (isCommitting) return;
    isCommitting = true;
    pool
      .query("select pg_notify($1, $2), set_config('synchronous_commit', 'off', true)", [
        heartbeatChannel,
        String(performance.now()),
      ])
      .catch(() => {})
      .finally(() => {
        isCommitting = false;
      });
  };
  // A heartbeat that is lost in a crash is no loss: it need not wait for the disk.
  await query(`set synchronous_commit = off; listen ${heartbeatChannel}`).catch(async (error) => {
    await client.end().catch(() => {});
    throw error;
  });
  const beats = url === commitsUrl ? [beat] : [beat, beatByCommit];
  for (const one of beats) one();
  const heartbeats = beats.map((one) => setInterval(one, HEARTBEAT_MS).unref());
  return {
    hear,
    forget,
    isHeard: (channel) => heard.has(channel),
    isProven: () => !isLost && performance.now() - provenAtMs < PROVEN_FOR_MS,
    ended: (signal) =>
      Promise.race([
        lost,
        new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        }),
      ]),
    async close() {
      for (const heartbeat of heartbeats) clearInterval(heartbeat);
      await Promise.race([
        client.end().catch(() => {}),
        sleep(1000).then(() => client.connection.stream.destroy()),
      ]);
    },
  };
}
