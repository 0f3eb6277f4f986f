// The guard: who is asking, and may they. Asked before the body is read, in this order: 401, 400 of path and query, 404 of the path's chain
// or vault, 403 (platform/http/admit.ts).
// Guarantee: no handler of a route that is not public runs before its caller was identified and its permission held. A role
// lost at the chain's head refuses at once; a role gained reads at once and writes when its block is confirmed. A read is decided by the
// roles in memory (grants.ts says what those hold), a change by those that the database has at that moment.
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Address } from "viem";
import { Problem } from "../platform/errors.ts";
import type { Caller, Guard, VaultGrant } from "../platform/permission.ts";
import { parseVaultId, type VaultRef } from "../vault.ts";
import type { Grants } from "./grants.ts";
import { giveRoles } from "./tokens/limit.ts";
import { scopeInsufficient, tokenMissing, tokenRefused } from "./tokens/refuse.ts";
import type { VerifiedToken, Verifier } from "./tokens/verify.ts";
import {
  grantOn,
  isManagerRole,
  isOperatingRole,
  mayOperate,
  roleMissing,
  type VaultAccess,
} from "./vaults.ts";

export interface GuardParts {
  verifier: Pick<Verifier, "cached" | "holds" | "verify">;
  grants: Grants;
  vaults: Pick<VaultAccess, "mustExist">;
  /** Wallets that may read every vault, checksummed. */
  maintainers: readonly Address[];
}

export function createGuard({ verifier, grants, vaults, maintainers }: GuardParts): Guard {
  const maintaining = new Set(maintainers);
  const admit = (request: FastifyRequest, token: VerifiedToken) => {
    const { wallet, scope, expiresAt, limitedToChainId } = token;
    request.caller = {
      wallet,
      scope,
      // The configuration names wallets for all chains, which a contract's signature is not good for.
      isMaintainer: limitedToChainId === null && maintaining.has(wallet),
      expiresAt,
      grants: [],
      limitedToChainId,
      hasRolesElsewhere: false,
      isTokenGood: () => verifier.holds(token),
    };
  };

  /** What each connection sent last: a client sends the same token with every request, which need not be read and looked up again. */
  const sent = new WeakMap<Socket, { header: string; token: VerifiedToken }>();

  return {
    authenticate(request) {
      const { socket } = request.raw;
      const header = request.headers.authorization;
      const last = sent.get(socket);
      if (last !== undefined && last.header === header && verifier.holds(last.token)) {
        admit(request, last.token);
        return;
      }
      const text = bearerToken(header);
      const known = verifier.cached(text);
      if (known === null) return verifier.verify(text).then((verified) => admit(request, verified));
      sent.set(socket, { header: header as string, token: known });
      admit(request, known);
    },
    authorise(request) {
      const { caller } = request;
      if (caller === null) throw tokenMissing();
      const known = isRead(request) ? grants.known(caller.wallet) : null;
      if (known !== null) return decide(request, caller, known);
      return grants.of(caller.wallet).then((roles) => decide(request, caller, roles));
    },
  };

  function decide(
    request: FastifyRequest,
    caller: Caller,
    held: readonly VaultGrant[],
  ): Promise<void> | void {
    const { grants: roles } = giveRoles(caller, held);
    const place = placeOf(request.params);
    const grant = place === null ? null : grantOn(roles, place);
    if (place === null || grant !== null) return check(request, caller, grant);
    return vaults.mustExist(place).then(() => check(request, caller, null));
  }
}

function isRead({ method }: FastifyRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/** The token of an Authorization header (RFC 6750, section 2.1): nowhere else is one looked for. `kind` is what is asked for. */
export function bearerToken(header: string | undefined, kind?: string): string {
  if (header === undefined || !/^bearer(?: |$)/i.test(header)) throw tokenMissing(kind);
  const token = header.slice("bearer".length).trim();
  if (token === "" || /\s/.test(token))
    throw tokenRefused("The Authorization header does not contain exactly one token after `Bearer`.");
  return token;
}

/** The vault that the path names, if it names one: `vault_id`, or `chain_id` with `vault_address`, `address` or `vault`. */
function placeOf(params: unknown): VaultRef | null {
  const { chain_id, vault_id, vault_address, address, vault } = params as Record<string, unknown>;
  if (typeof vault_id === "string") return parseVaultId(vault_id);
  const vaultAddress = vault_address ?? address ?? vault;
  if (typeof chain_id !== "number" || typeof vaultAddress !== "string") return null;
  return { chainId: chain_id, vaultAddress: vaultAddress as Address };
}

function check(request: FastifyRequest, caller: Caller, grant: VaultGrant | null): void {
  const reads = isRead(request);
  if (!reads && caller.scope === "read") throw scopeInsufficient();
  const permission = request.plan?.permission;
  switch (permission) {
    case "authenticated":
    case "own_vaults":
      return;
    case "vault_member":
      // A registry maintainer sees every vault and changes none.
      if (grant === null && !(caller.isMaintainer && reads)) throw roleMissing();
      return;
    case "vault_manager":
      requireRole(MANAGER, grant === null ? [] : [grant], reads, "that vault");
      return;
    case "vault_operator":
      requireRole(OPERATOR, grant === null ? [] : [grant], reads, "that vault");
      return;
    case "any_operator":
      requireRole(OPERATOR, caller.grants, reads, "any vault");
      return;
    default:
      throw new Error(`the guard knows no permission ${String(permission)}`);
  }
}

interface Required {
  words: string;
  isHeld(role: VaultGrant["role"]): boolean;
  mayWrite(grant: VaultGrant): boolean;
}

const MANAGER: Required = {
  words: "a manager",
  isHeld: isManagerRole,
  mayWrite: ({ canWrite }) => canWrite,
};
const OPERATOR: Required = {
  words: "a manager or operator",
  isHeld: isOperatingRole,
  mayWrite: mayOperate,
};

function requireRole(
  { words, isHeld, mayWrite }: Required,
  grants: readonly VaultGrant[],
  reads: boolean,
  where: string,
): void {
  const holding = grants.filter(({ role }) => isHeld(role));
  if (holding.length === 0)
    throw new Problem("insufficient_role", `Your wallet is not ${words} of ${where}.`);
  if (!reads && !holding.some(mayWrite)) {
    throw new Problem(
      "insufficient_role",
      `Your wallet's role on ${where} is too new: the block that gave it is not confirmed yet.`,
    );
  }
}
