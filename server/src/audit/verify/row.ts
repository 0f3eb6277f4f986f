// One stored entry against itself. Its text is parsed; the columns that filters use must be what it says; and the canonical text made
// of these columns and its details must be, byte for byte, the text that is stored, hashed and served.
import { canonicalJson, occurredAtOf } from "@vaultops/proof";

/** What a check of the log found first. */
export interface LogFailure {
  /** The first entry that does not hold; null where it is none that can be named. */
  seq: number | null;
  reason: string;
}

/** A stored entry, its columns as texts; times in the API's form. */
export interface StoredRow {
  seq: string;
  id: string;
  timestamp: string;
  recorded_at: string;
  occurred_at: string;
  action_type: string;
  vault_address: string;
  chain_id: string;
  actor_wallet: string;
  body: string;
}

/** Why the row does not hold, or null. */
export function faultOfRow({ body, occurred_at, ...row }: StoredRow): string | null {
  const columns = { ...row, chain_id: exactNumber(row.chain_id) };
  const entry = parsed(body) as (typeof columns & { details: object }) | null;
  if (entry === null || !isObject(entry.details)) return "its text is not that of an entry";
  for (const name of Object.keys(columns) as (keyof typeof columns)[]) {
    if (entry[name] !== columns[name]) return `its column ${name} differs from its text`;
  }
  if (!isCanonical(body, { ...columns, details: entry.details })) return "its text is not in canonical form";
  if (occurredAtOf(entry) !== occurred_at) return "its column occurred_at differs from its text";
  if (row.timestamp !== row.recorded_at && row.timestamp !== occurred_at)
    return "its timestamp is neither when it was recorded nor its block's time";
  return null;
}

/** NaN, which equals nothing, for what a number cannot hold exactly. */
function exactNumber(text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : Number.NaN;
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCanonical(text: string, value: object): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    // Nested deeper than any entry could be made.
    return false;
  }
}
