// The parameters of an action: as JSON Schema, which draws the form, and held against what a client sends. What is taken comes out in one form:
// addresses with their checksum, bytes in lower case, numbers as decimal strings.
import { type Address, getAddress, isAddress } from "viem";
import type { Json } from "../../governance.ts";
import { cleanText } from "../../text.ts";
import type { Parameter, ParameterKind } from "./action.ts";

const MOST_BYTES = 8_192;
const MOST_TEXT = 256;
const MOST_LISTED = 64;
const MOST_NUMBER = 2n ** 256n;

const NUMBER_PATTERN = "^(0|[1-9][0-9]{0,77})$";
const PATTERNS: Readonly<Partial<Record<ParameterKind, string>>> = {
  address: "^0x[0-9a-fA-F]{40}$",
  assets: NUMBER_PATTERN,
  shares: NUMBER_PATTERN,
  integer: NUMBER_PATTERN,
  bps: NUMBER_PATTERN,
  fraction: NUMBER_PATTERN,
  seconds: NUMBER_PATTERN,
  bytes32: "^0x[0-9a-fA-F]{64}$",
  bytes4: "^0x[0-9a-fA-F]{8}$",
  bytes: "^0x([0-9a-fA-F]{2})*$",
};

export function parametersSchema(parameters: Readonly<Record<string, Parameter>>): Record<string, Json> {
  const members = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(members.map(([name, parameter]) => [name, schemaOf(parameter)])),
    required: members.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
}

function schemaOf({ kind, title, description, choices, of }: Parameter): Json {
  return {
    ...typeOf(kind, choices, of),
    title,
    ...(description === undefined ? {} : { description }),
    "x-kind": kind,
  };
}

function typeOf(
  kind: ParameterKind,
  choices: readonly string[] = [],
  of: ParameterKind = "text",
): Record<string, Json> {
  switch (kind) {
    case "boolean":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: choices };
    case "text":
      return { type: "string", minLength: 1, maxLength: MOST_TEXT };
    case "list":
      return { type: "array", maxItems: MOST_LISTED, items: { ...typeOf(of), "x-kind": of } };
    default:
      return {
        type: "string",
        pattern: PATTERNS[kind]!,
        ...(kind === "bytes" ? { maxLength: 2 + 2 * MOST_BYTES } : {}),
      };
  }
}

export interface ParameterFault {
  path: string;
  message: string;
}

export type ReadParameters =
  | { values: Record<string, Json> }
  /** At least one. */
  | { faults: ParameterFault[] };

export function readParameters(
  parameters: Readonly<Record<string, Parameter>>,
  sent: Readonly<Record<string, unknown>>,
): ReadParameters {
  const faults: ParameterFault[] = [];
  const values: Record<string, Json> = {};
  for (const name of Object.keys(sent))
    if (!Object.hasOwn(parameters, name))
      faults.push({
        path: `parameters.${cleanText(name, 64)}`,
        message: "is not a parameter of this action",
      });
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || value === null) {
      if (!parameter.isOptional) faults.push({ path: `parameters.${name}`, message: "is missing" });
      continue;
    }
    const read = readOne(parameter, value);
    if (typeof read === "object" && read !== null && "fault" in read)
      faults.push({ path: `parameters.${name}`, message: read.fault as string });
    else values[name] = read;
  }
  return faults.length > 0 ? { faults } : { values };
}

function readOne(parameter: Pick<Parameter, "kind" | "choices" | "of">, value: unknown): Json {
  const { kind, choices = [], of = "text" } = parameter;
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? value : fault("must be true or false");
    case "choice":
      return choices.includes(value as string)
        ? (value as string)
        : fault(`must be one of ${choices.join(", ")}`);
    case "text":
      return typeof value === "string" && value.length > 0 && value.length <= MOST_TEXT
        ? value
        : fault(`must be a text of at most ${MOST_TEXT} characters`);
    case "list": {
      if (!Array.isArray(value) || value.length > MOST_LISTED)
        return fault(`must be a list of at most ${MOST_LISTED}`);
      const read = value.map((each) => readOne({ kind: of }, each));
      return read.find((each) => typeof each === "object" && each !== null && "fault" in each) ?? read;
    }
    default:
      return typeof value === "string" && new RegExp(PATTERNS[kind]!).test(value)
        ? canonical(kind, value)
        : fault(WORDS[kind] ?? "must be an unsigned whole number as a decimal string, in raw units");
  }
}

const WORDS: Readonly<Partial<Record<ParameterKind, string>>> = {
  address: "must be an address: 0x and 40 hexadecimal digits",
  bytes32: "must be 32 bytes: 0x and 64 hexadecimal digits",
  bytes4: "must be 4 bytes: 0x and 8 hexadecimal digits",
  bytes: "must be bytes: 0x and pairs of hexadecimal digits",
};

function canonical(kind: ParameterKind, value: string): Json {
  if (kind === "address") {
    const isMixed = value !== value.toLowerCase() && value.slice(2) !== value.slice(2).toUpperCase();
    if (isMixed && !isAddress(value, { strict: true }))
      return fault("has a wrong EIP-55 checksum: compare it, or write it in lower case");
    return getAddress(value.toLowerCase() as Address);
  }
  if (kind.startsWith("bytes"))
    return value.length <= 2 + 2 * MOST_BYTES
      ? value.toLowerCase()
      : fault(`must be at most ${MOST_BYTES} bytes`);
  return BigInt(value) < MOST_NUMBER ? value : fault("is more than 256 bits hold");
}

function fault(message: string): Json {
  return { fault: message };
}
