// What a Safe was made to do, from the transaction that made it: the arguments of `execTransaction`, MultiSend taken apart, a Safe within a
// Safe followed. No log of a Safe tells it but those of its L2 singletons; where neither does, it is not known.
//
// What is read here was written by whoever sent the transaction: what does not fit is left as one call with its bytes.
import { type Address, decodeFunctionData, type Hex, hexToBigInt, parseAbi, size, slice } from "viem";
import { toAddress } from "../address.ts";
import { MULTI_SENDS } from "./safe-deployments.ts";

export interface InnerCall {
  to: Address;
  value: string;
  data: Hex;
  /** 1: a delegatecall, which runs the target's code as the Safe's own. */
  operation: 0 | 1;
}

export interface SafeExecution extends InnerCall {
  safe: Address;
}

const EXECUTE = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
]);
const MULTI_SEND = parseAbi(["function multiSend(bytes transactions)"]);
/** A Safe that executes a Safe that executes a Safe …: so many are followed. */
const MOST_NESTED = 8;
/** Calls taken from one MultiSend at most. */
const MOST_CALLS = 256;
/** Operation, target, value and length of data before the data itself. */
const PACKED_HEAD = 1 + 20 + 32 + 32;

/** Every execution of a Safe that a call makes, in the order in which they begin. */
export function executionsIn(
  call: { to: Address; data: Hex },
  isSafe: (address: Address) => boolean,
  depth = 0,
): SafeExecution[] {
  if (depth > MOST_NESTED) return [];
  const own = isSafe(call.to) ? executionOf(call.to, call.data) : null;
  if (own === null) return [];
  return [own, ...innerCalls(own).flatMap((inner) => executionsIn(inner, isSafe, depth + 1))];
}

function executionOf(safe: Address, data: Hex): SafeExecution | null {
  const args = argumentsOf(EXECUTE, data);
  if (args === null || Number(args[3]) > 1) return null;
  return { safe, to: args[0], value: args[1].toString(), data: args[2], operation: args[3] === 1 ? 1 : 0 };
}

/** The calls of an execution: those in a MultiSend one by one, else the one that it is. */
export function innerCalls(execution: InnerCall): InnerCall[] {
  const { to, value, data, operation } = execution;
  const own: InnerCall = { to, value, data, operation };
  if (operation !== 1 || !MULTI_SENDS.has(to)) return [own];
  const packed = argumentsOf(MULTI_SEND, data)?.[0];
  return (packed && unpack(packed)) ?? [own];
}

/** null for what MultiSend would not take apart to the end. */
function unpack(packed: Hex): InnerCall[] | null {
  const calls: InnerCall[] = [];
  const end = size(packed);
  for (let at = 0; at < end; ) {
    if (at + PACKED_HEAD > end || calls.length === MOST_CALLS) return null;
    const operation = hexToBigInt(slice(packed, at, at + 1));
    const length = hexToBigInt(slice(packed, at + 53, at + PACKED_HEAD));
    const from = at + PACKED_HEAD;
    if (operation > 1n || length > BigInt(end - from)) return null;
    const to = from + Number(length);
    calls.push({
      operation: operation === 1n ? 1 : 0,
      to: toAddress(slice(packed, at + 1, at + 21).toLowerCase()),
      value: hexToBigInt(slice(packed, at + 21, at + 53)).toString(),
      data: length === 0n ? "0x" : slice(packed, from, to),
    });
    at = to;
  }
  return calls.length === 0 ? null : calls;
}

function argumentsOf<const A extends typeof EXECUTE | typeof MULTI_SEND>(abi: A, data: Hex) {
  try {
    return decodeFunctionData({ abi, data }).args as A extends typeof EXECUTE
      ? readonly [Address, bigint, Hex, number, ...unknown[]]
      : readonly [Hex];
  } catch {
    return null;
  }
}
