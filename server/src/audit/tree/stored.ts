// Checkpoints as the database has them, each with the cosignatures of the witnesses that vouch for it.
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";

export interface StoredCheckpoint {
  size: number;
  root: Buffer;
  /** The signed note; read from here, with its cosignatures. */
  note: string;
}

export function newestCheckpoint(db: QueryExecutorProvider): Promise<StoredCheckpoint | null> {
  return find(db, sql`order by k.size desc`);
}

export function checkpointOf(db: QueryExecutorProvider, size: number): Promise<StoredCheckpoint | null> {
  return find(db, sql`where k.size = ${size}`);
}

/** The oldest that covers so many entries. */
export function checkpointCovering(
  db: QueryExecutorProvider,
  size: number,
): Promise<StoredCheckpoint | null> {
  return find(db, sql`where k.size >= ${size} order by k.size`);
}

async function find(db: QueryExecutorProvider, rest: RawBuilder<unknown>): Promise<StoredCheckpoint | null> {
  const { rows } = await sql<StoredCheckpoint>`
    select k.size, k.root, k.note || coalesce((
      select string_agg(c.line || E'\\n', '' order by c.vkey) from audit_cosignatures c where c.size = k.size), '') as note
    from audit_checkpoints k ${rest} limit 1`.execute(db);
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
  db: QueryExecutorProvider,
  { vkeys, least }: Quorum,
  size: number | null = null,
): Promise<number | null> {
  const { rows } = await sql<{ size: number }>`
    select size from audit_cosignatures where vkey = any(${vkeys}::text[]) and size >= ${size ?? 0}
     group by size having count(*) >= ${least} order by size ${size === null ? sql`desc` : sql``} limit 1`.execute(
    db,
  );
  return rows[0]?.size ?? null;
}
