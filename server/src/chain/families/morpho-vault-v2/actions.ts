// What may be done to a Morpho Vault V2: the incident actions (revoke, lower a cap, take assets out), accepting what has waited, and submitting any
// function that waits, of the vault and of its market adapters.
import { type Address, decodeAbiParameters, encodeAbiParameters, type Hex, parseAbiParameters } from "viem";
import type { PendingChange } from "../../reading.ts";
import type { Action, ActionContext, Parameter, Precondition } from "../family/action.ts";
import { action, callOf, fn, given, givenNumber, must, timeText } from "../family/action-call.ts";
import { decodeCall } from "../family/call.ts";
import { capIdOf } from "./cap-ids.ts";
import { FUNCTIONS } from "./functions.ts";
import { SUBMIT_ACTIONS, WAITING_FUNCTIONS } from "./submit-actions.ts";

const CURATION = ["curator", "sentinel"];

const PENDING: Parameter = {
  kind: "text",
  title: "Pending change",
  description: "The `id` of one of the vault's pending changes.",
  waits: "change",
};

const CAP_ID: Parameter = {
  kind: "bytes32",
  title: "Id of the cap",
  description: "The `id` of an allocation, or any id that has had a cap.",
};

export const ACTIONS: readonly Action[] = [
  action({
    name: "revoke",
    title: "Revoke a submitted call",
    description: "It can never be executed then, unless it is submitted again.",
    who: CURATION,
    deRisks: true,
    parameters: { id: PENDING },
    functions: [fn("vault", "revoke(bytes data)", { data: { label: "Call", kind: "bytes" } })],
    plan: async (context) => {
      const pending = pendingOf(context);
      return {
        calls: pending ? [callOf(pending.target, "revoke(bytes data)", [pending.calldata])] : [],
        preconditions: [
          isPending(pending),
          must(
            pending === null || pending.change.revocableBy?.includes(context.from) !== false,
            `${context.from} may revoke it.`,
            `${context.from} may not revoke it.`,
          ),
        ],
      };
    },
  }),
  action({
    name: "accept",
    title: "Execute a submitted call",
    description: "Anybody may, once its time has come.",
    who: [],
    parameters: { id: PENDING },
    functions: WAITING_FUNCTIONS,
    plan: async (context) => {
      const pending = pendingOf(context);
      const dueAt = pending?.change.executableAt ?? null;
      const told = pending && decodeCall(FUNCTIONS, pending.target, pending.calldata);
      return {
        calls: told
          ? [
              {
                to: told.target,
                value: 0n,
                data: told.calldata,
                function: told.function ?? "",
                arguments: told.arguments ?? {},
              },
            ]
          : [],
        preconditions: [
          isPending(pending),
          must(
            pending?.change.isBlocked !== true,
            "Its function is not given up.",
            "Its function was given up (abdicated): it can never be executed.",
          ),
          must(
            pending === null || told?.function != null,
            "It is a call that the contract knows.",
            "What was submitted is no call of the contract's.",
          ),
          must(
            dueAt !== null && dueAt <= context.block.timestamp,
            "Its time has come.",
            dueAt === null
              ? "It is not known when it can be executed."
              : `It can be executed from ${timeText(dueAt)} on.`,
          ),
        ],
      };
    },
  }),
  lowerCap("absolute"),
  lowerCap("relative"),
  action({
    name: "deallocate",
    title: "Take assets out of an adapter",
    description: "They become idle. Of a market, what is not lent out.",
    who: ["allocator", "sentinel"],
    deRisks: true,
    parameters: {
      id: {
        kind: "bytes32",
        title: "Allocation",
        description: "The `id` of an allocation that is an adapter or a market.",
      },
      assets: { kind: "assets", title: "Assets" },
    },
    functions: [
      fn("vault", "deallocate(address adapter, bytes data, uint256 assets)", {
        adapter: { label: "Adapter", kind: "address" },
        assets: { label: "Assets", kind: "assets" },
      }),
    ],
    plan: async (context) => {
      const assets = givenNumber(context, "assets");
      const place = placeOf(context, given(context, "id"));
      const held = context.reading.allocations.find(({ id }) => id === given(context, "id"))?.assets ?? null;
      return {
        calls: place
          ? [
              callOf(context.vault.address, "deallocate(address adapter, bytes data, uint256 assets)", [
                place.adapter,
                place.data,
                assets,
              ]),
            ]
          : [],
        preconditions: [
          must(
            place !== null,
            "It is an adapter or a market of one.",
            "That id names no adapter and no market of one.",
          ),
          must(
            held === null || assets <= held,
            "There is that much.",
            `There are ${held} of the asset's raw units, which is less.`,
          ),
          must(assets > 0n, "It is more than nothing.", "The assets are 0."),
        ],
      };
    },
  }),
  ...SUBMIT_ACTIONS,
];

function lowerCap(kind: "absolute" | "relative"): Action {
  const isAbsolute = kind === "absolute";
  const signature = isAbsolute
    ? "decreaseAbsoluteCap(bytes idData, uint256 newAbsoluteCap)"
    : "decreaseRelativeCap(bytes idData, uint256 newRelativeCap)";
  return action({
    name: `decrease_${kind}_cap`,
    title: `Lower the ${kind} cap of an adapter, a collateral or a market`,
    description: "At once. Assets that are there stay; no more come.",
    who: CURATION,
    deRisks: true,
    parameters: {
      id: CAP_ID,
      cap: isAbsolute
        ? { kind: "assets", title: "New cap" }
        : { kind: "fraction", title: "New cap", description: "Of the total assets, × 10^18." },
    },
    functions: [
      fn("vault", signature, {
        [isAbsolute ? "newAbsoluteCap" : "newRelativeCap"]: {
          label: "New cap",
          kind: isAbsolute ? "assets" : "fraction",
        },
      }),
    ],
    plan: async (context) => {
      const id = given(context, "id");
      const cap = givenNumber(context, "cap");
      const idData = idDataOf(context, id);
      const now = context.reading.allocations.find((each) => each.id === id);
      const current = isAbsolute
        ? now && (now.isAbsoluteCapped ? now.absoluteCap : UNLIMITED)
        : now && (now.isRelativeCapped ? now.relativeCapE18 : WAD);
      return {
        calls: idData === null ? [] : [callOf(context.vault.address, signature, [idData, cap])],
        preconditions: [
          must(idData !== null, "It has had a cap.", "No cap was ever set for that id."),
          must(
            current === undefined || current === null || cap <= current,
            "It is not above the cap of now.",
            `The cap of now is ${current}: a higher one has to be submitted and waits.`,
          ),
        ],
      };
    },
  });
}

const UNLIMITED = 2n ** 128n - 1n;
const WAD = 10n ** 18n;

interface Pending {
  change: PendingChange;
  target: Address;
  calldata: Hex;
}

function pendingOf(context: ActionContext): Pending | null {
  const id = given(context, "id");
  const change = context.reading.pendingChanges.find((each) => each.id === id);
  const { target, calldata } = change ?? {};
  return change && target && calldata ? { change, target, calldata } : null;
}

function isPending(pending: Pending | null): Precondition {
  return must(
    pending !== null,
    "It was submitted and waits.",
    "Nothing with that id waits: it was executed, revoked, or never submitted.",
  );
}

/** As the events told it. */
function idDataOf({ tracked }: ActionContext, id: string): Hex | null {
  return (tracked.id?.get(id)?.idData as Hex | undefined) ?? null;
}

const MARKET_PARAMS = parseAbiParameters(
  "(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv)",
);
const MARKET_ID_DATA = parseAbiParameters(
  "string, address, (address loanToken, address collateralToken, address oracle, address irm, uint256 lltv)",
);

/** The adapter and what it is to be told. */
function placeOf(context: ActionContext, id: string): { adapter: Address; data: Hex } | null {
  const idData = idDataOf(context, id);
  const named = idData === null ? null : capIdOf(idData);
  if (named?.kind === "adapter") return { adapter: named.adapter, data: "0x" };
  if (named?.kind !== "market") return null;
  const [, adapter, params] = decodeAbiParameters(MARKET_ID_DATA, idData!);
  return { adapter, data: encodeAbiParameters(MARKET_PARAMS, [params]) };
}

/** Of the vault and its market adapters. */
export const ERRORS = [
  ...[
    "Unauthorized",
    "DataAlreadyPending",
    "DataNotTimelocked",
    "TimelockNotExpired",
    "Abdicated",
    "AutomaticallyTimelocked",
  ],
  ...[
    "TimelockNotIncreasing",
    "TimelockNotDecreasing",
    "FeeTooHigh",
    "FeeInvariantBroken",
    "PenaltyTooHigh",
    "AbsoluteCapNotIncreasing",
  ],
  ...[
    "AbsoluteCapNotDecreasing",
    "AbsoluteCapExceeded",
    "RelativeCapAboveOne",
    "RelativeCapNotIncreasing",
    "RelativeCapNotDecreasing",
  ],
  ...[
    "RelativeCapExceeded",
    "ZeroAbsoluteCap",
    "NotAdapter",
    "NotInAdapterRegistry",
    "MaxRateTooHigh",
    "CannotReceiveShares",
  ],
  ...[
    "CannotSendShares",
    "CannotReceiveAssets",
    "CannotSendAssets",
    "LoanAssetMismatch",
    "NotAuthorized",
    "NoCode",
  ],
].map((name) => `${name}()`);
