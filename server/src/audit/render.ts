// An entry's text and columns, made once, when it is written: what is hashed, stored, served and exported ever after.
import { hash, randomBytes } from "node:crypto";
import { canonicalJson } from "./canonical.ts";
import type { AuditEntryInput } from "./entries.ts";
import { formatMicroseconds } from "./times.ts";
import { operationKey, type Undone } from "./undone.ts";

/** An entry as far as it can be made before its place in the log is known. */
export interface Prepared {
  input: AuditEntryInput;
  /** The text up to and including the details: the keys that sort before `id`. */
  head: string;
}

/** What can be made before there is a transaction, let alone the log's lock: the costly part. */
export function prepare(input: AuditEntryInput): Prepared {
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
  return { input, head };
}

/** What makes an onchain operation that one and no other; 10 random bytes for everything else. */
function identityOf(input: AuditEntryInput, undone: Undone): Buffer {
  if (input.action_type === "chain_reorg_revert") return keyed(["revert", input.details.reverted_id]);
  if (input.block === undefined) return randomBytes(10);
  const operation = operationKey(input.chain_id, input.block.hash, input.block.logIndex, input.action_type);
  return keyed([operation, undone.get(operation) ?? 0]);
}

function keyed(parts: (string | number)[]): Buffer {
  return hash("sha256", parts.join("\n"), "buffer").subarray(0, 10);
}

/**
 * The columns of an entry at its place: id, timestamp, recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet
 * and body. `now` is in microseconds.
 */
export function finish({ input, head }: Prepared, undone: Undone, seq: number, now: number): string[] {
  const recorded = formatMicroseconds(now);
  const happened = input.block === undefined ? now : input.block.timestamp * 1_000_000;
  const occurred = happened === now ? recorded : formatMicroseconds(happened);
  const timestamp =
    input.occurredAt === undefined ? recorded : formatMicroseconds(input.occurredAt * 1_000_000);
  const id = uuidOf(Math.floor(happened / 1000), identityOf(input, undone));
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
