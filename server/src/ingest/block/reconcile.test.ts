// Reconciling is tried on random block trees: a follower that prunes, nodes that lag, fork, and move while they are asked.

import { describe, expect, it } from "vitest";
import fc from "../../../test/fast-check.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import { type HeldBlock, type PlannedUpdate, type ReconcileRules, reconcile } from "./reconcile.ts";

describe("reconcile", () => {
  it("takes in the blocks that link to the tip, oldest first", () => {
    const chain = branch(null, 5, "a");
    const { updates } = settle([chain[1]!, chain[0]!], 0, chain, { confirmations: 2, maxBlocks: 10 });
    expect(updates.map(brief)).toEqual(["block 2a", "block 3a", "block 4a", "finalized 2"]);
  });

  it("confirms a block in the same breath when no confirmations are asked for", () => {
    const chain = branch(null, 3, "a");
    const { updates } = settle([chain[1]!, chain[0]!], 1, chain, { confirmations: 0, maxBlocks: 10 });
    expect(updates.map(brief)).toEqual(["block 2a", "finalized 2"]);
  });

  it("confirms up to the block that the node's tag names, never beyond what is held, never backwards", () => {
    const chain = branch(null, 6, "a");
    const held = [chain[3]!, chain[2]!, chain[1]!, chain[0]!];
    const upTo = (taggedNumber: number | null, confirmed = 0) =>
      settle(held, confirmed, chain.slice(0, 4), {
        confirmations: { taggedNumber },
        maxBlocks: 10,
      }).updates.map(brief);
    expect(upTo(2)).toEqual(["finalized 2"]);
    expect(upTo(9)).toEqual(["finalized 3"]);
    expect(upTo(2, 3)).toEqual([]);
    expect(upTo(null)).toEqual([]);
  });

  it("names the common ancestor and the depth of a reorganisation, then the new blocks", () => {
    const old = branch(null, 5, "a");
    const other = [...old.slice(0, 3), ...branch(old[2]!, 3, "b")];
    const { updates } = settle([...old].reverse(), 0, other, { confirmations: 12, maxBlocks: 10 });
    expect(updates.map(brief)).toEqual(["reorg to 2a by 2", "block 3b", "block 4b", "block 5b"]);
  });

  it("follows a reorganisation to a shorter chain", () => {
    const old = branch(null, 6, "a");
    const other = [...old.slice(0, 2), ...branch(old[1]!, 1, "b")];
    const { updates } = settle([...old].reverse(), 0, other, { confirmations: 12, maxBlocks: 10 });
    expect(updates.map(brief)).toEqual(["reorg to 1a by 4", "block 2b"]);
  });

  it("undoes nothing for a node that lags behind, be the block at its head held or pruned", () => {
    const chain = branch(null, 9, "a");
    const rules = { confirmations: 2, maxBlocks: 10 };
    expect(settle([...chain].reverse(), 6, chain.slice(0, 5), rules).updates).toEqual([]);
    const sparse = [chain[8]!, chain[7]!, chain[2]!, chain[0]!];
    expect(settle(sparse, 6, chain.slice(0, 5), rules).updates).toEqual([]);
  });

  it("goes on from the newest held block on the true chain when blocks in between were pruned", () => {
    const old = branch(null, 9, "a");
    const other = [...old.slice(0, 5), ...branch(old[4]!, 6, "b")];
    const sparse = [old[8]!, old[7]!, old[2]!, old[0]!];
    const { updates } = settle(sparse, 7, other, { confirmations: 2, maxBlocks: 20 });
    expect(updates.map(brief)).toEqual([
      "reorg to 2a by 6",
      "block 3a",
      "block 4a",
      ...[5, 6, 7, 8, 9, 10].map((n) => `block ${n}b`),
      "finalized 8",
    ]);
  });

  it("refuses a chain that does not even share the anchor", () => {
    const ours = branch(null, 4, "a");
    const theirs = branch(null, 8, "b");
    expect(settle([...ours].reverse(), 2, theirs, { confirmations: 2, maxBlocks: 10 }).type).toBe("foreign");
    expect(settle([...ours].reverse(), 2, theirs.slice(0, 2), { confirmations: 2, maxBlocks: 10 }).type).toBe(
      "foreign",
    );
  });

  it("asks for older blocks before it calls a chain foreign", () => {
    const old = branch(null, 200, "a");
    const other = [...old.slice(0, 20), ...branch(old[19]!, 220, "b")];
    const result = settle([...old].reverse(), 150, other, { confirmations: 12, maxBlocks: 8 }, 16);
    expect(result.updates.slice(0, 2).map(brief)).toEqual(["reorg to 19a by 180", "block 20b"]);
    expect(result.asked).toBeLessThan(60);
  });

  it("reports answers that contradict each other instead of mixing two chains", () => {
    const a = branch(null, 6, "a");
    const b = [...a.slice(0, 3), ...branch(a[2]!, 3, "b")];
    const seen = new Map([
      [3, b[3]!],
      [4, a[4]!],
    ]);
    const standing = { held: [a[2]!, a[1]!, a[0]!], hasOlder: false, confirmed: 0 };
    expect(reconcile(standing, { head: b[5]!, seen }, { confirmations: 2, maxBlocks: 10 }).type).toBe("torn");
  });

  it("reaches the node's chain from anywhere in a random tree, linking every block, in few questions", () => {
    fc.assert(
      fc.property(treeWalk, (walk) => {
        const follower = new Follower(walk.confirmations, walk.maxBlocks, walk.window);
        for (const chain of chainsOf(walk)) follower.catchUp(chain);
      }),
      { numRuns: 400 },
    );
  });

  it("applies nothing that is not on one branch while the node jumps between branches under its hands", () => {
    fc.assert(
      fc.property(treeWalk, fc.infiniteStream(fc.nat(1_000_000)), (walk, dice) => {
        const follower = new Follower(walk.confirmations, walk.maxBlocks, walk.window);
        const chains = chainsOf(walk);
        follower.catchUp(chains[0]!);
        for (let turn = 0; turn < 12; turn += 1)
          follower.step(() => chains[dice.next().value! % chains.length]!);
        follower.catchUp(chains.at(-1)!);
      }),
      { numRuns: 300 },
    );
  });
});

// --- a follower in memory, which checks what the consumer of updates relies on ---

class Follower {
  held: BlockHeader[] = [];
  confirmed = 0;
  readonly #rules: ReconcileRules & { confirmations: number };
  readonly #window: number;

  constructor(confirmations: number, maxBlocks: number, window: number) {
    this.#rules = { confirmations, maxBlocks };
    this.#window = window;
  }

  catchUp(chain: BlockHeader[]): void {
    if (this.held.length === 0) this.held = [chain[0]!];
    for (let turn = 0; turn < 200; turn += 1) {
      if (!this.step(() => chain)) break;
    }
    const head = chain.at(-1)!;
    const tip = this.held[0]!;
    // It stands at the node's head, or above it with nothing known that contradicts it.
    if (tip.number <= head.number) expect(tip.hash).toBe(head.hash);
    else
      for (const block of this.held) {
        if (block.number <= head.number) expect(chain[block.number]!.hash).toBe(block.hash);
      }
    expect(this.confirmed).toBeGreaterThanOrEqual(
      Math.min(tip.number, head.number) - this.#rules.confirmations,
    );
  }

  /** One poll; `serve` picks the branch that the node is on at each request. Returns whether anything was applied. */
  step(serve: () => BlockHeader[]): boolean {
    const seen = new Map<number, BlockHeader>();
    const head = serve().at(-1)!;
    let loaded = Math.min(2, this.held.length);
    for (let round = 0; round < 60; round += 1) {
      const plan = reconcile(
        { held: this.held.slice(0, loaded), hasOlder: loaded < this.held.length, confirmed: this.confirmed },
        { head, seen },
        this.#rules,
      );
      if (plan.type === "torn") return true;
      if (plan.type === "foreign") throw new Error("no branch of the tree is foreign");
      if (plan.type === "older") {
        loaded = Math.min(loaded * 2, this.held.length);
        continue;
      }
      if (plan.type === "ask") {
        expect(plan.numbers.length).toBeGreaterThan(0);
        const chain = serve();
        for (const number of plan.numbers) {
          expect(number).toBeLessThanOrEqual(head.number);
          expect(seen.has(number)).toBe(false);
          const header = chain[number];
          if (!header) return true;
          seen.set(number, header);
        }
        continue;
      }
      this.#apply(plan.updates);
      return plan.updates.length > 0;
    }
    throw new Error("reconcile never came to an end");
  }

  #apply(updates: PlannedUpdate[]): void {
    for (const update of updates) {
      if (update.type === "reorg") {
        expect(update.depth).toBe(this.held[0]!.number - update.ancestor.number);
        expect(update.depth).toBeGreaterThan(0);
        this.held = this.held.filter((block) => block.number <= update.ancestor.number);
        expect(this.held[0]!.hash).toBe(update.ancestor.hash);
        this.confirmed = Math.min(this.confirmed, update.ancestor.number);
      } else if (update.type === "block") {
        expect(update.block.parentHash).toBe(this.held[0]!.hash);
        expect(update.block.number).toBe(this.held[0]!.number + 1);
        this.held.unshift(update.block);
      } else {
        expect(update.number).toBeGreaterThan(this.confirmed);
        expect(update.number).toBeLessThanOrEqual(this.held[0]!.number - this.#rules.confirmations);
        this.confirmed = update.number;
      }
    }
    // Pruned as the service prunes: the window stays whole, of older blocks every third is "not empty", block 0 is the anchor.
    const keepFrom = Math.min(this.confirmed, this.held[0]!.number - this.#window);
    this.held = this.held.filter((block) => block.number >= keepFrom || block.number % 3 === 0);
  }
}

interface Walk {
  confirmations: number;
  maxBlocks: number;
  window: number;
  /** Each chain forks from an earlier one `back` blocks below its head and grows by `grow`. */
  forks: { from: number; back: number; grow: number }[];
}

const treeWalk: fc.Arbitrary<Walk> = fc.record({
  confirmations: fc.integer({ min: 0, max: 6 }),
  maxBlocks: fc.integer({ min: 1, max: 40 }),
  window: fc.integer({ min: 1, max: 12 }),
  forks: fc.array(
    fc.record({
      from: fc.nat(),
      back: fc.integer({ min: 0, max: 25 }),
      grow: fc.integer({ min: 0, max: 30 }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

function chainsOf(walk: Walk): BlockHeader[][] {
  const chains = [branch(null, 10, "r")];
  for (const [index, fork] of walk.forks.entries()) {
    const base = chains[fork.from % chains.length]!;
    const kept = base.slice(0, Math.max(1, base.length - fork.back));
    chains.push([...kept, ...branch(kept.at(-1)!, fork.grow, String.fromCharCode(97 + index))]);
  }
  return chains;
}

// --- blocks and the conversation with a node ---

function branch(parent: BlockHeader | null, length: number, name: string): BlockHeader[] {
  const blocks: BlockHeader[] = [];
  let last = parent;
  for (let index = 0; index < length; index += 1) {
    const number = last ? last.number + 1 : 0;
    const block: BlockHeader = {
      number,
      hash: `0x${number}${name}`,
      parentHash: last ? last.hash : "0x",
      timestamp: 1_700_000_000 + number,
    };
    blocks.push(block);
    last = block;
  }
  return blocks;
}

function settle(
  held: HeldBlock[],
  confirmed: number,
  chain: BlockHeader[],
  rules: ReconcileRules,
  firstLoaded = held.length,
): { type: string; updates: PlannedUpdate[]; asked: number } {
  const seen = new Map<number, BlockHeader>();
  let loaded = firstLoaded;
  for (let round = 0; round < 100; round += 1) {
    const standing = { held: held.slice(0, loaded), hasOlder: loaded < held.length, confirmed };
    const plan = reconcile(standing, { head: chain.at(-1)!, seen }, rules);
    if (plan.type === "ask") for (const number of plan.numbers) seen.set(number, chain[number]!);
    else if (plan.type === "older") loaded = Math.min(loaded * 2, held.length);
    else return { type: plan.type, updates: plan.type === "updates" ? plan.updates : [], asked: seen.size };
  }
  throw new Error("reconcile never came to an end");
}

function brief(update: PlannedUpdate): string {
  if (update.type === "block") return `block ${update.block.hash.slice(2)}`;
  if (update.type === "reorg") return `reorg to ${update.ancestor.hash.slice(2)} by ${update.depth}`;
  return `finalized ${update.number}`;
}
