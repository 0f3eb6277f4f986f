// Verification of an exported file, offline: nothing is asked of the service that made it.
//
// Three depths, and the result says which was reached: `proofs` = every entry proved against the signed root; `whole` = a whole
// log without proofs, its root recomputed; `order` = anything else, whose order and count alone can be checked.
import { canonicalJson } from "./canonical.ts";
import type { ExportFormat, ExportPart } from "./export-reader.ts";
import { ExportUnreadable, readExport } from "./export-reader.ts";
import { type Checkpoint, openCheckpoint, readVerifier } from "./note.ts";
import { Frontier, leafHash, rootByProof } from "./tree.ts";
import { OrderCheck } from "./verify-order.ts";

export interface FileCheckOptions {
  file: AsyncIterable<Buffer>;
  /** A note to be used instead of the file's own: one that was kept elsewhere is worth more. */
  checkpoint: string | null;
  /** Keys (vkey) that the checkpoint must be signed by, one of them. Empty: the signature is not checked. */
  vkeys: readonly string[];
}

export interface FileCheck {
  format: ExportFormat | null;
  depth: "proofs" | "whole" | "order";
  entries: number;
  checkpoint: { size: number; signedBy: string | null } | null;
  /** Entries after the checkpoint, in order but not signed for. */
  unsigned: number;
  failure: FileFailure | null;
}

export interface FileFailure {
  /** The first entry that does not hold; null where it is none that can be named. */
  seq: string | null;
  reason: string;
}

/** Checks the file; never throws for what is in it. */
export async function verifyFile(options: FileCheckOptions): Promise<FileCheck> {
  const result: FileCheck = {
    format: null,
    depth: "order",
    entries: 0,
    checkpoint: null,
    unsigned: 0,
    failure: null,
  };
  try {
    const { format, parts } = await readExport(options.file);
    result.format = format;
    const reading = new Reading();
    for await (const part of parts) {
      result.failure = reading.take(part);
      result.entries = reading.count;
      if (result.failure !== null) return result;
    }
    return conclude(result, reading, options);
  } catch (error) {
    if (!(error instanceof ExportUnreadable)) throw error;
    return { ...result, failure: { seq: null, reason: error.message } };
  }
}

interface Proof {
  leaf_index: number;
  tree_size: number;
  hashes: string[];
}

/** What has been read so far: hashes in the order of the file, 40 bytes an entry. */
class Reading {
  count = 0;
  end: (ExportPart & { kind: "end" }) | null = null;
  isProven: boolean | null = null;
  treeSize: number | null = null;
  /** The root that the first entry's proof leads to, and the first entry whose proof leads elsewhere. */
  root: Buffer | null = null;
  firstSeq: string | null = null;
  deviating: string | null = null;
  #hashes = Buffer.alloc(32 * 1024);
  #seqs = new Float64Array(1024);
  readonly #order = new OrderCheck();

  take(part: ExportPart): FileFailure | null {
    if (this.end !== null) return { seq: null, reason: "something follows the end of the export" };
    if (part.kind === "end") {
      this.end = part;
      return null;
    }
    const { proof, ...entry } = part.value;
    const seq = entry.seq;
    if (
      typeof seq !== "string" ||
      !/^[1-9]\d{0,15}$/.test(seq) ||
      Object.keys(entry).sort().join() !== MEMBERS
    ) {
      return {
        seq: typeof seq === "string" ? seq : null,
        reason: `entry ${this.count + 1} of the file is not an audit entry`,
      };
    }
    const leaf = leafHash(canonicalJson(entry));
    this.#keep(Number(seq), leaf);
    this.isProven ??= proof !== undefined;
    if ((proof !== undefined) !== this.isProven) {
      return { seq, reason: "some entries have a proof and some have none" };
    }
    const unproven = proof === undefined ? null : this.#prove(seq, leaf, proof as Proof | null);
    if (unproven !== null) return unproven;
    const outOfOrder = this.#order.take(entry as never);
    if (outOfOrder === null) return null;
    // An entry whose time was changed puts the one after it out of order.
    if (this.deviating !== null) return { seq: this.deviating, reason: NOT_SIGNED };
    return { seq, reason: outOfOrder };
  }

  #prove(seq: string, leaf: Buffer, proof: Proof | null): FileFailure | null {
    this.firstSeq ??= seq;
    this.treeSize ??= proof?.tree_size ?? null;
    if (
      proof?.leaf_index !== Number(seq) - 1 ||
      proof.tree_size !== this.treeSize ||
      !Array.isArray(proof.hashes)
    ) {
      return { seq, reason: "its proof is for another entry or another tree" };
    }
    const root = rootByProof(
      leaf,
      proof.leaf_index,
      proof.tree_size,
      proof.hashes.map((hash) => Buffer.from(String(hash), "base64")),
    );
    if (root === null) return { seq, reason: "its proof is malformed" };
    this.root ??= root;
    if (!root.equals(this.root)) this.deviating ??= seq;
    return null;
  }

  #keep(seq: number, leaf: Buffer): void {
    if (this.count === this.#seqs.length) {
      const seqs = new Float64Array(this.count * 2);
      seqs.set(this.#seqs);
      this.#seqs = seqs;
      this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(this.#hashes.length)]);
    }
    this.#seqs[this.count] = seq;
    leaf.copy(this.#hashes, this.count * 32);
    this.count += 1;
  }

  /** Where each seq from 1 on stands in the file; stops at the first that is missing. `null`: one is there twice. */
  places(): Int32Array | null {
    const places = new Int32Array(this.count).fill(-1);
    for (let i = 0; i < this.count; i++) {
      const at = this.#seqs[i]! - 1;
      if (at >= this.count) continue;
      if (places[at] !== -1) return null;
      places[at] = i;
    }
    return places;
  }

  /** The first seq from 1 on that is not in the file; null when one is there twice. */
  firstMissing(): number | null {
    const places = this.places();
    if (places === null) return null;
    const at = places.indexOf(-1);
    return (at < 0 ? this.count : at) + 1;
  }

  hashAt(place: number): Buffer {
    return Buffer.from(this.#hashes.subarray(place * 32, place * 32 + 32));
  }
}

const NOT_SIGNED = "it is not in the tree that was signed";
const MEMBERS = "action_type,actor_wallet,chain_id,details,id,recorded_at,seq,timestamp,vault_address";

function conclude(result: FileCheck, reading: Reading, options: FileCheckOptions): FileCheck {
  const fail = (seq: string | null, reason: string): FileCheck => ({ ...result, failure: { seq, reason } });
  const { end } = reading;
  if (result.format !== "csv") {
    if (end === null) return fail(null, "it is cut short: the end of the export is missing");
    if (end.total !== reading.count)
      return fail(
        gapIn(reading, end),
        `it says that it holds ${end.total} entries, and holds ${reading.count}`,
      );
  }
  const note = options.checkpoint ?? end?.checkpoint ?? null;
  let checkpoint: Checkpoint | null = null;
  if (note !== null) {
    try {
      const opened = openCheckpoint(note, options.vkeys.map(readVerifier));
      if (options.vkeys.length > 0 && opened.signedBy.length === 0) {
        return fail(null, "the checkpoint is not signed by the given key");
      }
      checkpoint = opened;
      result.checkpoint = { size: opened.size, signedBy: opened.signedBy[0]?.name ?? null };
    } catch (error) {
      return fail(null, `the checkpoint does not hold: ${(error as Error).message}`);
    }
  }
  if (reading.isProven) return concludeProofs({ ...result, depth: "proofs" }, reading, checkpoint);
  return concludeWhole(result, reading, checkpoint, end?.total ?? null);
}

/** The first entry that was taken out of an export of the whole log, as one is whose count is that of its checkpoint; else null. */
function gapIn(reading: Reading, end: { total: number; checkpoint: string | null }): string | null {
  if (end.checkpoint === null || reading.count > end.total) return null;
  try {
    if (openCheckpoint(end.checkpoint, []).size !== end.total) return null;
  } catch {
    return null;
  }
  const missing = reading.firstMissing();
  return missing === null ? null : String(missing);
}

function concludeProofs(result: FileCheck, reading: Reading, checkpoint: Checkpoint | null): FileCheck {
  const fail = (seq: string | null, reason: string): FileCheck => ({ ...result, failure: { seq, reason } });
  if (checkpoint === null)
    return fail(null, "its proofs need a checkpoint, and it carries none: give one by --checkpoint");
  if (checkpoint.size !== reading.treeSize) {
    return fail(
      reading.firstSeq,
      `its proofs are for a tree of ${reading.treeSize} entries, the checkpoint is of ${checkpoint.size}`,
    );
  }
  if (!reading.root?.equals(checkpoint.root)) return fail(reading.firstSeq, NOT_SIGNED);
  if (reading.deviating !== null) return fail(reading.deviating, NOT_SIGNED);
  return result;
}

function concludeWhole(
  result: FileCheck,
  reading: Reading,
  checkpoint: Checkpoint | null,
  total: number | null,
): FileCheck {
  const fail = (seq: string | null, reason: string): FileCheck => ({ ...result, failure: { seq, reason } });
  const places = reading.places();
  if (places === null) return fail(null, "an entry is in it twice");
  const firstMissing = places.indexOf(-1);
  const isWhole = firstMissing < 0 && reading.count > 0;
  // An export whose count is that of its checkpoint claims to be the whole log.
  const claimsWhole = isWhole || (checkpoint !== null && checkpoint.size === total);
  if (!claimsWhole || checkpoint === null) return result;
  result.depth = "whole";
  if (!isWhole && checkpoint.size > 0) return fail(String(firstMissing + 1), "it is missing");
  if (checkpoint.size > reading.count) {
    const reason = `it is missing: the checkpoint is of ${checkpoint.size} entries (if a filter left out what follows, an export with proofs=true tells)`;
    return fail(String(reading.count + 1), reason);
  }
  const frontier = new Frontier();
  for (let i = 0; i < checkpoint.size; i++) frontier.add(reading.hashAt(places[i]!));
  if (!frontier.root().equals(checkpoint.root)) {
    return fail(
      null,
      "its entries are not those that were signed for; an export with proofs=true would tell which",
    );
  }
  result.unsigned = reading.count - checkpoint.size;
  return result;
}
