// Requests to redeem (ERC-7540), as the vault counts them: what each controller waits for, and what it may take.
import type { Address } from "viem";
import type { RedeemRequestReading } from "../../reading.ts";
import type { RedeemRequest } from "./family.ts";
import { VIEWS } from "./vault-views.ts";
import { ifRead, type ViewBatch } from "./view.ts";

/** By controller, over all of its requests; one of which a view did not answer is left out. */
export function addRedeemRequests(
  batch: ViewBatch,
  vault: Address,
  requests: readonly RedeemRequest[],
): () => RedeemRequestReading[] {
  const asked = [...Map.groupBy(requests, ({ controller }) => controller)].map(([controller, own]) => ({
    controller,
    claimableAssets: batch.add(vault, VIEWS.maxWithdraw, controller),
    each: own.map(({ requestId }) => ({
      pending: batch.add(vault, VIEWS.pendingRedeemRequest, requestId, controller),
      claimable: batch.add(vault, VIEWS.claimableRedeemRequest, requestId, controller),
    })),
  }));
  return () =>
    asked.flatMap(({ controller, claimableAssets, each }) => {
      const pendingShares = sumOf(each.map(({ pending }) => ifRead(pending)));
      const claimableShares = sumOf(each.map(({ claimable }) => ifRead(claimable)));
      const assets = ifRead(claimableAssets);
      if (pendingShares === null || claimableShares === null || assets === null) return [];
      return [{ controller, pendingShares, claimableShares, claimableAssets: assets }];
    });
}

function sumOf(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0n,
  );
}
