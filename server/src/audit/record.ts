// The one way into the audit log: `record`, called last in the transaction that does what is recorded.
//
// Guarantee: entries get `seq` 1, 2, 3, … in the order of commits and strictly increasing times, and exist exactly when the
// rest of the transaction does. The log's lock is held from here to the commit, so appends of all processes are one
// line; what can be prepared before the lock is. The entry's text is made once, here, and is what is hashed and served.
import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Tx } from "../platform/db.ts";
import { canonicalJson } from "./canonical.ts";
import type { AuditEntryInput } from "./entries.ts";
import { formatMicroseconds } from "./times.ts";
import { countUndone, operationKey, type Undone } from "./undone.ts";

/**
 * Appends the entries in their order. Call it last: other writers wait until this transaction ends.
 * @throws the database's unique violation (23505) when an onchain operation has been recorded before
 * @throws the database's error XX001 when the tree cannot be read; nothing is written then
 */
export async function record(tx: Tx, entries: readonly AuditEntryInput[]): Promise<void> {
  if (entries.length === 0) return;
  const undone = await countUndone(tx, entries);
  const prepared = entries.map((entry) => prepare(entry, undone));
  const { rows } = await sql<LogEnd>`select last_seq, last_recorded, now_us from audit_begin()`.execute(tx);
  const end = rows[0]!;
  const first = Math.max(end.now_us, end.last_recorded + 1);
  const columns: string[][] = Array.from({ length: 9 }, () => []);
  prepared.forEach((entry, i) => {
    for (const [at, value] of finish(entry, end.last_seq + 1 + i, first + i).entries()) {
      columns[at]!.push(value);
    }
  });
  // One text per column: an array literal would have to escape every quote of every entry. No canonical JSON holds a raw
  // line feed, and neither does any other column.
  const [ids, times, recorded, occurred, actions, vaults, chains, actors, bodies] = columns.map((column) =>
    column.join("\n"),
  );
  await sql`
    insert into audit_entries (seq, id, "timestamp", recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet, body)
    select ${end.last_seq}::bigint + n, id::uuid, t::timestamptz, r::timestamptz, o::timestamptz, action, vault, chain::bigint, actor, body
    from unnest(
      string_to_array(${ids}, E'\n'), string_to_array(${times}, E'\n'), string_to_array(${recorded}, E'\n'),
      string_to_array(${occurred}, E'\n'), string_to_array(${actions}, E'\n'), string_to_array(${vaults}, E'\n'),
      string_to_array(${chains}, E'\n'), string_to_array(${actors}, E'\n'), string_to_array(${bodies}, E'\n')
    ) with ordinality as e (id, t, r, o, action, vault, chain, actor, body, n)`.execute(tx);
}

interface LogEnd {
  last_seq: number;
  last_recorded: number;
  now_us: number;
}

interface Prepared {
  input: AuditEntryInput;
  /** The text up to and including the details: the keys that sort before `id`. */
  head: string;
  /** Of an onchain operation; an API action's is drawn at random. */
  identity: Buffer;
}

function prepare(input: AuditEntryInput, undone: Undone): Prepared {
  const { block } = input;
  const details = canonicalJson(
    block === undefined
      ? input.details
      : {
          ...input.details,
          block_number: block.number,
          block_timestamp: formatMicroseconds(block.timestamp * 1_000_000),
          block_hash: block.hash,
          tx_hash: block.txHash,
          log_index: block.logIndex,
        },
  );
  const head = `{"action_type":${canonicalJson(input.action_type)},"actor_wallet":${canonicalJson(input.actor_wallet)},"chain_id":${canonicalJson(input.chain_id)},"details":${details}`;
  return { input, head, identity: identityOf(input, undone) };
}

/** What makes an onchain operation that one and no other; 10 random bytes for everything else. */
function identityOf(input: AuditEntryInput, undone: Undone): Buffer {
  if (input.action_type === "chain_reorg_revert") return keyed(["revert", input.details.reverted_id]);
  if (input.block === undefined) return randomBytes(10);
  const operation = operationKey(input.chain_id, input.block.hash, input.block.logIndex, input.action_type);
  return keyed([operation, undone.get(operation) ?? 0]);
}

function keyed(parts: (string | number)[]): Buffer {
  return createHash("sha256").update(parts.join("\n")).digest().subarray(0, 10);
}

/** The columns of an entry, in the order of the insert. */
function finish({ input, head, identity }: Prepared, seq: number, now: number): string[] {
  const recorded = formatMicroseconds(now);
  const happened = input.block === undefined ? now : input.block.timestamp * 1_000_000;
  const occurred = happened === now ? recorded : formatMicroseconds(happened);
  const timestamp =
    input.occurredAt === undefined ? recorded : formatMicroseconds(input.occurredAt * 1_000_000);
  const id = uuidOf(Math.floor(happened / 1000), identity);
  const vault = input.vault_address;
  const body = `${head},"id":"${id}","recorded_at":"${recorded}","seq":"${seq}","timestamp":"${timestamp}","vault_address":${canonicalJson(vault)}}`;
  return [
    id,
    timestamp,
    recorded,
    occurred,
    input.action_type,
    vault,
    String(input.chain_id),
    input.actor_wallet,
    body,
  ];
}

/**
 * A UUID laid out as version 7 (RFC 9562): the time at which the entry happened, in milliseconds, then its identity. So
 * ids of one time lie together in the index, and the time of an id leads to its partition.
 */
function uuidOf(milliseconds: number, identity: Buffer): string {
  const hex = milliseconds.toString(16).padStart(12, "0") + identity.toString("hex");
  const variant = (0x8 | ((identity[2]! >> 4) & 0x3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
