// Calls that events carry as bytes (`Submit`, `CallScheduled`), decoded by a table of the functions that the target's family knows. The bytes
// are whatever somebody submitted: what is no call of the table, or none that the function would take, stays bytes.
import {
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiItem,
  toFunctionSelector,
} from "viem";
import type { DecodedCall, Json } from "../../governance.ts";
import { cleanText, REASON_LENGTH } from "../../text.ts";

/** Functions by selector. */
export type CallTable = ReadonlyMap<string, AbiFunction>;

/** Of signatures with the names of their parameters, e.g. `setIsAllocator(address account, bool newIsAllocator)`. */
export function callTable(signatures: readonly string[]): CallTable {
  return new Map(
    signatures.map((signature) => {
      const abi = parseAbiItem(`function ${signature}`) as AbiFunction;
      return [toFunctionSelector(abi), abi];
    }),
  );
}

export function decodeCall(table: CallTable, target: Address, calldata: Hex): DecodedCall {
  const abi = table.get(calldata.slice(0, 10));
  const values = abi === undefined ? null : argumentsIn(abi.inputs, `0x${calldata.slice(10)}`);
  if (abi === undefined || values === null) return { target, function: null, arguments: null, calldata };
  return { target, function: abi.name, arguments: named(abi.inputs, values), calldata };
}

/** null for what the function would not take. What comes after the arguments, it does not look at. */
function argumentsIn(inputs: readonly AbiParameter[], data: Hex): readonly unknown[] | null {
  if (inputs.length === 0) return [];
  try {
    const values: readonly unknown[] = decodeAbiParameters(inputs, data);
    // A word that is wider than its type makes the call fail. Data of no fixed size may stand anywhere: only what stands in place is held to it.
    return inputs.every(isStatic) && !data.startsWith(encodeAbiParameters(inputs, values)) ? null : values;
  } catch {
    return null;
  }
}

function isStatic(parameter: AbiParameter): boolean {
  const members = membersOf(parameter);
  return !/^(string|bytes)$|\[\]/.test(parameter.type) && members.every(isStatic);
}

function membersOf(parameter: AbiParameter): readonly AbiParameter[] {
  return "components" in parameter ? parameter.components : [];
}

function named(inputs: readonly AbiParameter[], values: readonly unknown[]): Record<string, Json> {
  return Object.fromEntries(
    inputs.map((input, index) => [input.name || String(index), jsonOf(input, values[index])]),
  );
}

/** Integers of every size as decimal strings; text freed of what must not be shown. */
function jsonOf(parameter: AbiParameter, value: unknown): Json {
  const { type } = parameter;
  if (Array.isArray(value) && type.endsWith("]")) {
    const item = { ...parameter, type: type.slice(0, type.lastIndexOf("[")) };
    return value.map((each) => jsonOf(item, each));
  }
  const members = membersOf(parameter);
  // A tuple whose members have no names comes as an array.
  if (members.length > 0)
    return named(
      members,
      Array.isArray(value) ? value : members.map(({ name }) => (value as Record<string, unknown>)[name!]),
    );
  if (typeof value === "bigint" || typeof value === "number") return value.toString();
  return type === "string" ? cleanText(value as string, REASON_LENGTH) : (value as Json);
}
