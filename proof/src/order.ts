// The order of an exported file: by time or block time, either way, ties by seq. Which of them it is follows from the entries.

import type { Entry } from "./entry.ts";
import { occurredAtOf } from "./origins.ts";

export class OrderCheck {
  #before: { seq: number; timestamp: string; block: string } | null = null;
  /** Orders that everything so far agrees with. */
  #possible = new Set(["timestamp asc", "timestamp desc", "block asc", "block desc"]);

  /** Why the entry cannot follow those before it, or null. */
  take(entry: Entry): string | null {
    const at = { seq: Number(entry.seq), timestamp: entry.timestamp, block: occurredAtOf(entry) };
    const before = this.#before;
    this.#before = at;
    if (before === null) return null;
    for (const field of ["timestamp", "block"] as const) {
      const direction =
        at[field] === before[field] ? at.seq - before.seq : at[field] > before[field] ? 1 : -1;
      if (direction <= 0) this.#possible.delete(`${field} asc`);
      if (direction >= 0) this.#possible.delete(`${field} desc`);
    }
    return this.#possible.size === 0
      ? "it is out of order: no order of time has it after the entry before it"
      : null;
  }
}
