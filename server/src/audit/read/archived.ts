// What of the log is archived: its entries before a seq, of which the database has the keys and the hashes, and no text.
import { type QueryExecutorProvider, sql } from "kysely";
import { executeNamed } from "../../platform/db/db.ts";

/** The first seq that is not archived: 1 where none is. */
export const ARCHIVED_BELOW = sql<number>`(select coalesce(max(to_seq) filter (where archived_at is not null), 1) from audit_partitions)`;

export async function readArchivedBelow(db: QueryExecutorProvider): Promise<number> {
  const below = sql<{ below: number }>`select ${ARCHIVED_BELOW}::float8 as below`;
  return (await executeNamed(db, "audit_archived_below", below)).rows[0]!.below;
}
