// Any other issuer, and the embedded one. The wallet is in the configured claim; where none is configured, in
// `wallet_address`, else in a `sub` that is an address, a CAIP-10 account or a did:pkh of an EVM chain. What signed for it is in
// `signature_type`: "contract", on the chain of `chain_id`, or "key". A token of an embedded provider before 0.2 has no such claim and
// is read as a key's, until it runs out.
import { tokenRefused } from "./refuse.ts";
import { type Claims, type WalletClaim, walletOf } from "./wallet.ts";

export function genericProfile(
  claims: Claims,
  options: { walletClaim: string | null },
): WalletClaim & { scope: "full" | "read" } {
  const claim = options.walletClaim ?? (Object.hasOwn(claims, "wallet_address") ? "wallet_address" : "sub");
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const found = walletOf(value);
  if (found === null) {
    const where = options.walletClaim === null ? "`wallet_address` or `sub`" : `\`${claim}\``;
    throw tokenRefused(
      `This token names no wallet: ${where} is not an address, a CAIP-10 account or a did:pkh of an EVM chain.`,
    );
  }
  return { ...signedBy(claims, found), scope: claims.scope === "read" ? "read" : "full" };
}

/** The wallet with what the token says of its signature. */
function signedBy({ signature_type, chain_id }: Claims, found: WalletClaim): WalletClaim {
  if (signature_type === undefined) return found;
  if (signature_type === "key") return { ...found, chainId: null };
  if (signature_type !== "contract")
    throw tokenRefused("The token's `signature_type` is neither `key` nor `contract`.");
  const chainId =
    typeof chain_id === "number" && Number.isSafeInteger(chain_id) ? BigInt(chain_id) : found.chainId;
  if (chainId === null || chainId < 1n || (found.chainId !== null && found.chainId !== chainId))
    throw tokenRefused("A contract signed this token, and `chain_id` does not say on which chain it stands.");
  return { ...found, chainId, isContract: true };
}
