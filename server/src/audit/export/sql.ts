// The statements of an export: what it holds at a size of the log, counted and copied.
//
// COPY takes no parameters, so values are written into the text as literals; all of them have been validated, and are
// escaped all the same.
import pg from "pg";
import { HEAD, timeColumn, timeConditions, totalSql } from "../read/counts.ts";
import type { AuditFilter } from "../read/filter.ts";
import type { Queryable } from "../read/query.ts";
import { conditionsOf, Parameters } from "../read/scan.ts";

export type Format = "json" | "csv" | "ndjson";

export interface ExportRequest {
  filter: AuditFilter;
  order: "asc" | "desc";
  /** Entries after this seq are not part of it. */
  size: number;
}

/** Exact number of entries of an export, which archived ones are no part of; `size` must be at most that of the log. */
export async function countExport(db: Queryable, { filter, size }: ExportRequest): Promise<number> {
  if (filter.branches.length === 0) return 0;
  const p = new Parameters();
  const total = totalSql(p, filter);
  // What came after `size`, and what is archived, is in the newest snapshot's total.
  const later = `select count(*) from audit_entries where (seq > ${p.add(size, "bigint")} or seq < (select below from head)) and (${meant(p, filter)})`;
  const { rows } = await db.query(`with ${HEAD} select ((${total}) - (${later}))::float8 as total`, p.values);
  return Number(rows[0].total);
}

/** The COPY statement whose output is the export's rows: JSON texts, or lines of CSV without their CR. */
export function copySql({ filter, order, size }: ExportRequest, format: Format): string {
  const p = new Parameters();
  const column = timeColumn(filter);
  const row = { json: "','||body", ndjson: "body", csv: CSV_ROW }[format];
  const where = filter.branches.length === 0 ? "false" : meant(p, filter);
  const query = `with ${HEAD} select ${row} from audit_entries ${format === "csv" ? CUT : ""}
    where seq <= ${p.add(size, "bigint")} and seq >= (select below from head) and (${where}) order by ${column} ${order}, seq ${order}`;
  // With a quote and a delimiter that occur in no row, the CSV format passes text through as it is: no canonical JSON
  // holds a raw control character.
  return `copy (${inline(query, p.values)}) to stdout (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')`;
}

function meant(p: Parameters, filter: AuditFilter): string {
  const branches = filter.branches.map(
    (branch) => `(${conditionsOf(p, filter, branch).join(" and ") || "true"})`,
  );
  return [`(${branches.join(" or ")})`, ...timeConditions(p, filter)].join(" and ");
}

/**
 * What a row of CSV is cut from: the text as bytes, and the lengths from which its places follow, since everything but the details
 * has a known form. Cutting bytes is many times as fast as cutting text, whose characters must be counted.
 */
const CUT = `cross join lateral (select convert_to(body, 'UTF8') as bytes, octet_length(body) as length,
  octet_length(action_type) + octet_length(actor_wallet) + octet_length(chain_id::text) as head,
  octet_length(seq::text) as digits, octet_length(vault_address) as tail offset 0) cut`;

const piece = (from: string, length: string) => `convert_from(substr(bytes, ${from}, ${length}), 'UTF8')`;
const TIMESTAMP = piece("length - tail - 47", "27");
const RECORDED_AT = piece("length - tail - digits - 98", "27");
const DETAILS = piece("head + 59", "length - head - digits - tail - 217");

/**
 * No cell begins with a character that makes a spreadsheet run it (= + - @): ids and numbers begin with a digit, actions
 * with a letter, addresses with 0x, details with a brace. A semicolon, at which a spreadsheet of some locales would cut
 * a cell in two, occurs in JSON strings alone and is written as its escape, which reads back to the same value.
 */
const CSV_ROW = `id||','||seq||','||${TIMESTAMP}||','||${RECORDED_AT}||','||action_type||','||vault_address||','||chain_id||','||actor_wallet||',"'||replace(replace(${DETAILS}, '"', '""'), ';', '\\u003b')||'"'`;

function inline(text: string, values: readonly unknown[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, n) => {
    const value = values[Number(n) - 1];
    const literal = Array.isArray(value) ? `{${value.map((each) => `"${each}"`).join(",")}}` : String(value);
    return pg.escapeLiteral(literal);
  });
}
