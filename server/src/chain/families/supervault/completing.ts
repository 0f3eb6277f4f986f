// What an event leaves out and its block or its transaction tells: the price expiry in force when another is proposed, and how many
// shares came back when a request was taken back.
import type { Address } from "viem";
import type { ChainClient } from "../../client/client.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { Decoded } from "../family/family.ts";
import { ViewBatch } from "../family/view.ts";
import { STRATEGY_VIEWS } from "./abi.ts";

/** As of the end of the block: what a block proposes cannot come into force in it. null where the node has no such state. */
export async function withExpiration(client: ChainClient, proposal: Decoded): Promise<Decoded> {
  const { body, log } = proposal;
  if (body.kind !== "pps_expiration_proposed") return { ...proposal, needs: null };
  const batch = new ViewBatch();
  const inForce = batch.add(log.address as Address, STRATEGY_VIEWS.ppsExpiration);
  try {
    await batch.run(client, { number: log.blockNumber, hash: log.blockHash }, { isForGood: true });
    return { ...proposal, needs: null, body: { ...body, currentExpiration: inForce() } };
  } catch (error) {
    if (!isChainFault(error, "state_missing", "refused")) throw error;
    return { ...proposal, needs: null, isPartial: true };
  }
}

/** `all` are the facts decoded together with it: the strategy tells the shares just before the vault tells of the request. */
export function withShares(cancelled: Decoded, all: readonly Decoded[]): Decoded {
  const { body, log } = cancelled;
  if (body.kind !== "redeem_request_cancelled") return { ...cancelled, needs: null };
  const told = all.findLast(
    (each) =>
      each.log.txHash === log.txHash &&
      each.log.logIndex < log.logIndex &&
      each.body.kind === "other" &&
      each.body.event === "RedeemRequestCanceled" &&
      each.body.args.controller === body.controller,
  );
  const shares = told?.body.kind === "other" ? told.body.args.shares : null;
  return { ...cancelled, needs: null, body: { ...body, shares: typeof shares === "bigint" ? shares : null } };
}
