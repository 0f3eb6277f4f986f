// An export with proofs, made for tests by the rules of RFC 9162 as they are written there.
import { toBase64 } from "./bytes.ts";
import { canonicalJson } from "./canonical.ts";
import { leafHash } from "./entry.ts";
import { testKey, testNote } from "./test-notes.ts";
import { hashNode, inclusionRanges, splitOf } from "./tree.ts";

export const testEntry = (seq: number, details: Record<string, unknown> = { assets: String(seq) }) => ({
  action_type: "deposit",
  actor_wallet: `0x${"1".repeat(40)}`,
  chain_id: 1,
  details,
  id: `019dde6d-6400-7000-8000-${String(seq).padStart(12, "0")}`,
  recorded_at: `2026-05-01T00:00:00.${String(seq).padStart(6, "0")}Z`,
  seq: String(seq),
  timestamp: `2026-05-01T00:00:00.${String(seq).padStart(6, "0")}Z`,
  vault_address: `0x${"2".repeat(40)}`,
});

/** The hash over at least one leaf. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return leaves[0]!;
  const split = splitOf(leaves.length);
  return hashNode(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** NDJSON of a log of `size` entries, signed for as a whole. With `proofs: false` without its entries' proofs. */
export function testExport(size: number, { proofs = true } = {}) {
  const entries = Array.from({ length: size }, (_, index) => testEntry(index + 1));
  const leaves = entries.map((entry) => leafHash(entry));
  const key = testKey(7);
  const checkpoint = testNote(`vaultops.test/audit\n${size}\n${toBase64(rootOf(leaves))}\n`, [key]);
  const lines = entries.map((entry, index) => {
    const hashes = inclusionRanges(index, size).map(([from, to]) => toBase64(rootOf(leaves.slice(from, to))));
    const proof = { leaf_index: index, tree_size: size, hashes };
    return canonicalJson(proofs ? { ...entry, proof } : entry);
  });
  const text = [...lines, JSON.stringify({ total: size, checkpoint })].map((line) => `${line}\n`).join("");
  return { text, key: key.vkey, checkpoint };
}
