// What may be done to a curated vault, MetaMorpho's or Euler Earn's: the incident actions (revoke, lower a cap, move assets away), accepting what has
// waited, and submitting what waits. What makes a vault safer holds at once in the contract: a longer timelock, a lower cap, a first guardian.
import { type Address, maxUint256, zeroAddress } from "viem";
import type { PendingChange } from "../../reading.ts";
import type { Action, ActionContext, Parameter, Precondition } from "../family/action.ts";
import { action, address, callOf, fn, given, givenNumber, must, timeText } from "../family/action-call.ts";
import { toSeconds, ViewBatch } from "../family/view.ts";
import { CURATED_VIEWS } from "./views.ts";

/** What differs between the two. */
export interface LineWords {
  /** The type of what names a line everywhere but where it is opened. */
  id: "bytes32" | "address";
  /** Type and name of the parameter that names it there. */
  opened: string;
  /** What that parameter is; null where the line is not known. */
  argumentOf(context: ActionContext, id: string): Promise<unknown>;
}

const DAY = 86_400n;
const LEAST_TIMELOCK = DAY;
const MOST_TIMELOCK = 14n * DAY;
const CURATION = ["owner", "curator"];

const PENDING: Parameter = {
  kind: "text",
  title: "Pending change",
  description: "The `id` of one of the vault's pending changes.",
  waits: "change",
};

export function curatedActions(words: LineWords): readonly Action[] {
  const line: Parameter = {
    kind: words.id,
    title: "Market or strategy",
    description: "The `id` of an allocation.",
  };
  const { opened } = words;
  const SUBMIT_CAP = `submitCap(${opened}, uint256 newSupplyCap)`;
  const ACCEPT_CAP = `acceptCap(${opened})`;
  const SUBMIT_REMOVAL = `submitMarketRemoval(${opened})`;
  const REVOKE_CAP = `revokePendingCap(${words.id} id)`;
  const REVOKE_REMOVAL = `revokePendingMarketRemoval(${words.id} id)`;
  const REALLOCATE = `reallocate((${opened}, uint256 assets)[] allocations)`;
  const cap = { newSupplyCap: { label: "New cap", kind: "assets" as const } };
  const to = ({ vault }: ActionContext) => vault.address;

  /** A cap that is raised waits, one that is lowered does not: one function, two actions. */
  const capAction = (isRaise: boolean): Action =>
    action({
      name: isRaise ? "submit_cap" : "decrease_cap",
      title: isRaise
        ? "Submit a higher cap of a market or strategy"
        : "Lower the cap of a market or strategy",
      description: isRaise
        ? "Anybody can accept it once it has waited; until then it can be revoked."
        : "At once. Assets that are there stay; no more come.",
      who: CURATION,
      parameters: { id: line, cap: { kind: "assets", title: "New cap" } },
      functions: [fn("vault", SUBMIT_CAP, cap)],
      isTimelocked: isRaise,
      // A bot may only set it to 0: the same call with any other cap raises one that was lowered meanwhile.
      ...(isRaise ? { delaySeconds: timelockOf } : { deRisks: { cap: "0" } }),
      plan: async (context) => {
        const id = given(context, "id");
        const wanted = givenNumber(context, "cap");
        const argument = await words.argumentOf(context, id);
        const delay = await timelockOf(context);
        const held = context.reading.allocations.find((each) => each.id === id);
        const current =
          held === undefined ? 0n : held.isAbsoluteCapped ? (held.absoluteCap ?? 0n) : maxUint256;
        const isHigher = wanted > current;
        return {
          calls: argument === null ? [] : [callOf(to(context), SUBMIT_CAP, [argument, wanted])],
          preconditions: [
            isKnown(argument),
            isRaise
              ? must(
                  isHigher,
                  "It is above the cap of now.",
                  `The cap of now is ${current}: lowering it is decrease_cap.`,
                )
              : must(
                  wanted < current,
                  "It is below the cap of now.",
                  `The cap of now is ${current}: a higher one has to be submitted and waits.`,
                ),
            must(
              !context.reading.pendingChanges.some((change) => change.id?.startsWith(`cap:${id}:`)),
              "No cap of it is pending.",
              "A cap of it is pending already: revoke it first.",
            ),
            must(
              !context.reading.pendingChanges.some((change) => change.id?.startsWith(`removal:${id}:`)),
              "Its removal is not pending.",
              "Its removal is pending: revoke it first.",
            ),
          ],
          ...(isRaise && delay !== null && argument !== null
            ? {
                execution: {
                  calls: [callOf(to(context), ACCEPT_CAP, [argument])],
                  delaySeconds: delay,
                  from: null,
                },
              }
            : {}),
        };
      },
    });

  return [
    action({
      name: "revoke",
      title: "Revoke a pending change",
      description: "It has to be submitted again, and wait again.",
      who: ["owner", "curator", "guardian"],
      deRisks: true,
      parameters: { id: PENDING },
      functions: [
        fn("vault", "revokePendingTimelock()"),
        fn("vault", "revokePendingGuardian()"),
        fn("vault", REVOKE_CAP, { id: { label: "Market or strategy", kind: words.id } }),
        fn("vault", REVOKE_REMOVAL, { id: { label: "Market or strategy", kind: words.id } }),
      ],
      plan: async (context) => {
        const change = pendingOf(context);
        const revocation = change === null ? null : revocationOf(change);
        return {
          calls: revocation === null ? [] : [callOf(to(context), revocation.signature, revocation.args)],
          preconditions: [
            isPending(change),
            must(
              change === null || revocation !== null,
              "It can be revoked.",
              "It is an offer of the ownership: the owner takes it back by another offer.",
            ),
            must(
              change === null || change.revocableBy?.includes(context.from) !== false,
              `${context.from} may revoke it.`,
              `${context.from} may not revoke it.`,
            ),
          ],
        };
      },
    }),
    action({
      name: "accept",
      title: "Accept a pending change",
      description: "Anybody may, once it has waited.",
      who: [],
      parameters: { id: PENDING },
      functions: [fn("vault", "acceptTimelock()"), fn("vault", "acceptGuardian()"), fn("vault", ACCEPT_CAP)],
      plan: async (context) => {
        const change = pendingOf(context);
        const acceptance = change === null ? null : await acceptanceOf(context, change);
        const dueAt = change?.executableAt ?? null;
        return {
          calls: acceptance === null ? [] : [callOf(to(context), acceptance.signature, acceptance.args)],
          preconditions: [
            isPending(change),
            must(
              change === null || acceptance !== null,
              "It is for anybody to accept.",
              "It is not for anybody to accept: an offer of the ownership is accepted by who gets it, a removal is carried out with the withdraw queue.",
            ),
            must(
              change?.isBlocked !== true,
              "Nothing bars it.",
              "The factory does not allow the strategy any more.",
            ),
            must(
              dueAt !== null && dueAt <= context.block.timestamp,
              "It has waited.",
              dueAt === null
                ? "It is not known when it can be accepted."
                : `It can be accepted from ${timeText(dueAt)} on.`,
            ),
          ],
        };
      },
    }),
    capAction(false),
    action({
      name: "deallocate",
      title: "Move assets from one market or strategy to another",
      description:
        "What is moved away is at most what is not lent out. The other one must have room under its cap.",
      who: ["owner", "curator", "allocator"],
      deRisks: true,
      parameters: {
        from_id: { ...line, title: "From" },
        to_id: { ...line, title: "To" },
        assets: { kind: "assets", title: "Assets" },
      },
      functions: [fn("vault", REALLOCATE)],
      plan: async (context) => {
        const [from, into] = [given(context, "from_id"), given(context, "to_id")];
        const assets = givenNumber(context, "assets");
        const held = context.reading.allocations.find(({ id }) => id === from)?.assets ?? null;
        const target = context.reading.allocations.find(({ id }) => id === into);
        const [source, destination] = [
          await words.argumentOf(context, from),
          await words.argumentOf(context, into),
        ];
        const isEnough = held !== null && held >= assets;
        return {
          calls:
            source === null || destination === null || !isEnough
              ? []
              : [
                  callOf(to(context), REALLOCATE, [
                    [allocation(source, held - assets), allocation(destination, maxUint256)],
                  ]),
                ],
          preconditions: [
            isKnown(source),
            isKnown(destination),
            must(from !== into, "They are two.", "Both are the same."),
            must(assets > 0n, "It is more than nothing.", "The assets are 0."),
            must(
              isEnough,
              "There is that much.",
              `There are ${held ?? "no known"} of the asset's raw units, which is less.`,
            ),
            must(
              target === undefined ||
                !target.isAbsoluteCapped ||
                (target.absoluteCap ?? 0n) >= (target.assets ?? 0n) + assets,
              "There is room under the other's cap.",
              `The other's cap is ${target?.absoluteCap}, and it holds ${target?.assets}.`,
            ),
          ],
        };
      },
    }),
    capAction(true),
    action({
      name: "submit_market_removal",
      title: "Submit the removal of a market or strategy",
      description:
        "Once it has waited, the withdraw queue may leave it out, with whatever it holds. Its cap must be 0 before.",
      who: CURATION,
      parameters: { id: line },
      functions: [fn("vault", SUBMIT_REMOVAL)],
      isTimelocked: true,
      delaySeconds: timelockOf,
      plan: async (context) => {
        const id = given(context, "id");
        const argument = await words.argumentOf(context, id);
        const held = context.reading.allocations.find((each) => each.id === id);
        return {
          calls: argument === null ? [] : [callOf(to(context), SUBMIT_REMOVAL, [argument])],
          preconditions: [
            isKnown(argument),
            must(held !== undefined, "It is one of the vault's.", "It is none of the vault's."),
            must(
              held?.isAbsoluteCapped === true && held.absoluteCap === 0n,
              "Its cap is 0.",
              "Its cap is not 0: lower it first.",
            ),
            must(
              !context.reading.pendingChanges.some((change) => change.id?.startsWith(`removal:${id}:`)),
              "Its removal is not pending.",
              "Its removal is pending already.",
            ),
          ],
        };
      },
    }),
    action({
      name: "submit_timelock",
      title: "Submit another timelock",
      description: "A longer one holds at once; a shorter one waits for as long as the one that stands.",
      who: ["owner"],
      parameters: { new_timelock: { kind: "seconds", title: "New timelock" } },
      functions: [
        fn("vault", "submitTimelock(uint256 newTimelock)", {
          newTimelock: { label: "New timelock", kind: "seconds" },
        }),
      ],
      isTimelocked: true,
      delaySeconds: timelockOf,
      plan: async (context) => {
        const wanted = givenNumber(context, "new_timelock");
        const current = await timelockOf(context);
        const isShorter = current !== null && wanted < BigInt(current);
        return {
          calls: [callOf(to(context), "submitTimelock(uint256 newTimelock)", [wanted])],
          preconditions: [
            must(
              current === null || wanted !== BigInt(current),
              "It is another than now.",
              "It is the timelock of now.",
            ),
            must(
              wanted >= LEAST_TIMELOCK && wanted <= MOST_TIMELOCK,
              "It is within what the contract allows.",
              `It must be from ${LEAST_TIMELOCK} to ${MOST_TIMELOCK} seconds.`,
            ),
            nonePending(context, "timelock:"),
          ],
          ...(isShorter
            ? {
                execution: {
                  calls: [callOf(to(context), "acceptTimelock()", [])],
                  delaySeconds: current,
                  from: null,
                },
              }
            : {}),
        };
      },
    }),
    action({
      name: "submit_guardian",
      title: "Submit another guardian",
      description:
        "A first guardian holds at once; another one waits, and the guardian of now can revoke it.",
      who: ["owner"],
      parameters: { new_guardian: address("New guardian", "The zero address for none.") },
      functions: [
        fn("vault", "submitGuardian(address newGuardian)", {
          newGuardian: { label: "New guardian", kind: "address" },
        }),
      ],
      isTimelocked: true,
      delaySeconds: timelockOf,
      plan: async (context) => {
        const wanted = given<Address>(context, "new_guardian");
        const current =
          context.reading.contractRoles.find(({ role }) => role === "guardian")?.account ?? zeroAddress;
        const delay = await timelockOf(context);
        return {
          calls: [callOf(to(context), "submitGuardian(address newGuardian)", [wanted])],
          preconditions: [
            must(wanted !== current, "It is another than now.", "That is the guardian of now."),
            nonePending(context, "guardian:"),
          ],
          ...(current === zeroAddress || delay === null
            ? {}
            : {
                execution: {
                  calls: [callOf(to(context), "acceptGuardian()", [])],
                  delaySeconds: delay,
                  from: null,
                },
              }),
        };
      },
    }),
  ];

  function revocationOf(change: PendingChange): Step | null {
    switch (change.function) {
      case "submitTimelock":
        return { signature: "revokePendingTimelock()", args: [] };
      case "submitGuardian":
        return { signature: "revokePendingGuardian()", args: [] };
      case "submitCap":
        return { signature: REVOKE_CAP, args: [lineOf(change)] };
      case "submitMarketRemoval":
        return { signature: REVOKE_REMOVAL, args: [lineOf(change)] };
      default:
        return null;
    }
  }

  async function acceptanceOf(context: ActionContext, change: PendingChange): Promise<Step | null> {
    switch (change.function) {
      case "submitTimelock":
        return { signature: "acceptTimelock()", args: [] };
      case "submitGuardian":
        return { signature: "acceptGuardian()", args: [] };
      case "submitCap": {
        const argument = await words.argumentOf(context, lineOf(change));
        return argument === null ? null : { signature: ACCEPT_CAP, args: [argument] };
      }
      default:
        return null;
    }
  }

  function allocation(argument: unknown, assets: bigint): Record<string, unknown> {
    return { [opened.slice(opened.lastIndexOf(" ") + 1)]: argument, assets };
  }
}

interface Step {
  signature: string;
  args: readonly unknown[];
}

async function timelockOf(
  context: Parameters<NonNullable<Action["delaySeconds"]>>[0],
): Promise<number | null> {
  const batch = new ViewBatch();
  const timelock = batch.add(context.vault.address, CURATED_VIEWS.timelock);
  await batch.run(context, context.block);
  return toSeconds(timelock());
}

function pendingOf({ reading, parameters }: ActionContext): PendingChange | null {
  return reading.pendingChanges.find(({ id }) => id === parameters.id) ?? null;
}

/** `cap:<line>:<due>`, as the reading names it. */
function lineOf({ id }: PendingChange): string {
  return id?.split(":")[1] ?? "";
}

function isPending(change: PendingChange | null): Precondition {
  return must(change !== null, "It is pending.", "Nothing with that id is pending.");
}

function isKnown(argument: unknown): Precondition {
  return must(argument !== null, "It is known.", "That id names no market or strategy.");
}

function nonePending({ reading }: ActionContext, key: string): Precondition {
  return must(
    !reading.pendingChanges.some(({ id }) => id?.startsWith(key)),
    "No other is pending.",
    "Another is pending already: revoke it first.",
  );
}

/** Of MetaMorpho, Euler Earn and Morpho Blue. */
export const ERRORS = [
  "NotOwner()",
  "NotCuratorRole()",
  "NotAllocatorRole()",
  "NotGuardianRole()",
  "NotCuratorNorGuardianRole()",
  "AlreadySet()",
  "AlreadyPending()",
  "PendingCap(bytes32 id)",
  "PendingRemoval()",
  "NonZeroCap()",
  "MarketNotEnabled(bytes32 id)",
  "MarketNotCreated()",
  "UnauthorizedMarket(bytes32 id)",
  "NoPendingValue()",
  "TimelockNotElapsed()",
  "AboveMaxTimelock()",
  "BelowMinTimelock()",
  "MaxFeeExceeded()",
  "ZeroFeeRecipient()",
  "InconsistentAsset(bytes32 id)",
  "InconsistentReallocation()",
  "SupplyCapExceeded(bytes32 id)",
  "NotEnoughLiquidity()",
];
