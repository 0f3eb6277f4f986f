// Managers: who manages which vault, kept in memory from the facts as they come, so that the contract wallet through which
// a manager acted can be told from any other contract (docs/decisions/0016, actors). Pure.
//
// A wallet counts for the whole of a block in which it managed the vault at any moment: the transaction that removes a manager
// is still that manager's. Where contracts have roles of their own, whoever held one counts for good: a contract wallet that calls such a
// vault is who acted, whatever it holds by then.
import type { Address } from "viem";
import type { VaultFact } from "../../chain/facts.ts";
import {
  changesManagers,
  holdersNamed,
  type Managers,
  managersAfter,
  managersNamed,
  NO_MANAGERS,
} from "../../chain/managers.ts";

interface Held {
  managers: Managers;
  /** The configuration names the primary manager: what the chain says of managers does not count. */
  isConfigured: boolean;
  /** Who stopped managing in this block. */
  leavers: { blockNumber: number; wallets: Set<Address> };
}

export class ManagerBook {
  readonly #vaults = new Map<Address, Held>();
  /** By vault, whoever holds or held a role of a contract that has roles of its own. */
  readonly #holders = new Map<Address, Set<Address>>();

  /** What is known of a vault before its facts: the configured primary manager, or the owner found when it was described. */
  seed(vault: Address, managers: Managers, isConfigured: boolean): void {
    this.#vaults.set(vault, {
      managers,
      isConfigured,
      leavers: { blockNumber: -1, wallets: new Set() },
    });
  }

  /** Accounts that hold roles of a contract which has roles of its own. */
  hold(vault: Address, accounts: readonly Address[]): void {
    const holders = this.#holders.get(vault) ?? new Set();
    this.#holders.set(vault, holders);
    for (const account of accounts) holders.add(account);
  }

  /** Facts of a vault must come in chain order. */
  apply({ vaultAddress, blockNumber, body }: Pick<VaultFact, "vaultAddress" | "blockNumber" | "body">): void {
    if (!vaultAddress) return;
    if (body.kind === "governance") this.hold(vaultAddress, holdersNamed(body));
    if (!changesManagers(body)) return;
    if (!this.#vaults.has(vaultAddress)) this.seed(vaultAddress, NO_MANAGERS, false);
    const held = this.#vaults.get(vaultAddress)!;
    if (held.isConfigured) return;
    if (held.leavers.blockNumber !== blockNumber) held.leavers = { blockNumber, wallets: new Set() };
    for (const wallet of [...walletsOf(held.managers), ...managersNamed(body).until])
      held.leavers.wallets.add(wallet);
    held.managers = managersAfter(held.managers, body);
  }

  /** Whether the wallet managed the vault at any moment of that block, which must not be older than the last fact applied. */
  manages(wallet: Address, vault: Address, blockNumber: number): boolean {
    if (this.#holders.get(vault)?.has(wallet)) return true;
    const held = this.#vaults.get(vault);
    if (!held) return false;
    if (walletsOf(held.managers).includes(wallet)) return true;
    return held.leavers.blockNumber === blockNumber && held.leavers.wallets.has(wallet);
  }
}

export function walletsOf({ primary, secondary }: Managers): readonly Address[] {
  return primary === null ? secondary : [primary, ...secondary];
}
