// Cursors: an opaque place in the log, after an entry. What is in one is the entry's seq; clients may not rely on it.
import { Problem } from "../../platform/errors.ts";

const FORM = /^after:(0|[1-9]\d{0,15})$/;

/** The cursor of the place after an entry; 0 is the start of the log. */
export function cursorAfter(seq: number): string {
  return Buffer.from(`after:${seq}`).toString("base64url");
}

/**
 * Reads a cursor, `start` or `now`.
 * @throws Problem `invalid_request` for anything else, also for a place that the log has not reached, as `size` says
 */
export function readCursor(text: string, size: number): number {
  if (text === "start") return 0;
  if (text === "now") return size;
  const after = Number(FORM.exec(Buffer.from(text, "base64url").toString("latin1"))?.[1]);
  if (Number.isSafeInteger(after) && after <= size && cursorAfter(after) === text) return after;
  const message = "is not a cursor of this log: use start, now, or a next_cursor as it was given";
  throw new Problem("invalid_request", `cursor ${message}.`, { errors: [{ path: "cursor", message }] });
}
