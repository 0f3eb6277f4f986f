// One stored entry against itself: are the columns that filters use what its canonical text says? Comparing bytes at known
// places is many times as fast as parsing each text; only where that finds a difference the entry is parsed, to say which.

import { canonicalJson, occurredAtOf } from "@vaultops/proof";
import { equalBytes, viewOf } from "./bytes.ts";
import { isApiTime, TIME_LENGTH, TimeBytes } from "./time-bytes.ts";
import { formatMicroseconds } from "./times.ts";
import type { StoredRow } from "./verify-rows.ts";

/** What a check of the log found first. */
export interface LogFailure {
  /** The first entry that does not hold; null where it is none that can be named. */
  seq: number | null;
  reason: string;
}

/** Why the row does not hold, or null. */
export function faultOfRow(row: StoredRow): string | null {
  const detailsAt = headEnd(row);
  const isHeld = detailsAt > 0 && isTailHeld(row, detailsAt) && isTimeHeld(row);
  if (!isHeld) return explain(row);
  if (row.cell.isOffchain) return row.occurredAt === row.recordedAt ? null : OTHER_TIME;
  // In a string of the text each quote has a backslash before it: what is found is a member's name.
  const block = row.leaf.indexOf(BLOCK_TIME, detailsAt - row.textAt + 1);
  if (block < 0 ? row.occurredAt === row.recordedAt : isTimeAt(OCCURRED, row, block)) return null;
  return occurredAtOf(JSON.parse(bodyOf(row))) === apiTime(row.occurredAt) ? null : OTHER_TIME;
}

/** Where the details begin, if up to there the text says what the columns say; else 0. */
function headEnd({ view, cell, actor, actorAt, textAt, textEnd }: StoredRow): number {
  const { beforeActor, afterActor } = cell;
  const at = textAt + beforeActor.byteLength;
  const after = at + actor.name.length;
  const end = after + afterActor.byteLength;
  const isHeld =
    end <= textEnd &&
    isTextAt(view, textAt, beforeActor) &&
    equalBytes(view, at, view, actorAt, actor.name.length) &&
    isTextAt(view, after, afterActor);
  return isHeld ? end : 0;
}

/** What stands after the details, from the end: the text of each column is as long as it is known to be. */
function isTailHeld(row: StoredRow, detailsAt: number): boolean {
  const { view, cell, textEnd } = row;
  const after = textEnd - cell.afterTimestamp.byteLength;
  const timestampAt = after - TIME_LENGTH;
  const digits = digitsOf(row.seq);
  const seqAt = timestampAt - BEFORE_TIMESTAMP.byteLength - digits;
  const recordedAt = seqAt - BEFORE_SEQ.byteLength - TIME_LENGTH;
  const idAt = recordedAt - BEFORE_RECORDED.byteLength - UUID_LENGTH;
  const start = idAt - BEFORE_ID.byteLength;
  return (
    start >= detailsAt &&
    isTextAt(view, after, cell.afterTimestamp) &&
    TIMESTAMP.set(row.timestamp) &&
    TIMESTAMP.isAt(view, timestampAt) &&
    isTextAt(view, timestampAt - BEFORE_TIMESTAMP.byteLength, BEFORE_TIMESTAMP) &&
    isNumberAt(view, seqAt, digits, row.seq) &&
    isTextAt(view, seqAt - BEFORE_SEQ.byteLength, BEFORE_SEQ) &&
    RECORDED.set(row.recordedAt) &&
    RECORDED.isAt(view, recordedAt) &&
    isTextAt(view, recordedAt - BEFORE_RECORDED.byteLength, BEFORE_RECORDED) &&
    isUuidAt(view, idAt, row.idAt) &&
    isTextAt(view, start, BEFORE_ID)
  );
}

function isTextAt(view: DataView, at: number, text: DataView): boolean {
  return equalBytes(view, at, text, 0, text.byteLength);
}

function isTimeHeld({ timestamp, recordedAt, occurredAt }: StoredRow): boolean {
  return timestamp === recordedAt || timestamp === occurredAt;
}

function isTimeAt(time: TimeBytes, { view, textAt, textEnd, occurredAt }: StoredRow, block: number): boolean {
  const at = textAt - 1 + block + BLOCK_TIME.length;
  return at + TIME_LENGTH <= textEnd && time.set(occurredAt) && time.isAt(view, at);
}

/** How many digits a whole number from 0 on has. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits += 1;
  return digits;
}

function isNumberAt(view: DataView, at: number, digits: number, value: number): boolean {
  let left = value;
  for (let i = at + digits - 1; i >= at; i -= 1) {
    const rest = Math.floor(left / 10);
    if (view.getUint8(i) !== ZERO + left - rest * 10) return false;
    left = rest;
  }
  return true;
}

/** Whether the text at one place is that of the 16 bytes at the other. */
function isUuidAt(view: DataView, textAt: number, bytesAt: number): boolean {
  let at = textAt;
  for (let i = 0; i < 16; i += 1) {
    if (i === 4 || i === 6 || i === 8 || i === 10) {
      if (view.getUint8(at) !== DASH) return false;
      at += 1;
    }
    if (view.getUint16(at) !== HEX[view.getUint8(bytesAt + i)]) return false;
    at += 2;
  }
  return true;
}

const [ZERO, DASH, UUID_LENGTH] = [0x30, 0x2d, 36];
/** The two digits of each byte. */
const HEX = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, "0")).readUInt16BE(),
);
const [BEFORE_ID, BEFORE_RECORDED, BEFORE_SEQ, BEFORE_TIMESTAMP] = [
  '},"id":"',
  '","recorded_at":"',
  '","seq":"',
  '","timestamp":"',
].map((text) => viewOf(Buffer.from(text))) as [DataView, DataView, DataView, DataView];
const OTHER_TIME = "its column occurred_at differs from its text";
const BLOCK_TIME = Buffer.from('"block_timestamp":"');
const [RECORDED, TIMESTAMP, OCCURRED] = [new TimeBytes(), new TimeBytes(), new TimeBytes()];

function bodyOf({ leaf }: StoredRow): string {
  return leaf.toString("utf8", 1);
}

/** In the API's form; what is no time of four digits' years is "", which no entry holds. */
function apiTime(microseconds: number): string {
  return isApiTime(microseconds) ? formatMicroseconds(microseconds) : "";
}

function explain(row: StoredRow): string {
  const body = bodyOf(row);
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(body);
  } catch {
    return "its text is not JSON";
  }
  const columns: Record<string, unknown> = {
    seq: String(row.seq),
    id: uuidOf(row.leaf.buffer, row.view.byteOffset + row.idAt),
    timestamp: apiTime(row.timestamp),
    recorded_at: apiTime(row.recordedAt),
    action_type: row.cell.action,
    vault_address: row.cell.vault,
    chain_id: Number(row.cell.chain),
    actor_wallet: row.actor.name,
  };
  for (const [name, value] of Object.entries(columns)) {
    if (entry[name] !== value) return `its column ${name} differs from its text`;
  }
  if (canonicalJson(entry) !== body) return "its text is not in canonical form";
  return "its timestamp is neither when it was recorded nor its block's time";
}

function uuidOf(buffer: ArrayBufferLike, at: number): string {
  const hex = Buffer.from(buffer, at, 16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
