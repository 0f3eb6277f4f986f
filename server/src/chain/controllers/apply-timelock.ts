// What an event of a timelock (OpenZeppelin's TimelockController) or of a proxy's admin does: to what is known of it, and in the words of
// the audit log. Calls are decoded by whoever knows their target.
import { type Address, type Hex, zeroHash } from "viem";
import { isZero } from "../address.ts";
import { toSeconds } from "../families/family/view.ts";
import type { DecodedCall, GovernanceEffect } from "../governance.ts";
import type { Applied } from "./apply-safe.ts";
import type { ProxyAdminEvent, TimelockEvent } from "./events.ts";
import { ROLE_HASHES } from "./read.ts";
import {
  type ControllerState,
  NO_HOLDERS,
  type Operation,
  TIMELOCK_ROLES,
  type TimelockRole,
  type TimelockState,
} from "./state.ts";

export type DecodeCall = (target: Address, data: Hex) => DecodedCall;

export interface Happening {
  /** Unix seconds. */
  timestamp: number;
  /** Who scheduled it; null where it is not known. */
  by: Address | null;
  decodeCall: DecodeCall;
}

/** Operations that wait at once, and calls of one, that are kept: who may schedule may schedule what they like. */
const MOST_OPERATIONS = 500;
const MOST_CALLS = 200;

export function applyTimelock(
  controller: Address,
  state: ControllerState,
  event: TimelockEvent,
  happening: Happening,
): Applied {
  const timelock = state.timelock ?? { minDelaySeconds: null, holders: null, operations: [] };
  const became = (change: Partial<TimelockState>, effects: GovernanceEffect[]): Applied => ({
    state: { ...state, timelock: { ...timelock, ...change } },
    effects,
  });
  switch (event.name) {
    case "CallScheduled": {
      const [id, , target, value, data, predecessor, delay] = event.values;
      const call = happening.decodeCall(target, data);
      const executableAt = toSeconds(BigInt(happening.timestamp) + delay);
      const known = timelock.operations.find((each) => each.id === id);
      const one: Operation = {
        id,
        calls: [...(known?.calls ?? []), { ...call, value: value.toString() }].slice(0, MOST_CALLS),
        predecessor: predecessor === zeroHash ? null : predecessor,
        scheduledAt: happening.timestamp,
        scheduledBy: happening.by,
        executableAt,
        isBlocked: predecessor !== zeroHash,
      };
      return became({ operations: [...without(timelock.operations, id), one].slice(-MOST_OPERATIONS) }, [
        {
          action: "timelock_schedule",
          controller,
          id,
          call,
          executable_at: executableAt?.toString() ?? null,
        },
      ]);
    }
    case "CallExecuted": {
      const [id, , target, , data] = event.values;
      const call = happening.decodeCall(target, data);
      return became({ operations: without(timelock.operations, id) }, [
        { action: "timelock_execute", controller, id, call },
      ]);
    }
    case "Cancelled": {
      const [id] = event.values;
      const [call, ...more] = timelock.operations.find((each) => each.id === id)?.calls ?? [];
      // Of several calls at once the entry that scheduled each tells.
      const told = call && more.length === 0 ? { call: callOf(call) } : {};
      return became({ operations: without(timelock.operations, id) }, [
        { action: "timelock_cancel", controller, id, ...told },
      ]);
    }
    case "MinDelayChange": {
      const [was, is] = event.values;
      return became({ minDelaySeconds: toSeconds(is) }, [
        { action: "timelock_delay_change", controller, old: was.toString(), new: is.toString() },
      ]);
    }
    case "RoleGranted":
    case "RoleRevoked": {
      const [hash, account] = event.values;
      const isGranted = event.name === "RoleGranted";
      const role = roleOf(hash);
      const { holders } = timelock;
      const held = holders && role && withOrWithout(holders[role], account, isGranted);
      return became(held ? { holders: { ...holders, [role!]: held } } : {}, [
        { action: isGranted ? "role_grant" : "role_revoke", controller, role: role ?? hash, account },
      ]);
    }
    default:
      return { state, effects: [] };
  }
}

export function applyProxyAdmin(
  controller: Address,
  state: ControllerState,
  event: ProxyAdminEvent,
): Applied {
  const [was, is] = event.values;
  if (event.name === "OwnershipTransferStarted")
    return {
      state,
      effects: [{ action: "owner_change_propose", controller, account: is, old: was, new: is }],
    };
  const owner = isZero(is) ? null : is;
  return {
    state: { ...state, owner },
    effects: [
      { action: "owner_change", controller, account: owner, old: isZero(was) ? null : was, new: owner },
    ],
  };
}

/** A timelock at its creation: nobody holds a role, nothing waits. Its own logs tell the rest. */
export const NEW_TIMELOCK: TimelockState = { minDelaySeconds: null, holders: NO_HOLDERS, operations: [] };

function roleOf(hash: Hex): TimelockRole | null {
  return TIMELOCK_ROLES.find((role) => ROLE_HASHES[role] === hash) ?? null;
}

function callOf({ value: _, ...call }: Operation["calls"][number]): DecodedCall {
  return call;
}

function without(operations: readonly Operation[], id: Hex): Operation[] {
  return operations.filter((each) => each.id !== id);
}

function withOrWithout(list: readonly Address[], one: Address, isIn: boolean): Address[] {
  const others = list.filter((each) => each !== one);
  return isIn ? [...others, one] : others;
}
