// What a contract's signature is worth. At one address different contracts can stand on different chains, made by different people: so
// a signature that a contract vouched for counts on the chain of that contract alone, while a key is the same key everywhere.
// Guarantee: with such a token a role on another chain counts nowhere, and what was made with it reaches no further.
import { type RawBuilder, sql } from "kysely";
import type { Address, Hex } from "viem";
import { isChainFault } from "../../chain/rpc/fault.ts";
import { Problem } from "../../platform/errors.ts";
import { type Caller, seesUnlimited, type VaultGrant } from "../../platform/permission.ts";

/** The code at an address on each chain that is followed. Throws when a node does not answer. */
export type CodeOnChains = (address: Address) => Promise<readonly Hex[]>;

/** An account that a key holds and that has lent itself a contract's code (EIP-7702): nobody else can stand at its address. */
const DELEGATION = "0xef0100";

/** Whether the wallet is a contract on any chain that is followed. Throws `service_unavailable` when that cannot be known. */
export async function isContractAnywhere(wallet: Address, codeOnChains: CodeOnChains): Promise<boolean> {
  const codes = await codeOnChains(wallet).catch((error: unknown) => {
    if (!isChainFault(error)) throw error;
    throw new Problem(
      "service_unavailable",
      "A chain's node does not answer, so it cannot be checked right now whether a contract signed this token.",
      { retryAfterSeconds: 5 },
    );
  });
  return codes.some((code) => code !== "0x" && !code.startsWith(DELEGATION));
}

const last = new WeakMap<readonly VaultGrant[], { chainId: number; counted: readonly VaultGrant[] }>();

/** The roles that count for a token limited to a chain. The same array again for the same roles, so that answers made of it are kept. */
function countedRoles(roles: readonly VaultGrant[], limit: number | null): readonly VaultGrant[] {
  if (limit === null || roles.every(({ chainId }) => chainId === limit)) return roles;
  const known = last.get(roles);
  if (known?.chainId === limit) return known.counted;
  const counted = roles.filter(({ chainId }) => chainId === limit);
  last.set(roles, { chainId: limit, counted });
  return counted;
}

/** Gives a caller the roles that its wallet holds, as far as they count with its token; the caller itself. */
export function giveRoles(caller: Caller, held: readonly VaultGrant[]): Caller {
  const roles = countedRoles(held, caller.limitedToChainId);
  caller.grants = roles as VaultGrant[];
  caller.hasRolesElsewhere = roles.length < held.length;
  return caller;
}

/** Of a row with `created_by` and `limited_to_chain_id`: whether it is the caller's own. `table` is its name in the statement. */
export function isOwn(caller: Caller, table: string): RawBuilder<boolean> {
  const owner = sql.ref(`${table}.created_by`);
  const limit = sql.ref(`${table}.limited_to_chain_id`);
  const own = sql<boolean>`${owner} = ${caller.wallet}`;
  if (caller.limitedToChainId === null) return own;
  const unlimited = seesUnlimited(caller) ? sql`${limit} is null` : sql`false`;
  return sql<boolean>`(${own} and (${limit} = ${caller.limitedToChainId} or ${unlimited}))`;
}
