// Managers: who manages which vault, kept in memory from the facts as they come, so that the contract wallet through which
// a manager acted can be told from any other contract (docs/decisions/0016, actors). Pure.
//
// A wallet counts for the whole of a block in which it managed the vault at any moment: the transaction that removes a manager
// is still that manager's.
import type { Address } from "viem";
import type { FactBody, FactKind, VaultFact } from "../../chain/facts.ts";

/** The kinds that change who manages a vault. The index `facts_managers` covers exactly these. */
export const MANAGER_KINDS = [
  "vault_deployed",
  "primary_manager_changed",
  "secondary_manager_added",
  "secondary_manager_removed",
  "ownership_transferred",
] as const satisfies readonly FactKind[];

interface Managers {
  primary: Address | null;
  secondary: Set<Address>;
  /** The configuration names the primary manager: an owner's change is then no manager's change. */
  isConfigured: boolean;
  /** Who stopped managing in this block. */
  leavers: { blockNumber: number; wallets: Set<Address> };
}

export class ManagerBook {
  readonly #vaults = new Map<Address, Managers>();

  /** What is known of a vault before its facts: the configured primary manager, or the owner found when it was described. */
  seed(
    vault: Address,
    managers: { primary: Address | null; secondary: Address[] },
    isConfigured: boolean,
  ): void {
    this.#vaults.set(vault, {
      primary: managers.primary,
      secondary: new Set(managers.secondary),
      isConfigured,
      leavers: { blockNumber: -1, wallets: new Set() },
    });
  }

  /** Facts of a vault must come in chain order. */
  apply(fact: Pick<VaultFact, "vaultAddress" | "blockNumber" | "body">): void {
    if (!fact.vaultAddress || !changesManagers(fact.body)) return;
    const managers = this.#of(fact.vaultAddress);
    const { body } = fact;
    switch (body.kind) {
      case "vault_deployed":
        managers.primary = body.primaryManager;
        managers.secondary = new Set(body.secondaryManagers);
        return;
      case "primary_manager_changed":
        leave(managers, fact.blockNumber, body.oldManager);
        // The event with a fee recipient is of the versions that clear the secondary managers, without an event of its own.
        if (body.feeRecipient !== null) {
          leave(managers, fact.blockNumber, ...managers.secondary);
          managers.secondary.clear();
        }
        managers.primary = body.newManager;
        managers.secondary.delete(body.newManager);
        return;
      case "secondary_manager_added":
        managers.secondary.add(body.manager);
        return;
      case "secondary_manager_removed":
        leave(managers, fact.blockNumber, body.manager);
        managers.secondary.delete(body.manager);
        return;
      case "ownership_transferred":
        if (managers.isConfigured) return;
        leave(managers, fact.blockNumber, body.previousOwner);
        managers.primary = body.newOwner;
    }
  }

  /** Whether the wallet managed the vault at any moment of that block, which must not be older than the last fact applied. */
  manages(wallet: Address, vault: Address, blockNumber: number): boolean {
    const managers = this.#vaults.get(vault);
    if (!managers) return false;
    if (managers.primary === wallet || managers.secondary.has(wallet)) return true;
    return managers.leavers.blockNumber === blockNumber && managers.leavers.wallets.has(wallet);
  }

  clear(): void {
    this.#vaults.clear();
  }

  #of(vault: Address): Managers {
    let managers = this.#vaults.get(vault);
    if (!managers) {
      this.seed(vault, { primary: null, secondary: [] }, false);
      managers = this.#vaults.get(vault)!;
    }
    return managers;
  }
}

function leave(managers: Managers, blockNumber: number, ...wallets: Address[]): void {
  if (managers.leavers.blockNumber !== blockNumber) managers.leavers = { blockNumber, wallets: new Set() };
  for (const wallet of wallets) managers.leavers.wallets.add(wallet);
}

type ManagerChange = Extract<FactBody, { kind: (typeof MANAGER_KINDS)[number] }>;

const CHANGES: ReadonlySet<FactKind> = new Set(MANAGER_KINDS);

function changesManagers(body: FactBody): body is ManagerChange {
  return CHANGES.has(body.kind);
}
