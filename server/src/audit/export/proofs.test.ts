// Proofs of a log of many tiles, in any order of its entries: each leads from its entry to the one root.

import { Frontier, verifyInclusion } from "@vaultops/proof";
import { expect, it } from "vitest";
import { kyselyOver } from "../../platform/db/db.ts";
import { TileReader } from "../tree/tiles.ts";
import { leafHash, sha256, subtreeRoot } from "../tree/tree.ts";
import { ProofWriter } from "./proofs.ts";

const WIDTH = 256;
/** More tiles than a writer keeps, and one that is not full. */
const SIZE = 40 * WIDTH + 5;

const entryOf = (index: number) =>
  `{"details":{"note":"\\",\\"seq\\":\\"7"},"recorded_at":"r","seq":"${index + 1}","timestamp":"t","vault_address":"v"}`;
const bodies = Array.from({ length: SIZE }, (_, index) => entryOf(index));
const leaves = Buffer.concat(bodies.map(leafHash));

/** The stored tree. */
const db = kyselyOver({
  async query({ name }: { name: string }, [first = 0, second = 0]: number[]) {
    const tileAt = (index: number) => leaves.subarray(index * WIDTH * 32, (index + 1) * WIDTH * 32);
    const isFull = first === 0 && (second + 1) * WIDTH <= SIZE;
    if (name === "audit_tile") return { rows: isFull ? [{ hashes: Buffer.from(tileAt(second)) }] : [] };
    if (name === "audit_tile_text") return { rows: [{ hashes: tileAt(first).toString("base64") }] };
    if (name === "audit_tail_leaves")
      return { rows: bodies.slice(first, first + WIDTH).map((body, i) => ({ at: first + i + 1, body })) };
    const full = Array.from({ length: Math.floor(SIZE / WIDTH) }, (_, index) => index);
    return { rows: full.map((index) => ({ at: index + 1, hash: subtreeRoot(tileAt(index)) })) };
  },
});

it.each([1, 2, WIDTH - 1, WIDTH, WIDTH + 1, 8 * WIDTH, SIZE])("in the tree of %i entries", async (size) => {
  const tree = new Frontier(sha256);
  for (let i = 0; i < size; i += 1) tree.add(leaves.subarray(i * 32, i * 32 + 32));
  const writer = new ProofWriter(new TileReader(db), size);
  // From one end to the other by steps that go round it twice, so that tiles come that were left behind.
  const step = size > 1 ? 997 : 1;
  for (let i = 0, index = 0; i < Math.min(size, 500); i += 3) {
    const lines: number[] = [];
    for (let n = 0; n < 3; n += 1, index = (index + step) % size) lines.push(index);
    const text = await writer.write(Buffer.from(lines.map((line) => `${bodies[line]}\n`).join("")));
    const proven = text.toString().trimEnd().split("\n");
    expect(proven.length).toBe(3);
    for (const [n, line] of lines.entries()) {
      const { proof, ...entry } = JSON.parse(proven[n]!);
      expect(entry).toEqual(JSON.parse(bodies[line]!));
      expect([proof.leaf_index, proof.tree_size]).toEqual([line, size]);
      const hashes = proof.hashes.map((each: string) => Buffer.from(each, "base64"));
      expect(verifyInclusion(leafHash(bodies[line]!), { index: line, size, hashes }, tree.root())).toBe(true);
    }
  }
});

it("an entry without its seq is an error, not a proof of another", async () => {
  const writer = new ProofWriter(new TileReader(db), SIZE);
  await expect(writer.write(Buffer.from('{"details":{}}\n'))).rejects.toThrow("seq");
});
