import { createHash } from "node:crypto";
import { canonicalJson } from "@vaultops/proof";
import type { AuditEntry } from "@vaultops/sdk/schema";
import { describe, expect, it } from "vitest";
import { checkProof, type Proof } from "./proof.ts";

const sha = (...parts: Buffer[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
const leafOf = (entry: AuditEntry) => sha(Buffer.of(0), Buffer.from(canonicalJson(entry)));

function entryOf(seq: number): AuditEntry {
  return { seq: String(seq), id: `entry ${seq}`, details: { b: "é\u2028", a: [1, null, true] } } as never;
}

/** RFC 9162, section 2.1.1, as it is written there. */
function rootOf(leaves: Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0] as Buffer;
  const k = splitOf(leaves.length);
  return sha(Buffer.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

/** RFC 9162, section 2.1.3.1. */
function pathOf(m: number, leaves: Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  return m < k
    ? [...pathOf(m, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(m - k, leaves.slice(k)), rootOf(leaves.slice(0, k))];
}

const splitOf = (n: number) => 2 ** Math.floor(Math.log2(n - 1));

function proofOf(seq: number, leaves: Buffer[]): Proof {
  return {
    seq: String(seq),
    leaf_index: seq - 1,
    tree_size: leaves.length,
    leaf_hash: (leaves[seq - 1] as Buffer).toString("base64"),
    hashes: pathOf(seq - 1, leaves).map((hash) => hash.toString("base64")),
    checkpoint: `log\n${leaves.length}\n${rootOf(leaves).toString("base64")}\n\n— log AAAAAAAA\n`,
  };
}

describe("the browser's own check of a proof", () => {
  const entries = Array.from({ length: 21 }, (_, index) => entryOf(index + 1));
  const leaves = entries.map(leafOf);

  it("holds for every entry of trees of every size up to 21", () => {
    for (let size = 1; size <= leaves.length; size++) {
      for (let seq = 1; seq <= size; seq++) {
        const check = checkProof(entries[seq - 1] as AuditEntry, proofOf(seq, leaves.slice(0, size)));
        expect(check, `entry ${seq} of ${size}`).toMatchObject({
          isValid: true,
          reason: null,
          treeSize: size,
        });
      }
    }
  });

  it("fails for an entry that was changed, another's proof, a step changed, left out or added, and another root", () => {
    const entry = entries[4] as AuditEntry;
    const proof = proofOf(5, leaves);
    const zero = Buffer.alloc(32).toString("base64");
    const bad: [AuditEntry, Proof][] = [
      [{ ...entry, actor_wallet: "0x0" }, proof],
      [
        { ...entry, seq: "6" },
        { ...proof, leaf_hash: leafOf({ ...entry, seq: "6" }).toString("base64") },
      ],
      [entry, proofOf(6, leaves)],
      [entry, { ...proof, hashes: [zero, ...proof.hashes.slice(1)] }],
      [entry, { ...proof, hashes: proof.hashes.slice(0, -1) }],
      [entry, { ...proof, hashes: [...proof.hashes, zero] }],
      [entry, { ...proof, checkpoint: `log\n21\n${zero}\n\n— log AAAAAAAA\n` }],
      [entry, { ...proof, checkpoint: (proof.checkpoint as string).replace("21", "20") }],
      [entry, { ...proof, checkpoint: "no note" }],
      [entry, { ...proof, checkpoint: null }],
    ];
    for (const [shown, given] of bad) expect(checkProof(shown, given).isValid).toBe(false);
  });
});
