// Which values of a vault its events change, by event: so that what stood before an event is known from the events before it, and only
// the first of a run has to be read at the block before.
import type { Address } from "viem";
import type { GovernanceBody, Json } from "../../governance.ts";
import { orNobody } from "./events.ts";

/** A value of a vault: its name, and the line that it is of. `pendingCap:0x…` */
export type Slot = string;

type Args = GovernanceBody["args"];

interface Change {
  /** What stands in the slots after; the first is what the event is about. */
  after(args: Args): [Slot, Json][];
  /** Whether it waits: `executable_at` stands in the slot's view. */
  waits?: true;
  /** No parameter says who did it, and nobody but the owner may. */
  byOwner?: true;
  /** That the new value was held back by the timelock, judged by the one before it. */
  wasHeldBack?(before: Json, after: Json): boolean;
}

export const CHANGES: Readonly<Record<string, Change>> = {
  OwnershipTransferStarted: { after: ({ newOwner }) => [["pendingOwner", nobody(newOwner)]] },
  OwnershipTransferred: {
    after: ({ newOwner }) => [
      ["owner", nobody(newOwner)],
      ["pendingOwner", null],
    ],
  },
  SetCurator: { after: ({ newCurator }) => [["curator", nobody(newCurator)]], byOwner: true },
  SetIsAllocator: { after: () => [], byOwner: true },
  SubmitGuardian: {
    after: ({ newGuardian }) => [["pendingGuardian", nobody(newGuardian)]],
    waits: true,
    byOwner: true,
  },
  SetGuardian: {
    after: ({ guardian }) => [
      ["guardian", nobody(guardian)],
      ["pendingGuardian", null],
    ],
    wasHeldBack: (before) => before !== null,
  },
  RevokePendingGuardian: { after: () => [["pendingGuardian", null]] },
  SubmitTimelock: {
    after: ({ newTimelock }) => [["pendingTimelock", newTimelock!]],
    waits: true,
    byOwner: true,
  },
  SetTimelock: {
    after: ({ newTimelock }) => [
      ["timelock", newTimelock!],
      ["pendingTimelock", null],
    ],
    wasHeldBack: (before, after) => before !== null && amount(after) < amount(before),
  },
  RevokePendingTimelock: { after: () => [["pendingTimelock", null]] },
  SetFee: { after: ({ newFee }) => [["fee", newFee!]] },
  SetFeeRecipient: {
    after: ({ newFeeRecipient }) => [["feeRecipient", nobody(newFeeRecipient)]],
    byOwner: true,
  },
  SetSkimRecipient: {
    after: ({ newSkimRecipient }) => [["skimRecipient", nobody(newSkimRecipient)]],
    byOwner: true,
  },
  SetName: { after: ({ name }) => [["name", name!]], byOwner: true },
  SetSymbol: { after: ({ symbol }) => [["symbol", symbol!]], byOwner: true },
  SubmitCap: { after: ({ id, cap }) => [[`pendingCap:${id}`, cap!]], waits: true },
  SetCap: {
    after: ({ id, cap }) => [
      [`cap:${id}`, cap!],
      [`pendingCap:${id}`, null],
      ...(cap === "0" ? [] : [[`removableAt:${id}`, null] satisfies [Slot, Json]]),
    ],
    wasHeldBack: (before, after) => before !== null && amount(after) > amount(before),
  },
  RevokePendingCap: { after: ({ id }) => [[`pendingCap:${id}`, null]] },
  SubmitMarketRemoval: { after: ({ id }) => [[`removableAt:${id}`, true]], waits: true },
  RevokePendingMarketRemoval: { after: ({ id }) => [[`removableAt:${id}`, null]] },
  SetSupplyQueue: { after: ({ newSupplyQueue }) => [["supplyQueue", newSupplyQueue!]] },
  SetWithdrawQueue: { after: ({ newWithdrawQueue }) => [["withdrawQueue", newWithdrawQueue!]] },
  UpdateLastTotalAssets: { after: ({ updatedTotalAssets }) => [["lastTotalAssets", updatedTotalAssets!]] },
  AccrueInterest: { after: ({ newTotalAssets }) => [["lastTotalAssets", newTotalAssets!]] },
  UpdateLostAssets: { after: ({ newLostAssets }) => [["lostAssets", newLostAssets!]] },
  ReallocateSupply: { after: () => [] },
  ReallocateWithdraw: { after: () => [] },
};

/** What an event is about. A proposal is told beside what is in force, what is revoked beside what was pending. */
export function subjectOf(body: GovernanceBody): Slot | null {
  switch (body.event) {
    case "OwnershipTransferStarted":
      return "owner";
    case "SubmitGuardian":
      return "guardian";
    case "SubmitTimelock":
      return "timelock";
    case "SubmitCap":
      return `cap:${body.args.id}`;
    case "SubmitMarketRemoval":
      return null;
    default:
      return CHANGES[body.event]?.after(body.args)[0]?.[0] ?? null;
  }
}

export function amount(value: Json): bigint {
  return BigInt(value as string);
}

function nobody(account: Json | undefined): Json {
  return orNobody(account as Address);
}
