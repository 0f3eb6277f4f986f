// The Merkle tree of RFC 9162 (section 2.1), pure: hashes, the ranges that proofs are made of, and their verification.
//
// A range [begin, end) of leaves stands for the hash of the tree over them. Which ranges a proof needs is arithmetic alone;
// where their hashes come from (a database, a file) is the caller's business.
import { isSame } from "./bytes.ts";
import { type Sha256, sha256 } from "./sha256.ts";

/** Leaves `begin` up to, not including, `end`. */
export type Range = readonly [begin: number, end: number];

/** SHA-256(0x00 ‖ data): the second preimage of a node is no leaf. A text stands for its UTF-8. */
export function hashLeaf(data: string | Uint8Array, hash: Sha256 = sha256): Uint8Array {
  const bytes = typeof data === "string" ? ENCODER.encode(data) : data;
  const input = new Uint8Array(1 + bytes.length);
  input.set(bytes, 1);
  return hash(input);
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function hashNode(left: Uint8Array, right: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  const input = new Uint8Array(65);
  input[0] = 1;
  input.set(left, 1);
  input.set(right, 33);
  return hash(input);
}

const ENCODER = new TextEncoder();

/** The root of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT = sha256(new Uint8Array(0));

/** Where a tree of `size` ≥ 2 leaves is split: the largest power of two below it. */
export function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** The ranges whose hashes prove that leaf `index` is in the tree of `size` leaves, from the leaf upwards. */
export function inclusionRanges(index: number, size: number): Range[] {
  const ranges: Range[] = [];
  for (let [begin, end] = [0, size]; end - begin > 1; ) {
    const middle = begin + splitOf(end - begin);
    ranges.push(index < middle ? [middle, end] : [begin, middle]);
    if (index < middle) end = middle;
    else begin = middle;
  }
  return ranges.reverse();
}

/** The ranges whose hashes prove that the tree of `from` leaves is the beginning of the one of `to`; 0 < from ≤ to. */
export function consistencyRanges(from: number, to: number): Range[] {
  const proof = (begin: number, end: number, isWhole: boolean): Range[] => {
    if (from === end) return isWhole ? [] : [[begin, end]];
    const middle = begin + splitOf(end - begin);
    return from <= middle
      ? [...proof(begin, middle, isWhole), [middle, end]]
      : [...proof(middle, end, false), [begin, middle]];
  };
  return proof(0, to, true);
}

/** A leaf's way to the root: the hashes of `inclusionRanges`, from the leaf upwards. */
export interface InclusionProof {
  /** The leaf's place, from 0. An audit entry stands at its `seq` − 1. */
  index: number;
  /** Leaves of the tree. */
  size: number;
  hashes: readonly Uint8Array[];
}

/**
 * Whether the proof shows that the leaf is in the tree of that root (RFC 9162, 2.1.3.2). False, never an error, for a proof that is no
 * proof.
 */
export function verifyInclusion(
  leaf: Uint8Array,
  proof: InclusionProof,
  root: Uint8Array,
  hash: Sha256 = sha256,
): boolean {
  const reached = rootByProof(leaf, proof, hash);
  return reached !== null && isSame(reached, root);
}

/**
 * The root that a leaf and its proof lead to (RFC 9162, 2.1.3.2); null for hashes of other than 32 bytes, an index outside
 * the tree or a proof of another length.
 */
export function rootByProof(
  leaf: Uint8Array,
  { index, size, hashes }: InclusionProof,
  hash: Sha256 = sha256,
): Uint8Array | null {
  if (!isPlace(index) || !isPlace(size) || index >= size || !areHashes([leaf, ...hashes])) return null;
  let [fn, sn, computed] = [index, size - 1, leaf];
  for (const sibling of hashes) {
    if (sn === 0) return null;
    if (fn % 2 === 1 || fn === sn) {
      computed = hashNode(sibling, computed, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else {
      computed = hashNode(computed, sibling, hash);
    }
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 ? computed : null;
}

/** A tree as a checkpoint names it. */
export interface Tree {
  size: number;
  root: Uint8Array;
}

/**
 * Whether the hashes (of `consistencyRanges`) prove that the earlier tree is the beginning of the later one (RFC 9162, 2.1.4.2). From an
 * empty tree everything follows; of equal sizes the roots must be equal and the proof empty. False, never an error, for a proof that is
 * no proof.
 */
export function verifyConsistency(
  earlier: Tree,
  later: Tree,
  hashes: readonly Uint8Array[],
  hash: Sha256 = sha256,
): boolean {
  const [from, to] = [earlier.size, later.size];
  if (!isPlace(from) || !isPlace(to) || from > to || !areHashes(hashes)) return false;
  if (from === to) return hashes.length === 0 && isSame(earlier.root, later.root);
  if (from === 0) return hashes.length === 0 && isSame(earlier.root, EMPTY_ROOT);
  const isPower = splitOf(from * 2) === from;
  const path = isPower ? [earlier.root, ...hashes] : [...hashes];
  const first = path.shift();
  if (first === undefined) return false;
  let [fn, sn] = [from - 1, to - 1];
  while (fn % 2 === 1) [fn, sn] = [(fn - 1) / 2, Math.floor(sn / 2)];
  let [fr, sr] = [first, first];
  for (const sibling of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = hashNode(sibling, fr, hash);
      sr = hashNode(sibling, sr, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else {
      sr = hashNode(sr, sibling, hash);
    }
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && isSame(fr, earlier.root) && isSame(sr, later.root);
}

/** The root over leaf hashes that come one by one, at the memory of one hash per level. */
export class Frontier {
  size = 0;
  readonly #hash: Sha256;
  /** Hashes of the full subtrees that the leaves so far fall into, the largest first; their sizes are the bits of `size`. */
  readonly #peaks: Uint8Array[] = [];

  constructor(hash: Sha256 = sha256) {
    this.#hash = hash;
  }

  /** Adds the root of a full subtree of 2^height leaves; the size so far must be a multiple of that. */
  add(root: Uint8Array, height = 0): void {
    let peak = root;
    let bit = 2 ** height;
    while (Math.floor(this.size / bit) % 2 === 1) {
      peak = hashNode(this.#peaks.pop()!, peak, this.#hash);
      bit *= 2;
    }
    this.#peaks.push(peak);
    this.size += 2 ** height;
  }

  root(): Uint8Array {
    if (this.#peaks.length === 0) return EMPTY_ROOT;
    return this.#peaks.reduceRight((right, left) => hashNode(left, right, this.#hash));
  }
}

function isPlace(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every((each) => each.length === 32);
}
