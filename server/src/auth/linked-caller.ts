// Who asks where no request of a wallet's own does: a user of a chat who was linked to it.
import type { Caller } from "../platform/permission.ts";
import type { Grants } from "./grants.ts";
import { giveRoles } from "./tokens/limit.ts";

/**
 * A wallet that acts without a token, by a user who was linked to it, with the roles that it holds now. It maintains nothing: what the
 * configuration gives to a wallet is given to who signs in with it.
 */
export async function linkedCaller(
  grants: Pick<Grants, "of">,
  { wallet, limitedToChainId }: Pick<Caller, "wallet" | "limitedToChainId">,
): Promise<Caller> {
  const caller: Caller = {
    wallet,
    scope: "full",
    isMaintainer: false,
    expiresAt: Number.POSITIVE_INFINITY,
    grants: [],
    limitedToChainId,
    hasRolesElsewhere: false,
    isTokenGood: () => true,
  };
  return giveRoles(caller, await grants.of(wallet));
}
