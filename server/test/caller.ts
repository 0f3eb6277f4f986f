// Callers for route tests: the real guard, with tokens that are the wallet itself after its scope (`full:0x…`), and after that the chain
// to which a contract's signature limits it (`full:0x…:8453`), since how a token is verified is tested elsewhere.
import type { Address } from "viem";
import { createGrants } from "../src/auth/grants.ts";
import { createGuard } from "../src/auth/guard.ts";
import { createVaultAccess } from "../src/auth/vaults.ts";
import type { Database } from "../src/platform/db/db.ts";
import { Problem } from "../src/platform/errors.ts";
import type { Guard } from "../src/platform/permission.ts";

export function plainTokenGuard(db: Database, maintainers: readonly Address[] = []): Guard {
  const read = (token: string) => {
    const [scope, wallet, chainId] = token.split(":") as ["full" | "read", Address?, string?];
    const limitedToChainId = chainId === undefined ? null : Number(chainId);
    return wallet === undefined ? null : { wallet, scope, expiresAt: 4_102_444_800, limitedToChainId };
  };
  return createGuard({
    verifier: {
      cached: read,
      holds: () => true,
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

/** The header with which a contract at that address asks that signed in on the chain. */
export function asContract(wallet: Address, chainId: number): Record<string, string> {
  return { authorization: `Bearer full:${wallet}:${chainId}` };
}
