// What an event of a Safe does: to what is known of the Safe, and in the words of the audit log. And what an execution changed without an
// event of its own, which code that a Safe delegates to can do.
import type { Address } from "viem";
import { isZero } from "../address.ts";
import type { GovernanceEffect } from "../governance.ts";
import type { SafeEvent } from "./events.ts";
import type { ControllerState } from "./state.ts";

export interface Applied {
  state: ControllerState;
  effects: GovernanceEffect[];
}

/** The effects of executions depend on what was executed, and are not made here. */
export function applySafe(controller: Address, state: ControllerState, event: SafeEvent): Applied {
  const effect = (
    action: GovernanceEffect["action"],
    more: Partial<GovernanceEffect>,
  ): GovernanceEffect[] => [{ action, controller, ...more }];
  switch (event.name) {
    case "AddedOwner": {
      const [account] = event.values;
      return {
        state: { ...state, owners: withOne(state.owners, account) },
        effects: effect("signer_add", { account }),
      };
    }
    case "RemovedOwner": {
      const [account] = event.values;
      return {
        state: { ...state, owners: without(state.owners, account) },
        effects: effect("signer_remove", { account }),
      };
    }
    case "ChangedThreshold": {
      const threshold = event.values[0];
      return {
        state: {
          ...state,
          threshold: threshold > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(threshold),
        },
        effects: effect("threshold_change", {
          old: state.threshold?.toString() ?? null,
          new: threshold.toString(),
        }),
      };
    }
    case "EnabledModule": {
      const [account] = event.values;
      return {
        state: { ...state, modules: withOne(state.modules, account) },
        effects: effect("module_enable", { account }),
      };
    }
    case "DisabledModule": {
      const [account] = event.values;
      return {
        state: { ...state, modules: without(state.modules, account) },
        effects: effect("module_disable", { account }),
      };
    }
    case "ChangedGuard":
      return replaced(controller, state, "guard", event.values[0]);
    case "ChangedModuleGuard":
      return replaced(controller, state, "moduleGuard", event.values[0]);
    case "ChangedFallbackHandler":
      return replaced(controller, state, "fallbackHandler", event.values[0]);
    case "ChangedMasterCopy":
      return replaced(controller, state, "singleton", event.values[0]);
    default:
      return { state, effects: [] };
  }
}

const REPLACED = {
  guard: { action: "guard_change", role: "guard" },
  moduleGuard: { action: "guard_change", role: "module_guard" },
  fallbackHandler: { action: "fallback_handler_change", role: "fallback_handler" },
  singleton: { action: "singleton_change", role: "singleton" },
} as const;

function replaced(
  controller: Address,
  state: ControllerState,
  field: keyof typeof REPLACED,
  address: Address,
): Applied {
  const next = isZero(address) ? null : address;
  return {
    state: { ...state, [field]: next },
    effects: [{ ...REPLACED[field], controller, old: state[field], new: next }],
  };
}

/**
 * What is otherwise than events say. One effect for each action, for one execution can change many things: what there was and is stands
 * in `old` and `new`. All of them are marked `silent`.
 */
export function silentChanges(
  controller: Address,
  expected: ControllerState,
  actual: ControllerState,
): GovernanceEffect[] {
  const effects: GovernanceEffect[] = [];
  const listed = (
    was: readonly Address[],
    is: readonly Address[],
    add: GovernanceEffect["action"],
    remove: GovernanceEffect["action"],
  ) => {
    const came = is.filter((each) => !was.includes(each));
    const went = was.filter((each) => !is.includes(each));
    for (const [action, accounts] of [
      [add, came],
      [remove, went],
    ] as const) {
      if (accounts.length === 0) continue;
      const account = accounts.length === 1 ? accounts[0]! : null;
      effects.push({ action, controller, account, old: was, new: is, silent: true });
    }
  };
  const isSafeStill = actual.kind === "safe";
  if (isSafeStill) {
    listed(expected.owners, actual.owners, "signer_add", "signer_remove");
    listed(expected.modules, actual.modules, "module_enable", "module_disable");
    if (expected.threshold !== actual.threshold)
      effects.push({
        action: "threshold_change",
        controller,
        old: expected.threshold?.toString() ?? null,
        new: actual.threshold?.toString() ?? null,
        silent: true,
      });
  }
  const fields = isSafeStill
    ? (Object.keys(REPLACED) as (keyof typeof REPLACED)[])
    : (["singleton"] as const);
  for (const field of fields) {
    // Both guards have one action, and an action is told once of an event.
    if (field === "moduleGuard" && expected.guard !== actual.guard) continue;
    if (expected[field] === actual[field]) continue;
    effects.push({ ...REPLACED[field], controller, old: expected[field], new: actual[field], silent: true });
  }
  return effects;
}

/** A Safe puts who comes before the others (OwnerManager, ModuleManager), but in a swap, whose place the next reading tells. */
function withOne(list: readonly Address[], one: Address): Address[] {
  return [one, ...without(list, one)];
}

function without(list: readonly Address[], one: Address): Address[] {
  return list.filter((each) => each !== one);
}
