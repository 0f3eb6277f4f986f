// What a route may ask of its caller. Every route declares one in `config.permission`; a route without one stops the start.
// The guard (auth/guard.ts) enforces them in this order (docs/decisions/0016): 401, 400 of path and query, 404 chain or vault of the path, 403; all of it
// before the body is read.
import type { FastifyRequest } from "fastify";
import type { Address } from "viem";

export type Permission =
  /** Anyone, no token read. */
  | "public"
  /** Any valid token. */
  | "authenticated"
  /** Any role on the vault named by the path (`chain_id`, and `vault_address`, `address` or `vault`; or `vault_id`). */
  | "vault_member"
  /** Primary or secondary manager of that vault; a token with scope `read` is refused for any method but GET. */
  | "vault_manager"
  /** Manager or operator of that vault, otherwise the same. */
  | "vault_operator"
  /** A list that is cut to the caller's vaults; the handler asks `request.caller` for them. */
  | "own_vaults"
  /** Manager or operator of any vault. */
  | "any_operator"
  /** An ingest token instead of a JWT; checked by the engine's routes themselves. */
  | "ingest";

export type VaultRole = "primary_manager" | "secondary_manager" | "operator" | "view_only";

/**
 * A role on a vault. `canWrite` is for what managers alone may do: false for a manager's role that is not yet confirmed, and for every other.
 * `isAccepted` is false for a vault that somebody named the wallet on and the wallet has not made its own.
 */
export interface VaultGrant {
  chainId: number;
  vaultAddress: Address;
  role: VaultRole;
  canWrite: boolean;
  isAccepted: boolean;
  /** The wallet is an operator, maybe besides a manager's role that is not yet confirmed: it may do an operator's work now. */
  isOperator?: boolean;
  /** What the wallet itself holds on the vault's contract, by the contract's words; left out where that is nothing. */
  contractRoles?: readonly string[];
  /** The Safe or timelock as whose owner or proposer the wallet holds the role; left out where it holds the role itself. */
  via?: Address;
}

/** Who is asking, put on `request.caller` by the guard for every permission but `public` and `ingest`. */
export interface Caller {
  wallet: Address;
  scope: "full" | "read";
  isMaintainer: boolean;
  /** Unix seconds. */
  expiresAt: number;
  /** The roles that count with this token. */
  grants: VaultGrant[];
  /** The only chain on which a contract's signature counts; null for a key's, which counts everywhere. */
  limitedToChainId: number | null;
  /** Whether the wallet holds roles on other chains, which do not count with this token. */
  hasRolesElsewhere: boolean;
  /** Whether the token still holds: it has not run out, and the key that signed it was not withdrawn. */
  isTokenGood(): boolean;
}

/** Whose quotas, bounds and idempotency keys a caller uses: the wallet's own; a contract's on its chain alone. */
export function accountOf({ wallet, limitedToChainId }: Caller): string {
  return limitedToChainId === null ? wallet : `${limitedToChainId}:${wallet}`;
}

/**
 * Whether what the wallet made without a chain's limit, and its entries that concern no vault, are the caller's to see: not while the
 * wallet holds a role on another chain, where somebody else may stand at its address.
 */
export function seesUnlimited({ limitedToChainId, hasRolesElsewhere }: Caller): boolean {
  return limitedToChainId === null || !hasRolesElsewhere;
}

/**
 * What enforces permissions (auth/guard.ts). Neither is called for a route whose permission is `public` or `ingest`, nor where no route
 * matched. Both throw a Problem to refuse; both may be synchronous, which keeps hot paths cheap.
 */
export interface Guard {
  /** Before the body is read or anything validated: reads the token and sets `request.caller`. Refuses with `invalid_token`. */
  authenticate(request: FastifyRequest): Promise<void> | void;
  /**
   * Before the body is read, path parameters being in canonical form: the path's chain and vault exist (404), the caller may (403).
   */
  authorise(request: FastifyRequest): Promise<void> | void;
}

declare module "fastify" {
  interface FastifyContextConfig {
    permission?: Permission;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}
