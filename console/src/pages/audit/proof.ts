// Checks in the browser that an entry is in the log that the service signed (RFC 9162, section 2.1.3.2), so that the page need not be
// believed when it says so. Whether the checkpoint's signature holds is for `vaultops audit verify`, with a key that was kept elsewhere.
import { fromBase64, leafHash, NoteError, parseCheckpoint, rootByProof, toBase64 } from "@vaultops/proof";
import type { Answer } from "@vaultops/sdk/client";
import type { AuditEntry } from "@vaultops/sdk/schema";

export type Proof = Answer<"GET /api/v1/audit/proof">;

export interface ProofCheck {
  /** The entry as shown hashes to the proof's leaf, and the path leads to the checkpoint's root. */
  isValid: boolean;
  /** What does not hold. */
  reason: string | null;
  treeSize: number;
  /** Of the signed checkpoint, in base64; null where none was signed at that size. */
  root: string | null;
}

export function checkProof(entry: AuditEntry, proof: Proof): ProofCheck {
  const signed = proof.checkpoint === null ? null : signedTree(proof.checkpoint);
  const root = signed === null ? null : toBase64(signed.root);
  const verdict = (reason: string | null): ProofCheck => ({
    isValid: reason === null,
    reason,
    treeSize: proof.tree_size,
    root,
  });
  const leaf = leafHash(entry);
  if (toBase64(leaf) !== proof.leaf_hash) return verdict("The entry shown is not the one that was hashed.");
  if (String(proof.leaf_index + 1) !== entry.seq) return verdict("The proof is of another entry.");
  const reached = rootOf(leaf, proof);
  if (reached === null) return verdict("The proof does not match the size of the tree.");
  if (signed === null) return verdict("No checkpoint was signed at this size.");
  if (signed.size !== proof.tree_size) return verdict("The checkpoint is of another size.");
  if (toBase64(reached) !== root) return verdict("The path does not lead to the signed root.");
  return verdict(null);
}

function signedTree(note: string) {
  try {
    return parseCheckpoint(note);
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return null;
  }
}

function rootOf(leaf: Uint8Array, { leaf_index, tree_size, hashes }: Proof): Uint8Array | null {
  const path = hashes.map(fromBase64);
  return path.every((each) => each !== null)
    ? rootByProof(leaf, { index: leaf_index, size: tree_size, hashes: path })
    : null;
}
