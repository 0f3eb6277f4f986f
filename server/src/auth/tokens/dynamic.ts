// Dynamic (dynamic.xyz). Its full JWT lists the user's credentials; those of EVM wallets have `chain: "eip155"`, and
// `last_verified_credential_id` names the one in use. Its minified JWT names no wallet, and a token whose scope holds
// `requiresAdditionalAuth` belongs to a sign-in that is not finished (Dynamic's reference, "Tokens").
import { tokenRefused } from "./refuse.ts";
import { type Claims, isRecord, type WalletClaim, walletsOf } from "./wallet.ts";

const UNFINISHED = "requiresAdditionalAuth";

export function dynamicProfile(claims: Claims): WalletClaim & { scope: "full" } {
  if (scopesOf(claims.scope).includes(UNFINISHED)) {
    throw tokenRefused(
      "This sign-in is not finished: the token's scope asks for additional authentication. Complete it with Dynamic.",
    );
  }
  const credentials = claims.verified_credentials;
  if (!Array.isArray(credentials)) {
    throw tokenRefused(
      "This token names no wallet (`verified_credentials` is missing). Send Dynamic's full JWT (`getAuthToken()`), not the minified one.",
    );
  }
  const wallets = credentials.filter((credential) => isRecord(credential) && credential.chain === "eip155");
  if (wallets.length === 0) {
    throw tokenRefused(
      "This token contains no verified EVM wallet. Connect one with Dynamic and send the new JWT.",
    );
  }

  const lastId = claims.last_verified_credential_id;
  const named = typeof lastId === "string" ? wallets.filter((credential) => credential.id === lastId) : [];
  const found = walletsOf((named.length > 0 ? named : wallets).map((credential) => credential.address));
  if (found === null) throw tokenRefused("A verified EVM credential of this token has no valid `address`.");
  const [wallet, ...others] = found;
  if (wallet === undefined || others.length > 0) {
    throw tokenRefused(
      "This token contains several EVM wallets and does not say which is in use (`last_verified_credential_id`). Reconnect the wallet you mean.",
    );
  }
  return { ...wallet, scope: "full" };
}

/** Scopes as one text separated by white space (RFC 8693), or as a list. */
function scopesOf(scope: unknown): unknown[] {
  if (typeof scope === "string") return scope.split(/\s+/);
  return Array.isArray(scope) ? scope : [];
}
