// The hashes of the log's tree by Node's own SHA-256, and over many at once. What is hashed for a leaf and a node is said in
// @vaultops/proof.
import { hash } from "node:crypto";
import { hashLeaf, hashNode } from "@vaultops/proof";

/** By way of a text, which Node makes several times as fast as a Buffer. */
export function sha256(data: Uint8Array): Buffer {
  return Buffer.from(hash("sha256", data, "binary"), "latin1");
}

export function leafHash(data: string | Uint8Array): Buffer {
  return hashLeaf(data, sha256) as Buffer;
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return hashNode(left, right, sha256) as Buffer;
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
    nodeHash(level.subarray(i, i + 32), level.subarray(i + 32, i + 64)).copy(above, i / 2);
  }
}

declare global {
  interface Buffer {
    /** Of Node since the beginning, and missing from its types: bytes as a text and back, without asking for the encoding. */
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, offset?: number, length?: number): number;
  }
}
