// Who stands behind a vault's roles, as the record shows them, and what waits for the vault in their timelocks. Pure.
import type { Address } from "viem";
import { type ControllerState, membersOf, type Operation } from "../../chain/controllers/state.ts";
import { timestampOfSeconds, timestampOrNull } from "../../platform/http/time.ts";

export interface ControllerRow {
  address: Address;
  /** 1: holds the roles named; 2: stands behind one who does. */
  level: 1 | 2;
  roles: string[];
  state: ControllerState | null;
}

interface Places {
  address: Address;
  strategy_address: Address | null;
  escrow_address: Address | null;
  controllers: readonly ControllerRow[];
}

export function controllersOf({ controllers }: Places) {
  return controllers.flatMap(({ address, roles, state }) => {
    if (state === null) return [];
    const { kind, threshold, modules, guard, version, singleton, timelock } = state;
    return {
      address,
      kind,
      roles,
      owners: membersOf(state),
      threshold,
      modules,
      guard,
      module_guard: state.moduleGuard,
      fallback_handler: state.fallbackHandler,
      singleton,
      min_delay_seconds: timelock?.minDelaySeconds ?? null,
      proposers: timelock?.holders?.proposer ?? null,
      version,
    };
  });
}

/** Operations of the timelocks that call the vault, or name it in their call: one pending change for each such call. */
export function scheduledChangesOf(places: Places) {
  return places.controllers.flatMap(({ state }) => {
    const timelock = state?.timelock;
    return (timelock?.operations ?? []).flatMap((operation) =>
      operation.calls.flatMap((call, index) =>
        isOf(places, call) ? [scheduledChange(operation, index, timelock?.holders?.canceller ?? [])] : [],
      ),
    );
  });
}

function scheduledChange(operation: Operation, index: number, cancellers: readonly Address[]) {
  const { id, calls, scheduledAt, scheduledBy, executableAt, isBlocked } = operation;
  const { target, function: name, arguments: args, calldata } = calls[index]!;
  const executable = timestampOrNull(executableAt);
  return {
    kind: "call",
    current: null,
    proposed: { function: name, arguments: args },
    proposer: scheduledBy,
    effective_at: executable,
    // Of several calls at once, which one it is.
    id: calls.length === 1 ? id : `${id}:${index}`,
    target,
    function: name,
    arguments: args,
    calldata,
    submitted_at: timestampOfSeconds(scheduledAt),
    submitted_by: scheduledBy,
    executable_at: executable,
    earliest_effect_at: isBlocked ? null : executable,
    is_blocked: isBlocked,
    revocable_by: cancellers,
  };
}

function isOf(
  { address, strategy_address, escrow_address }: Places,
  { target, calldata }: Operation["calls"][number],
): boolean {
  const own = [address, strategy_address, escrow_address].filter((each) => each !== null);
  // The admin of a proxy, or an aggregator of many vaults, is told in the call whose it is.
  return own.some((each) => each === target || calldata.toLowerCase().includes(each.slice(2).toLowerCase()));
}
