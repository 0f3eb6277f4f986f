// The file of Safe's Transaction Builder, with the checksum that it looks for when the file is loaded.
//
// The checksum guards against a file that was edited or damaged, not against who wrote it: whoever signs reads the calls.
import { type AbiParameter, type Address, type Hex, keccak256, stringToHex } from "viem";
import type { FormattedCall } from "./call.ts";

interface Input {
  internalType: string;
  name: string;
  type: string;
  components?: Input[];
}

export interface BuilderFile {
  version: "1.0";
  chainId: string;
  /** Unix milliseconds. */
  createdAt: number;
  meta: {
    name: string;
    description: string;
    txBuilderVersion: string;
    createdFromSafeAddress: string;
    createdFromOwnerAddress: string;
    checksum: Hex;
  };
  transactions: {
    to: Address;
    value: string;
    /** What is executed: the builder encodes nothing of its own where data is given. */
    data: Hex;
    contractMethod: { inputs: Input[]; name: string; payable: boolean };
    contractInputsValues: Record<string, string>;
  }[];
}

export interface BuilderInput {
  chainId: number;
  createdAtMs: number;
  name: string;
  description: string;
  /** The Safe that is to load it; null where it is not known. */
  safe: Address | null;
  calls: readonly FormattedCall[];
}

/** The release of the builder whose files these are like. */
const BUILDER_VERSION = "1.18.2";

export function builderFileOf(input: BuilderInput): BuilderFile {
  const { calls, chainId, createdAtMs, name, description, safe } = input;
  const file = {
    version: "1.0" as const,
    chainId: String(chainId),
    createdAt: createdAtMs,
    meta: {
      name,
      description,
      txBuilderVersion: BUILDER_VERSION,
      createdFromSafeAddress: safe ?? "",
      createdFromOwnerAddress: "",
    },
    transactions: calls.map(transactionOf),
  };
  return { ...file, meta: { ...file.meta, checksum: builderChecksum(file) } };
}

function transactionOf(call: FormattedCall): BuilderFile["transactions"][number] {
  const inputs = call.abi.inputs.map(inputOf);
  return {
    to: call.to,
    value: call.value.toString(),
    data: call.data,
    contractMethod: { inputs, name: call.abi.name, payable: call.abi.stateMutability === "payable" },
    contractInputsValues: Object.fromEntries(
      inputs.map(({ name }, index) => [name, shown(call.arguments[index])]),
    ),
  };
}

function inputOf(parameter: AbiParameter, index: number): Input {
  return {
    internalType: parameter.internalType ?? parameter.type,
    name: parameter.name || `value${index}`,
    type: parameter.type,
    ...("components" in parameter && { components: parameter.components.map(inputOf) }),
  };
}

/** Values are strings in the builder: scalars as they are, arrays and structures as JSON. */
function shown(value: unknown): string {
  if (typeof value === "object" && value !== null)
    return JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? each.toString() : each));
  return String(value);
}

/** Of everything but the name, which users may change; `meta` has no checksum yet. */
export function builderChecksum(file: { meta: object; transactions: readonly object[] }): Hex {
  return keccak256(stringToHex(serialized({ ...file, meta: { ...file.meta, name: null } })));
}

/** The builder's own form, not JSON: an object is the list of its keys in order, and then its values, each with a comma behind. */
function serialized(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialized).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).sort();
  const values = keys.map((key) => `${serialized((value as Record<string, unknown>)[key])},`);
  return `{${JSON.stringify(keys)}${values.join("")}}`;
}
