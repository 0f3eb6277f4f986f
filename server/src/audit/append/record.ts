// The one way into the audit log: `record`, called last in the transaction that does what is recorded.
//
// Guarantee: entries get `seq` 1, 2, 3, … in the order of commits and strictly increasing times, and exist exactly when the
// rest of the transaction does. The log's lock is held from here to the commit, so appends of all processes are one
// line; what can be prepared before the lock is. The entry's text is made once, here, and is what is hashed and served.
import { sql } from "kysely";
import { executeNamed, type Tx } from "../../platform/db/db.ts";
import { columnOf } from "../../platform/db/rows.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import { finish, type Prepared, prepare } from "./render.ts";
import { revertsSql, undoneIn } from "./reverted-entries.ts";
import { Submissions } from "./submissions.ts";

/**
 * Appends the entries in their order. Call it last: other writers wait until this transaction ends.
 * @throws the database's unique violation (23505) when an onchain operation has been recorded before
 * @throws the database's error XX001 when the tree cannot be read; nothing is written then
 */
export async function record(tx: Tx, entries: readonly AuditEntryInput[]): Promise<void> {
  await recordPrepared(
    tx,
    entries.map((entry) => prepare(entry)),
  );
}

/** The same for entries that were prepared before the transaction began: where they come by thousands, it stays short. */
export async function recordPrepared(tx: Tx, prepared: readonly Prepared[]): Promise<void> {
  if (prepared.length === 0) return;
  const submissions = await Submissions.load(tx, prepared);
  // One round trip, and statements that each connection parses and plans once: the log is one line, and this is what its writers wait
  // for. Reverts are those of before the wait for the lock; who misses one meets the guard against a second recording.
  const reverts = revertsSql(prepared.map(({ input }) => input));
  const begin = sql<LogEnd>`
    select last_seq, last_recorded, now_us, array(${reverts}) as reverts, (select max(to_seq) from audit_partitions) as room
    from audit_begin()`;
  const { rows } = await executeNamed(tx, "audit_begin", begin);
  const end = rows[0]!;
  // More at once than partitions were made ahead for.
  if (end.last_seq + prepared.length >= end.room)
    await sql`select audit_make_room(${end.last_seq + prepared.length})`.execute(tx);
  const undone = undoneIn(end.reverts);
  const first = Math.max(end.now_us, end.last_recorded + 1);
  const columns: string[][] = Array.from({ length: 9 }, () => []);
  prepared.forEach((entry, i) => {
    const submitEntryId = submissions.entryIdOf(entry.input);
    const told = submitEntryId === undefined ? entry : prepare(entry.input, submitEntryId);
    const values = finish(told, undone, end.last_seq + 1 + i, first + i);
    submissions.add(entry.input, values[0]!);
    for (let at = 0; at < values.length; at += 1) columns[at]!.push(values[at]!);
  });
  const insert = sql`
    insert into audit_entries (seq, id, "timestamp", recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet, body)
    select ${end.last_seq}::bigint + n, id::uuid, t::timestamptz, r::timestamptz, o::timestamptz, action, vault, chain::bigint, actor, body
    from unnest(${sql.join(columns.map(columnOf))}) with ordinality as e (id, t, r, o, action, vault, chain, actor, body, n)`;
  await executeNamed(tx, "audit_insert", insert);
}

interface LogEnd {
  last_seq: number;
  last_recorded: number;
  now_us: number;
  reverts: string[];
  /** The first seq that there is no partition for. */
  room: number;
}
