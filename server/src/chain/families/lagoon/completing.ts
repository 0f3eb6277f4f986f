// What two events leave out and their block tells: how many assets a cancelled deposit gives back, and how many shares a proposal of
// total assets takes in, which its settlement is to pay.
import type { Address } from "viem";
import type { ChainClient } from "../../client/client.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { Decoded } from "../family/family.ts";
import { VIEWS } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import { IS_SILO, LAGOON_VIEWS, siloCandidates } from "./views.ts";

/**
 * What was pending before the block, and what else of the block changed it before the cancellation; `all` are the facts decoded with it.
 * @throws ChainFault where the node does not say
 */
export async function withAssets(
  client: ChainClient,
  cancelled: Decoded,
  all: readonly Decoded[],
): Promise<Decoded> {
  const { body, log, vaultAddress } = cancelled;
  if (body.kind !== "deposit_cancel_claimed") return { ...cancelled, needs: null };
  const batch = new ViewBatch();
  const { requestId, controller } = body;
  const pending = batch.add(
    log.address as Address,
    LAGOON_VIEWS.pendingDepositRequest,
    requestId,
    controller,
  );
  await batch.run(client, { number: log.blockNumber - 1 }, { isForGood: true });
  let assets = pending() ?? 0n;
  for (const each of all) {
    const isBefore = each.log.blockNumber === log.blockNumber && each.log.logIndex < log.logIndex;
    if (!isBefore || each.vaultAddress !== vaultAddress) continue;
    if (isOf(each, requestId, controller)) {
      if (each.body.kind === "deposit_requested") assets += each.body.assets;
      else assets = 0n;
    }
  }
  return { ...cancelled, needs: null, body: { ...body, assets } };
}

function isOf({ body }: Decoded, requestId: bigint, controller: Address): boolean {
  return (
    (body.kind === "deposit_requested" || body.kind === "deposit_cancel_claimed") &&
    body.requestId === requestId &&
    body.controller === controller
  );
}

/**
 * What lies in the silo, as of the end of the block, less what was asked for after the proposal. Left out where the node has no such state:
 * a settlement that is long past asks for it no more; it is told as partial.
 */
export async function withPendingShares(
  client: ChainClient,
  proposal: Decoded,
  all: readonly Decoded[],
): Promise<Decoded> {
  const { body, log, vaultAddress } = proposal;
  if (body.kind !== "governance" || vaultAddress === null) return { ...proposal, needs: null };
  const vault = vaultAddress;
  const batch = new ViewBatch();
  const silos = siloCandidates(vault).map((silo) => ({
    is: batch.add(silo, IS_SILO),
    shares: batch.add(vault, VIEWS.balanceOf, silo),
  }));
  let shares: bigint | null = null;
  let isPartial: true | undefined;
  try {
    await batch.run(client, { number: log.blockNumber, hash: log.blockHash }, { isForGood: true });
    shares = silos.find(({ is }) => is() !== null)?.shares() ?? null;
    if (shares !== null) shares -= askedLater(proposal, all);
  } catch (error) {
    if (!isChainFault(error, "state_missing", "refused")) throw error;
    isPartial = true;
  }
  if (shares === null) return { ...proposal, needs: null, ...(isPartial && { isPartial }) };
  const effects = body.effects.map((effect) =>
    effect.action === "nav_propose"
      ? { ...effect, new: { ...(effect.new as object), pending_shares: shares.toString() } }
      : effect,
  );
  return { ...proposal, needs: null, body: { ...body, effects } };
}

function askedLater({ log, vaultAddress }: Decoded, all: readonly Decoded[]): bigint {
  let shares = 0n;
  for (const { log: place, vaultAddress: vault, body } of all) {
    if (place.blockNumber !== log.blockNumber || place.logIndex < log.logIndex || vault !== vaultAddress)
      continue;
    if (body.kind === "redeem_requested") shares += body.shares;
    if (body.kind === "redeem_cancel_claimed") shares -= body.shares;
  }
  return shares;
}
