// Takes the texts of archived entries out of the database, a whole partition at a time.
//
// Guarantee: only of entries that the archive holds, as it was just read back and held to the tree, and whose hashes are in full tiles. What
// totals, places in time, reverts and the guard against a second recording are looked up by stays.
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import { type ArchivePage, nameOf } from "./folder.ts";
import { exchange, type Partition, readPartitions } from "./swap.ts";

export interface DetachOptions {
  /** As the owner of the tables. */
  owner: Pick<Database, "kysely" | "transaction">;
  /** What writeArchive has just returned. */
  page: ArchivePage;
  /** Entries after this one are left as they are: somebody has not taken them yet. */
  upTo?: number;
  signal: AbortSignal;
  /** Told after each partition: entries up to this seq are without their texts. */
  onDetached(last: number): void;
}

/** Resolves with the first seq that is not archived. */
export async function detachArchived(options: DetachOptions): Promise<number> {
  const { owner, page, upTo = page.size, signal, onDetached } = options;
  const { rows } = await sql<{ tiled: number }>`
    select coalesce(max(index) + 1, 0)::float8 * 256 as tiled from audit_tiles where level = 0`.execute(
    owner.kysely,
  );
  const last = Math.min(page.size, upTo, rows[0]!.tiled);
  let below = 1;
  for (const partition of await readPartitions(owner.kysely)) {
    if (partition.to_seq - 1 > last) break;
    if (partition.archived_at === null) {
      signal.throwIfAborted();
      await detachOne(owner, partition, signal);
      onDetached(partition.to_seq - 1);
    }
    below = partition.to_seq;
  }
  return below;
}

function detachOne(owner: DetachOptions["owner"], partition: Partition, signal: AbortSignal): Promise<void> {
  return exchange(owner, {
    partition,
    name: `audit_entries_archived_from_${partition.from_seq}`,
    isArchived: true,
    signal,
    fill: async (tx, table) => {
      await sql`
        insert into ${table} (${KEYS}, body) select ${KEYS}, ${STRIPPED} from ${sql.id(partition.name)}`.execute(
        tx,
      );
    },
  });
}

const KEYS = sql`seq, id, "timestamp", recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet`;

/**
 * What the service looks up in the texts of entries that it wrote before: the place of an onchain operation, and which entry a revert names. A
 * text with a character that PostgreSQL's JSON cannot hold stays whole.
 */
const STRIPPED = sql`case when strpos(body, '\\u0000') > 0 then body else (
  case when body::jsonb -> 'details' ? 'block_hash' then
    jsonb_build_object('id', id, 'seq', seq::text, 'action_type', action_type, 'vault_address', vault_address,
      'chain_id', chain_id, 'actor_wallet', actor_wallet, 'details', (
        select jsonb_object_agg(key, value) from jsonb_each(body::jsonb -> 'details')
        where key in ('block_number', 'block_timestamp', 'block_hash', 'tx_hash', 'log_index', 'reported',
          'reverted_id', 'reverted_seq', 'reverted_action_type')))
  when body::jsonb -> 'details' ? 'tx_hash' then
    jsonb_build_object('details', jsonb_build_object('tx_hash', body::jsonb #> '{details,tx_hash}', 'reported', true))
  else '{"details":{}}'::jsonb end)::text end`;

/** The files that a partition's entries are in. */
export function filesOf(page: ArchivePage, { from_seq, to_seq }: Partition): ArchivePage["files"] {
  return page.files.filter(
    ({ first, last, name }) => name === nameOf(first, last) && first < to_seq && last >= from_seq,
  );
}
