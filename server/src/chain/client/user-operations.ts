// Which ERC-4337 account acted in a transaction. An EntryPoint emits UserOperationEvent after each operation it ran, so a log
// belongs to the first operation whose event follows it. Only known EntryPoints count: anyone can emit such an event, and
// would name a manager as the one who acted.
import type { Address, Hex } from "viem";
import { checksum } from "../address.ts";
import type { RawLog } from "../rpc/raw.ts";

/** UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256, bool, uint256, uint256) */
export const USER_OPERATION_EVENT: Hex = "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f";

/** Canonical EntryPoints, versions 0.6 to 0.9 (eth-infinitism/account-abstraction releases). */
export const ENTRY_POINTS: readonly Address[] = [
  "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
  "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
  "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
  "0x433709009B8330FDa32311DF1C2AFA402eD8D009",
];

export interface UserOperation {
  sender: Address;
  /** Of the operation's UserOperationEvent: its logs stand before it. */
  logIndex: number;
}

/** The operations of a transaction, in the order they ran, from all its logs. */
export function userOperationsIn(
  logs: readonly RawLog[],
  entryPoints: readonly Address[] = ENTRY_POINTS,
): UserOperation[] {
  const trusted = new Set(entryPoints.map((address) => address.toLowerCase()));
  return logs
    .filter(
      (log) => log.topics.length === 4 && log.topics[0] === USER_OPERATION_EVENT && trusted.has(log.address),
    )
    .map((log) => ({ sender: checksum(log.topics[2]!.slice(26)), logIndex: log.logIndex }));
}
