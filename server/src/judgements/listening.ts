// How long something has been silent while one could have heard it. Pure.
//
// Guarantee: no outage of ours makes anybody late or silent, and none hides who is. Time in which nothing could be heard is taken off,
// never the time before it. After the first such time since a sign the clock stands still for a grace, so that what was kept meanwhile
// arrives first: once for a sign, so that a service that is started over and over still hears who is silent. Time counts once a heartbeat
// has proved it, so what was judged is never taken back.

export interface Gap {
  fromMs: number;
  toMs: number;
}

export interface Listening {
  nowMs: number;
  /** Up to when it is proved that one could hear: the newest heartbeat; -Infinity before the first. */
  untilMs: number;
  /** When nothing could be heard before that, in order. */
  gaps: readonly Gap[];
}

/** Heartbeats follow each other this closely. */
export const BEAT_MS = 2_000;
/** Without one for this long nothing is heard. */
export const MISSED_MS = 5_000;

const LEAST_GRACE_MS = 60_000;
export const MOST_GRACE_MS = 600_000;

/** A reporter tries again within half a minute; what comes rarely is given more. */
export function graceMs(scheduleSeconds: number): number {
  return Math.min(MOST_GRACE_MS, Math.max(LEAST_GRACE_MS, scheduleSeconds * 1000));
}

export function isHearing({ nowMs, untilMs }: Listening): boolean {
  return nowMs - untilMs <= MISSED_MS;
}

/** The part of a time in which one could hear. */
export function listenedMs(fromMs: number, toMs: number, gaps: readonly Gap[]): number {
  let ms = Math.max(0, toMs - fromMs);
  for (let at = gaps.length - 1; at >= 0; at -= 1) {
    const gap = gaps[at]!;
    if (gap.toMs <= fromMs) break;
    ms -= Math.max(0, Math.min(gap.toMs, toMs) - Math.max(gap.fromMs, fromMs));
  }
  return Math.max(0, ms);
}

/** How long there was no sign while one could have been heard, less the grace that follows the first gap since. */
export function silentMs({ untilMs, gaps }: Listening, signMs: number, grace: number): number {
  const heardMs = listenedMs(signMs, untilMs, gaps);
  const gap = firstGapSince(signMs, gaps);
  return gap === null ? heardMs : heardMs - Math.min(grace, listenedMs(gap.toMs, untilMs, gaps));
}

/** When so much silence has passed since a sign, if one can hear from now on. */
export function silentAtMs({ gaps }: Listening, signMs: number, ms: number, grace: number): number {
  const gap = firstGapSince(signMs, gaps);
  const isHeld = gap !== null && listenedMs(signMs, gap.fromMs, gaps) < ms;
  return listenedAtMs(signMs, isHeld ? ms + grace : ms, gaps);
}

/** The time to judge by what somebody told of a moment to come: it stands where the first gap since began until the grace is over. */
export function countedMs({ untilMs, gaps }: Listening, toldMs: number, grace: number): number {
  const gap = firstGapSince(toldMs, gaps);
  if (gap === null || untilMs <= gap.fromMs) return untilMs;
  return listenedMs(gap.toMs, untilMs, gaps) < grace ? gap.fromMs : untilMs;
}

/** When such a moment counts. */
export function countsAtMs({ gaps }: Listening, toldMs: number, momentMs: number, grace: number): number {
  const gap = firstGapSince(toldMs, gaps);
  if (gap === null || momentMs <= gap.fromMs) return momentMs;
  return Math.max(momentMs, listenedAtMs(gap.toMs, grace, gaps));
}

/** The first gap that ended after a moment. */
function firstGapSince(ms: number, gaps: readonly Gap[]): Gap | null {
  let first: Gap | null = null;
  for (let at = gaps.length - 1; at >= 0 && gaps[at]!.toMs > ms; at -= 1) first = gaps[at]!;
  return first;
}

/** When so much time in which one could hear has passed since a moment. */
function listenedAtMs(fromMs: number, ms: number, gaps: readonly Gap[]): number {
  let atMs = fromMs;
  let leftMs = ms;
  for (const gap of gaps) {
    if (gap.toMs <= atMs) continue;
    const beginsMs = Math.max(gap.fromMs, atMs);
    if (atMs + leftMs <= beginsMs) break;
    leftMs -= beginsMs - atMs;
    atMs = gap.toMs;
  }
  return atMs + leftMs;
}

/** From when on a window of so much listened time reaches up to a moment. */
export function windowFromMs(toMs: number, ms: number, gaps: readonly Gap[]): number {
  let atMs = toMs;
  let leftMs = ms;
  for (let at = gaps.length - 1; at >= 0; at -= 1) {
    const gap = gaps[at]!;
    if (gap.fromMs >= atMs) continue;
    const endsMs = Math.min(gap.toMs, atMs);
    if (atMs - leftMs >= endsMs) break;
    leftMs -= atMs - endsMs;
    atMs = gap.fromMs;
  }
  return atMs - leftMs;
}
