// Who may see and who may change a channel. One SQL condition for each, so that lists and single channels cannot disagree.
//
// Managers and operators of a vault (below: who manages it) see the channels bound to it. The creator of a channel sees it while it is bound to no vault, or to one that the
// creator manages. It is changed and deleted by who manages every vault that it is bound to, or by its creator: one who sees it, and has
// left no vault to which the binding is still the creator's own word. A channel that one may not see does not exist. A contract is the creator
// of what it made on its own chain.
import { sql } from "kysely";
import { isOwn } from "../../../auth/tokens/limit.ts";
import { isOperatingRole, mayOperate } from "../../../auth/vaults.ts";
import type { Caller } from "../../../platform/permission.ts";

/** The vaults that the caller manages, as a table of rows. `confirmed`: only with a role that may write. */
function managedBy(caller: Caller, confirmed: boolean) {
  const managed = caller.grants.filter((grant) =>
    confirmed ? mayOperate(grant) : isOperatingRole(grant.role),
  );
  const chains = managed.map(({ chainId }) => chainId);
  const vaults = managed.map(({ vaultAddress }) => vaultAddress as string);
  return sql`unnest(${chains}::bigint[], ${vaults}::text[]) m (chain_id, vault_address)`;
}

const onSameVault = sql`m.chain_id = b.chain_id and m.vault_address = b.vault_address`;

/** Of channel `c`. `confirmed`: for a write. */
export function isVisible(caller: Caller, confirmed = false) {
  return sql<boolean>`(
    exists (select from channel_bindings b join ${managedBy(caller, confirmed)} on ${onSameVault} where b.channel_id = c.id)
    or (${isOwn(caller, "c")} and not exists (select from channel_bindings b where b.channel_id = c.id))
  )`;
}

/** Of channel `c`, where it is visible. */
export function isChangeable(caller: Caller) {
  const managed = managedBy(caller, true);
  return sql<boolean>`not exists (
    select from channel_bindings b where b.channel_id = c.id
      and not exists (select from ${managed} where ${onSameVault})
      and (not ${isOwn(caller, "c")} or b.bound_by = ${caller.wallet})
  )`;
}
