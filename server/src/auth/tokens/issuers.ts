// The trusted issuers of the configuration, ready to verify with.
import { type FetchJson, fileKeySet, type KeySetDeps, remoteKeySet } from "./jwks.ts";
import type { Algorithm } from "./keys.ts";
import type { ProfileName } from "./profile.ts";
import type { TrustedIssuer } from "./verify.ts";

/** An entry of `auth.issuers`, as the configuration writes it. */
export interface IssuerSettings {
  issuer: string;
  audience: readonly string[] | "any";
  jwks_url: string | null;
  jwks_file: string | null;
  algorithms: readonly Algorithm[];
  clock_tolerance_seconds: number;
  profile: ProfileName;
  wallet_claim: string | null;
  contract_wallets: "accept" | "refuse";
}

/** The issuers, each with its own key set; those with the same JWKS share it. */
export function trustedIssuers(
  settings: readonly IssuerSettings[],
  fetchJson: FetchJson,
  deps: KeySetDeps,
): TrustedIssuer[] {
  const keySets = new Map<string, TrustedIssuer["keys"]>();
  return settings.map((entry) => {
    const place = entry.jwks_url ?? entry.jwks_file;
    if (place === null) throw new Error(`issuer ${entry.issuer} has neither jwks_url nor jwks_file`);
    const keys =
      keySets.get(place) ??
      (entry.jwks_url === null ? fileKeySet(place, deps) : remoteKeySet(place, fetchJson, deps));
    keySets.set(place, keys);
    return {
      issuer: entry.issuer,
      audience: entry.audience,
      keys,
      algorithms: entry.algorithms,
      clockToleranceSeconds: entry.clock_tolerance_seconds,
      profile: entry.profile,
      walletClaim: entry.wallet_claim,
      contractWallets: entry.contract_wallets,
    };
  });
}
