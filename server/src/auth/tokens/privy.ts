// Privy (privy.io). Its identity token carries `linked_accounts`, a JSON text of everything linked to the user; EVM wallets have
// `type: "wallet"` and `chain_type: "ethereum"`. Its access token names no wallet. Nothing in the token says which of
// several wallets is in use, so a user with several is refused rather than guessed at.
import { tokenRefused } from "./refuse.ts";
import { type Claims, isRecord, type WalletClaim, walletsOf } from "./wallet.ts";

export function privyProfile(claims: Claims): WalletClaim & { scope: "full" } {
  if (claims.linked_accounts === undefined) {
    throw tokenRefused(
      "This token names no wallet (`linked_accounts` is missing). Send Privy's identity token, not the access token.",
    );
  }
  const accounts = accountsOf(claims.linked_accounts);
  if (accounts === null) throw tokenRefused("The token's `linked_accounts` is not a JSON list.");

  const wallets = accounts.filter(
    (account) => isRecord(account) && account.type === "wallet" && account.chain_type === "ethereum",
  );
  if (wallets.length === 0)
    throw tokenRefused(
      "This token contains no linked EVM wallet. Link one with Privy and send the new identity token.",
    );

  const found = walletsOf(wallets.map((account) => (isRecord(account) ? account.address : null)));
  if (found === null) throw tokenRefused("A linked EVM wallet of this token has no valid `address`.");
  const [wallet, ...others] = found;
  if (wallet === undefined || others.length > 0) {
    throw tokenRefused(
      "This token contains several EVM wallets and Privy does not say which is in use. Keep one linked, or use a token that names it.",
    );
  }
  return { ...wallet, scope: "full" };
}

/** The list, from its JSON text or as it is; null when it is none. */
function accountsOf(value: unknown): unknown[] | null {
  let list = value;
  if (typeof value === "string") {
    try {
      list = JSON.parse(value);
    } catch {
      return null;
    }
  }
  return Array.isArray(list) ? list : null;
}
