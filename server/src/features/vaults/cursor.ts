// The opaque cursor of a vault's history: the place of the last point that was sent.
import { Problem } from "../../platform/errors.ts";
import { parseTimestamp } from "../../platform/http/time.ts";
import type { Place } from "./history.ts";

export function encodeCursor({ timestamp, blockNumber, logIndex }: Place): string {
  return Buffer.from(`${timestamp} ${blockNumber} ${logIndex}`).toString("base64url");
}

/** @throws Problem `invalid_request` for what encodeCursor did not make */
export function decodeCursor(cursor: string): Place {
  const [, timestamp, block, log] = FORM.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  const place = { timestamp: timestamp ?? "", blockNumber: Number(block), logIndex: Number(log) };
  if (parseTimestamp(place.timestamp) !== timestamp || encodeCursor(place) !== cursor) {
    const message = "is not a cursor of this list; leave it out to start again";
    throw new Problem("invalid_request", `cursor ${message}.`, { errors: [{ path: "cursor", message }] });
  }
  return place;
}

const FORM = /^(\S{27}) (\d{1,15}) (\d{1,9})$/;
