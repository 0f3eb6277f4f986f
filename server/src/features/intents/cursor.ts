// The opaque cursor of a list of intents: the place of the last one that was sent, in the order of the list.
import { Problem } from "../../platform/errors.ts";
import { parseTimestamp } from "../../platform/http/time.ts";

export interface IntentCursor {
  /** In the API's form. */
  createdAt: string;
  intentId: string;
}

export function encodeCursor({ createdAt, intentId }: IntentCursor): string {
  return Buffer.from(`${createdAt} ${intentId}`).toString("base64url");
}

/** @throws Problem `invalid_request` for what encodeCursor did not make */
export function decodeCursor(cursor: string): IntentCursor {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const place = { createdAt: text.slice(0, 27), intentId: text.slice(28) };
  const isSound = parseTimestamp(place.createdAt) === place.createdAt && !text.includes("\0");
  if (!isSound || encodeCursor(place) !== cursor) {
    const message = "is not a cursor of this list; leave it out to start again";
    throw new Problem("invalid_request", `cursor ${message}.`, { errors: [{ path: "cursor", message }] });
  }
  return place;
}
