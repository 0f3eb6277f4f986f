// The events of confirmed facts: pure. A kind of fact that is not named here is no event.
import type { ConfirmedFact, StoredBody } from "../chain/facts.ts";
import { timestampOfSeconds, timestampOrDigits } from "../platform/http/time.ts";
import type { DomainEvent, EventData, EventType } from "./types.ts";

/** The events of facts, in the order of the facts. */
export function eventsOf(facts: readonly ConfirmedFact[]): DomainEvent[] {
  return facts.flatMap((fact) => {
    if (fact.isHistory || fact.vaultAddress === null) return [];
    const found = meaningOf(fact.body);
    if (found === null) return [];
    const [type, data] = found;
    const event = {
      type,
      chainId: fact.chainId,
      vaultAddress: fact.vaultAddress,
      at: timestampOfSeconds(fact.blockTimestamp),
      data: {
        ...data,
        block_number: fact.blockNumber,
        block_hash: fact.blockHash,
        tx_hash: fact.txHash,
        log_index: fact.logIndex,
      },
    };
    return [event as DomainEvent];
  });
}

type Place = "block_number" | "block_hash" | "tx_hash" | "log_index";
type Meaning = {
  [T in EventType]: readonly [
    T,
    EventData<T> extends Record<Place, unknown> ? Omit<EventData<T>, Place> : never,
  ];
}[EventType];

function meaningOf(body: StoredBody): Meaning | null {
  switch (body.kind) {
    case "pps_updated":
      return [
        "pps.updated",
        { pps: body.pps, old_pps: null, fee_amount: null, pps_timestamp: timestampOrDigits(body.timestamp) },
      ];
    case "pps_updated_after_skim":
      return [
        "pps.updated",
        {
          pps: body.newPps,
          old_pps: body.oldPps,
          fee_amount: body.feeAmount,
          pps_timestamp: timestampOrDigits(body.timestamp),
        },
      ];
    case "vault_paused":
      return ["vault.paused", { account: body.account }];
    case "vault_unpaused":
      return ["vault.unpaused", { account: body.account }];
    case "hooks_root_updated":
      return ["merkle.synced", { root: body.newRoot, old_root: body.oldRoot }];
    case "yield_source_added":
      return ["yield_source.added", { yield_source: body.source, oracle: body.oracle }];
    case "yield_source_removed":
      return ["yield_source.removed", { yield_source: body.source }];
    case "redeem_requests_fulfilled":
      return [
        "redemption.fulfilled",
        { controllers: body.controllers, processed_shares: body.processedShares, pps: body.currentPps },
      ];
    case "deposit":
      return [
        "deposit.fulfilled",
        { sender: body.sender, owner: body.owner, assets: body.assets, shares: body.shares },
      ];
    default:
      return null;
  }
}
