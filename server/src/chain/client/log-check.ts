// Logs of a range held against the headers of its blocks: what a node leaves out because it lags, or gives of a sibling, shows in the
// blooms and hashes. It costs a header a block, so it is done where nodes differ: near the head.
import type { Address } from "viem";
import type { Block, RawLog } from "../rpc/raw.ts";
import { type Bloom, isEmptyBloom, mayContain, parseBloom } from "./bloom.ts";

export type Checked =
  /** Blocks whose logs these are not, or not all of them: to be asked for one by one. */
  | { doubtful: Block[] }
  /** Why the answers do not belong together. */
  | { why: string };

/** `headers` are of adjoining blocks; `logs` are those that the node gave for them. */
export function holdAgainst(
  headers: readonly Block[],
  logs: readonly RawLog[],
  addresses: readonly Address[],
): Checked {
  const byNumber = Map.groupBy(logs, (log) => log.blockNumber);
  const doubtful: Block[] = [];
  for (const [index, header] of headers.entries()) {
    const before = headers[index - 1];
    if (before && header.parentHash !== before.hash) return { why: "headers that do not link" };
    const own = byNumber.get(header.number) ?? [];
    if (own.some((log) => log.blockHash !== header.hash)) return { why: "logs of another block" };
    if (header.logsBloom !== null && isEmptyBloom(header.logsBloom)) continue;
    if (header.logsBloom === null || !explainsAddresses(own, addresses, parseBloom(header.logsBloom)))
      doubtful.push(header);
  }
  return { doubtful };
}

/** Whether no address that the bloom speaks of is without a log. */
export function explainsAddresses(
  logs: readonly RawLog[],
  addresses: readonly Address[],
  bloom: Bloom,
): boolean {
  const seen = new Set<string>(logs.map((log) => log.address));
  return addresses.every((address) => {
    const lower = address.toLowerCase();
    return seen.has(lower) || !mayContain(bloom, lower);
  });
}
