// What a node's error means. JSON-RPC fixes five codes; providers use the rest as they please, so an error is judged by its
// wording too. The wordings are those that Alchemy, Infura, QuickNode, Ankr, dRPC, PublicNode, Cloudflare, BlockPI, Chainstack,
// LlamaNodes, Base and the clients geth, erigon, reth, besu and nethermind answer with.

import { ChainFault } from "./fault.ts";
import { MalformedAnswer } from "./raw.ts";

export type RpcErrorKind =
  /** Asked too often: wait, or ask another URL. */
  | "rate_limited"
  /** The answer or the range asked for is too large: ask for less. */
  | "too_big"
  /** The filter names more addresses than the node takes: ask for fewer, over the same range. */
  | "too_many_addresses"
  /** The node answered nothing in time, as often as the caller would wait for, or broke off its own work on a call. */
  | "timeout"
  /** The contract's own code ended the call: the node says so in words that mean nothing else. `data` may hold the revert data. */
  | "reverted"
  /** The node has pruned the state or the logs of that block. */
  | "state_missing"
  /** The node does not have that block (yet). */
  | "unknown_block"
  /** The node has no such method. */
  | "unsupported"
  /** The node will not take such parameters. */
  | "invalid"
  /** Anything else that may pass: internal errors, overload. */
  | "server";

/** An error that the node answered with. */
export class RpcError extends Error {
  readonly kind: RpcErrorKind;
  readonly rpcCode: number | null;
  readonly data: unknown;

  constructor(kind: RpcErrorKind, rpcCode: number | null, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.kind = kind;
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

/** The error object of a JSON-RPC answer, judged. Never throws, whatever the node sent. */
export function toRpcError(method: string, error: unknown): RpcError {
  const object = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const code = typeof object.code === "number" ? object.code : null;
  const text =
    typeof object.message === "string" ? object.message : typeof error === "string" ? error : "no message";
  // Only the head is read: the text is the node's to choose, and as long as it likes.
  const message = text.slice(0, 600);
  return new RpcError(kindOf(method, code, message, object.data), code, message, object.data);
}

/** What an error means to callers of the chain layer: errors of node and answer as ChainFaults, anything else as it is. */
export function toFault(error: unknown): unknown {
  if (error instanceof MalformedAnswer)
    return new ChainFault("inconsistent", error.message, { cause: error });
  if (!(error instanceof RpcError)) return error;
  const known =
    error.kind === "state_missing"
      ? error.kind
      : error.kind === "unknown_block"
        ? "block_missing"
        : "refused";
  return new ChainFault(known, error.message, { cause: error });
}

const RATE =
  /rate.?limit|too many (?:requests|connections)|requests? (?:per|\/) ?second|request(?:s)? limit|request count exceeded|throughput|capacity|credits|quota|compute units|exceeded.*(?:plan|allowance)|call rate/i;
const LAGGING =
  /unknown block|block not found|header (?:for hash )?not found|cannot find block|could not find block|no block|cannot query unfinalized data|beyond (?:the )?(?:current )?head|block .*(?:not (?:yet )?(?:available|imported|known))|invalid block (?:range|hash)|block hash .* not found|after last accepted|resource not found|block is out of range/i;
const PRUNED =
  /missing trie node|state (?:is )?(?:not|un)available|historical state|no historical|state .*(?:pruned|not found|is not available)|pruned|archive|maximum proof window|old data not available|required historical|state recreation|too old/i;
/** How the EVM ends a call by the contract's own doing, in the words of the clients. Whatever else fails is not the contract's word. */
const REVERTED =
  /\bexecution reverted\b|\bVM Exception while processing transaction: (?:revert|invalid opcode|out of gas)|^(?:err: |EVM error:? ?|transaction )?(?:revert(?:ed)?\b|\w+OOG\b|OutOf(?:Offset|Funds)|CallTooDeep|out ?of ?gas|invalid ?opcode|opcode 0x[0-9a-f]+ not defined|stack ?(?:under|over)flow|invalid ?jump|bad ?instruction|write protection|return data out of bounds|gas uint64 overflow|InvalidFEOpcode|OpcodeNotFound|StateChangeDuringStaticCall)/i;
/** Nethermind's (and OpenEthereum's) code of an execution that failed; what it came to stands in `data`. */
const EXECUTION_CODE = -32015;
const ABORTED = /execution (?:aborted|timeout|timed out)|time ?out|timed out|took too long/i;
const TOO_BIG =
  /range|results?|response|too (?:wide|large|big|many|high|long)|(?:larg|bigg|great)er than|exceed|limit|maximum|distance|timeout|timed out|reduc|more than|max /i;
const TOO_BIG_ANSWER =
  /response (?:size )?(?:is )?too (?:big|large)|response.*(?:exceed|larger)|batch.*(?:too|exceed|limit|max)/i;

const TOO_MANY_ADDRESSES =
  /(?:max(?:imum)?|too many|exceed\w*|limit\w*|only)[^.]{0,40}\baddresses\b|\baddresses\b[^.]{0,60}(?:allowed|max|limit|exceed|at most)/i;
/** Said of a range by providers who sell larger ones: no matter of how often one asks. */
const RANGE_OF_PLAN =
  /block.?range|range of blocks|(?:max\w*|exceed\w*|limit\w*)[^.]{0,40}\b(?:range|blocks)\b|\brange\b[^.]{0,40}(?:limit|exceed|too|allowed|larger|max)/i;

function kindOf(method: string, code: number | null, message: string, data: unknown): RpcErrorKind {
  // First of all: what follows these words is the contract's to choose.
  if (method === "eth_call" && isRevert(code, message, data)) return "reverted";
  if (method === "eth_getLogs") {
    if (TOO_MANY_ADDRESSES.test(message)) return "too_many_addresses";
    if (RANGE_OF_PLAN.test(message) && !LAGGING.test(message)) return "too_big";
  }
  if (code === 429 || code === -32007 || RATE.test(message)) return "rate_limited";
  if (code === -32601 || /method (?:.* )?(?:not|does not|is not|unsupported)/i.test(message))
    return "unsupported";
  if (method === "eth_getLogs") {
    if (LAGGING.test(message)) return "unknown_block";
    if (/pruned|history has been|old data/i.test(message)) return "state_missing";
    if (code === -32005 || code === 35 || TOO_BIG.test(message)) return "too_big";
  }
  if (PRUNED.test(message)) return "state_missing";
  // anvil says the same of a block that it has dropped the state of and of one that it does not have yet.
  const [, height, requested] = /block height is (\d+) but requested was (\d+)/.exec(message) ?? [];
  if (height !== undefined) return Number(requested) <= Number(height) ? "state_missing" : "unknown_block";
  if (LAGGING.test(message)) return "unknown_block";
  if (TOO_BIG_ANSWER.test(message)) return "too_big";
  if (method === "eth_call" && ABORTED.test(message)) return "timeout";
  if (code === -32005) return "rate_limited";
  if (code === -32602 || code === -32600 || /invalid (?:argument|param)|cannot unmarshal/i.test(message))
    return "invalid";
  return "server";
}

function isRevert(code: number | null, message: string, data: unknown): boolean {
  if (code === 3 || REVERTED.test(message)) return true;
  if (code !== EXECUTION_CODE || typeof data !== "string") return false;
  return /^(?:Reverted )?0x(?:[0-9a-f]{2})*$|^revert/i.test(data) || REVERTED.test(data);
}
