// Agreement: what several of a chain's nodes say, each asked for itself. Where a quorum is configured nothing counts as confirmed
// before so many nodes have the same block there: one node that is wrong, bribed or broken into is then not believed alone.
import type { Hash } from "viem";
import type { Endpoint } from "./endpoint.ts";
import { type Block, parseOrNull, quantity } from "./raw.ts";
import type { Rpc } from "./rpc.ts";

/**
 * The newest block up to `number` that `quorum` nodes have on their chains and, where a tag is given, count as safe or final; null
 * while they do not agree.
 */
export async function agreedBlock(
  rpc: Rpc,
  quorum: number,
  number: number,
  tag: "safe" | "finalized" | null,
): Promise<Block | null> {
  const endpoints = rpc.endpoints.filter((endpoint) => !endpoint.isForeign);
  const tops = await Promise.all(
    endpoints.map(async (endpoint) => ({ endpoint, top: await blockAt(rpc, endpoint, tag ?? "latest") })),
  );
  const reached = tops.flatMap(({ endpoint, top }) => (top ? [{ endpoint, number: top.number }] : []));
  const last = reached.map((each) => each.number).sort((a, b) => b - a)[quorum - 1];
  if (last === undefined) return null;
  const height = Math.min(number, last);
  const blocks = await Promise.all(
    reached
      .filter((each) => each.number >= height)
      .map(({ endpoint }) => blockAt(rpc, endpoint, quantity(height))),
  );
  const byHash = new Map<Hash, Block[]>();
  for (const block of blocks) {
    if (block?.number === height) byHash.set(block.hash, [...(byHash.get(block.hash) ?? []), block]);
  }
  return [...byHash.values()].find((same) => same.length >= quorum)?.[0] ?? null;
}

/** A node that does not answer, or has no such block, says nothing. */
async function blockAt(rpc: Rpc, endpoint: Endpoint, tag: string): Promise<Block | null> {
  try {
    return parseOrNull(await rpc.requestAt(endpoint, "eth_getBlockByNumber", [tag, false]));
  } catch {
    return null;
  }
}
