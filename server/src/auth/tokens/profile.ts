// Profile: how a verified token of one kind of identity provider names the wallet that it stands for.
// Guarantee: a profile returns exactly one wallet, or refuses; it never guesses between several.
import { dynamicProfile } from "./dynamic.ts";
import { genericProfile } from "./generic.ts";
import { privyProfile } from "./privy.ts";
import type { Claims, WalletClaim } from "./wallet.ts";

export type ProfileName = "dynamic" | "privy" | "generic";

/** Finds the wallet and the scope in a token's claims; throws the `invalid_token` problem, with what to do, when it cannot. */
export type Profile = (
  claims: Claims,
  options: { walletClaim: string | null },
) => WalletClaim & { scope: "full" | "read" };

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  dynamic: dynamicProfile,
  privy: privyProfile,
  generic: genericProfile,
};
