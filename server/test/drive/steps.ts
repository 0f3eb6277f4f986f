// Steps of a drive through the governance of a vault: one transaction each, with who sends it and the entries that it has to give.
import {
  type Abi,
  type AbiFunction,
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  zeroAddress,
} from "viem";
import { accountAddress, addressOf } from "../../../demo/src/accounts.ts";
import { artifactOf } from "../../../demo/src/compile.ts";
import { type CuratedFamily, type EveryFamily, KEEPER, OWNER } from "../simulation/every-family.ts";

export const DAY = 86_400;
export const DEPOSITOR = accountAddress(10);
export const CURATOR = accountAddress(12);
export const ALLOCATOR = accountAddress(13);
/** Sentinel of Morpho Vault V2, guardian of the curated vaults. */
export const GUARD = accountAddress(14);
export const STRANGER = accountAddress(15);
export const RECIPIENT = accountAddress(16);
export const VALUER = addressOf("ppsKeeper");
export const COUNCIL = addressOf("formerManager");
export const WHITELISTER = addressOf("otherManager");
export const TREASURY = addressOf("deployer");

/** Everybody who may come to hold a role. */
export const PEOPLE = [
  OWNER,
  KEEPER,
  CURATOR,
  ALLOCATOR,
  GUARD,
  STRANGER,
  RECIPIENT,
  VALUER,
  COUNCIL,
  WHITELISTER,
  addressOf("feeRecipient"),
];

/** An entry: its action, what its details hold among others, and who acted where that is not the sender. */
export type Gives = readonly [action: string, details?: Readonly<Record<string, unknown>>, actor?: Address];

export interface Step {
  /** By name, for its ABI. */
  contract: string;
  address: Address;
  call: string;
  args: readonly unknown[];
  /** The Safe has its first owner send it. */
  by: Address;
  /** Seconds that pass before it. */
  after: number;
  gives: readonly Gives[];
}

export interface Drive {
  steps: Step[];
  /** By contract the functions that are no governance: what holders and anybody do with their own. */
  holders: Readonly<Record<string, readonly string[]>>;
}

type Call = readonly [call: string, ...args: unknown[]];

/** Collects steps on one contract. */
export class Steps {
  readonly steps: Step[];
  readonly #on: Pick<Step, "contract" | "address">;
  #after = 0;

  constructor(contract: string, address: Address, steps: Step[] = []) {
    this.#on = { contract, address };
    this.steps = steps;
  }

  /** The same list of steps, on another contract. */
  on(contract: string, address: Address): Steps {
    return new Steps(contract, address, this.steps);
  }

  after(seconds: number): this {
    this.#after = seconds;
    return this;
  }

  do(by: Address, [call, ...args]: Call, ...gives: readonly Gives[]): this {
    this.steps.push({ ...this.#on, call, args, by, after: this.#after, gives });
    this.#after = 0;
    return this;
  }
}

export function abiOf({ chain }: EveryFamily, contract: string): Abi {
  return artifactOf(chain.artifacts, contract).abi;
}

export function dataOf(world: EveryFamily, contract: string, [call, ...args]: Call): Hex {
  return encodeFunctionData({ abi: abiOf(world, contract), functionName: call, args });
}

export function selectorOf(world: EveryFamily, contract: string, call: Call): Hex {
  return dataOf(world, contract, call).slice(0, 10) as Hex;
}

/** A call as the log tells it: its function, its arguments by name. */
export function told(world: EveryFamily, contract: string, address: Address, call: Call) {
  const [name, ...args] = call;
  const abi = abiOf(world, contract);
  const { inputs } = abi.find((each) => each.type === "function" && each.name === name) as AbiFunction;
  return {
    target: address,
    function: name,
    arguments: Object.fromEntries(inputs.map((input, index) => [input.name, jsonOf(args[index])])),
    calldata: dataOf(world, contract, call),
  };
}

/** What the bytes of a call say; null where they are no call of that contract. */
export function decoded(world: EveryFamily, contract: string, data: Hex) {
  const abi = abiOf(world, contract);
  try {
    const { functionName: name, args = [] } = decodeFunctionData({ abi, data });
    return { name, args, named: told(world, contract, zeroAddress, [name, ...args]).arguments };
  } catch {
    return null;
  }
}

/** The functions of a step's several calls in one. */
export function innerOf(world: EveryFamily, { contract, args }: Step): string[] {
  return (args[0] as readonly Hex[]).flatMap((data) => {
    const call = decoded(world, contract, data);
    return call ? [`${call.name}/${call.args.length}`] : [];
  });
}

export function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonOf(each)]));
}

/** Each function that can change something, by its name and number of arguments. */
export function functionsOf(abi: Abi): string[] {
  return abi.flatMap((each) =>
    each.type === "function" && each.stateMutability !== "view" && each.stateMutability !== "pure"
      ? [`${each.name}/${each.inputs.length}`]
      : [],
  );
}

export type DriveOf = (world: EveryFamily, family: CuratedFamily) => Drive;
export const ERC20 = ["transfer/2", "transferFrom/3", "approve/2"];
export const ERC4626 = ["deposit/2", "mint/2", "withdraw/3", "redeem/3"];
