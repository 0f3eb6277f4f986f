// Who sends an action's calls: the caller, where he holds a role that may; else the one Safe for which he signs that does; else whom he names.
// Pure.
import type { Address, Hex } from "viem";
import type { Action, KnownController } from "../../../chain/families/family/action.ts";
import type { ContractRoleHolder } from "../../../chain/reading.ts";
import type { SenderKind } from "../prepared.ts";

export interface Holders {
  /** Who holds which role, as far as the contracts list it. */
  roles: readonly ContractRoleHolder[];
  controllers: readonly KnownController[];
}

export interface Sender {
  address: Address;
  kind: SenderKind;
  version: string | null;
}

/** Accounts that may do the action, without doubles; null: anybody. */
export function mayDo({ who }: Pick<Action, "who">, { roles }: Holders): Address[] | null {
  if (who.length === 0) return null;
  return [...new Set(roles.filter(({ role }) => who.includes(role)).map(({ account }) => account))];
}

/** The accounts that a wallet acts for: itself, the Safes of which it is an owner, and those that these own. */
export function actsFor(wallet: Address, { controllers }: Holders): Address[] {
  const reached = [wallet];
  for (const account of reached)
    for (const { address, state } of controllers)
      if (state?.kind === "safe" && state.owners.includes(account) && !reached.includes(address))
        reached.push(address);
  return reached;
}

/** The owners of a Safe that are Safes themselves. */
export function ownerSafesOf(safe: Address, { controllers }: Pick<Holders, "controllers">): Address[] {
  const owners = controllers.find(({ address }) => address === safe)?.state?.owners ?? [];
  return controllers
    .filter(({ address, state }) => state?.kind === "safe" && owners.includes(address))
    .map(({ address }) => address);
}

export type Resolved = { sender: Address } | { candidates: Address[] };

/** `allowed` null: anybody may. */
export function resolveSender(
  wallet: Address,
  allowed: readonly Address[] | null,
  holders: Holders,
): Resolved {
  if (allowed === null || allowed.includes(wallet)) return { sender: wallet };
  const own = actsFor(wallet, holders).filter((account) => allowed.includes(account));
  return own.length === 1 ? { sender: own[0]! } : { candidates: own.length > 1 ? own : [...allowed] };
}

/** Of an account behind no role the code tells whether it is a contract. */
export async function senderOf(
  address: Address,
  { controllers }: Pick<Holders, "controllers">,
  codeAt: (address: Address) => Promise<Hex>,
): Promise<Sender> {
  const state = controllers.find((each) => each.address === address)?.state ?? null;
  const isKey = state === null ? KEY_CODE.test(await codeAt(address)) : state.kind === "eoa";
  const kind = isKey ? "eoa" : state?.kind === "safe" ? "safe" : "contract";
  return { address, kind, version: kind === "safe" ? (state?.version ?? null) : null };
}

/** None, or what a key's account delegates to (EIP-7702). */
const KEY_CODE = /^0x(?:ef0100[0-9a-f]{40})?$/;

/** Why the caller cannot do it; null where he can. */
export function whyNot(wallet: Address, action: Pick<Action, "who">, holders: Holders): string | null {
  const allowed = mayDo(action, holders);
  if (allowed === null) return null;
  const own = actsFor(wallet, holders);
  if (allowed.some((account) => own.includes(account))) return null;
  const roles = action.who.join(" or ");
  return allowed.length === 0
    ? `Nobody is known to hold the role that may: ${roles}.`
    : `Neither you nor a Safe for which you sign holds the role that may: ${roles}.`;
}
