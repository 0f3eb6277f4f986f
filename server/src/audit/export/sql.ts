// The statements of an export: what it holds at a size of the log, counted and copied.
//
// COPY takes no parameters, so values are written into the text as literals; all of them have been validated, and are
// escaped all the same.
import { type QueryExecutorProvider, sql } from "kysely";
import pg from "pg";
import { kyselyOver } from "../../platform/db/db.ts";
import { HEAD, timeColumn, timeConditions, totalSql } from "../read/counts.ts";
import type { AuditFilter } from "../read/filter.ts";
import { all, conditionsOf, type Sql } from "../read/scan.ts";

export type Format = "json" | "csv" | "ndjson";

export interface ExportRequest {
  filter: AuditFilter;
  order: "asc" | "desc";
  /** Entries after this seq are not part of it. */
  size: number;
}

/** Exact number of entries of an export, which archived ones are no part of; `size` must be at most that of the log. */
export async function countExport(
  db: QueryExecutorProvider,
  { filter, size }: ExportRequest,
): Promise<number> {
  if (filter.branches.length === 0) return 0;
  // What came after `size`, and what is archived, is in the newest snapshot's total.
  const { rows } = await sql<{ total: number }>`
    with ${HEAD} select ((${totalSql(filter)}) - (
      select count(*) from audit_entries where (seq > ${size}::bigint or seq < (select below from head)) and (${meant(filter)})
    ))::float8 as total`.execute(db);
  return rows[0]!.total;
}

/** The COPY statement whose output is the export's rows: JSON texts, or lines of CSV without their CR. */
export function copySql({ filter, order, size }: ExportRequest, format: Format): string {
  const row = { json: sql`','||body`, ndjson: sql`body`, csv: CSV_ROW }[format];
  const direction = order === "desc" ? sql`desc` : sql`asc`;
  const where = filter.branches.length === 0 ? sql`false` : meant(filter);
  const query = sql`with ${HEAD} select ${row} from audit_entries ${format === "csv" ? CUT : sql``}
    where seq <= ${size}::bigint and seq >= (select below from head) and (${where}) order by ${timeColumn(filter)} ${direction}, seq ${direction}`;
  // With a quote and a delimiter that occur in no row, the CSV format passes text through as it is: no canonical JSON
  // holds a raw control character.
  return `copy (${inline(query)}) to stdout (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')`;
}

function meant(filter: AuditFilter): Sql {
  const branches = filter.branches.map((branch) => sql`(${all(conditionsOf(filter, branch))})`);
  return all([sql`(${sql.join(branches, sql` or `)})`, ...timeConditions(filter)]);
}

/**
 * What a row of CSV is cut from: the text as bytes, and the lengths from which its places follow, since everything but the details
 * has a known form. Cutting bytes is many times as fast as cutting text, whose characters must be counted.
 */
const CUT = sql`cross join lateral (select convert_to(body, 'UTF8') as bytes, octet_length(body) as length,
  octet_length(action_type) + octet_length(actor_wallet) + octet_length(chain_id::text) as head,
  octet_length(seq::text) as digits, octet_length(vault_address) as tail offset 0) cut`;

const piece = (from: string, length: string) =>
  sql`convert_from(substr(bytes, ${sql.raw(from)}, ${sql.raw(length)}), 'UTF8')`;
const TIMESTAMP = piece("length - tail - 47", "27");
const RECORDED_AT = piece("length - tail - digits - 98", "27");
const DETAILS = piece("head + 59", "length - head - digits - tail - 217");

/**
 * No cell begins with a character that makes a spreadsheet run it (= + - @): ids and numbers begin with a digit, actions
 * with a letter, addresses with 0x, details with a brace. A semicolon, at which a spreadsheet of some locales would cut
 * a cell in two, occurs in JSON strings alone and is written as its escape, which reads back to the same value.
 */
const CSV_ROW = sql`id||','||seq||','||${TIMESTAMP}||','||${RECORDED_AT}||','||action_type||','||vault_address||','||chain_id||','||actor_wallet||',"'||replace(replace(${DETAILS}, '"', '""'), ';', '\\u003b')||'"'`;

/** Makes templates into text; it runs nothing. */
const COMPILER = kyselyOver({ query: null });

function inline(query: Sql): string {
  const { sql: text, parameters } = query.compile(COMPILER);
  return text.replaceAll(/\$(\d+)/g, (_, n) => {
    const value = parameters[Number(n) - 1];
    const literal = Array.isArray(value) ? `{${value.map((each) => `"${each}"`).join(",")}}` : String(value);
    return pg.escapeLiteral(literal);
  });
}
