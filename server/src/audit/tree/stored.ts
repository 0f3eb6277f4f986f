// Checkpoints as the database has them, each with the cosignatures of the witnesses that vouch for it.
import type { Queryable } from "../read/query.ts";

export interface StoredCheckpoint {
  size: number;
  root: Buffer;
  /** The signed note; read from here, with its cosignatures. */
  note: string;
}

/** What `rest` finds first, e.g. `where k.size = $1`; null for nothing. */
export async function findCheckpoint(
  db: Queryable,
  rest: string,
  values: unknown[] = [],
): Promise<StoredCheckpoint | null> {
  const { rows } = await db.query(
    `select k.size, k.root, k.note || coalesce((
       select string_agg(c.line || E'\\n', '' order by c.vkey) from audit_cosignatures c where c.size = k.size), '') as note
     from audit_checkpoints k ${rest} limit 1`,
    values,
  );
  return rows[0] ?? null;
}

/** Who counts, and how many of them are enough. */
export interface Quorum {
  /** Keys of witnesses. */
  vkeys: readonly string[];
  least: number;
}

/** The size of the newest checkpoint that has a quorum, or of the oldest that has one and covers `size`. */
export async function witnessedSize(
  db: Queryable,
  { vkeys, least }: Quorum,
  size: number | null = null,
): Promise<number | null> {
  const { rows } = await db.query(
    `select size from audit_cosignatures where vkey = any($1) and size >= $3
     group by size having count(*) >= $2 order by size ${size === null ? "desc" : "asc"} limit 1`,
    [vkeys, least, size ?? 0],
  );
  return rows[0]?.size ?? null;
}
