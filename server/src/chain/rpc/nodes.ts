// Which of a chain's nodes are fit to serve, judged by what they say beside one another. Pure.
//
// A node that lags gives old answers and so is asked only when no other is left; one on another branch than the rest is not asked
// at all until it is back. Nothing of this makes a single node's word true: that is what the quorum is for.
import type { Hash } from "viem";
import type { Block } from "./raw.ts";

/** Behind the others by more blocks than this, and by more than LAG_SECONDS of the chain's own time. */
const LAG_BLOCKS = 3;
const LAG_SECONDS = 10;
/** Or behind by this many, whatever their times. */
const FAR_BLOCKS = 64;
/** Where nothing is known for certain yet, branches are compared so far below the lowest head. */
const COMPARED_DEPTH = 32;

export type Position = Pick<Block, "number" | "hash" | "timestamp">;

/** For each node by how many blocks it lags; 0 for one that does not, or did not answer (null). */
export function lags(heads: readonly (Position | null)[]): number[] {
  const known = heads.filter((head) => head !== null).sort((a, b) => b.number - a.number);
  // Where there are three or more, a head that only one of them claims is no measure for the rest.
  const best = known.length > 2 ? known[1]! : known[0];
  return heads.map((head) => {
    if (!head || !best) return 0;
    const blocks = best.number - head.number;
    const isLate = blocks > LAG_BLOCKS && best.timestamp - head.timestamp > LAG_SECONDS;
    return isLate || blocks > FAR_BLOCKS ? blocks : 0;
  });
}

/** The height at which the branches of these nodes are compared: the newest block known for certain, if all are there already. */
export function comparedAt(heads: readonly Position[], trusted: { number: number } | null): number {
  const lowest = Math.min(...heads.map(({ number }) => number));
  return trusted && trusted.number <= lowest ? trusted.number : Math.max(0, lowest - COMPARED_DEPTH);
}

/**
 * The hash that counts among those which nodes gave for one height: most nodes', then the one known for certain, then that of the
 * node preferred. null where none was given.
 */
export function prevailing(hashes: readonly (Hash | null)[], trusted: Hash | null): Hash | null {
  const votes = new Map<Hash, number>();
  for (const hash of hashes) if (hash !== null) votes.set(hash, (votes.get(hash) ?? 0) + 1);
  const most = Math.max(0, ...votes.values());
  const leading = [...votes].filter(([, count]) => count === most).map(([hash]) => hash);
  return leading.find((hash) => hash === trusted) ?? leading[0] ?? null;
}
