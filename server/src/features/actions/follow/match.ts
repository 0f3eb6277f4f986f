// Match: whether a transaction is a prepared action's execution, by who acted, what was called and what was foretold. Pure.
import type { RawLog } from "../../../chain/rpc/raw.ts";
import { actedIn, type Witness } from "./acted.ts";
import { foretoldIn } from "./events.ts";
import type { FollowedAction } from "./followed.ts";

/**
 * The numbers of the logs by which the action is known, or null. `ofVault` are those of the transaction that are facts of its vault: where
 * nothing could be foretold they stand for it, and then the calls must be proven and not only be found.
 */
export function executionOf(
  action: FollowedAction,
  witness: Witness,
  ofVault: readonly number[],
  taken: ReadonlySet<number>,
): number[] | null {
  for (const { after, before, isExact } of actedIn(action, witness)) {
    const isWithin = (log: Pick<RawLog, "logIndex">) => log.logIndex > after && log.logIndex < before;
    if (action.events.length > 0) {
      const found = foretoldIn(action.events, witness.logs.filter(isWithin), taken);
      if (found) return found;
    } else if (isExact) {
      const own = ofVault.filter((logIndex) => isWithin({ logIndex }) && !taken.has(logIndex));
      if (own.length > 0) return own;
    }
  }
  return null;
}
