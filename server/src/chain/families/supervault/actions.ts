// What may be done to a SuperVault: managers, pause, fees, hook roots, price parameters, upkeep and yield sources. Functions are those of
// superform-xyz/v2-periphery's public interfaces; what waits, waits as a proposal that is executed once its time has come.
import { type Address, zeroAddress, zeroHash } from "viem";
import type { Action, ActionContext, Precondition } from "../family/action.ts";
import { action, address, callOf, fn, given, givenNumber, must } from "../family/action-call.ts";
import { VIEWS } from "../family/vault-views.ts";
import { toSeconds, ViewBatch, view } from "../family/view.ts";
import { aggregatorCall, MANAGERS, PRIMARY, proposal, strategyCall, strategyOf } from "./action-parts.ts";
import { PARAMETER_ACTIONS } from "./parameter-actions.ts";

const DAY = 86_400;
/** As deployed; no view tells it. */
const MANAGER_CHANGE_SECONDS = 7 * DAY;
const UPKEEP_WITHDRAWAL_SECONDS = DAY;
/** Of a deployment whose hook roots wait for as long as a view says. */
const HOOKS_ROOT_TIMELOCK = "getHooksRootUpdateTimelock() view returns (uint256)";

const isPaused = ({ reading }: ActionContext, wanted: boolean): Precondition =>
  must(
    reading.isPaused === wanted,
    wanted ? "The vault is paused." : "The vault is not paused.",
    wanted ? "The vault is not paused." : "The vault is paused already.",
  );

const noSecondary = (context: ActionContext, manager: Address): Precondition =>
  must(
    manager !== zeroAddress &&
      manager !== context.reading.managers.primary &&
      !context.reading.managers.secondary.includes(manager),
    `${manager} manages the vault in no way yet.`,
    `${manager} is no address to add: it manages the vault already, or is the zero address.`,
  );

export const ACTIONS: readonly Action[] = [
  action({
    name: "pause",
    title: "Pause the vault",
    description:
      "No deposits, no redeem requests. The price counts as stale until it is updated after the unpause.",
    who: MANAGERS,
    deRisks: true,
    functions: [
      fn("aggregator", "pauseStrategy(address strategy)", {
        strategy: { label: "Strategy", kind: "address" },
      }),
    ],
    plan: async (context) => ({
      calls: [aggregatorCall(context, "pauseStrategy(address strategy)")],
      preconditions: [isPaused(context, false)],
    }),
  }),
  action({
    name: "unpause",
    title: "Unpause the vault",
    description: "Deposits and redeem requests are taken again once the price has been updated.",
    who: MANAGERS,
    functions: [
      fn("aggregator", "unpauseStrategy(address strategy)", {
        strategy: { label: "Strategy", kind: "address" },
      }),
    ],
    plan: async (context) => ({
      calls: [aggregatorCall(context, "unpauseStrategy(address strategy)")],
      preconditions: [isPaused(context, true)],
    }),
  }),
  action({
    name: "add_secondary_manager",
    title: "Add a secondary manager",
    description: "It may pause, allocate and fulfil redeems at once, and propose another primary manager.",
    who: PRIMARY,
    parameters: { manager: address("Manager") },
    functions: [
      fn("aggregator", "addSecondaryManager(address strategy, address manager)", {
        manager: { label: "Manager", kind: "address" },
      }),
    ],
    plan: async (context) => {
      const manager = given<Address>(context, "manager");
      return {
        calls: [aggregatorCall(context, "addSecondaryManager(address strategy, address manager)", manager)],
        preconditions: [noSecondary(context, manager)],
      };
    },
  }),
  action({
    name: "remove_secondary_manager",
    title: "Remove a secondary manager",
    description: "It may do nothing any more, at once.",
    who: PRIMARY,
    parameters: { manager: address("Manager") },
    functions: [
      fn("aggregator", "removeSecondaryManager(address strategy, address manager)", {
        manager: { label: "Manager", kind: "address" },
      }),
    ],
    plan: async (context) => {
      const manager = given<Address>(context, "manager");
      return {
        calls: [
          aggregatorCall(context, "removeSecondaryManager(address strategy, address manager)", manager),
        ],
        preconditions: [
          must(
            context.reading.managers.secondary.includes(manager),
            `${manager} is a secondary manager.`,
            `${manager} is no secondary manager of the vault.`,
          ),
        ],
      };
    },
  }),
  action({
    name: "propose_primary_manager",
    title: "Propose another primary manager",
    description: "After seven days anybody may carry it out. The primary manager can cancel it until then.",
    who: ["secondary_manager"],
    parameters: { new_manager: address("New primary manager"), fee_recipient: address("Fee recipient") },
    functions: [
      fn(
        "aggregator",
        "proposeChangePrimaryManager(address strategy, address newManager, address feeRecipient)",
        {
          newManager: { label: "New primary manager", kind: "address" },
          feeRecipient: { label: "Fee recipient", kind: "address" },
        },
      ),
    ],
    isTimelocked: true,
    delaySeconds: async () => MANAGER_CHANGE_SECONDS,
    plan: async (context) => {
      const manager = given<Address>(context, "new_manager");
      const recipient = given<Address>(context, "fee_recipient");
      return {
        calls: [
          aggregatorCall(
            context,
            "proposeChangePrimaryManager(address strategy, address newManager, address feeRecipient)",
            manager,
            recipient,
          ),
        ],
        preconditions: [
          must(
            manager !== zeroAddress && recipient !== zeroAddress,
            "Manager and fee recipient are somebody.",
            "Neither manager nor fee recipient may be the zero address.",
          ),
          must(
            manager !== context.reading.managers.primary,
            `${manager} is not the primary manager yet.`,
            `${manager} is the primary manager already.`,
          ),
        ],
        execution: {
          calls: [aggregatorCall(context, "executeChangePrimaryManager(address strategy)")],
          delaySeconds: MANAGER_CHANGE_SECONDS,
          from: null,
        },
      };
    },
  }),
  ...proposal({
    kind: "primary_manager",
    what: "the proposed primary manager",
    cancel: {
      name: "cancel_primary_manager",
      who: PRIMARY,
      on: "aggregator",
      signature: "cancelChangePrimaryManager(address strategy)",
      args: [],
    },
    execute: {
      name: "execute_primary_manager",
      who: [],
      on: "aggregator",
      signature: "executeChangePrimaryManager(address strategy)",
      args: [],
    },
  }),
  action({
    name: "propose_hooks_root",
    title: "Propose a hooks root",
    description:
      "The Merkle root of the hooks that the managers may run. It can be carried out by anybody once its time has come.",
    who: PRIMARY,
    parameters: { root: { kind: "bytes32", title: "Root" } },
    functions: [
      fn("aggregator", "proposeStrategyHooksRoot(address strategy, bytes32 newRoot)", {
        newRoot: { label: "New root", kind: "bytes32" },
      }),
    ],
    isTimelocked: true,
    delaySeconds: (context) => hooksRootDelay(context),
    plan: async (context) => {
      const root = given(context, "root");
      const delay = await hooksRootDelay(context);
      return {
        calls: [aggregatorCall(context, "proposeStrategyHooksRoot(address strategy, bytes32 newRoot)", root)],
        preconditions: [
          must(root !== zeroHash, "The root is not zero.", "A root of zeros is none."),
          must(
            root !== context.reading.merkle?.root,
            "Another root is in force.",
            "That root is in force already.",
          ),
        ],
        ...(delay === null
          ? {}
          : {
              execution: {
                calls: [aggregatorCall(context, "executeStrategyHooksRootUpdate(address strategy)")],
                delaySeconds: delay,
                from: null,
              },
            }),
      };
    },
  }),
  ...proposal({
    kind: "hooks_root",
    what: "the proposed hooks root",
    execute: {
      name: "execute_hooks_root",
      who: [],
      on: "aggregator",
      signature: "executeStrategyHooksRootUpdate(address strategy)",
      args: [],
    },
  }),
  action({
    name: "veto_hooks_root",
    title: "Veto the hooks root, or take the veto back",
    description:
      "Under a veto no hook of the vault runs. Only the owner of the aggregator's governor may; the vault does not list it, so name it as `from`.",
    who: ["super_governor"],
    deRisks: { vetoed: true },
    parameters: { vetoed: { kind: "boolean", title: "Vetoed" } },
    functions: [
      fn("aggregator", "setStrategyHooksRootVetoStatus(address strategy, bool vetoed)", {
        vetoed: { label: "Vetoed", kind: "boolean" },
      }),
    ],
    holders: async (context) => {
      const batch = new ViewBatch();
      const governor = context.vault.source.governor;
      if (governor === null) return [];
      const owner = batch.add(governor, VIEWS.owner);
      await batch.run(context, context.block);
      return [owner() ?? []].flat();
    },
    plan: async (context) => {
      const isVetoed = given<boolean>(context, "vetoed");
      const governor = context.vault.source.governor ?? zeroAddress;
      return {
        calls: [
          callOf(governor, "setStrategyHooksRootVetoStatus(address strategy, bool vetoed)", [
            strategyOf(context),
            isVetoed,
          ]),
        ],
        preconditions: [
          must(
            context.reading.merkle?.isVetoed !== isVetoed,
            "The veto changes by it.",
            isVetoed ? "The root is under a veto already." : "There is no veto to take back.",
          ),
        ],
      };
    },
  }),
  ...PARAMETER_ACTIONS,
  action({
    name: "deposit_upkeep",
    title: "Pay upkeep in",
    description:
      "Two calls: an allowance for the aggregator, then the deposit. Price updates are paid for from it.",
    who: [],
    parameters: {
      amount: { kind: "integer", title: "Amount", description: "In raw units of the upkeep token." },
    },
    functions: [
      fn("aggregator", "depositUpkeep(address strategy, uint256 amount)", {
        amount: { label: "Amount", kind: "integer" },
      }),
    ],
    plan: async (context) => {
      const amount = givenNumber(context, "amount");
      const token = context.reading.upkeep?.token ?? null;
      const batch = new ViewBatch();
      const balance = batch.add(token ?? zeroAddress, VIEWS.balanceOf, context.from);
      await batch.run(context, context.block);
      const aggregator = context.vault.source.address;
      return {
        calls: [
          callOf(token ?? zeroAddress, "approve(address spender, uint256 value)", [aggregator, amount]),
          aggregatorCall(context, "depositUpkeep(address strategy, uint256 amount)", amount),
        ],
        preconditions: [
          must(token !== null, "The upkeep token is known.", "The vault's contracts name no upkeep token."),
          must(amount > 0n, "The amount is more than nothing.", "The amount is 0."),
          must(
            (balance() ?? 0n) >= amount,
            `${context.from} holds that much of the upkeep token.`,
            `${context.from} holds ${balance() ?? 0n} of the upkeep token, which is less than that.`,
          ),
        ],
      };
    },
  }),
  action({
    name: "propose_upkeep_withdrawal",
    title: "Propose to take the upkeep out",
    description: "All of it, a day later; it is paid to the primary manager.",
    who: PRIMARY,
    functions: [fn("aggregator", "proposeWithdrawUpkeep(address strategy)")],
    isTimelocked: true,
    delaySeconds: async () => UPKEEP_WITHDRAWAL_SECONDS,
    plan: async (context) => ({
      calls: [aggregatorCall(context, "proposeWithdrawUpkeep(address strategy)")],
      preconditions: [
        must(
          (context.reading.upkeep?.balance ?? 0n) > 0n,
          "There is upkeep to take out.",
          "There is no upkeep to take out.",
        ),
      ],
      execution: {
        calls: [aggregatorCall(context, "executeWithdrawUpkeep(address strategy)")],
        delaySeconds: UPKEEP_WITHDRAWAL_SECONDS,
        from: null,
      },
    }),
  }),
  ...proposal({
    kind: "upkeep_withdrawal",
    what: "the proposed withdrawal of upkeep",
    execute: {
      name: "execute_upkeep_withdrawal",
      who: [],
      on: "aggregator",
      signature: "executeWithdrawUpkeep(address strategy)",
      args: [],
    },
  }),
  ...yieldSourceActions(),
];

/** As the contract's view says; null where it has none. */
async function hooksRootDelay(
  context: Parameters<NonNullable<Action["delaySeconds"]>>[0],
): Promise<number | null> {
  const batch = new ViewBatch();
  const delay = batch.add(context.vault.source.address, view<bigint>(HOOKS_ROOT_TIMELOCK));
  await batch.run(context, context.block);
  return toSeconds(delay());
}

function yieldSourceActions(): Action[] {
  const SIGNATURE = "manageYieldSource(address source, address oracle, uint8 actionType)";
  const functions = [
    fn("strategy", SIGNATURE, {
      source: { label: "Yield source", kind: "address" },
      oracle: { label: "Oracle", kind: "address" },
      actionType: { label: "0 adds, 1 changes the oracle, 2 removes", kind: "integer" },
    }),
  ];
  const known = ({ reading }: ActionContext, source: Address) =>
    reading.yieldSources.find((each) => each.address === source);
  return [
    action({
      name: "add_yield_source",
      title: "Add a yield source",
      description: "Assets may be put there from then on.",
      who: PRIMARY,
      parameters: {
        source: address("Yield source"),
        oracle: address("Oracle", "Says what a position there is worth."),
      },
      functions,
      plan: async (context) => {
        const source = given<Address>(context, "source");
        return {
          calls: [strategyCall(context, SIGNATURE, source, given(context, "oracle"), 0)],
          preconditions: [
            must(
              !known(context, source),
              `${source} is no yield source yet.`,
              `${source} is a yield source already.`,
            ),
            must(
              source !== zeroAddress && given(context, "oracle") !== zeroAddress,
              "Source and oracle are somebody.",
              "Neither source nor oracle may be the zero address.",
            ),
          ],
        };
      },
    }),
    action({
      name: "change_yield_source_oracle",
      title: "Change the oracle of a yield source",
      description: "Another contract says what the position is worth.",
      who: PRIMARY,
      parameters: { source: address("Yield source"), oracle: address("New oracle") },
      functions,
      plan: async (context) => {
        const source = given<Address>(context, "source");
        const oracle = given<Address>(context, "oracle");
        return {
          calls: [strategyCall(context, SIGNATURE, source, oracle, 1)],
          preconditions: [
            must(
              known(context, source) !== undefined,
              `${source} is a yield source.`,
              `${source} is no yield source.`,
            ),
            must(
              known(context, source)?.oracle !== oracle && oracle !== zeroAddress,
              "The oracle changes by it.",
              "That is the oracle already, or the zero address.",
            ),
          ],
        };
      },
    }),
    action({
      name: "remove_yield_source",
      title: "Remove a yield source",
      description: "No assets may be put there any more; what it holds no longer counts.",
      who: PRIMARY,
      parameters: { source: address("Yield source") },
      functions,
      plan: async (context) => {
        const source = given<Address>(context, "source");
        return {
          calls: [strategyCall(context, SIGNATURE, source, zeroAddress, 2)],
          preconditions: [
            must(
              known(context, source) !== undefined,
              `${source} is a yield source.`,
              `${source} is no yield source.`,
            ),
          ],
        };
      },
    }),
  ];
}

/** The errors of the aggregator, the strategy and the vault. */
export const ERRORS = [
  ...[
    "ZERO_ADDRESS",
    "ZERO_AMOUNT",
    "UNKNOWN_STRATEGY",
    "UNAUTHORIZED_UPDATE_AUTHORITY",
    "MANAGER_NOT_FOUND",
    "MANAGER_ALREADY_EXISTS",
  ],
  ...[
    "TOO_MANY_SECONDARY_MANAGERS",
    "TIMELOCK_NOT_EXPIRED",
    "NO_PENDING_MANAGER_CHANGE",
    "SECONDARY_MANAGER_CANNOT_BE_PRIMARY",
  ],
  ...[
    "NO_PENDING_GLOBAL_ROOT_CHANGE",
    "NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE",
    "MIN_UPDATE_INTERVAL_TOO_HIGH",
    "ROOT_UPDATE_NOT_READY",
  ],
  ...[
    "UPKEEP_WITHDRAWAL_NOT_FOUND",
    "UPKEEP_WITHDRAWAL_NOT_READY",
    "INSUFFICIENT_UPKEEP",
    "STRATEGY_ALREADY_PAUSED",
    "STRATEGY_NOT_PAUSED",
  ],
  ...[
    "STRATEGY_PAUSED",
    "PPS_STALE",
    "STALE_PPS",
    "PPS_EXPIRED",
    "ACCESS_DENIED",
    "MANAGER_NOT_AUTHORIZED",
    "INVALID_AMOUNT",
    "INVALID_PPS",
  ],
  ...[
    "INVALID_TIMESTAMP",
    "INVALID_PERFORMANCE_FEE_BPS",
    "INVALID_PPS_EXPIRY_THRESHOLD",
    "NO_PROPOSAL",
    "ACTION_TYPE_DISALLOWED",
  ],
  ...[
    "INVALID_ARRAY_LENGTH",
    "YIELD_SOURCE_ALREADY_EXISTS",
    "YIELD_SOURCE_NOT_FOUND",
    "UNAUTHORIZED",
    "NotOwner",
  ],
].map((name) => `${name}()`);
