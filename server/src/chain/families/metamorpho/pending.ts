// What waits in a curated vault: for another owner to accept, or for the timelock. Each names the call that was submitted; anyone may
// accept it once its time has come, but for the removal of a market, which whoever sets the withdraw queue carries out.
import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import type { KnownVault } from "../../directory.ts";
import type { Tracked } from "../../governance.ts";
import type { PendingChange } from "../../reading.ts";
import { greater, lesser } from "../family/amounts.ts";
import { decodeCall } from "../family/call.ts";
import { toSeconds } from "../family/view.ts";
import type { LineAnswers, Lines } from "./lines.ts";
import type { LineConfig } from "./views.ts";

export interface PendingViews {
  owner: Address | null;
  pendingOwner: Address | null;
  curator: Address | null;
  guardian: Address | null;
  timelock: bigint | null;
  pendingTimelock: readonly [bigint, bigint] | null;
  pendingGuardian: readonly [Address, bigint] | null;
}

export interface PendingLine {
  id: string;
  config: LineConfig | null;
  pendingCap: readonly [bigint, bigint] | null;
  answers: LineAnswers;
}

/** `time` is the block's, Unix seconds. */
export function pendingChanges(
  lines: Lines,
  vault: KnownVault,
  views: PendingViews,
  own: readonly PendingLine[],
  tracked: Tracked | undefined,
  time: number,
): PendingChange[] {
  const { owner, curator, guardian } = views;
  const safety = somebodies([owner, guardian]);
  const curation = somebodies([owner, curator, guardian]);
  const earliest = earliestOf(views, time);
  const changes: PendingChange[] = [];

  const add = (
    key: string,
    due: bigint,
    name: string,
    args: readonly unknown[] | null,
    revocableBy: Address[],
    isBlocked = false,
  ) => {
    const calldata = args === null ? null : encode(lines, name, args);
    const call = calldata === null ? null : decodeCall(lines.calls, vault.address, calldata);
    const executableAt = toSeconds(due);
    const { submittedAt, submittedBy } = submission(tracked, key);
    changes.push({
      kind: "call",
      current: null,
      proposed: { function: name, arguments: call?.arguments ?? null },
      proposer: submittedBy,
      effectiveAt: executableAt,
      id: `${key}:${due}`,
      target: vault.address,
      function: name,
      arguments: call?.arguments ?? null,
      ...(calldata === null ? {} : { calldata }),
      submittedAt,
      submittedBy,
      executableAt,
      earliestEffectAt: isBlocked ? null : toSeconds(earliest(due)),
      isBlocked,
      revocableBy,
    });
  };

  if (views.pendingOwner !== null && views.pendingOwner !== zeroAddress) {
    const { submittedAt, submittedBy } = submission(tracked, "owner");
    changes.push({
      kind: "primary_manager",
      current: owner,
      proposed: views.pendingOwner,
      proposer: submittedBy ?? owner,
      effectiveAt: null,
      id: `owner:${views.pendingOwner}`,
      target: vault.address,
      submittedAt,
      submittedBy,
      revocableBy: somebodies([owner]),
    });
  }
  const [timelock, timelockDue] = views.pendingTimelock ?? [0n, 0n];
  if (timelockDue > 0n) add("timelock", timelockDue, "submitTimelock", [timelock], safety);
  const [nextGuardian, guardianDue] = views.pendingGuardian ?? [zeroAddress, 0n];
  if (guardianDue > 0n) add("guardian", guardianDue, "submitGuardian", [nextGuardian], safety);
  for (const { id, config, pendingCap, answers } of own) {
    const argument = answers.argument();
    const [cap, capDue] = pendingCap ?? [0n, 0n];
    if (capDue > 0n) {
      const args = argument === null ? null : [argument, cap];
      add(`cap:${id}`, capDue, "submitCap", args, curation, answers.isBarred());
    }
    if (config !== null && config.removableAt > 0n)
      add(
        `removal:${id}`,
        config.removableAt,
        "submitMarketRemoval",
        argument === null ? null : [argument],
        curation,
      );
  }
  return changes;
}

/**
 * When the effect of a change that is due at some time could come about at the earliest: then; or under the timelock in force, revoked and
 * submitted again; or after a pending shorter timelock is accepted, submitted again under that one.
 */
export function earliestOf(
  views: Pick<PendingViews, "timelock" | "pendingTimelock">,
  time: number,
): (due: bigint) => bigint {
  const now = BigInt(time);
  const ways: bigint[] = [];
  if (views.timelock !== null) ways.push(now + views.timelock);
  const [shorter, due] = views.pendingTimelock ?? [0n, 0n];
  if (due > 0n) ways.push(greater(due, now) + shorter);
  return (own) => ways.reduce(lesser, own);
}

function submission(tracked: Tracked | undefined, key: string) {
  const known = tracked?.call?.get(key);
  return {
    submittedAt: known === undefined ? null : Number(known.submitted_at),
    submittedBy: known === undefined ? null : (known.submitted_by as Address),
  };
}

function encode(lines: Lines, name: string, args: readonly unknown[]): Hex {
  const abi = [...lines.calls.values()].filter((each) => each.name === name);
  return encodeFunctionData({ abi, functionName: name, args });
}

function somebodies(accounts: readonly (Address | null)[]): Address[] {
  return [...new Set(accounts)].filter((account) => account !== null && account !== zeroAddress) as Address[];
}
