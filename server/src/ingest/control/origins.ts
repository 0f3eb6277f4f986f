// Origins: who holds the roles of a timelock, and what waits in it. No view lists either: both follow from its own logs since it was made, which are
// gathered beside the head, and each of them is then asked for by view. Where the node does not tell when it was made, so many of its newest
// blocks are looked through, and who holds its roles stays unknown, and is told as such.
import type { Address } from "viem";
import type { ChainClient, RawLog } from "../../chain/client/client.ts";
import { applyTimelock, type DecodeCall, NEW_TIMELOCK } from "../../chain/controllers/apply-timelock.ts";
import { timelockEvent } from "../../chain/controllers/events.ts";
import { type ControllerState, plainState } from "../../chain/controllers/state.ts";
import { isChainFault } from "../../chain/rpc/fault.ts";

/** How far back is looked where it is not known when a timelock was made. */
const BLOCKS_BACK = 500_000;

export interface Origin {
  account: Address;
  logs: RawLog[];
  /** They begin with its creation. */
  isWhole: boolean;
  toBlock: number;
}

export async function gatherOrigin(
  client: ChainClient,
  account: Address,
  toBlock: number,
  signal: AbortSignal,
): Promise<Origin> {
  const created = await creationOf(client, account, toBlock);
  const fromBlock = created ?? Math.max(0, toBlock - BLOCKS_BACK);
  const logs: RawLog[] = [];
  if (fromBlock <= toBlock)
    for await (const chunk of client.logsInRange({ fromBlock, toBlock, addresses: [account], signal }))
      logs.push(...chunk.logs);
  return { account, logs, isWhole: created !== null || fromBlock === 0, toBlock };
}

/** The block in which the account got its code; null where the node has not the state of blocks so old. */
async function creationOf(client: ChainClient, account: Address, toBlock: number): Promise<number | null> {
  const hasCode = async (number: number) => (await client.getCode(account, { number })) !== "0x";
  let [low, high] = [0, toBlock + 1];
  try {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (middle > toBlock || (await hasCode(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  } catch (error) {
    if (isChainFault(error, "state_missing", "refused", "block_missing", "unread")) return null;
    throw error;
  }
}

/** What its logs say of a timelock, and the log that scheduled each operation that waits by them. */
export function stateAfter(
  { account, isWhole }: Pick<Origin, "account" | "isWhole">,
  logs: readonly RawLog[],
  known: ControllerState | undefined,
  decodeCall: DecodeCall,
): { state: ControllerState; scheduledIn: Map<string, RawLog> } {
  let state: ControllerState = { ...(known ?? plainState("timelock")), timelock: NEW_TIMELOCK };
  const scheduledIn = new Map<string, RawLog>();
  for (const log of logs) {
    const event = timelockEvent(log);
    if (event === null) continue;
    if (event.name === "CallScheduled") scheduledIn.set(event.values[0], log);
    const happening = { timestamp: log.blockTimestamp ?? 0, by: null, decodeCall };
    state = applyTimelock(account, state, event, happening).state;
  }
  const timelock = { ...state.timelock!, ...(isWhole ? {} : { holders: null }) };
  return { state: { ...state, timelock }, scheduledIn };
}
