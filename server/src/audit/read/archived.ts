// What of the log is archived: its entries before a seq, of which the database has the keys and the hashes, and no text.
import type pg from "pg";

/** SQL of the first seq that is not archived: 1 where none is. */
export const ARCHIVED_BELOW =
  "(select coalesce(max(to_seq) filter (where archived_at is not null), 1) from audit_partitions)";

export async function readArchivedBelow(db: Pick<pg.Pool, "query">): Promise<number> {
  const { rows } = await db.query({
    name: "audit_archived_below",
    text: `select ${ARCHIVED_BELOW}::float8 as below`,
  });
  return Number(rows[0].below);
}
