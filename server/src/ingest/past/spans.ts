// Spans: the logs of a long range in parts that each hold about as many as are committed at once, whatever the chain's
// density, with the next parts fetched while one is worked on. What a provider allows per request is the client's concern.
import type { Address } from "viem";
import type { Block, ChainClient, LogChunk, RawLog } from "../../chain/client/client.ts";
import type { ChainFault } from "../../chain/rpc/fault.ts";

export interface SpanRequest {
  fromBlock: number;
  toBlock: number;
  addresses: readonly Address[];
  /** From this block on logs are held against every block's header. */
  checkFrom: number;
  /** Logs per part, roughly. */
  logs: number;
  signal: AbortSignal | undefined;
  isLeftOut: (block: Block, fault: ChainFault) => boolean;
}

const FIRST_BLOCKS = 100;
const MAX_BLOCKS = 50_000;
const MAX_GROWTH = 8;
const AHEAD = 2;

/** In order, adjoining, covering the range. @throws ChainFault when the node fails */
export async function* fetchSpans(
  client: ChainClient,
  request: SpanRequest,
): AsyncGenerator<LogChunk, void, void> {
  const { fromBlock, toBlock } = request;
  // What is asked for ahead is given up together with the walk itself.
  const controller = new AbortController();
  const signal = request.signal ? AbortSignal.any([request.signal, controller.signal]) : controller.signal;
  const ahead: Promise<LogChunk>[] = [];
  let blocks = FIRST_BLOCKS;
  let next = fromBlock;
  try {
    for (;;) {
      while (ahead.length < AHEAD && next <= toBlock) {
        const end = Math.min(toBlock, next + blocks - 1);
        const span = collect(client, { ...request, fromBlock: next, toBlock: end, signal });
        // A failure is met when its turn comes; until then it must not count as unhandled.
        span.catch(() => {});
        ahead.push(span);
        next = end + 1;
      }
      const span = await ahead.shift();
      if (!span) return;
      blocks = sizeAfter(span, request.logs);
      yield span;
    }
  } finally {
    controller.abort();
    await Promise.allSettled(ahead);
  }
}

/** How many blocks would have held as many logs as wanted. */
function sizeAfter(span: LogChunk, wanted: number): number {
  const blocks = span.toBlock - span.fromBlock + 1;
  const fitting =
    span.logs.length === 0 ? blocks * MAX_GROWTH : Math.round((blocks * wanted) / span.logs.length);
  return Math.max(1, Math.min(fitting, blocks * MAX_GROWTH, MAX_BLOCKS));
}

async function collect(client: ChainClient, request: SpanRequest): Promise<LogChunk> {
  const { fromBlock, toBlock, addresses, checkFrom, signal, isLeftOut } = request;
  const parts: RawLog[][] = [];
  const range = { fromBlock, toBlock, addresses, checkFrom, isLeftOut, ...(signal ? { signal } : {}) };
  for await (const chunk of client.logsInRange(range)) parts.push(chunk.logs);
  return { fromBlock, toBlock, logs: parts.length === 1 ? parts[0]! : parts.flat() };
}
