// ControlBook: who stands behind the roles of which vault, in memory, as of the last block taken. Pure; it is loaded from the tables and
// thrown away with the world that it is part of.
//
// Two levels are followed: whoever holds a role (and a proxy's admin), and who stands behind those, such as a Safe that proposes to a timelock.
import type { Address } from "viem";
import { type ControllerState, membersOf } from "../../chain/controllers/state.ts";

/** The role that the admin of a vault's proxy is told under; no contract gives it. */
export const PROXY_ADMIN_ROLE = "proxy_admin";

export interface RoleHolder {
  role: string;
  account: Address;
}

/** One who stands behind a vault's roles. `level` 1: holds the roles named; 2: stands behind one who does. */
export interface Link {
  address: Address;
  level: 1 | 2;
  roles: string[];
}

/** Who stands behind a role by a Safe or a timelock. */
export interface Signer {
  wallet: Address;
  via: Address;
}

/** What a block changes of it. */
export interface ControlChange {
  /** Whose state is another than before. */
  states: ReadonlyMap<Address, ControllerState>;
  /** Vaults behind whose roles anything changed. */
  vaults: ReadonlyMap<Address, { roles: readonly RoleHolder[]; links: readonly Link[] }>;
  /** Of the same vaults, all of their signers. */
  signers: ReadonlyMap<Address, readonly Signer[]>;
}

export class ControlBook {
  /** Of everybody who stands behind a followed vault and is a contract, and of those asked for who are none. */
  readonly states = new Map<Address, ControllerState>();
  readonly #roles = new Map<Address, readonly RoleHolder[]>();
  #linked: Map<Address, Link[]> | null = null;
  #followed: Map<string, Address> | null = null;

  rolesOf(vault: Address): readonly RoleHolder[] | undefined {
    return this.#roles.get(vault);
  }

  setRoles(vault: Address, roles: readonly RoleHolder[]): void {
    this.#roles.set(vault, roles);
    this.#changed();
  }

  setState(account: Address, state: ControllerState): void {
    this.states.set(account, state);
    this.#changed();
  }

  /** By vault, those of the first level before those of the second. */
  get links(): ReadonlyMap<Address, readonly Link[]> {
    this.#linked ??= new Map([...this.#roles].map(([vault, roles]) => [vault, this.#linksOf(roles)]));
    return this.#linked;
  }

  /** Contracts whose logs are followed, by lowercase address. */
  get followed(): ReadonlyMap<string, Address> {
    this.#followed ??= new Map(
      [...this.links.values()].flatMap((links) =>
        links
          .filter(({ address }) => isFollowed(this.states.get(address)))
          .map(({ address }) => [address.toLowerCase(), address] as const),
      ),
    );
    return this.#followed;
  }

  isProxyAdmin(account: Address): boolean {
    return [...this.#roles.values()].some((roles) =>
      roles.some((holder) => holder.role === PROXY_ADMIN_ROLE && holder.account === account),
    );
  }

  /** The vaults behind whose roles the account stands. */
  vaultsOf(account: Address): Address[] {
    return [...this.links]
      .filter(([, links]) => links.some(({ address }) => address === account))
      .map(([vault]) => vault);
  }

  /** Whether the account acts for the vault by itself: a proxy's admin stands behind it too, but its owner is who acts. */
  isBehind(account: Address, vault: Address): boolean {
    if (this.states.get(account)?.kind === "proxy_admin") return false;
    return this.links.get(vault)?.some(({ address }) => address === account) ?? false;
  }

  /** Whoever holds a role on the vault, and whoever else is a contract that stands behind one. */
  told(vault: Address): Link[] {
    return (this.links.get(vault) ?? []).filter(({ address, level }) => {
      const state = this.states.get(address);
      return state !== undefined && (level === 1 || state.kind !== "eoa");
    });
  }

  /** Owners of Safes and proposers of timelocks that hold a role which gives access, and of those that stand behind them. */
  signersOf(vault: Address, isAccess: (role: string) => boolean): Signer[] {
    const signers = new Map<string, Signer>();
    const add = (via: Address) => {
      const state = this.states.get(via);
      if (state?.kind !== "safe" && state?.kind !== "timelock") return [];
      const members = membersOf(state);
      for (const wallet of members) signers.set(`${wallet} ${via}`, { wallet, via });
      return members;
    };
    for (const { address, level, roles } of this.links.get(vault) ?? [])
      if (level === 1 && roles.some(isAccess)) for (const member of add(address)) add(member);
    return [...signers.values()];
  }

  /** Linked accounts of whom it is not known who they are. */
  unknown(): Address[] {
    const linked = new Set([...this.links.values()].flatMap((links) => links.map(({ address }) => address)));
    return [...linked].filter((address) => !this.states.has(address));
  }

  /** Forgets who stands behind no vault any more: whoever comes back is asked anew. */
  prune(): void {
    const linked = new Set([...this.links.values()].flatMap((links) => links.map(({ address }) => address)));
    for (const address of this.states.keys()) if (!linked.has(address)) this.states.delete(address);
  }

  #linksOf(roles: readonly RoleHolder[]): Link[] {
    const links = new Map<Address, Link>();
    for (const { role, account } of roles) {
      const link = links.get(account) ?? { address: account, level: 1, roles: [] };
      if (!link.roles.includes(role)) link.roles.push(role);
      links.set(account, link);
    }
    for (const { address } of [...links.values()]) {
      const state = this.states.get(address);
      if (!state) continue;
      for (const member of membersOf(state))
        if (!links.has(member)) links.set(member, { address: member, level: 2, roles: [] });
    }
    return [...links.values()];
  }

  #changed(): void {
    this.#linked = null;
    this.#followed = null;
  }
}

export function isFollowed(state: ControllerState | undefined): boolean {
  return state !== undefined && state.kind !== "eoa" && state.kind !== "contract";
}
