// Rows by the thousand in one statement. A column goes over as one text, its values joined by line feeds, which costs a fraction of what
// JSON or an array's quoting does on either side. No value here is empty or can hold a line feed.
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "./db.ts";

/** The columns of a table that are written, with their SQL types. Quantities are given as bigint, times as Unix seconds. */
export type Columns<Row> = { [K in keyof Row & string]: SqlType };
type SqlType =
  | "bigint"
  | "integer"
  | "smallint"
  | "numeric"
  | "text"
  | "text[]"
  | "boolean"
  | "jsonb"
  | "timestamptz";

/**
 * Inserts all rows with one statement, however many there are. What is read twice at one block is the same both times:
 * `isRepeatable` keeps the first, where else a repetition is an error.
 */
export async function insertRows<Row extends object>(
  tx: Tx,
  table: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  isRepeatable = false,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into ${sql.table(table)} (${namesOf(columns)}) select * from ${tableOf(columns, rows)} as r
    ${sql.raw(isRepeatable ? "on conflict do nothing" : "")}`.execute(tx);
}

/** Rows as a table for `from`, in the order of the columns. */
export function tableOf<Row extends object>(
  columns: Partial<Columns<Row>>,
  rows: readonly Row[],
): RawBuilder<unknown> {
  const entries = Object.entries(columns) as [keyof Row & string, SqlType][];
  const texts = entries.map(([name, type]) => {
    return columnOf(rows.map((row) => textOf(row[name], type)));
  });
  const typed = entries.map(([name, type]) =>
    type === "timestamptz"
      ? sql`to_timestamp(${sql.ref(name)}::float8) as ${sql.ref(name)}`
      : sql`${sql.ref(name)}::${sql.raw(type)} as ${sql.ref(name)}`,
  );
  return sql`(select ${sql.join(typed)} from unnest(${sql.join(texts)}) as given (${namesOf(columns)}))`;
}

const NULL = "\\N";

/** The values as an array of texts. */
export function columnOf(values: readonly string[]): RawBuilder<unknown> {
  return sql`string_to_array(${values.join("\n")}, ${"\n"}, ${NULL})`;
}

function namesOf(columns: object): RawBuilder<unknown> {
  return sql.join(Object.keys(columns).map((name) => sql.ref(name)));
}

function textOf(value: unknown, type: SqlType): string {
  if (value === null || value === undefined) return NULL;
  if (type === "jsonb")
    return JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? `${each}` : each));
  // Addresses: nothing in them needs quoting.
  if (type === "text[]") return `{${(value as string[]).join(",")}}`;
  return String(value);
}
