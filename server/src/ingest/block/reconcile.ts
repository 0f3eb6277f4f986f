// Reconcile: what we hold + what the node says → what to do. Pure, so that every shape of reorganisation can be tried.
//
// The caller asks the node, and asks again whatever the answer names, until the answer is `updates`:
//   - blocks link: each one's parentHash is the hash of the block before it, or of the ancestor that a `reorg` names;
//   - a head that stands still or steps back without contradicting what we hold yields nothing: a lagging node undoes nothing;
//   - the walk back to the common ancestor asks for O(log n) headers, however deep the ancestor lies.
import type { Hash } from "viem";
import type { BlockHeader } from "../../chain/rpc/raw.ts";

export interface HeldBlock {
  number: number;
  hash: Hash;
}

export interface Standing {
  /** Blocks that we hold, newest first, at least one: without a gap near the head, with gaps below. */
  held: readonly HeldBlock[];
  /** We hold more blocks, older than the last one. When false, the last one is the anchor. */
  hasOlder: boolean;
  confirmed: number;
}

/** `B` is whatever the caller keeps of a header; the plan's blocks are the very ones given. */
export interface NodeView<B extends BlockHeader = BlockHeader> {
  head: B;
  /** Headers that the node gave for the numbers asked for. */
  seen: ReadonlyMap<number, B>;
}

export interface ReconcileRules {
  /** Blocks that must stand above a block before it counts as confirmed; or the newest block that the node's tag names. */
  confirmations: number | { taggedNumber: number | null };
  /** The most blocks to take in at once. */
  maxBlocks: number;
}

/** What following a chain comes to. A reorganisation is a value like any other, not an exception. */
export type PlannedUpdate<B extends BlockHeader = BlockHeader> =
  | { type: "block"; block: B }
  /** The chain left the blocks above `ancestor`: undo them all. `depth` is how many of them we held. */
  | { type: "reorg"; ancestor: BlockHeader; depth: number }
  /** Every block up to `number` is deep enough: its audit entries are due. */
  | { type: "finalized"; number: number };

export type Plan<B extends BlockHeader = BlockHeader> =
  /** In order: at most one reorg, then blocks, then at most one finalized. Empty: nothing to do. */
  | { type: "updates"; updates: PlannedUpdate<B>[] }
  /** Ask the node for these headers, then reconcile again. All are at or below the node's head. */
  | { type: "ask"; numbers: number[] }
  /** Every block given contradicts the node: give older ones too. */
  | { type: "older" }
  /** The node's answers contradict each other, for it moved while it was asked: start again from its head. */
  | { type: "torn" }
  /** Not even the anchor is on the node's chain: another chain under the same id. */
  | { type: "foreign" };

export function reconcile<B extends BlockHeader>(
  standing: Standing,
  node: NodeView<B>,
  rules: ReconcileRules,
): Plan<B> {
  const tip = standing.held[0];
  if (!tip) throw new Error("reconcile needs a block to stand on");
  const known = new Knowledge(node);
  if (node.head.number > tip.number) {
    const next = node.seen.get(tip.number + 1) ?? (node.head.number === tip.number + 1 ? node.head : null);
    if (!next) return ask(known.missing(tip.number + 1, upTo(tip.number, node, rules)));
    if (next.parentHash === tip.hash) return advance(standing, tip, known, node, rules);
  } else if (node.head.number === tip.number && node.head.hash === tip.hash) {
    return { type: "updates", updates: finalized(tip.number, standing.confirmed, rules) };
  }
  return walkBack(standing, known, node, rules);
}

/** Finds the newest held block that is on the node's chain, and plans to go on from there. */
function walkBack<B extends BlockHeader>(
  standing: Standing,
  known: Knowledge<B>,
  node: NodeView<B>,
  rules: ReconcileRules,
): Plan<B> {
  const candidates = standing.held.filter((block) => block.number <= node.head.number);
  const verdicts = candidates.map((block) => known.agrees(block));
  const firstMatch = verdicts.indexOf(true);
  const lastConflict = verdicts.lastIndexOf(false);
  // A chain that agrees on a block agrees on everything below it.
  if (firstMatch >= 0 && lastConflict > firstMatch) return { type: "torn" };

  if (firstMatch < 0) {
    const end = candidates.length - 1;
    // `foreign` is the node's word about every last block that we hold, so the anchor itself must have been compared.
    if (candidates.length === 0 || lastConflict === end) {
      if (standing.hasOlder) return { type: "older" };
      return candidates.length === 0 ? { type: "updates", updates: [] } : { type: "foreign" };
    }
    return ask(gallop(lastConflict, end).map((index) => candidates[index]!.number));
  }
  if (firstMatch - lastConflict > 1) {
    return ask([candidates[(firstMatch + lastConflict) >> 1]!.number]);
  }
  const ancestor = candidates[firstMatch]!;
  // Nothing that we hold at or below the node's head contradicts it: it lags.
  if (firstMatch === 0 && node.head.number < standing.held[0]!.number)
    return { type: "updates", updates: [] };
  return advance(standing, ancestor, known, node, rules);
}

/** Plans the blocks above `ancestor`, which is on the node's chain, preceded by a reorg when we hold others there. */
function advance<B extends BlockHeader>(
  standing: Standing,
  ancestor: HeldBlock,
  known: Knowledge<B>,
  node: NodeView<B>,
  rules: ReconcileRules,
): Plan<B> {
  const tip = standing.held[0]!;
  const last = upTo(ancestor.number, node, rules);
  const isReorg = ancestor.number < tip.number;
  const missing = known.missing(isReorg ? ancestor.number : ancestor.number + 1, last);
  if (missing.length > 0) return ask(missing);

  const updates: PlannedUpdate<B>[] = [];
  if (isReorg) {
    const header = known.header(ancestor.number)!;
    if (header.hash !== ancestor.hash) return { type: "torn" };
    updates.push({ type: "reorg", ancestor: header, depth: tip.number - ancestor.number });
  }
  let parent = ancestor.hash;
  for (let number = ancestor.number + 1; number <= last; number += 1) {
    const block = known.header(number)!;
    if (block.parentHash !== parent) return { type: "torn" };
    updates.push({ type: "block", block });
    parent = block.hash;
  }
  updates.push(...finalized(last, Math.min(standing.confirmed, ancestor.number), rules));
  return { type: "updates", updates };
}

/** `tip` is the newest block that we will then hold; the tag's block counts only as far as we hold it. */
function finalized(
  tip: number,
  confirmed: number,
  rules: ReconcileRules,
): Extract<PlannedUpdate, { type: "finalized" }>[] {
  const { confirmations } = rules;
  const number =
    typeof confirmations === "number" ? tip - confirmations : Math.min(tip, confirmations.taggedNumber ?? -1);
  return number > confirmed ? [{ type: "finalized", number }] : [];
}

function upTo(from: number, node: NodeView, rules: ReconcileRules): number {
  return Math.min(from + rules.maxBlocks, node.head.number);
}

/** Indexes beyond the last conflict in doubling steps, the end included: one batch narrows any depth to a factor of two. */
function gallop(lastConflict: number, end: number): number[] {
  const indexes: number[] = [];
  for (let step = 1; lastConflict + step < end; step *= 2) indexes.push(lastConflict + step);
  indexes.push(end);
  return indexes;
}

function ask(numbers: number[]): { type: "ask"; numbers: number[] } {
  return { type: "ask", numbers };
}

/** What the node has told: headers, and by their parent hashes also which block stands below each. */
class Knowledge<B extends BlockHeader> {
  readonly #headers: Map<number, B>;

  constructor(node: NodeView<B>) {
    this.#headers = new Map(node.seen);
    this.#headers.set(node.head.number, node.head);
  }

  header(number: number): B | undefined {
    return this.#headers.get(number);
  }

  /** Whether the node's chain has this block; undefined while the node has not said. */
  agrees(block: HeldBlock): boolean | undefined {
    const hash = this.#headers.get(block.number)?.hash ?? this.#headers.get(block.number + 1)?.parentHash;
    return hash === undefined ? undefined : hash === block.hash;
  }

  missing(from: number, to: number): number[] {
    const numbers: number[] = [];
    for (let number = from; number <= to; number += 1) {
      if (!this.#headers.has(number)) numbers.push(number);
    }
    return numbers;
  }
}
