// Callers for route tests: the real guard, with tokens that are the wallet itself after its scope (`full:0x…`), since how a token is
// verified is tested elsewhere.
import type { Address } from "viem";
import { createGrants } from "../src/auth/grants.ts";
import { createGuard } from "../src/auth/guard.ts";
import { createVaultAccess } from "../src/auth/vaults.ts";
import type { Database } from "../src/platform/db.ts";
import { Problem } from "../src/platform/errors.ts";
import type { Guard } from "../src/platform/permission.ts";

export function plainTokenGuard(db: Database, maintainers: readonly Address[] = []): Guard {
  const read = (token: string) => {
    const [scope, wallet] = token.split(":") as ["full" | "read", Address | undefined];
    return wallet === undefined ? null : { wallet, scope, expiresAt: 4_102_444_800 };
  };
  return createGuard({
    verifier: {
      cached: read,
      holds: () => false,
      verify: () => Promise.reject(new Problem("invalid_token", "This is no token.")),
    },
    grants: createGrants(db),
    vaults: createVaultAccess(db),
    maintainers,
  });
}

/** The header with which a wallet asks; none for nobody. */
export function as(wallet: Address | null, scope: "full" | "read" = "full"): Record<string, string> {
  return wallet === null ? {} : { authorization: `Bearer ${scope}:${wallet}` };
}
