// The keys of one issuer: fetched once, shared by every request, refreshed in the background.
// Guarantees:
//  - an issuer that is out signs nobody out: the last good set serves for up to 24 hours;
//  - a key id not seen before is asked for at once, but whatever the ids sent, that is twice in a row and then once every 3 s;
//  - a key that the issuer withdrew stops verifying, and what it verified before, at the next refresh, be it the last one;
//  - one request to the issuer at a time, whoever waits for it.
import { readFile } from "node:fs/promises";
import type { Clock } from "../../platform/clock.ts";
import { Problem } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { type Algorithm, type IssuerKey, usableKeys } from "./keys.ts";

/** GET of a JSON document; rejects on a status other than 2xx, on more than `maxBytes`, and after `timeoutMs`. */
export type FetchJson = (url: string, limits: { maxBytes: number; timeoutMs: number }) => Promise<unknown>;

export interface KeySet {
  /**
   * The keys that a token of this header may be signed with; empty when the issuer, asked just now, has none.
   * Throws `service_unavailable` when that cannot be known: no set is held, or the key is unknown and the issuer does not answer.
   */
  find(algorithm: Algorithm, kid: string | null): Promise<IssuerKey[]>;
  /** After a signature that no key verifies: asks the issuer again if its keys are not of this moment. True when they changed. */
  recheck(): Promise<boolean>;
  /** Keeps the set fresh in the background. False when it is older than may be served. */
  touch(): boolean;
  /** Fetches the set if none is held; never rejects. */
  warm(): Promise<void>;
}

interface KeySetTimes {
  /** Age from which the set is refreshed in the background. */
  refreshAfterMs: number;
  /** Age up to which it is served while the issuer does not answer. */
  staleForMs: number;
  /** Time between requests that unknown keys cause, after the first two. */
  cooldownMs: number;
  /** Least time between two requests to an issuer that does not answer. */
  retryAfterMs: number;
}

const REMOTE: KeySetTimes = {
  refreshAfterMs: 300_000,
  staleForMs: 86_400_000,
  cooldownMs: 3_000,
  retryAfterMs: 1_000,
};
/** A file or the embedded issuer costs next to nothing to read, so a change shows within a second. */
const LOCAL: KeySetTimes = {
  refreshAfterMs: 1_000,
  staleForMs: 86_400_000,
  cooldownMs: 1_000,
  retryAfterMs: 1_000,
};
const LIMITS = { maxBytes: 256 * 1024, timeoutMs: 5_000 };

export interface KeySetDeps {
  clock: Clock;
  log: Logger;
}

/** The keys behind a JWKS URL. */
export function remoteKeySet(url: string, fetchJson: FetchJson, deps: KeySetDeps): KeySet {
  return createKeySet(url, () => fetchJson(url, LIMITS), REMOTE, deps);
}

/** The keys in a local JWKS file, read again when it changes. */
export function fileKeySet(path: string, deps: KeySetDeps): KeySet {
  const load = async () => {
    const bytes = await readFile(path);
    if (bytes.length > LIMITS.maxBytes) throw new Error("the file is too large");
    return JSON.parse(bytes.toString("utf8")) as unknown;
  };
  return createKeySet(path, load, LOCAL, deps);
}

/** Keys that this process has itself, such as the embedded issuer's. */
export function localKeySet(name: string, load: () => Promise<unknown>, deps: KeySetDeps): KeySet {
  return createKeySet(name, load, LOCAL, deps);
}

function createKeySet(
  name: string,
  load: () => Promise<unknown>,
  times: KeySetTimes,
  { clock, log }: KeySetDeps,
): KeySet {
  let keys: IssuerKey[] = [];
  let fetchedAtMs: number | null = null;
  let attemptedAtMs = Number.NEGATIVE_INFINITY;
  let isAnswering = true;
  /** Until when the requests that unknown keys caused are paid for. */
  let paidUntilMs = Number.NEGATIVE_INFINITY;
  let running: Promise<boolean> | null = null;

  /** One fetch, shared by all who ask meanwhile. True when the keys changed. */
  function refresh(): Promise<boolean> {
    running ??= fetchKeys().finally(() => {
      running = null;
    });
    return running;
  }

  async function fetchKeys(): Promise<boolean> {
    attemptedAtMs = clock.now();
    try {
      const found = usableKeys(await load());
      // An answer as good as any: whoever publishes no key has withdrawn all.
      if (found.keys.length === 0)
        log.error({ jwks: name }, "an issuer publishes no usable key: its tokens are refused");
      if (found.ignored.length > 0)
        log.warn({ jwks: name, ignored: found.ignored.slice(0, 10) }, "some keys of an issuer were ignored");
      if (!isAnswering) log.info({ jwks: name }, "the issuer's keys can be read again");
      const before = keys;
      // A key that stays is the same object, so that what it verified stays verified.
      keys = found.keys.map(
        (key) =>
          before.find(
            (old) =>
              old.identity === key.identity &&
              old.kid === key.kid &&
              sameList(old.algorithms, key.algorithms),
          ) ?? key,
      );
      for (const old of before) old.isWithdrawn = !keys.includes(old);
      fetchedAtMs = clock.now();
      isAnswering = true;
      return keys.length !== before.length || keys.some((key) => !before.includes(key));
    } catch (error) {
      log.warn(
        { jwks: name, reason: error instanceof Error ? error.message : String(error) },
        "an issuer's keys could not be read",
      );
      isAnswering = false;
      return false;
    }
  }

  function isServable(): boolean {
    return fetchedAtMs !== null && clock.now() - fetchedAtMs <= times.staleForMs;
  }

  /** Asks the issuer for a set to begin with, or joins the request under way. */
  async function begin(): Promise<void> {
    if (running !== null || clock.now() - attemptedAtMs >= times.retryAfterMs) await refresh();
  }

  /** Asks the issuer for a key that it may have added, as often as allowed. True when the keys changed. */
  async function askAgain(): Promise<boolean> {
    if (running !== null) return running;
    const now = clock.now();
    if (paidUntilMs - now > times.cooldownMs) return false;
    paidUntilMs = Math.max(paidUntilMs, now) + times.cooldownMs;
    return refresh();
  }

  const matching = (algorithm: Algorithm, kid: string | null) =>
    keys.filter((key) => key.algorithms.includes(algorithm) && (kid === null || key.kid === kid));

  return {
    async find(algorithm, kid) {
      if (!isServable()) {
        await begin();
        if (!isServable()) throw unavailable();
      } else {
        this.touch();
      }
      const found = matching(algorithm, kid);
      if (found.length > 0) return found;
      // What was unknown a moment ago need not be remembered by id: until the issuer may be asked again every such id is.
      await askAgain();
      const again = matching(algorithm, kid);
      if (again.length === 0 && !isAnswering) throw unavailable();
      return again;
    },
    recheck: askAgain,
    touch() {
      if (fetchedAtMs === null) return false;
      const now = clock.now();
      if (
        now - fetchedAtMs > times.refreshAfterMs &&
        now - attemptedAtMs > Math.max(times.retryAfterMs, times.cooldownMs)
      )
        void refresh();
      return isServable();
    },
    async warm() {
      if (fetchedAtMs === null) await refresh();
    },
  };
}

function unavailable(): Problem {
  return new Problem(
    "service_unavailable",
    "The identity provider that signed this token does not answer, so the token cannot be checked right now.",
    {
      retryAfterSeconds: 5,
    },
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
