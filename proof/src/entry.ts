// An audit entry as the API and an export give it, and the leaf of the tree that it is.
import { canonicalJson } from "./canonical.ts";
import { type Sha256, sha256 } from "./sha256.ts";
import { hashLeaf } from "./tree.ts";

/** Decimal: the entry's place in the log, from 1. */
const SEQ = /^[1-9]\d{0,15}$/;
const MEMBERS = "action_type,actor_wallet,chain_id,details,id,recorded_at,seq,timestamp,vault_address";

export interface Entry {
  action_type: string;
  details: object;
  recorded_at: string;
  seq: string;
  timestamp: string;
}

/** Whether it has the members of an entry, and no others: what is not hashed is not proven either. */
export function isEntry(value: object): value is Entry {
  const { seq, action_type, recorded_at, timestamp, details } = value as Partial<Entry>;
  const areTexts = [seq, action_type, recorded_at, timestamp].every((each) => typeof each === "string");
  const isWhole =
    typeof details === "object" && details !== null && Object.keys(value).sort().join() === MEMBERS;
  return areTexts && SEQ.test(seq!) && isWhole;
}

/** The entry's hash in the tree: that of its canonical text (RFC 8785) as a leaf (RFC 9162). Its leaf's index is its seq − 1. */
export function leafHash(entry: object, hash: Sha256 = sha256): Uint8Array {
  return hashLeaf(canonicalJson(entry), hash);
}
