// An entry's text and columns, made once, when it is written: what is hashed, stored, served and exported ever after.
import { hash, randomBytes } from "node:crypto";
import { canonicalJson } from "@vaultops/proof";
import { timestampOfMicroseconds, timestampOfSeconds } from "../../platform/http/time.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import { operationKey, type Undone } from "./reverted-entries.ts";

/** An entry as far as it can be made before its place in the log is known. */
export interface Prepared {
  input: AuditEntryInput;
  /** The text up to and including the details: the keys that sort before `id`. */
  head: string;
  /** Of an onchain operation, whose block tells when it happened: what is known unless it was recorded and undone before. */
  known: { id: string; occurred: string; upToId: string } | null;
  /** Of history alone: other entries are served at the time at which they are recorded. */
  timestamp: string | null;
}

/** What can be made before there is a transaction, let alone the log's lock: the costly part. */
export function prepare(input: AuditEntryInput, submitEntryId?: string): Prepared {
  const { block } = input;
  const blockTime = block === undefined ? "" : timestampOfSeconds(block.timestamp);
  const details = canonicalJson(
    block === undefined
      ? input.details
      : {
          ...input.details,
          ...(input.isBackfilled && { backfilled: true }),
          ...(input.notTold && { not_told: input.notTold }),
          ...(submitEntryId && { submit_entry_id: submitEntryId }),
          ...(input.toldLater && { told_later: input.toldLater }),
          block_number: block.number,
          block_timestamp: blockTime,
          block_hash: block.hash,
          tx_hash: block.txHash,
          log_index: block.logIndex,
          ...(block.txFrom && { tx_from: block.txFrom }),
        },
  );
  const head = `{"action_type":${canonicalJson(input.action_type)},"actor_wallet":${canonicalJson(input.actor_wallet)},"chain_id":${canonicalJson(input.chain_id)},"details":${details}`;
  const timestamp = input.occurredAt === undefined ? null : timestampOfSeconds(input.occurredAt);
  if (block === undefined) return { input, head, known: null, timestamp };
  const id = uuidOf(block.timestamp * 1000, identityOf(input, 0));
  return { input, head, known: { id, occurred: blockTime, upToId: textUpToId(head, id) }, timestamp };
}

/** Made of its parts at one go: hundreds of them, put together only when the entry is written, would be so under the log's lock. */
function textUpToId(head: string, id: string): string {
  return [head, ',"id":"', id, '","recorded_at":"'].join("");
}

/** What makes an onchain operation that one and no other; 10 random bytes for everything else. */
function identityOf(input: AuditEntryInput, timesUndone: number): Buffer {
  if (input.action_type === "chain_reorg_revert") return keyed(["revert", input.details.reverted_id]);
  if (input.block === undefined) return randomBytes(10);
  const origin = input.isBackfilled ? ["backfilled", ...(input.toldLater ?? [])] : [];
  const nth = input.block.nth ? [`nth ${input.block.nth}`] : [];
  const vault = input.block.isShared ? [`vault ${input.vault_address}`] : [];
  return keyed([keyOf(input, input.block), timesUndone, ...origin, ...nth, ...vault]);
}

function keyOf(input: AuditEntryInput, block: NonNullable<AuditEntryInput["block"]>): string {
  return operationKey(input.chain_id, block.hash, block.logIndex, input.action_type);
}

function keyed(parts: (string | number)[]): Buffer {
  return hash("sha256", parts.join("\n"), "buffer").subarray(0, 10);
}

/**
 * The columns of an entry at its place: id, timestamp, recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet
 * and body. `now` is in microseconds.
 */
export function finish(prepared: Prepared, undone: Undone, seq: number, now: number): string[] {
  const { input } = prepared;
  const recorded = timestampOfMicroseconds(now);
  const { id, occurred, upToId } = placed(prepared, undone, now, recorded);
  const timestamp = prepared.timestamp ?? recorded;
  const vault = input.vault_address;
  const body = `${upToId}${recorded}","seq":"${seq}","timestamp":"${timestamp}","vault_address":${canonicalJson(vault)}}`;
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

/** What was known before, save for an operation that was undone, and for entries that happen as they are written. */
function placed({ input, head, known }: Prepared, undone: Undone, now: number, recorded: string) {
  const mayReturn = input.block !== undefined && undone.size > 0;
  const times = mayReturn ? (undone.get(keyOf(input, input.block!)) ?? 0) : 0;
  if (known !== null && times === 0) return known;
  const happened = input.block === undefined ? now : input.block.timestamp * 1_000_000;
  const id = uuidOf(Math.floor(happened / 1000), identityOf(input, times));
  return { id, occurred: known?.occurred ?? recorded, upToId: textUpToId(head, id) };
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
