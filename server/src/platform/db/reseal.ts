// Seals every secret of the database again under the key that seals now, so that older keys can be given up.
// Guarantee: it finds every sealed value by the name of its column (secret-box.ts, `sealedIn`), changes none but its sealing, and may be
// broken off and run again, also beside a running service.
import { sql } from "kysely";
import { type SecretBox, sealedIn } from "../secret-box.ts";
import type { Database, Tx } from "./db.ts";

interface SealedColumn {
  table: string;
  column: `sealed_${string}`;
}

const BATCH = 200;

/** Returns how many values were sealed again. @throws SecretBoxError, naming table and row, where one does not open */
export async function resealAll(
  db: Pick<Database, "kysely" | "transaction">,
  box: SecretBox,
): Promise<number> {
  let count = 0;
  for (const place of await sealedColumns(db)) {
    for (let after: string | null = null; ; ) {
      const batch: { last: string | null; count: number } = await db.transaction((tx) =>
        resealBatch(tx, box, place, after),
      );
      count += batch.count;
      after = batch.last;
      if (after === null) break;
    }
  }
  return count;
}

/** Whether a value of the database is sealed under that key. */
export async function isKeyUsed(db: Pick<Database, "kysely">, keyId: string): Promise<boolean> {
  for (const { table, column } of await sealedColumns(db)) {
    const { rows } = await sql`
      select 1 from ${sql.table(table)} where ${sql.ref(column)} like ${`v1.${keyId}.%`} limit 1`.execute(
      db.kysely,
    );
    if (rows.length > 0) return true;
  }
  return false;
}

async function sealedColumns(db: Pick<Database, "kysely">): Promise<SealedColumn[]> {
  const { rows } = await sql<SealedColumn>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and column_name like 'sealed\\_%' order by 1, 2`.execute(db.kysely);
  return rows;
}

async function resealBatch(
  tx: Tx,
  box: SecretBox,
  { table, column }: SealedColumn,
  after: string | null,
): Promise<{ last: string | null; count: number }> {
  const { rows } = await sql<{ id: string; sealed: string }>`
    select id::text as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} is not null and (${after}::text is null or id::text > ${after})
    order by id::text limit ${BATCH} for update`.execute(tx);
  let count = 0;
  for (const { id, sealed } of rows) {
    if (box.isCurrent(sealed)) continue;
    const context = sealedIn(table, column, id);
    let text: string;
    try {
      text = box.open(sealed, context);
    } catch (error) {
      throw new Error(`${table} ${id}: ${(error as Error).message}`, { cause: error });
    }
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${box.seal(text, context)} where id::text = ${id}`.execute(
      tx,
    );
    count += 1;
  }
  return { last: rows.length < BATCH ? null : (rows.at(-1)?.id ?? null), count };
}
