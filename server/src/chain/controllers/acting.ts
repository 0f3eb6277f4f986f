// Which contract wallets acted in a transaction, from all its logs: ERC-4337 accounts by their EntryPoint, Safes and timelocks by what they say
// of an execution. Each says so after what it ran, and what it called says so before, so that a log belongs to the first that follows it.
//
// Anyone may emit what a Safe emits: whoever reads this takes only those as wallets of whom it is known.
import type { Address } from "viem";
import { toAddress } from "../address.ts";
import { userOperationsIn } from "../client/user-operations.ts";
import type { RawLog } from "../rpc/raw.ts";
import { safeEvent, timelockEvent } from "./events.ts";

export interface ActingWallet {
  wallet: Address;
  /** Of what it says of it: the logs of what it did stand before. */
  logIndex: number;
  kind: "operation" | "safe" | "timelock";
  /** Whom a timelock called; null where the log does not say. */
  target: Address | null;
}

export function actingIn(logs: readonly RawLog[]): ActingWallet[] {
  const operations = userOperationsIn(logs).map(({ sender, logIndex }) => ({
    wallet: sender,
    logIndex,
    kind: "operation" as const,
    target: null,
  }));
  return [...operations, ...logs.flatMap(executed)].sort((a, b) => a.logIndex - b.logIndex);
}

function executed(log: RawLog): ActingWallet[] {
  const place = () => ({ wallet: toAddress(log.address), logIndex: log.logIndex });
  const name = safeEvent(log)?.name;
  if (name === "ExecutionSuccess" || name === "ExecutionFromModuleSuccess")
    return [{ ...place(), kind: "safe", target: null }];
  const event = timelockEvent(log);
  if (event?.name !== "CallExecuted") return [];
  return [{ ...place(), kind: "timelock", target: event.values[2] }];
}
