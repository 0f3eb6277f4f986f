// What is hashed here at the speed of Node is what the tree's rules say.
import { Frontier, hashLeaf, hashNode } from "@vaultops/proof";
import { expect, it } from "vitest";
import { leafHash, nodeHash, subtreeRoot } from "./tree.ts";

const many = Array.from({ length: 256 }, (_, n) => `leaf ${n} é`);

it("the hashes of leaves and nodes are those of the tree of RFC 9162", () => {
  const [left, right] = [leafHash(many[0]!), leafHash(Buffer.from(many[1]!))];
  expect(left).toEqual(Buffer.from(hashLeaf(many[0]!)));
  expect(nodeHash(left, right)).toEqual(Buffer.from(hashNode(left, right)));
});

it("the root of a full subtree is that of its leaves one by one", () => {
  const frontier = new Frontier();
  for (const text of many) frontier.add(hashLeaf(text));
  expect(subtreeRoot(Buffer.concat(many.map(leafHash)))).toEqual(Buffer.from(frontier.root()));
});
