// What a projection is given, and how it writes: rows by the thousand in one statement.
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import type { VaultFact } from "../../chain/facts.ts";
import type { VaultReading } from "../../chain/reading.ts";
import type { BlockHeader } from "../../chain/update.ts";
import type { Tx } from "../../platform/db.ts";

/** One block with the facts in it and the readings made at it; the row of the block is stored already. */
export interface ProjectedBlock {
  block: BlockHeader & { chainId: number };
  facts: readonly VaultFact[];
  readings: ReadonlyMap<Address, VaultReading>;
}

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
 * Inserts all rows with one statement and one parameter, however many there are. What is read twice at one block is the same
 * both times: `isRepeatable` keeps the first, where else a repetition is an error.
 */
export async function insertRows<Row extends object>(
  tx: Tx,
  table: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  isRepeatable = false,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`insert into ${sql.table(table)} (${names(columns)})
    select ${values(columns)} from ${recordset(columns, rows)}
    ${sql.raw(isRepeatable ? "on conflict do nothing" : "")}`.execute(tx);
}

/** `jsonb_to_recordset(…) as r(…)`: rows as a table named r, for `from`. A time arrives as a bigint of Unix seconds. */
export function recordset<Row extends object>(
  columns: Partial<Columns<Row>>,
  rows: readonly Row[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows, (_key, value) => (typeof value === "bigint" ? value.toString() : value));
  const shape = Object.entries(columns as Record<string, SqlType>).map(
    ([name, type]) => sql`${sql.ref(name)} ${sql.raw(type === "timestamptz" ? "double precision" : type)}`,
  );
  return sql`jsonb_to_recordset(${json}::jsonb) as r(${sql.join(shape)})`;
}

export function names(columns: object): RawBuilder<unknown> {
  return sql.join(Object.keys(columns).map((name) => sql.ref(name)));
}

/** The columns of `recordset`, seconds turned into times. */
export function values(columns: object): RawBuilder<unknown> {
  return sql.join(
    Object.entries(columns).map(([name, type]) =>
      type === "timestamptz" ? sql`to_timestamp(${sql.ref(`r.${name}`)})` : sql.ref(`r.${name}`),
    ),
  );
}
