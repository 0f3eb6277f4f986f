// ERC-7730 descriptors (v2): from the table of actions, how a wallet shows what is signed. They name no deployment: whoever publishes one for a
// contract includes the file of its kind and says where the contract stands, and for which token.
import { type AbiFunction, type AbiParameter, parseAbiItem } from "viem";
import type { ActionFunction, ParameterKind } from "../../../chain/families/family/action.ts";

export interface DescribedAction {
  title: string;
  functions: readonly ActionFunction[];
}

export interface Field {
  path: string;
  label: string;
  format: "raw" | "addressName" | "tokenAmount" | "duration" | "unit";
  params?: Record<string, string | number | readonly string[]>;
  visible: "always";
}

export interface Descriptor {
  $schema: string;
  context: { contract: Record<string, never> };
  metadata: { contractName: string; constants: Record<string, string> };
  display: { formats: Record<string, { intent: string; fields: Field[] }> };
}

const SCHEMA = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";
const UNDERLYING = "$.metadata.constants.underlyingToken";
/** As in the registry's own files: to be set where the file is included. */
const UNSET = "0x0";

/** One for each kind of contract that the actions call, by kind. */
export function descriptorsOf(
  name: string,
  actions: readonly DescribedAction[],
): Map<ActionFunction["contract"], Descriptor> {
  const called = actions.flatMap(({ title, functions }) => functions.map((each) => ({ title, ...each })));
  return new Map(
    [...Map.groupBy(called, ({ contract }) => contract)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([contract, functions]) => [contract, descriptorOf(`${name} ${contract}`, contract, functions)]),
  );
}

/** A function that one action alone calls, and that is the only one it calls there, means what the action means; others tell their own name. */
function descriptorOf(
  contractName: string,
  contract: ActionFunction["contract"],
  functions: readonly (ActionFunction & { title: string })[],
): Descriptor {
  const signaturesOf = (title: string) =>
    new Set(functions.filter((each) => each.title === title).map(({ signature }) => signature));
  const bySignature = [...Map.groupBy(functions, ({ signature }) => signature)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const formats = Object.fromEntries(
    bySignature.map(([signature, uses]) => {
      const abi = parseAbiItem(`function ${signature}`) as AbiFunction;
      const [title, ...others] = new Set(uses.map((use) => use.title));
      const isItsOwn = others.length === 0 && signaturesOf(title!).size === 1;
      const labelled = Object.assign({}, ...uses.map(({ fields }) => fields)) as ActionFunction["fields"];
      const intent = isItsOwn ? title! : words(abi.name);
      return [signature, { intent, fields: fieldsOf(contract, abi.inputs, labelled) }];
    }),
  );
  const needsToken = JSON.stringify(formats).includes(UNDERLYING);
  return {
    $schema: SCHEMA,
    context: { contract: {} },
    metadata: { contractName, constants: needsToken ? { underlyingToken: UNSET } : {} },
    display: { formats },
  };
}

function fieldsOf(
  contract: ActionFunction["contract"],
  inputs: readonly AbiParameter[],
  labelled: ActionFunction["fields"],
  within = "",
): Field[] {
  return inputs.flatMap((input): Field[] => {
    const name = input.name ?? "";
    const path = `${within}${name}${input.type.includes("[") ? ".[]" : ""}`;
    if ("components" in input) return fieldsOf(contract, input.components, labelled, `${path}.`);
    const own = labelled[name];
    const kind = own?.kind === undefined || own.kind === "list" ? kindOf(input.type) : own.kind;
    return [{ path, label: own?.label ?? words(name), ...shown(kind, contract), visible: "always" }];
  });
}

function kindOf(type: string): ParameterKind {
  return type.startsWith("address") ? "address" : "integer";
}

function shown(kind: ParameterKind, contract: ActionFunction["contract"]): Pick<Field, "format" | "params"> {
  switch (kind) {
    case "address":
      return { format: "addressName", params: { types: ["eoa", "contract"] } };
    case "assets":
      return { format: "tokenAmount", params: { token: UNDERLYING } };
    case "shares":
      // Elsewhere nothing says of which token.
      return contract === "vault"
        ? { format: "tokenAmount", params: { tokenPath: "@.to" } }
        : { format: "raw" };
    case "bps":
      return { format: "unit", params: { base: "%", decimals: 2 } };
    case "fraction":
      return { format: "unit", params: { base: "%", decimals: 16 } };
    case "seconds":
      return { format: "duration" };
    default:
      return { format: "raw" };
  }
}

/** `newManager` as people read it: `New manager`. */
function words(name: string): string {
  const text = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
