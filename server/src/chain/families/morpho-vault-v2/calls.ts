// Calls that wait in the vault's timelock or an adapter's. When one runs, its own views say: `executableAt` of the exact bytes. The same effect
// may come earlier: where the timelock was lowered since, or is about to be, the call can be revoked and submitted again.
import type { Address, Hex } from "viem";
import type { Tracked } from "../../governance.ts";
import type { PendingChange } from "../../reading.ts";
import { decodeCall } from "../family/call.ts";
import { toSeconds, type ViewBatch } from "../family/view.ts";
import { ADAPTER_FUNCTIONS, DECREASE_TIMELOCK, selectorOf, VAULT_FUNCTIONS, waitsLike } from "./functions.ts";
import { TIMELOCK_VIEWS } from "./views.ts";

interface Waiting {
  id: string;
  target: Address;
  calldata: Hex;
  submittedAt: number;
  submittedBy: Address;
}

/** `now` is the block's time; null where nobody tells it. */
export interface Moment {
  now: bigint | null;
  revocableBy: readonly Address[];
}

/**
 * Asks for the calls that are remembered; what it gives is read once the answers are there. What waits in an adapter that was removed changes
 * nothing of the vault, and waits again once the adapter is back.
 */
export function askForCalls(
  batch: ViewBatch,
  vault: Address,
  tracked: Tracked | undefined,
): (moment: Moment) => PendingChange[] {
  const remembered = [...(tracked?.call?.values() ?? [])] as unknown as Waiting[];
  const own = remembered.filter(({ target }) => target === vault || tracked?.contract?.has(target));
  const asked = own.map((waiting) => {
    const { target, calldata } = waiting;
    return {
      ...waiting,
      waitsLike: waitsLike(calldata),
      executableAt: batch.add(target, TIMELOCK_VIEWS.executableAt, calldata),
      timelock: batch.add(target, TIMELOCK_VIEWS.timelock, waitsLike(calldata)),
      isAbdicated: batch.add(target, TIMELOCK_VIEWS.abdicated, selectorOf(calldata)),
    };
  });
  return ({ now, revocableBy }) => {
    const pending = asked.flatMap(({ executableAt, timelock, isAbdicated, ...waiting }) => {
      const time = executableAt() ?? 0n;
      const call = decodeCall(
        waiting.target === vault ? VAULT_FUNCTIONS : ADAPTER_FUNCTIONS,
        waiting.target,
        waiting.calldata,
      );
      const isBlocked = isAbdicated() === true;
      return time === 0n ? [] : [{ ...waiting, call, time, wait: timelock(), isBlocked }];
    });
    const decreases = pending.flatMap((each) => {
      const isOne = selectorOf(each.calldata) === DECREASE_TIMELOCK && !each.isBlocked && each.call.arguments;
      return isOne ? [{ ...each, wait: BigInt(String(isOne.newDuration)) }] : [];
    });
    return pending.map((each) => {
      const shorter = decreases.filter(
        (other) => other.target === each.target && other.waitsLike === each.waitsLike && other.id !== each.id,
      );
      const earliest = each.isBlocked ? null : earliestOf(each.time, each.wait, shorter, now);
      const { call } = each;
      return {
        kind: "call" as const,
        current: null,
        proposed: { function: call.function, arguments: call.arguments },
        proposer: each.submittedBy,
        effectiveAt: toSeconds(each.time),
        id: each.id,
        ...call,
        submittedAt: each.submittedAt,
        submittedBy: each.submittedBy,
        executableAt: toSeconds(each.time),
        earliestEffectAt: toSeconds(earliest),
        isBlocked: each.isBlocked,
        revocableBy,
      };
    });
  };
}

/** Never later than the call itself. A decrease of the timelock runs at its own time, and after it the call waits anew. */
export function earliestOf(
  executableAt: bigint,
  timelock: bigint | null,
  decreases: readonly { time: bigint; wait: bigint }[],
  now: bigint | null,
): bigint {
  const from = (moment: bigint) => (now !== null && now > moment ? now : moment);
  const ways = [
    executableAt,
    ...(now !== null && timelock !== null ? [now + timelock] : []),
    ...decreases.map(({ time, wait }) => from(time) + wait),
  ];
  return ways.reduce((earliest, way) => (way < earliest ? way : earliest));
}
