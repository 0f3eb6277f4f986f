import { describe, expect, it } from "vitest";
import fc from "../../server/test/fast-check.ts";
import { toHex } from "./bytes.ts";
import {
  consistencyRanges,
  EMPTY_ROOT,
  Frontier,
  hashLeaf,
  hashNode,
  inclusionRanges,
  splitOf,
  verifyConsistency,
  verifyInclusion,
} from "./tree.ts";

const LEAVES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((hex) => Buffer.from(hex, "hex"));

/** Of the first 0 to 8 of them; the vectors of the Certificate Transparency code. */
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/** MTH as the RFC writes it, recursive. */
function rootOf(leaves: readonly Buffer[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return hashLeaf(leaves[0]!);
  const split = splitOf(leaves.length);
  return hashNode(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

const many = Array.from({ length: 300 }, (_, n) => Buffer.from(`leaf ${n}`));
const sizes = fc.integer({ min: 1, max: 300 });

describe("the tree of RFC 9162", () => {
  it.each(ROOTS.map((root, n) => [n, root] as const))("has the published root over %i leaves", (n, root) => {
    expect(toHex(rootOf(LEAVES.slice(0, n)))).toBe(root);
    const frontier = new Frontier();
    for (const leaf of LEAVES.slice(0, n)) frontier.add(hashLeaf(leaf));
    expect(toHex(frontier.root())).toBe(root);
  });

  it("is the same grown leaf by leaf, or by full subtrees", () => {
    const frontier = new Frontier();
    frontier.add(rootOf(many.slice(0, 256)), 8);
    for (const leaf of many.slice(256)) frontier.add(hashLeaf(leaf));
    expect(frontier.size).toBe(300);
    expect(frontier.root()).toEqual(rootOf(many));
  });

  it("proves every leaf in every tree, and no other leaf, place, size or root", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, a, b) => {
        const index = a % size;
        const proof = inclusionRanges(index, size).map(([begin, end]) => rootOf(many.slice(begin, end)));
        const root = rootOf(many.slice(0, size));
        const leaf = hashLeaf(many[index]!);
        expect(verifyInclusion(leaf, { index: index, size, hashes: proof }, root)).toBe(true);
        const other = b % size;
        if (other !== index) {
          expect(verifyInclusion(leaf, { index: other, size, hashes: proof }, root)).toBe(false);
          expect(verifyInclusion(hashLeaf(many[other]!), { index: index, size, hashes: proof }, root)).toBe(
            false,
          );
        }
        expect(verifyInclusion(leaf, { index: index, size, hashes: [...proof, root] }, root)).toBe(false);
        expect(verifyInclusion(leaf, { index: index, size, hashes: proof.slice(1) }, root)).toBe(size === 1);
        expect(verifyInclusion(leaf, { index: index, size, hashes: proof }, leaf)).toBe(size === 1);
        expect(verifyInclusion(leaf, { index: size, size, hashes: proof }, root)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("proves that every tree begins with every smaller one, and with nothing else", () => {
    fc.assert(
      fc.property(sizes, sizes, (a, b) => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const proof = consistencyRanges(from, to).map(([begin, end]) => rootOf(many.slice(begin, end)));
        const [fromRoot, toRoot] = [rootOf(many.slice(0, from)), rootOf(many.slice(0, to))];
        const [earlier, later] = [
          { size: from, root: fromRoot },
          { size: to, root: toRoot },
        ];
        expect(verifyConsistency(earlier, later, proof)).toBe(true);
        expect(verifyConsistency({ ...earlier, root: toRoot }, { ...later, root: fromRoot }, proof)).toBe(
          from === to,
        );
        expect(verifyConsistency(earlier, later, [...proof, toRoot])).toBe(false);
        if (proof.length > 0) expect(verifyConsistency(earlier, later, proof.slice(1))).toBe(false);
        const changed = rootOf([Buffer.from("another"), ...many.slice(1, to)]);
        expect(verifyConsistency(earlier, { ...later, root: changed }, proof)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("follows from nothing by an empty proof", () => {
    const later = { size: 5, root: rootOf(many.slice(0, 5)) };
    expect(verifyConsistency({ size: 0, root: EMPTY_ROOT }, later, [])).toBe(true);
    expect(verifyConsistency({ size: 0, root: rootOf(many) }, later, [])).toBe(false);
  });
});
