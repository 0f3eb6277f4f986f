import { sql } from "kysely";
import type { Database } from "./db.ts";

/** Rejects where the connection is not that of the owner of the tables. */
export async function mustOwn(owner: Database): Promise<void> {
  const { rows } = await sql<{ may: boolean }>`
    select has_table_privilege('facts', 'truncate') as may`.execute(owner.kysely);
  if (rows[0]?.may) return;
  throw new Error(
    "It is done as the owner of the tables, which the service's own role is not: set database.owner_url.",
  );
}
