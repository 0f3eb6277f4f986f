// What has been read of an export: each entry judged by itself and by the one before, and its hash kept in the order of the file, at 40
// bytes an entry, for what can be judged only at the end.
import { fromBase64, isSame } from "./bytes.ts";
import { isEntry, leafHash } from "./entry.ts";
import { OrderCheck } from "./order.ts";
import type { ExportPart } from "./reader.ts";
import type { Sha256 } from "./sha256.ts";
import { rootByProof } from "./tree.ts";

/** What does not hold. */
export interface ExportFailure {
  /** The first entry that does not hold; null where it is none that can be named. */
  seq: string | null;
  reason: string;
}

export const NOT_SIGNED = "it is not in the tree that was signed";

interface Proof {
  leaf_index: number;
  tree_size: number;
  hashes: unknown[];
}

export class Reading {
  count = 0;
  end: (ExportPart & { kind: "end" }) | null = null;
  isProven: boolean | null = null;
  treeSize: number | null = null;
  /** The root that the first entry's proof leads to, and the first entry whose proof leads elsewhere. */
  root: Uint8Array | null = null;
  firstSeq: string | null = null;
  deviating: string | null = null;
  #hashes = new Uint8Array(32 * 1024);
  #seqs = new Float64Array(1024);
  readonly #order = new OrderCheck();
  readonly #hash: Sha256;

  constructor(hash: Sha256) {
    this.#hash = hash;
  }

  take(part: ExportPart): ExportFailure | null {
    if (this.end !== null) return { seq: null, reason: "something follows the end of the export" };
    if (part.kind === "end") {
      this.end = part;
      return null;
    }
    const { proof, ...entry } = part.value;
    if (!isEntry(entry)) {
      const seq = typeof part.value.seq === "string" ? part.value.seq : null;
      return { seq, reason: `entry ${this.count + 1} of the file is not an audit entry` };
    }
    const { seq } = entry;
    const leaf = leafHash(entry, this.#hash);
    this.#keep(Number(seq), leaf);
    this.isProven ??= proof !== undefined;
    if ((proof !== undefined) !== this.isProven) {
      return { seq, reason: "some entries have a proof and some have none" };
    }
    const unproven = proof === undefined ? null : this.#prove(seq, leaf, proof as Proof | null);
    if (unproven !== null) return unproven;
    const outOfOrder = this.#order.take(entry);
    if (outOfOrder === null) return null;
    // An entry whose time was changed puts the one after it out of order.
    if (this.deviating !== null) return { seq: this.deviating, reason: NOT_SIGNED };
    return { seq, reason: outOfOrder };
  }

  #prove(seq: string, leaf: Uint8Array, proof: Proof | null): ExportFailure | null {
    this.firstSeq ??= seq;
    this.treeSize ??= proof?.tree_size ?? null;
    if (
      proof?.leaf_index !== Number(seq) - 1 ||
      proof.tree_size !== this.treeSize ||
      !Array.isArray(proof.hashes)
    ) {
      return { seq, reason: "its proof is for another entry or another tree" };
    }
    const hashes = proof.hashes.map((text) => (typeof text === "string" ? fromBase64(text) : null));
    const root = hashes.every((each) => each !== null)
      ? rootByProof(leaf, { index: proof.leaf_index, size: proof.tree_size, hashes }, this.#hash)
      : null;
    if (root === null) return { seq, reason: "its proof is malformed" };
    this.root ??= root;
    if (!isSame(root, this.root)) this.deviating ??= seq;
    return null;
  }

  #keep(seq: number, leaf: Uint8Array): void {
    if (this.count === this.#seqs.length) {
      const [seqs, hashes] = [new Float64Array(this.count * 2), new Uint8Array(this.count * 64)];
      seqs.set(this.#seqs);
      hashes.set(this.#hashes);
      [this.#seqs, this.#hashes] = [seqs, hashes];
    }
    this.#seqs[this.count] = seq;
    this.#hashes.set(leaf, this.count * 32);
    this.count += 1;
  }

  /** Where each seq from 1 on stands in the file, -1 where it does not. `null`: one is there twice. */
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

  hashAt(place: number): Uint8Array {
    return this.#hashes.slice(place * 32, place * 32 + 32);
  }
}
