// Quotas in fixed windows, told to clients as draft-ietf-httpapi-ratelimit-headers-10 writes it: `RateLimit-Policy` (the quota)
// and `RateLimit` (what is left of it, and for how long).
//
// In memory and per process: O(1) a request, no clock thread, bounded. Several API processes each give the whole quota; what must hold over
// all of them is given out by the database (stored-budget.ts).
import type { Clock } from "../clock.ts";

/** A quota: so many requests in a window, per key. `name` appears in the headers. */
export interface QuotaPolicy {
  name: string;
  quota: number;
  windowSeconds: number;
}

/** What became of one request under a quota. */
export interface QuotaState {
  isAllowed: boolean;
  /** The two header values. */
  policy: string;
  limit: string;
  /** Whole seconds until the window ends. */
  resetSeconds: number;
}

interface Window {
  used: number;
  endsAtMs: number;
}

/** What gives out a quota. One that counts for all processes in one place has to be waited for. */
export interface Budget {
  take(key: string): QuotaState | Promise<QuotaState>;
}

/** Keys in one generation; twice as many are held at most. */
const MAX_KEYS = 50_000;

/** What became of a request that is the `used`-th of its window, as told to the client. */
export function quotaState(
  { name, quota, windowSeconds }: QuotaPolicy,
  used: number,
  resetSeconds: number,
): QuotaState {
  return {
    isAllowed: used <= quota,
    policy: `"${name}";q=${quota};w=${windowSeconds}`,
    limit: `"${name}";r=${Math.max(0, quota - used)};t=${resetSeconds}`,
    resetSeconds,
  };
}

export class Quota implements Budget {
  readonly #policy: QuotaPolicy;
  readonly #clock: Clock;
  readonly #policyText: string;
  /**
   * Two generations of windows. Those begun since the last turn are in the younger; at each turn, once a window's length or when the
   * younger is full, the older is dropped whole: no window is forgotten before its end, except under a flood of keys.
   */
  #younger = new Map<string, Window>();
  #older = new Map<string, Window>();
  #turnAtMs: number;

  constructor(policy: QuotaPolicy, clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
    this.#turnAtMs = clock.now() + policy.windowSeconds * 1000;
    this.#policyText = `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}`;
  }

  /** Charges one request to the key. Past the quota nothing more is charged, and the window still ends when it would have. */
  take(key: string): QuotaState {
    const nowMs = this.#clock.now();
    const window = this.#windowOf(key, nowMs);
    const isAllowed = window.used < this.#policy.quota;
    if (isAllowed) window.used++;
    const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
    const remaining = this.#policy.quota - window.used;
    return {
      isAllowed,
      policy: this.#policyText,
      limit: `"${this.#policy.name}";r=${remaining};t=${resetSeconds}`,
      resetSeconds,
    };
  }

  /** How many keys are held, for a test of the bound. */
  get size(): number {
    return this.#younger.size + this.#older.size;
  }

  #windowOf(key: string, nowMs: number): Window {
    const known = this.#younger.get(key);
    if (known !== undefined && this.#isOpen(known, nowMs)) return known;
    this.#turn(nowMs);
    const lengthMs = this.#policy.windowSeconds * 1000;
    const aged = this.#older.get(key);
    const window =
      aged !== undefined && this.#isOpen(aged, nowMs) ? aged : { used: 0, endsAtMs: nowMs + lengthMs };
    this.#older.delete(key);
    this.#younger.set(key, window);
    return window;
  }

  /** A window that seems to begin in the future is one from before the clock was set back. */
  #isOpen(window: Window, nowMs: number): boolean {
    return nowMs < window.endsAtMs && nowMs >= window.endsAtMs - this.#policy.windowSeconds * 1000;
  }

  #turn(nowMs: number): void {
    if (nowMs < this.#turnAtMs && this.#younger.size < MAX_KEYS) return;
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#turnAtMs = nowMs + this.#policy.windowSeconds * 1000;
  }
}

/** The key of a network client: an IPv4 address, or the /64 that one IPv6 customer has to itself (IPv4-mapped forms as IPv4). */
export function networkKey(ip: string): string {
  if (!ip.includes(":")) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = "", tail] = ip.split("%", 1)[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
