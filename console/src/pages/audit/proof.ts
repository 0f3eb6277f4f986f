// Checks in the browser that an entry is in the log that the service signed (RFC 9162, section 2.1.3.2), so that the page need not be
// believed when it says so. Whether the checkpoint's signature holds is for `vaultops audit verify`, with a key that was kept elsewhere.
import type { Answer } from "@vaultops/sdk/client";
import type { AuditEntry } from "../../audit-stream.ts";

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

export async function checkProof(entry: AuditEntry, proof: Proof): Promise<ProofCheck> {
  const root = proof.checkpoint?.split("\n")[2] ?? null;
  const verdict = (reason: string | null): ProofCheck => ({
    isValid: reason === null,
    reason,
    treeSize: proof.tree_size,
    root,
  });
  const leaf = await hash([Uint8Array.of(0), new TextEncoder().encode(canonical(entry))]);
  if (toBase64(leaf) !== proof.leaf_hash) return verdict("The entry shown is not the one that was hashed.");
  if (String(proof.leaf_index + 1) !== entry.seq) return verdict("The proof is of another entry.");
  const reached = await rootFrom(leaf, proof);
  if (reached === null) return verdict("The proof does not fit the size of the tree.");
  if (root === null) return verdict("No checkpoint was signed at this size.");
  if (toBase64(reached) !== root) return verdict("The path does not lead to the signed root.");
  return verdict(null);
}

/** RFC 9162, section 2.1.3.2; null where the path has the wrong length. */
async function rootFrom(
  leaf: Uint8Array<ArrayBuffer>,
  proof: Proof,
): Promise<Uint8Array<ArrayBuffer> | null> {
  let [index, last] = [proof.leaf_index, proof.tree_size - 1];
  let reached = leaf;
  for (const text of proof.hashes) {
    if (last === 0) return null;
    const step = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    if (index % 2 === 1 || index === last) {
      reached = await hash([Uint8Array.of(1), step, reached]);
      while (index % 2 === 0 && index !== 0) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
    } else {
      reached = await hash([Uint8Array.of(1), reached, step]);
    }
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 ? reached : null;
}

/** RFC 8785: an entry holds strings, whole numbers, booleans and null, whose JSON form is the canonical one already. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}

async function hash(parts: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
