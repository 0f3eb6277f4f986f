// The Merkle tree of RFC 9162 (section 2.1), pure: hashes, the ranges that proofs are made of, and their verification.
//
// A range [begin, end) of leaves stands for the hash of the tree over them. Which ranges a proof needs is arithmetic alone;
// where their hashes come from (the database's tiles, a file) is the caller's business.
import { hash } from "node:crypto";

/** Leaves `begin` up to, not including, `end`. */
export type Range = readonly [begin: number, end: number];

/** SHA-256(0x00 ‖ data): the second preimage of a node is no leaf. */
export function leafHash(data: string | Buffer): Buffer {
  return sha256(Buffer.concat([LEAF, typeof data === "string" ? Buffer.from(data) : data]));
}

/** Writes the hash of a leaf, given with its 0x00 before it, into `target`. */
export function writeLeafHash(prefixed: Buffer, target: Buffer, at: number): void {
  writeSha256(prefixed, target, at);
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(NODE, 1);
  right.copy(NODE, 33);
  return sha256(NODE);
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT = sha256(Buffer.alloc(0));

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

/** Whether a proof shows that a leaf is in the tree of that root. */
export function verifyInclusion(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
  root: Buffer,
): boolean {
  return rootByProof(leaf, index, size, proof)?.equals(root) ?? false;
}

/**
 * The root that a leaf and its proof lead to (RFC 9162, 2.1.3.2); null for hashes of other than 32 bytes, an index outside
 * the tree or a proof of another length.
 */
export function rootByProof(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
): Buffer | null {
  if (!isPlace(index) || !isPlace(size) || index >= size || !areHashes(proof)) return null;
  let [fn, sn, computed] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (sn === 0) return null;
    if (fn % 2 === 1 || fn === sn) {
      computed = nodeHash(sibling, computed);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else {
      computed = nodeHash(computed, sibling);
    }
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 ? computed : null;
}

/** RFC 9162, 2.1.4.2. From an empty tree everything follows; of equal sizes the roots must be equal and the proof empty. */
export function verifyConsistency(
  from: number,
  to: number,
  fromRoot: Buffer,
  toRoot: Buffer,
  proof: readonly Buffer[],
): boolean {
  if (!isPlace(from) || !isPlace(to) || from > to || !areHashes(proof)) return false;
  if (from === to) return proof.length === 0 && fromRoot.equals(toRoot);
  if (from === 0) return proof.length === 0 && fromRoot.equals(EMPTY_ROOT);
  const isPower = splitOf(from * 2) === from;
  const path = isPower ? [fromRoot, ...proof] : [...proof];
  const first = path.shift();
  if (first === undefined) return false;
  let [fn, sn] = [from - 1, to - 1];
  while (fn % 2 === 1) [fn, sn] = [(fn - 1) / 2, Math.floor(sn / 2)];
  let [fr, sr] = [first, first];
  for (const sibling of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(sibling, fr);
      sr = nodeHash(sibling, sr);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)];
    } else {
      sr = nodeHash(sr, sibling);
    }
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && fr.equals(fromRoot) && sr.equals(toRoot);
}

/** The root over leaf hashes that come one by one, at the memory of one hash per level. */
export class Frontier {
  size = 0;
  /** Hashes of the full subtrees that the leaves so far fall into, the largest first; their sizes are the bits of `size`. */
  readonly #peaks: Buffer[] = [];

  /** Adds the root of a full subtree of 2^height leaves; the size so far must be a multiple of that. */
  add(root: Buffer, height = 0): void {
    let peak = root;
    let bit = 2 ** height;
    while (Math.floor(this.size / bit) % 2 === 1) {
      peak = nodeHash(this.#peaks.pop()!, peak);
      bit *= 2;
    }
    this.#peaks.push(peak);
    this.size += 2 ** height;
  }

  copy(): Frontier {
    const copy = new Frontier();
    copy.size = this.size;
    copy.#peaks.push(...this.#peaks);
    return copy;
  }

  root(): Buffer {
    if (this.#peaks.length === 0) return EMPTY_ROOT;
    return this.#peaks.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The root over the leaf hashes of one full subtree (a power of two of them), all at once. */
export function subtreeRoot(hashes: Buffer): Buffer {
  let level = Buffer.from(hashes);
  while (level.length > 32) {
    const above = Buffer.allocUnsafe(level.length / 2);
    writeNodeHashes(level, above);
    level = above;
  }
  return level;
}

/** Writes the hashes over the pairs in `level`; a last one without a pair stays out. */
export function writeNodeHashes(level: Buffer, above: Buffer): void {
  for (let i = 0; i + 64 <= level.length; i += 64) {
    level.copy(NODE, 1, i, i + 64);
    writeSha256(NODE, above, i / 2);
  }
}

const LEAF = Buffer.from([0]);
/** Room for a node's input; hashing is synchronous, so one is enough. */
const NODE = Buffer.alloc(65, 1);

function sha256(data: Buffer): Buffer {
  return hash("sha256", data, "buffer");
}

/** By way of a text, which Node makes three times as fast as a Buffer. */
function writeSha256(data: Buffer, target: Buffer, at: number): void {
  target.latin1Write(hash("sha256", data, "binary"), at);
}

declare global {
  interface Buffer {
    /** Of Node since the beginning, and missing from its types: bytes as a text and back, without asking for the encoding. */
    latin1Slice(start?: number, end?: number): string;
    hexSlice(start?: number, end?: number): string;
    base64Slice(start?: number, end?: number): string;
    latin1Write(text: string, offset?: number, length?: number): number;
  }
}

function isPlace(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function areHashes(proof: readonly Buffer[]): boolean {
  return proof.every((each) => each.length === 32);
}
