// ChainClient: one chain as its nodes tell it, checked. Nothing that passes through here is believed unseen: the chain id is
// compared at the start, a block's logs must carry that block's hash and agree with its bloom, a missing block is asked
// for again, and a request that one URL cannot answer goes to the next. It knows no database and no contract.
//
// Guarantee: an answer is either whole and consistent, or a `ChainFault` is thrown. Nothing is ever silently left out.
// Every client has its own connections and limits, so a slow chain holds up no other.
import type { Logger } from "pino";
import type { Address, Hash, Hex, TypedDataDefinition } from "viem";
import type { ProxySettings } from "../../platform/egress/proxy.ts";
import type { Aside } from "../rpc/endpoint.ts";
import type { ChainFault } from "../rpc/fault.ts";
import { HeadSocket, type HeadSocketHealth } from "../rpc/head-socket.ts";
import { agreedBlock } from "../rpc/quorum.ts";
import type {
  Block,
  BlockRef,
  BlockWithTransactions,
  Call,
  CallResult,
  LogChunk,
  RawLog,
  TxSummary,
} from "../rpc/raw.ts";
import { Rpc } from "../rpc/rpc.ts";
import { toFault } from "../rpc/rpc-error.ts";
import { isSocketNode, type RpcNode, rpcNodeOf } from "../rpc/rpc-node.ts";
import { BlockReader } from "./blocks.ts";
import { CallReader, type ReadOptions } from "./calls.ts";
import { LogReader } from "./logs.ts";
import { type Receipt, readReceipts } from "./receipts.ts";
import { readNonce, readSent, type Sent } from "./sent.ts";
import { verifyTypedData } from "./signature.ts";
import { type Simulation, type SimulationBlock, simulate } from "./simulate.ts";

export type {
  Block,
  BlockRef,
  BlockWithTransactions,
  Call,
  CallResult,
  LogChunk,
  RawLog,
  TxSummary,
} from "../rpc/raw.ts";
export type { Receipt } from "./receipts.ts";

export interface ChainClient {
  readonly chainId: number;
  readonly name: string;
  /** How many nodes must have a block before it may count as confirmed. */
  readonly quorum: number;

  /**
   * Compares the chain id of every URL that answers; from then on several URLs are compared with one another. Throws
   * `ChainFault("wrong_chain")` when all that answer serve another chain.
   */
  start(): Promise<void>;
  /** Tells which block is known for certain: URLs that have another one are set aside. */
  trust(block: { number: number; hash: Hash }): void;
  /** The newest block, as the serving node sees it. It may stand still or step back between calls. */
  head(): Promise<Block>;
  /** Retried while the node says null; `ChainFault("block_missing")` when it stays so. */
  blockByNumber(number: number): Promise<Block>;
  /** null when the block is not on the node's chain (reorganised away) after retries. */
  blockByHash(hash: Hash): Promise<Block | null>;
  blockWithTransactions(hash: Hash): Promise<BlockWithTransactions>;
  /** Headers of many numbers, in that order, fetched in JSON-RPC batches. */
  headers(numbers: readonly number[]): Promise<Block[]>;
  /** The newest block that the node calls safe or finalized; null where the chain knows no such tag. */
  finality(tag: "safe" | "finalized"): Promise<Block | null>;
  /** The newest block up to `number` that as many nodes as the quorum asks for have, and count as the tag says; null while they disagree. */
  agreed(number: number, tag: "safe" | "finalized" | null): Promise<Block | null>;

  /**
   * Every log of the addresses (and, where given, of topic0s) in the range, in ordered chunks whose ranges adjoin and
   * cover it. The step adapts to what the provider allows.
   */
  logsInRange(range: {
    fromBlock: number;
    toBlock: number;
    addresses: readonly Address[];
    topics?: readonly Hex[];
    /** From this block on the logs are held against every block's header; nowhere where left out. */
    checkFrom?: number;
    signal?: AbortSignal;
    /** Asked about a block whose logs never agree with it: true to go on as if it had none. Where left out, the range fails with it. */
    isLeftOut?: (block: Block, fault: ChainFault) => boolean;
  }): AsyncGenerator<LogChunk, void, void>;
  /** Every log of the addresses in that very block, asked for by hash and held against header and bloom. */
  logsOfBlock(block: Block, addresses: readonly Address[], topics?: readonly Hex[]): Promise<RawLog[]>;
  /** Every log of a transaction, whoever emitted it. */
  logsOfTransaction(hash: Hash): Promise<RawLog[]>;

  /** Sender and target of each transaction. A transaction that the node does not know is missing from the map. */
  transactions(hashes: readonly Hash[]): Promise<Map<Hash, TxSummary>>;
  /** Where each transaction stands: null for one in no block; missing from the map where the node gave no answer to that one. */
  receipts(hashes: readonly Hash[]): Promise<Map<Hash, Receipt | null>>;
  /** Who sent each transaction with which nonce, though it is in no block yet: null where the node does not know it, missing where it gave no answer. */
  sent(hashes: readonly Hash[]): Promise<Map<Hash, Sent | null>>;
  /** The first nonce of an account that no transaction up to that block has used. */
  nonceAt(address: Address, blockNumber: number): Promise<number>;

  /** Every call at the same block, through Multicall3 where it is deployed, else in batches of eth_call. */
  multicall(calls: readonly Call[], at: BlockRef, options?: ReadOptions): Promise<CallResult[]>;
  call(call: Call, at: BlockRef): Promise<CallResult>;
  getCode(address: Address, at: BlockRef): Promise<Hex>;
  /** Words of storage, in that order. */
  storage(slots: readonly { address: Address; slot: Hex }[], at: BlockRef): Promise<Hex[]>;
  /** What calls would do on top of that block, each run by itself: `refused` where the node does not simulate. */
  simulate(
    runs: readonly (readonly SimulationBlock[])[],
    at: { number: number; hash: Hash },
    signal?: AbortSignal,
  ): Promise<Simulation[]>;
  /** EOA, ERC-1271 and (counterfactual) ERC-6492 signatures. A failing node throws; a wrong signature is false. */
  verifyTypedData(address: Address, typedData: TypedDataDefinition, signature: Hex): Promise<boolean>;

  /** Resolves when a WebSocket tells of a new head, at once when it has since the head was last asked for; else with the signal. */
  nextHead(signal: AbortSignal): Promise<void>;
  /** Whether a WebSocket may be relied on to tell of what comes after this block. */
  hearsAfter(head: number): boolean;

  /** What the URLs are worth right now; URLs are shown without path, query or credentials. */
  health(): EndpointHealth[];
  /** The same of the WebSocket; null where no ws URL is given. */
  socketHealth(): HeadSocketHealth | null;
  /** Ends every request under way with a ChainFault. */
  close(): Promise<void>;
}

export interface EndpointHealth {
  host: string;
  /** It answers, serves the right chain, and keeps up with the others. */
  isHealthy: boolean;
  consecutiveFailures: number;
  lastError: string | null;
  /** Why it is not asked although it answers. */
  aside: Aside | { reason: "foreign" } | null;
  /** Moving average; null before the first answer. */
  latencyMs: number | null;
  /** The newest block that it has told of. */
  head: number | null;
}

export interface ChainClientOptions {
  chainId: number;
  name: string;
  /** In order of preference: the first healthy one serves. Of ws URLs new heads are heard, nothing else is asked there. */
  rpcUrls: readonly (string | RpcNode)[];
  /** Through which proxy a node is reached; through none unless told. */
  proxyFor?: ProxySettings["proxyFor"];
  log: Logger;
  /** Of one attempt at one URL. */
  timeoutMs?: number;
  /** Of one attempt at eth_getLogs. */
  logsTimeoutMs?: number;
  /** Of a request with all its attempts at all URLs. */
  deadlineMs?: number;
  /** How long an answer may take to agree with what is known: a block to be there, logs to fit their header. */
  settleMs?: number;
  /** Requests under way at once, per URL. */
  maxConcurrent?: number;
  maxAnswerBytes?: number;
  batchSize?: number;
  backoffMs?: { base: number; max: number };
  /** How many nodes must have a block before it may count as confirmed; 1 where left out. */
  quorum?: number;
  /** How often several URLs are compared with one another. */
  watchMs?: number;
  /** How long a WebSocket may be silent while the chain moves. */
  deafMs?: number;
  /** Blocks per eth_getLogs, to begin with and at most. */
  logStep?: { initial: number; max: number };
}

export function createChainClient(options: ChainClientOptions): ChainClient {
  const { chainId, name, rpcUrls } = options;
  const log = options.log.child({ chain_id: chainId });
  const settleMs = options.settleMs ?? 10_000;
  const nodes = rpcUrls.map(rpcNodeOf);
  const rpc = new Rpc({
    chainId,
    nodes: nodes.filter((node) => !isSocketNode(node)),
    proxyFor: options.proxyFor,
    log,
    timeoutMs: options.timeoutMs ?? 10_000,
    deadlineMs: options.deadlineMs ?? 90_000,
    maxConcurrent: options.maxConcurrent ?? 8,
    maxAnswerBytes: options.maxAnswerBytes ?? 128 * 1024 * 1024,
    batchSize: options.batchSize ?? 100,
    backoffMs: options.backoffMs ?? { base: 250, max: 15_000 },
    watchMs: options.watchMs ?? 5_000,
  });
  const quorum = options.quorum ?? 1;
  const closing = new AbortController();
  const socketNodes = nodes.filter(isSocketNode);
  /** Made when following begins: a process that only reads has no use for it. */
  let socket: HeadSocket | null = null;
  const listen = () => {
    if (socketNodes.length === 0) return;
    socket ??= new HeadSocket({
      nodes: socketNodes,
      proxyFor: options.proxyFor,
      chainId,
      log,
      signal: closing.signal,
      deafMs: options.deafMs ?? 5_000,
      backoffMs: options.backoffMs ?? { base: 1_000, max: 30_000 },
    });
  };
  const blocks = new BlockReader(rpc, settleMs);
  const calls = new CallReader(rpc, settleMs);
  const logs = new LogReader(rpc, {
    settleMs,
    timeoutMs: options.logsTimeoutMs ?? 30_000,
    initialStep: options.logStep?.initial ?? 2_000,
    maxStep: options.logStep?.max ?? 100_000,
    readAhead: 2,
    maxAddresses: 500,
    log,
  });

  return {
    chainId,
    name,
    quorum,
    trust: (block) => rpc.watch.trust(block),
    start: async () => {
      await rpc.start();
      listen();
    },
    head: async () => {
      socket?.look();
      const head = await faults(blocks.head());
      socket?.saw(head.number);
      return head;
    },
    blockByNumber: (number) => faults(blocks.byNumber(number)),
    blockByHash: (hash) => faults(blocks.byHash(hash)),
    blockWithTransactions: (hash) => faults(blocks.withTransactions(hash)),
    headers: (numbers) => faults(blocks.headers(numbers)),
    finality: (tag) => faults(blocks.finality(tag)),
    agreed: (number, tag) => agreedBlock(rpc, quorum, number, tag),
    logsInRange: (range) => logs.inRange(range),
    logsOfBlock: (block, addresses, topics) => faults(logs.ofBlock(block, addresses, topics)),
    logsOfTransaction: (hash) => faults(logs.ofTransaction(hash)),
    transactions: (hashes) => faults(blocks.transactions(hashes)),
    receipts: (hashes) => faults(readReceipts(rpc, hashes)),
    sent: (hashes) => faults(readSent(rpc, hashes)),
    nonceAt: (address, blockNumber) => faults(readNonce(rpc, address, blockNumber)),
    multicall: (list, at, options) => calls.multicall(list, at, options),
    call: async (call, at) => (await calls.individually([call], at))[0]!,
    getCode: (address, at) => calls.code(address, at),
    storage: (slots, at) => calls.storage(slots, at),
    simulate: async (runs, at, signal) => {
      const hasMulticall = await calls.hasMulticall(at);
      return await simulate(rpc, runs, at, { hasMulticall, ...(signal && { signal }) });
    },
    verifyTypedData: (address, typedData, signature) => verifyTypedData(rpc, address, typedData, signature),
    nextHead: (signal) => socket?.news(signal) ?? aborted(signal),
    hearsAfter: (head) => socket?.hears(head) ?? false,
    socketHealth: () => socket?.health() ?? null,
    health: () =>
      rpc.endpoints.map((endpoint) => ({
        host: endpoint.host,
        isHealthy: endpoint.isHealthy,
        consecutiveFailures: endpoint.consecutiveFailures,
        lastError: endpoint.lastError,
        aside: endpoint.isForeign ? { reason: "foreign" } : endpoint.aside,
        latencyMs: endpoint.latencyMs,
        head: endpoint.head?.number ?? null,
      })),
    close: () => {
      closing.abort();
      return rpc.close();
    },
  };
}

/** The chain layer's one error leaves it as such. */
async function faults<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw toFault(error);
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
