// How providers bound eth_getLogs, each in its own words: by blocks, by results, or by the size of the answer. Gathered from what
// Alchemy, Infura, QuickNode, Ankr, dRPC, Chainstack, BlockPI, PublicNode, LlamaNodes and the nodes themselves answer.

export interface Refusal {
  /** Where the refusal is an HTTP status alone. */
  status?: number;
  /** null where there is the status alone. */
  error: { code: number; message: string } | null;
}

export interface ProviderLimit {
  name: string;
  /** What is counted against the limit. */
  counts: "blocks" | "results";
  refuse(range: { from: number; to: number }, limit: number): Refusal;
}

const hex = (value: number) => `0x${value.toString(16)}`;
const error = (code: number, message: string): Refusal => ({ error: { code, message } });

export const PROVIDER_LIMITS: readonly ProviderLimit[] = [
  {
    name: "Alchemy, by results",
    counts: "results",
    refuse: ({ from, to }, limit) =>
      error(
        -32602,
        `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of ${limit} logs in the response. Based on your parameters and the response size limit, this block range should work: [${hex(from)}, ${hex(from + ((to - from) >> 2))}]`,
      ),
  },
  {
    name: "Alchemy, free",
    counts: "blocks",
    refuse: ({ from }, limit) =>
      error(
        -32600,
        `Under the Free tier plan, you can make eth_getLogs requests with up to a ${limit} block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + limit - 1)}]. Upgrade to PAYG for expanded block range.`,
      ),
  },
  {
    name: "Infura, a hint that is reversed",
    counts: "results",
    refuse: ({ from, to }, limit) =>
      error(
        -32005,
        `query returned more than ${limit} results. Try with this block range [${hex(to)}, ${hex(from)}].`,
      ),
  },
  {
    name: "Infura, a hint that does not shrink",
    counts: "results",
    refuse: ({ from, to }, limit) =>
      error(
        -32005,
        `query returned more than ${limit} results. Try with this block range [${hex(from)}, ${hex(to)}].`,
      ),
  },
  {
    name: "QuickNode",
    counts: "blocks",
    refuse: (_range, limit) => error(-32614, `eth_getLogs is limited to a ${limit} range`),
  },
  {
    name: "QuickNode, discover",
    counts: "blocks",
    refuse: (_range, limit) =>
      error(-32615, `eth_getLogs and eth_newFilter are limited to a ${limit} blocks range`),
  },
  { name: "Ankr", counts: "blocks", refuse: () => error(-32600, "block range is too wide") },
  {
    name: "dRPC",
    counts: "blocks",
    refuse: (_range, limit) => error(35, `ranges over ${limit} blocks are not supported on freetier`),
  },
  {
    name: "Chainstack",
    counts: "blocks",
    refuse: () =>
      error(
        -32602,
        "Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits",
      ),
  },
  {
    name: "PublicNode",
    counts: "blocks",
    refuse: (_range, limit) => error(-32701, `exceed maximum block range: ${limit}`),
  },
  {
    name: "BlockPI, by size",
    counts: "results",
    refuse: () => error(-32000, "Response size is larger than 150MB limit."),
  },
  {
    name: "reth",
    counts: "results",
    refuse: ({ from, to }, limit) =>
      error(
        -32602,
        `query exceeds max results ${limit}, retry with the range ${from}-${from + ((to - from) >> 1)}`,
      ),
  },
  {
    name: "erigon",
    counts: "blocks",
    refuse: ({ from, to }, limit) =>
      error(
        -32000,
        `block range is larger than max block range, block range = ${to - from + 1}, max block range = ${limit}`,
      ),
  },
  {
    name: "nethermind",
    counts: "results",
    refuse: (_range, limit) => error(-32000, `Too many logs requested. Max logs per response is ${limit}`),
  },
  {
    name: "avalanche",
    counts: "blocks",
    refuse: ({ from, to }, limit) =>
      error(-32000, `requested too many blocks from ${from} to ${to}, maximum is set to ${limit}`),
  },
  {
    name: "Cloudflare",
    counts: "blocks",
    refuse: (_range, limit) =>
      error(
        -32047,
        `Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: ${limit}`,
      ),
  },
  {
    name: "Base",
    counts: "results",
    refuse: () => error(-32000, "Query timeout exceeded. Consider reducing your block range."),
  },
  { name: "a proxy by size", counts: "results", refuse: () => ({ status: 413, error: null }) },
  {
    name: "one in no known words",
    counts: "blocks",
    refuse: () => error(-32098, "nope"),
  },
];
