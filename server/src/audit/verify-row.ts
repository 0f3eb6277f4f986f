// One stored entry against itself: are the columns that filters use what its canonical text says? Comparing texts at known
// places is ten times as fast as parsing each; only where that finds a difference the entry is parsed, to say which.
import { canonicalJson } from "./canonical.ts";
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
  const { cell, leaf } = row;
  const recorded = apiTime(row.recordedAt);
  const timestamp = row.timestamp === row.recordedAt ? recorded : apiTime(row.timestamp);
  const occurred = row.occurredAt === row.timestamp ? timestamp : apiTime(row.occurredAt);
  const head = cell.beforeActor + row.actor + cell.afterActor;
  const tail = `},"id":"${uuidOf(row.id)}","recorded_at":"${recorded}","seq":"${row.seq}","timestamp":"${timestamp}${cell.afterTimestamp}`;
  const isHeld =
    leaf.latin1Slice(1, 1 + head.length) === head &&
    leaf.latin1Slice(leaf.length - tail.length) === tail &&
    (timestamp === recorded || timestamp === occurred);
  const body = () => leaf.toString("utf8", 1);
  if (!isHeld) return explain(row, body(), { recorded, timestamp });
  const block = leaf.indexOf(BLOCK_TIME, head.length);
  const happened =
    block < 0 ? recorded : leaf.latin1Slice(block + BLOCK_TIME.length, block + BLOCK_TIME.length + 27);
  if (happened === occurred) return null;
  const { details } = JSON.parse(body()) as { details: { block_timestamp?: string } };
  return (details.block_timestamp ?? recorded) === occurred
    ? null
    : "its column occurred_at differs from its text";
}

const BLOCK_TIME = Buffer.from('"block_timestamp":"');

/** In the API's form; what is no time of four digits' years is "", which no entry holds. */
function apiTime(microseconds: number): string {
  return microseconds >= FIRST && microseconds <= LAST ? formatMicroseconds(microseconds) : "";
}

const FIRST = Date.parse("0001-01-01T00:00:00Z") * 1000;
const LAST = Date.parse("9999-12-31T23:59:59Z") * 1000;

function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function explain(row: StoredRow, body: string, times: { recorded: string; timestamp: string }): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(body);
  } catch {
    return "its text is not JSON";
  }
  const columns: Record<string, unknown> = {
    seq: String(row.seq),
    id: uuidOf(row.id),
    timestamp: times.timestamp,
    recorded_at: times.recorded,
    action_type: row.cell.action,
    vault_address: row.cell.vault,
    chain_id: Number(row.cell.chain),
    actor_wallet: row.actor,
  };
  for (const [name, value] of Object.entries(columns)) {
    if (entry[name] !== value) return `its column ${name} differs from its text`;
  }
  if (canonicalJson(entry) !== body) return "its text is not in canonical form";
  return "its timestamp is neither when it was recorded nor its block's time";
}
