// Times as people read them: how long ago, how long still, and the exact moment in UTC.

/** "12 s ago", "in 3 d": one unit, cut and not rounded, so that nothing seems further away than it is. */
export function relative(atMs: number, nowMs: number): string {
  const seconds = Math.trunc((atMs - nowMs) / 1000);
  if (Math.abs(seconds) < 2) return "now";
  const text = span(Math.abs(seconds));
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

/** A length in its largest unit: "45 s", "12 min", "3 h", "6 d". */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.trunc(seconds)} s`;
  if (seconds < 3600) return `${Math.trunc(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.trunc(seconds / 3600)} h`;
  return `${Math.trunc(seconds / 86_400)} d`;
}

/** A length in its two largest units, as a countdown shows it: "1 d 23 h", "5 h 02 min", "12 min 05 s", "45 s". */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.trunc(seconds));
  const [days, hours, minutes, rest] = [
    Math.trunc(whole / 86_400),
    Math.trunc(whole / 3600) % 24,
    Math.trunc(whole / 60) % 60,
    whole % 60,
  ];
  const two = (value: number) => String(value).padStart(2, "0");
  if (days > 0) return `${days} d ${two(hours)} h`;
  if (hours > 0) return `${hours} h ${two(minutes)} min`;
  if (minutes > 0) return `${minutes} min ${two(rest)} s`;
  return `${rest} s`;
}

/** A length as configured: "1 d 12 h", "45 s"; parts that are nothing are left out. */
export function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.trunc(seconds / 86_400), "d"],
    [Math.trunc(seconds / 3600) % 24, "h"],
    [Math.trunc(seconds / 60) % 60, "min"],
    [Math.trunc(seconds) % 60, "s"],
  ];
  const text = parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
  return text === "" ? `${seconds} s` : text;
}

/** "2026-05-09 10:00:00 UTC", from the API's own form without a detour. */
export function utc(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`;
}

/** With all the digits that the API gave: "2026-05-09 10:00:00.123456 UTC". */
export function utcExact(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11).replace(/Z$/, "")} UTC`;
}

/** "10:00:00 UTC" of a moment in milliseconds. */
export function utcClock(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

/** The next microsecond of a time in the API's form. */
export function microsecondAfter(timestamp: string): string {
  const micros = Number(timestamp.slice(20, 26)) + 1;
  if (micros < 1_000_000) return `${timestamp.slice(0, 20)}${String(micros).padStart(6, "0")}Z`;
  return new Date(Date.parse(`${timestamp.slice(0, 19)}Z`) + 1000).toISOString().replace(".000Z", ".000000Z");
}
