// Any other issuer, and the embedded one. The wallet is in the configured claim; where none is configured, in
// `wallet_address`, else in a `sub` that is an address, a CAIP-10 account or a did:pkh of an EVM chain.
import type { Address } from "viem";
import { tokenRefused } from "../refuse.ts";
import { type Claims, walletOf } from "./wallet.ts";

export function genericProfile(
  claims: Claims,
  options: { walletClaim: string | null },
): { wallet: Address; scope: "full" | "read" } {
  const claim = options.walletClaim ?? (Object.hasOwn(claims, "wallet_address") ? "wallet_address" : "sub");
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const wallet = walletOf(value);
  if (wallet === null) {
    const where = options.walletClaim === null ? "`wallet_address` or `sub`" : `\`${claim}\``;
    throw tokenRefused(
      `This token names no wallet: ${where} is not an address, a CAIP-10 account or a did:pkh of an EVM chain.`,
    );
  }
  return { wallet, scope: claims.scope === "read" ? "read" : "full" };
}
