// Directory: which contract at which address is whose, for one chain. Decoding asks it for every log, so it answers from
// maps keyed by lowercase address. Pure and in memory; ingestion fills it from its tables and undoes it after a reorganisation.
import type { Address } from "viem";

/** The kinds of vault contracts; each is a folder under families/. */
export const FAMILY_NAMES = [
  "supervault",
  "erc4626",
  "morpho_vault_v2",
  "metamorpho",
  "euler_earn",
  "lagoon",
  "yearn_v3",
] as const;

export type FamilyName = (typeof FAMILY_NAMES)[number];

/** What is followed: an aggregator or a factory that announces vaults, or one configured vault under its own address. */
export interface Source {
  family: FamilyName;
  address: Address;
  /** Its address is a factory's; an aggregator's is known by the family. */
  isFactory?: true;
  /** Further contracts of the source (`Family.related`); oracles that its facts name later are the directory's (`addOracle`). */
  governor: Address | null;
  oracles: readonly Address[];
}

export interface KnownVault {
  family: FamilyName;
  address: Address;
  source: Source;
  strategy: Address | null;
  escrow: Address | null;
  asset: Address;
  /** ERC-7575: the token that the shares are of; null where it is the vault itself. */
  share: Address | null;
  /** Of the asset and the share; `Family.describe` tells them. Until then null. */
  assetDecimals: number | null;
  shareDecimals: number | null;
  /** From the configuration; stands before what the chain says. */
  configuredPrimary: Address | null;
  capabilities: { erc7540_deposit: boolean; erc7540_redeem: boolean; erc7575: boolean };
}

/** What is followed of a vault besides, once its events name it (`TrackedChange`, list `contract`). */
export type FurtherRole = "adapter" | "proxy_admin";

export type ContractRole =
  | "aggregator"
  | "factory"
  | "governor"
  | "oracle"
  | "vault"
  | "strategy"
  | "escrow"
  | "share"
  | FurtherRole;

export interface KnownContract {
  role: ContractRole;
  source: Source;
  /** null for the contracts of a source itself. */
  vault: KnownVault | null;
}

export class Directory {
  readonly #contracts = new Map<string, KnownContract>();
  readonly #vaults = new Map<string, KnownVault>();
  readonly #sources = new Map<string, Source>();
  readonly #oracles = new Map<Source, Set<Address>>();
  readonly #further = new Map<KnownVault, Set<Address>>();

  addSource(source: Source): void {
    this.#sources.set(`${source.family}:${source.address.toLowerCase()}`, source);
    const role = announcerOf(source);
    if (role === null) return;
    this.#contracts.set(source.address.toLowerCase(), { role, source, vault: null });
    if (source.governor)
      this.#contracts.set(source.governor.toLowerCase(), { role: "governor", source, vault: null });
    for (const oracle of source.oracles) this.addOracle(source, oracle);
  }

  /** Follows a further oracle of a source. False where something is followed at that address already. */
  addOracle(source: Source, oracle: Address): boolean {
    if (this.#contracts.has(oracle.toLowerCase())) return false;
    this.#contracts.set(oracle.toLowerCase(), { role: "oracle", source, vault: null });
    const known = this.#oracles.get(source);
    if (known) known.add(oracle);
    else this.#oracles.set(source, new Set([oracle]));
    return true;
  }

  /** Follows a further contract of a vault. False where something is followed at that address already. */
  addContract(vault: KnownVault, address: Address, role: FurtherRole): boolean {
    if (this.#contracts.has(address.toLowerCase())) return false;
    this.#contracts.set(address.toLowerCase(), { role, source: vault.source, vault });
    const known = this.#further.get(vault);
    if (known) known.add(address);
    else this.#further.set(vault, new Set([address]));
    return true;
  }

  addVault(vault: KnownVault): void {
    this.#vaults.set(vault.address.toLowerCase(), vault);
    this.#contracts.set(vault.address.toLowerCase(), { role: "vault", source: vault.source, vault });
    if (vault.strategy)
      this.#contracts.set(vault.strategy.toLowerCase(), { role: "strategy", source: vault.source, vault });
    if (vault.escrow)
      this.#contracts.set(vault.escrow.toLowerCase(), { role: "escrow", source: vault.source, vault });
    // Several vaults may have one share token: its events are the first one's, and the others' state is as old as `as_of` says.
    if (vault.share && !this.#contracts.has(vault.share.toLowerCase()))
      this.#contracts.set(vault.share.toLowerCase(), { role: "share", source: vault.source, vault });
  }

  /** By any address of a trio or a source, in lowercase. */
  contract(address: string): KnownContract | undefined {
    return this.#contracts.get(address);
  }

  /** By the vault's own address, any case. */
  vault(address: string): KnownVault | undefined {
    return this.#vaults.get(address.toLowerCase());
  }

  /** The vault that a log of that contract (in lowercase) names, where it is one of its own family: a factory may name any address. */
  vaultNamedBy(contract: string, vault: string | null): KnownVault | undefined {
    const named = vault === null ? undefined : this.vault(vault);
    return named?.family === this.#contracts.get(contract)?.source.family ? named : undefined;
  }

  /** By the strategy's address, in lowercase. */
  vaultOfStrategy(strategy: string): KnownVault | undefined {
    const contract = this.#contracts.get(strategy);
    return contract?.role === "strategy" ? (contract.vault ?? undefined) : undefined;
  }

  vaults(): IterableIterator<KnownVault> {
    return this.#vaults.values();
  }

  /** Every address to follow, or those of one source alone. */
  addresses(source?: Source): Address[] {
    const found = new Set<Address>();
    for (const each of source ? [source] : this.#sources.values()) {
      if (announcerOf(each) !== null) found.add(each.address);
      if (each.governor) found.add(each.governor);
      for (const oracle of this.#oracles.get(each) ?? []) found.add(oracle);
    }
    for (const vault of this.#vaults.values()) {
      if (source && vault.source !== source) continue;
      found.add(vault.address);
      if (vault.strategy) found.add(vault.strategy);
      if (vault.escrow) found.add(vault.escrow);
      if (vault.share) found.add(vault.share);
      for (const address of this.#further.get(vault) ?? []) found.add(address);
    }
    return [...found];
  }
}

/** What a source is that announces vaults; null for one that is a configured vault. */
function announcerOf(source: Source): "aggregator" | "factory" | null {
  if (source.family === "supervault") return "aggregator";
  return source.isFactory ? "factory" : null;
}
