// Whether it was the one for whom an action was prepared who made its calls in a transaction. Pure.
//
// Guarantee: the same calls from another sender count for nothing. What the transaction's input holds was written by whoever sent it, and logs
// may be emitted by anyone: so nothing is concluded from one of them alone. A Safe is believed for the transaction whose hash it says it has
// executed, a timelock for the call that it says, an account of ERC-4337 by a known EntryPoint, a module by the Safe that let it in, and a
// wallet for what it sent itself.
import { type Address, decodeFunctionData, type Hex, parseAbi, toEventSelector } from "viem";
import { ENTRY_POINTS } from "../../../chain/client/user-operations.ts";
import { actingIn } from "../../../chain/controllers/acting.ts";
import { safeEvent, timelockEvent } from "../../../chain/controllers/events.ts";
import { type InnerCall, innerCalls } from "../../../chain/controllers/executions.ts";
import type { RawLog, TxSummary } from "../../../chain/rpc/raw.ts";
import {
  anySafeHashesOf,
  type SafePlace,
  type SafeRefund,
  type SafeTransaction,
} from "../formats/safe-transaction.ts";
import type { FollowedAction, FollowedCall } from "./followed.ts";

export interface Witness {
  transaction: TxSummary;
  /** All of the transaction's, in order. */
  logs: readonly RawLog[];
  /** Of the Safe for which the action was prepared, after the transaction's block; null where it was not asked for. */
  nonceAfter: bigint | null;
}

/** Where in the transaction it acted: events of what it did stand between these logs. */
export interface Acted {
  after: number;
  before: number;
  /** The calls themselves were proven, and not only found in the input. */
  isExact: boolean;
}

const EXECUTE = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
]);
const MULTICALL = parseAbi(["function multicall(bytes[] data)"]);
const BEGINS = toEventSelector("BeforeExecution()");
const ENTRIES: ReadonlySet<string> = new Set(ENTRY_POINTS.map((address) => address.toLowerCase()));
const EXECUTE_SELECTOR = "6a761202";
/** Transactions of one Safe in one block that are told apart by their nonce. */
const MOST_NONCES = 16n;
/** Places in an input that look like a call of a Safe. */
const MOST_PLACES = 64;

/** Every stretch of the transaction in which it made these calls. */
export function actedIn(action: FollowedAction, witness: Witness): Acted[] {
  const { transaction, logs } = witness;
  const { calls, from, fromKind } = action;
  if (calls.length === 0) return [];
  const isInInput = containsAll(transaction.input, transaction.to, calls);
  const whole = { after: -1, before: Number.POSITIVE_INFINITY };
  const found: Acted[] = [];
  // What it sent itself, to whatever; and what was sent to a contract that answers for itself who may use it.
  const isSentTo = fromKind !== "safe" && transaction.to === from;
  if (isInInput && (transaction.from === from || isSentTo))
    found.push({ ...whole, isExact: isTheCall(transaction, calls) });
  if (isInInput) found.push(...operations(from, logs), ...modules(from, logs));
  // These prove themselves, whatever is known of the sender.
  found.push(...safeExecutions(action, witness), ...timelockExecutions(from, calls, logs));
  return found;
}

function isTheCall({ to, input }: TxSummary, [call, ...others]: readonly FollowedCall[]): boolean {
  return others.length === 0 && to === call!.target && input.toLowerCase() === call!.data;
}

/** Each call's data, one after the other and none within another, with its target's address somewhere unless it is the target itself. */
function containsAll(input: Hex, to: Address | null, calls: readonly FollowedCall[]): boolean {
  const text = input.toLowerCase();
  const ends = new Map<string, number>();
  return calls.every(({ data, target }) => {
    if (target !== to && !text.includes(target.slice(2).toLowerCase())) return false;
    const at = indexOfBytes(text, data.slice(2), ends.get(data) ?? 2);
    ends.set(data, at + data.length - 2);
    return at >= 0;
  });
}

function indexOfBytes(text: string, digits: string, from: number): number {
  let at = text.indexOf(digits, from);
  while (at >= 0 && at % 2 !== 0) at = text.indexOf(digits, at + 1);
  return at;
}

/**
 * Operations of ERC-4337 that ran for it: each between the end of the one before and its own, and after its EntryPoint said that it begins to
 * execute, since whoever bundles may do something of his own before.
 */
function operations(from: Address, logs: readonly RawLog[]): Acted[] {
  const all = actingIn(logs).filter(({ kind }) => kind === "operation");
  const begins = logs.filter(({ address, topics }) => ENTRIES.has(address) && topics[0] === BEGINS);
  return all.flatMap(({ wallet, logIndex }, index) => {
    if (wallet !== from) return [];
    const begin = begins.findLast((each) => each.logIndex < logIndex)?.logIndex ?? -1;
    return [{ after: Math.max(begin, all[index - 1]?.logIndex ?? -1), before: logIndex, isExact: false }];
  });
}

/** What a module made the Safe do: after whatever was the last to act before. */
function modules(from: Address, logs: readonly RawLog[]): Acted[] {
  const safe = from.toLowerCase();
  const ends = actingIn(logs);
  return logs
    .filter((log) => log.address === safe && safeEvent(log)?.name === "ExecutionFromModuleSuccess")
    .map(({ logIndex }) => ({
      after: ends.findLast((end) => end.logIndex < logIndex)?.logIndex ?? -1,
      before: logIndex,
      isExact: false,
    }));
}

/** Transactions of the Safe that its owners signed: found anywhere in the input, and held against the hash that the Safe says it executed. */
function safeExecutions(action: FollowedAction, { transaction, logs, nonceAfter }: Witness): Acted[] {
  const { from: safe, chainId, calls } = action;
  const executed = new Map<Hex, number>();
  for (const log of logs) {
    const event = log.address === safe.toLowerCase() ? safeEvent(log) : null;
    if (event?.name === "ExecutionSuccess") executed.set(event.values[0], log.logIndex);
  }
  if (executed.size === 0) return [];
  const nonces = new Set([
    ...(action.safeNonce === null ? [] : [action.safeNonce]),
    ...noncesBefore(nonceAfter),
  ]);
  return executionsOf(transaction).flatMap((execution) => {
    const made = makesAll(execution, calls);
    if (made === null) return [];
    for (const nonce of nonces)
      for (const safeTxHash of hashesOf(execution, { chainId, safe }, nonce)) {
        const before = executed.get(safeTxHash);
        if (before !== undefined) return [{ after: -1, before, isExact: made === "exact" }];
      }
    return [];
  });
}

function noncesBefore(nonceAfter: bigint | null): bigint[] {
  if (nonceAfter === null) return [];
  const first = nonceAfter > MOST_NONCES ? nonceAfter - MOST_NONCES : 0n;
  return Array.from({ length: Number(nonceAfter - first) }, (_, index) => nonceAfter - 1n - BigInt(index));
}

/** Its data is in lower case. */
interface MadeCall extends InnerCall {
  /** The calls that it makes to its own contract. */
  handedOn: readonly Hex[];
}

interface Execution {
  transaction: Omit<SafeTransaction, "nonce"> & SafeRefund;
  inner: readonly MadeCall[];
  /** By chain, Safe and nonce. */
  hashes: Map<string, Hex[]>;
}

/** A transaction is held against very many actions: what its input says is worked out once. */
const executionsOfTransactions = new WeakMap<TxSummary, Execution[]>();

function executionsOf(transaction: TxSummary): Execution[] {
  const known = executionsOfTransactions.get(transaction);
  if (known) return known;
  const found = executionsIn(transaction.input);
  executionsOfTransactions.set(transaction, found);
  return found;
}

function hashesOf({ transaction, hashes }: Execution, place: SafePlace, nonce: bigint): Hex[] {
  const key = `${place.chainId}:${place.safe}:${nonce}`;
  const known = hashes.get(key);
  if (known) return known;
  const found = anySafeHashesOf(place, { ...transaction, nonce }).map(({ safeTxHash }) => safeTxHash);
  hashes.set(key, found);
  return found;
}

function executionsIn(input: Hex): Execution[] {
  const found: Execution[] = [];
  const text = input.toLowerCase();
  let at = indexOfBytes(text, EXECUTE_SELECTOR, 2);
  for (let places = 0; at >= 0 && places < MOST_PLACES; places += 1) {
    const args = argumentsAt(text, at);
    if (args !== null && args[3] <= 1) {
      const [to, value, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver] = args;
      const call = { to, data, operation: operation === 1 ? (1 as const) : (0 as const) };
      found.push({
        transaction: { ...call, value, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver },
        inner: innerCalls({ ...call, value: value.toString() }).map((each) => {
          const lower = each.data.toLowerCase() as Hex;
          return { ...each, data: lower, handedOn: handedOn(lower) };
        }),
        hashes: new Map(),
      });
    }
    at = indexOfBytes(text, EXECUTE_SELECTOR, at + EXECUTE_SELECTOR.length);
  }
  return found;
}

function argumentsAt(text: string, at: number) {
  try {
    return decodeFunctionData({ abi: EXECUTE, data: `0x${text.slice(at)}` }).args;
  } catch {
    return null;
  }
}

/**
 * In that order, each for itself or within a call to the same contract. What such a call does with the bytes is proven of `multicall` alone: the
 * same bytes are handed over to be submitted to a timelock, too.
 */
function makesAll({ inner }: Execution, calls: readonly FollowedCall[]): "exact" | "within" | null {
  let at = 0;
  let isExact = true;
  for (const call of calls) {
    while (at < inner.length && !makes(inner[at]!, call)) at += 1;
    if (at === inner.length) return null;
    const own = inner[at]!;
    if (own.data === call.data) at += 1;
    else isExact &&= own.handedOn.includes(call.data);
  }
  return isExact ? "exact" : "within";
}

function makes(inner: InnerCall, { target, data }: FollowedCall): boolean {
  return inner.operation === 0 && inner.to === target && indexOfBytes(inner.data, data.slice(2), 2) >= 0;
}

/** The calls that a `multicall` makes to its own contract. */
function handedOn(data: Hex): readonly Hex[] {
  try {
    return decodeFunctionData({ abi: MULTICALL, data }).args[0];
  } catch {
    return [];
  }
}

/** A timelock says itself what it called. */
function timelockExecutions(from: Address, calls: readonly FollowedCall[], logs: readonly RawLog[]): Acted[] {
  let before = -1;
  const timelock = from.toLowerCase();
  for (const { target, data } of calls) {
    const log = logs.find((each) => {
      if (each.address !== timelock || each.logIndex <= before) return false;
      const event = timelockEvent(each);
      return (
        event?.name === "CallExecuted" && event.values[2] === target && event.values[4].toLowerCase() === data
      );
    });
    if (log === undefined) return [];
    before = log.logIndex;
  }
  return [{ after: -1, before, isExact: true }];
}
