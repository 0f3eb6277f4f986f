// Submitting a function that waits in a timelock, of a Morpho Vault V2 or of an adapter with timelocks of its own: one action for each function,
// with its own parameters, how long it waits, and what it would come to.
import { type AbiFunction, type Address, type Hex, toFunctionSelector, zeroAddress } from "viem";
import type {
  Action,
  ActionContext,
  ActionFunction,
  Parameter,
  ParameterKind,
  Precondition,
} from "../family/action.ts";
import { action, callOf, fn, given, must } from "../family/action-call.ts";
import type { CallTable } from "../family/call.ts";
import { toSeconds, ViewBatch } from "../family/view.ts";
import { ADAPTER_FUNCTIONS, VAULT_FUNCTIONS, waitsLike } from "./functions.ts";
import { VAULT_VIEWS } from "./views.ts";

const WAD = 10n ** 18n;
const MOST_MANAGEMENT_PER_SECOND = (5n * WAD) / 100n / (365n * 86_400n);

/** By the name of a function's parameter: how it is asked for. */
const KINDS: Readonly<Record<string, [ParameterKind, string, string?]>> = {
  selector: ["choice", "Function"],
  newDuration: ["seconds", "New wait"],
  account: ["address", "Account"],
  newIsAllocator: ["boolean", "Is an allocator"],
  newPerformanceFee: ["fraction", "Performance fee", "× 10^18: 10^17 is 10 %."],
  newManagementFee: ["fraction", "Management fee", "For each second, × 10^18."],
  newForceDeallocatePenalty: ["fraction", "Penalty", "× 10^18."],
  newAbsoluteCap: ["assets", "New cap"],
  newRelativeCap: ["fraction", "New cap", "Of the total assets, × 10^18."],
  idData: ["bytes", "Data of the id", "The bytes whose hash is the id of the cap."],
  marketId: ["bytes32", "Market"],
  adapter: ["address", "Adapter"],
};

const TITLES: Readonly<Record<string, string>> = {
  increaseTimelock: "a longer wait of a function",
  decreaseTimelock: "a shorter wait of a function",
  abdicate: "giving a function up for good",
  setIsAllocator: "who is an allocator",
  setReceiveSharesGate: "the gate of those who receive shares",
  setSendSharesGate: "the gate of those who send shares",
  setReceiveAssetsGate: "the gate of those who receive assets",
  setSendAssetsGate: "the gate of those who send assets",
  setAdapterRegistry: "another registry of adapters",
  addAdapter: "another adapter",
  removeAdapter: "the removal of an adapter",
  setPerformanceFee: "another performance fee",
  setManagementFee: "another management fee",
  setPerformanceFeeRecipient: "another recipient of the performance fee",
  setManagementFeeRecipient: "another recipient of the management fee",
  increaseAbsoluteCap: "a higher absolute cap",
  increaseRelativeCap: "a higher relative cap",
  setForceDeallocatePenalty: "another penalty on leaving an adapter",
  setSkimRecipient: "another recipient of what is skimmed",
  burnShares: "the burning of a market's shares",
};

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const signatureOf = ({ name, inputs }: AbiFunction) =>
  `${name}(${inputs.map((input) => `${input.type} ${input.name}`).join(", ")})`;

/** What is executed in the end, for whoever shows such a call. */
export const WAITING_FUNCTIONS: readonly ActionFunction[] = [
  ...functionsOf("vault", VAULT_FUNCTIONS),
  ...functionsOf("adapter", ADAPTER_FUNCTIONS),
];

function functionsOf(contract: "vault" | "adapter", table: CallTable): ActionFunction[] {
  return [...table.values()].map((abi) =>
    fn(
      contract,
      signatureOf(abi),
      Object.fromEntries(
        abi.inputs.map((input) => {
          const [kind, label] = kindOf(input.name!, input.type);
          return [input.name!, { label, kind: kind === "choice" ? ("bytes4" as const) : kind }];
        }),
      ),
    ),
  );
}

export const SUBMIT_ACTIONS: readonly Action[] = [
  ...[...VAULT_FUNCTIONS.values()].map((abi) => submitAction(abi, "vault")),
  ...[...ADAPTER_FUNCTIONS.values()].map((abi) => submitAction(abi, "adapter")),
];

function submitAction(abi: AbiFunction, contract: "vault" | "adapter"): Action {
  const isOfAdapter = contract === "adapter";
  const table = isOfAdapter ? ADAPTER_FUNCTIONS : VAULT_FUNCTIONS;
  const target: Record<string, Parameter> = isOfAdapter
    ? { of_adapter: { kind: "address", title: "Adapter", description: "Whose function it is." } }
    : {};
  const own = Object.fromEntries(
    abi.inputs.map((input) => [snake(input.name!), parameterOf(input.name!, input.type, table)]),
  );
  const what = TITLES[abi.name] ?? abi.name;
  const isOfAnyWait = abi.name === "decreaseTimelock";
  return action({
    name: isOfAdapter ? `submit_adapter_${snake(abi.name)}` : `submit_${snake(abi.name)}`,
    title: isOfAdapter ? `Submit to an adapter ${what}` : `Submit ${what}`,
    description: "Anybody can execute it once it has waited; until then it can be revoked.",
    who: ["curator"],
    parameters: { ...target, ...own },
    functions: [fn(contract, "submit(bytes data)", { data: { label: "Call", kind: "bytes" } })],
    isTimelocked: true,
    ...(isOfAdapter || isOfAnyWait
      ? {}
      : {
          delaySeconds: async (context) => {
            const batch = new ViewBatch();
            const delay = batch.add(context.vault.address, VAULT_VIEWS.timelock, toFunctionSelector(abi));
            await batch.run(context, context.block);
            return toSeconds(delay());
          },
        }),
    plan: async (context) => {
      const to = isOfAdapter ? given<Address>(context, "of_adapter") : context.vault.address;
      const call = callOf(
        to,
        signatureOf(abi),
        abi.inputs.map((input) => argumentOf(context, input.name!, table)),
      );
      const selector = call.data.slice(0, 10) as Hex;
      const batch = new ViewBatch();
      const delay = batch.add(to, VAULT_VIEWS.timelock, waitsLike(call.data));
      const isAbdicated = batch.add(to, VAULT_VIEWS.abdicated, selector);
      const due = batch.add(to, VAULT_VIEWS.executableAt, call.data);
      await batch.run(context, context.block);
      const seconds = toSeconds(delay());
      return {
        calls: [callOf(to, "submit(bytes data)", [call.data])],
        preconditions: [
          ...(isOfAdapter ? [isAdapter(context, to)] : []),
          must(
            isAbdicated() !== true,
            "The function is not given up.",
            "The function was given up (abdicated): what is submitted of it can never be executed.",
          ),
          must((due() ?? 0n) === 0n, "The same call does not wait already.", "The same call waits already."),
          ...valuesHold(context, abi.name),
        ],
        ...(seconds === null ? {} : { execution: { calls: [call], delaySeconds: seconds, from: null } }),
      };
    },
  });
}

function kindOf(name: string, type: string): [ParameterKind, string, string?] {
  const known = KINDS[name];
  if (known) return known;
  return [type === "address" ? "address" : type === "bool" ? "boolean" : "integer", wordsOf(name)];
}

/** `newReceiveSharesGate` → "New receive shares gate". */
function wordsOf(name: string): string {
  const words = snake(name).replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function parameterOf(name: string, type: string, table: CallTable): Parameter {
  const [kind, title, description] = kindOf(name, type);
  return {
    kind,
    title,
    ...(description === undefined ? {} : { description }),
    ...(kind === "choice" ? { choices: [...table.values()].map((abi) => abi.name) } : {}),
  };
}

function argumentOf(context: ActionContext, name: string, table: CallTable): unknown {
  const value = context.parameters[snake(name)];
  if (name !== "selector") return value;
  return [...table].find(([, abi]) => abi.name === value)![0];
}

function isAdapter({ reading, tracked }: ActionContext, to: Address): Precondition {
  const isOne =
    reading.allocations.some(({ address }) => address === to) || tracked.contract?.has(to) === true;
  return must(isOne, `${to} is an adapter of the vault.`, `${to} is no adapter of the vault.`);
}

/** What the contract will ask when it executes the call, as far as it can be told now. */
function valuesHold(context: ActionContext, name: string): Precondition[] {
  const number = (parameter: string) => BigInt(given(context, parameter));
  const { reading } = context;
  const isKnownAdapter = () =>
    reading.allocations.some(
      ({ kind, address }) => kind === "adapter" && address === given(context, "account"),
    );
  switch (name) {
    case "setPerformanceFee":
      return [
        must(
          number("new_performance_fee") <= WAD / 2n,
          "The fee is at most 50 %.",
          "The performance fee may be at most 50 %.",
        ),
        must(
          number("new_performance_fee") === 0n || isSomebody(reading.feeRates?.performanceFeeRecipient),
          "Somebody receives it.",
          "A fee needs a recipient: submit one first.",
        ),
      ];
    case "setManagementFee":
      return [
        must(
          number("new_management_fee") <= MOST_MANAGEMENT_PER_SECOND,
          "The fee is at most 5 % a year.",
          `The management fee may be at most 5 % a year: ${MOST_MANAGEMENT_PER_SECOND} for each second, × 10^18.`,
        ),
        must(
          number("new_management_fee") === 0n || isSomebody(reading.feeRates?.managementFeeRecipient),
          "Somebody receives it.",
          "A fee needs a recipient: submit one first.",
        ),
      ];
    case "setForceDeallocatePenalty":
      return [
        must(
          number("new_force_deallocate_penalty") <= WAD / 50n,
          "The penalty is at most 2 %.",
          "The penalty may be at most 2 %.",
        ),
      ];
    case "increaseRelativeCap":
      return [
        must(
          number("new_relative_cap") <= WAD,
          "The cap is at most 1.",
          "A relative cap may be at most 1 (10^18).",
        ),
      ];
    case "increaseAbsoluteCap":
      return [
        must(
          number("new_absolute_cap") < 2n ** 128n,
          "The cap fits.",
          "An absolute cap may be at most 2^128 - 1, which stands for none.",
        ),
      ];
    case "addAdapter":
      return [must(!isKnownAdapter(), "It is no adapter yet.", "It is an adapter of the vault already.")];
    case "removeAdapter":
      return [must(isKnownAdapter(), "It is an adapter.", "It is no adapter of the vault.")];
    default:
      return [];
  }
}

function isSomebody(account: Address | null | undefined): boolean {
  return account !== null && account !== undefined && account !== zeroAddress;
}
