// World: what must be known to read logs of some sources at some point of the chain: whose contract is where, and who
// manages what. Loaded from the tables as of a block, then carried on in memory while facts are extracted. Head and past each
// have their own; one that got ahead of what was committed is thrown away and loaded anew.
import { sql } from "kysely";
import type { Address } from "viem";
import { Directory, type KnownVault, type Source } from "../../chain/directory.ts";
import type { FactBody } from "../../chain/facts.ts";
import { ORACLE_EVENTS, oraclesNamed } from "../../chain/families/supervault/governor.ts";
import type { GovernanceBody } from "../../chain/governance.ts";
import { holdersNamed, MANAGER_KINDS, type Managers } from "../../chain/managers.ts";
import type { Database } from "../../platform/db/db.ts";
import type { ControlBook } from "../control/book.ts";
import { loadControl } from "../control/rows.ts";
import { ManagerBook } from "./managers.ts";
import type { Listed } from "./sightings.ts";
import { loadTracked, TrackedBook } from "./tracked.ts";

export interface World {
  directory: Directory;
  managers: ManagerBook;
  tracked: TrackedBook;
  control: ControlBook;
  /** Vaults that other sources follow: no vault is followed twice. */
  claimed: ReadonlySet<Address>;
  listed: Listed;
}

export interface WorldScope {
  chainId: number;
  sources: readonly Source[];
  /** Vaults announced and facts stored above this block are left out. */
  upTo: number;
  /** Per vault what the configuration says, or what was found when the vault was described. */
  seeds: ReadonlyMap<Address, ManagerSeed>;
  /** Where left out, every announced vault is followed. */
  listed?: Listed;
}

export interface ManagerSeed extends Managers {
  isConfigured: boolean;
}

export async function loadWorld(db: Database, scope: WorldScope): Promise<World> {
  const { own, claimed, described } = await loadVaults(db, scope);
  const vaults = new Set(own.map(({ address }) => address));
  const world: World = {
    directory: new Directory(),
    managers: new ManagerBook(),
    tracked: new TrackedBook(),
    control: await loadControl(db, scope.chainId, scope.upTo, (vault) => vaults.has(vault)),
    claimed,
    listed: scope.listed ?? new Map(),
  };
  for (const source of scope.sources) world.directory.addSource(source);
  const oracles = scope.sources.some(({ governor }) => governor !== null) ? await loadOracles(db, scope) : [];
  for (const source of scope.sources) {
    if (source.governor === null) continue;
    for (const oracle of oracles) world.directory.addOracle(source, oracle);
  }
  for (const vault of own) {
    world.directory.addVault(vault);
    const seed = scope.seeds.get(vault.address);
    if (seed) world.managers.seed(vault.address, seed, seed.isConfigured);
    world.managers.hold(vault.address, described.get(vault.address) ?? []);
  }
  for (const { vault_address, effects } of await loadRoleEffects(db, scope))
    if (vaults.has(vault_address)) world.managers.hold(vault_address, holdersNamed({ effects }));
  await loadTracked(db, scope, own, world.tracked, (...further) => world.directory.addContract(...further));
  for (const fact of await loadManagerFacts(db, scope)) {
    if (world.directory.vault(fact.vaultAddress)) world.managers.apply(fact);
  }
  return world;
}

/** Every oracle that a governor of the chain has named. */
async function loadOracles(db: Database, scope: WorldScope): Promise<Address[]> {
  // Spelled out rather than bound, so that the partial index facts_oracles is used.
  const events = sql.raw(ORACLE_EVENTS.map((event) => `'${event}'`).join(", "));
  const { rows } = await sql<{ data: object }>`
    select data from facts
     where chain_id = ${scope.chainId} and kind = 'other' and data ->> 'event' in (${events})
       and block_number <= ${scope.upTo}`.execute(db.kysely);
  return rows.flatMap(({ data }) => oraclesNamed({ kind: "other", ...data } as FactBody));
}

interface VaultRow {
  address: Address;
  family: KnownVault["family"];
  source_address: Address;
  strategy_address: Address | null;
  escrow_address: Address | null;
  asset_address: Address;
  share_address: Address | null;
  share_decimals: number;
  asset_decimals: number;
  capabilities: KnownVault["capabilities"];
  described_managers: Address[] | null;
}

async function loadVaults(
  db: Database,
  scope: WorldScope,
): Promise<{
  own: KnownVault[];
  claimed: Set<Address>;
  described: ReadonlyMap<Address, readonly Address[]>;
}> {
  const { rows } = await sql<VaultRow>`
    select address, family, source_address, strategy_address, escrow_address, asset_address, share_address,
           share_decimals, asset_decimals, capabilities, described_managers
      from vaults
     where chain_id = ${scope.chainId} and (created_block is null or created_block <= ${scope.upTo})`.execute(
    db.kysely,
  );
  const sources = new Map(scope.sources.map((source) => [`${source.family}:${source.address}`, source]));
  const own: KnownVault[] = [];
  const claimed = new Set<Address>();
  for (const row of rows) {
    const source = sources.get(`${row.family}:${row.source_address}`);
    if (source) own.push(vaultOf(row, source, scope.seeds.get(row.address)));
    else claimed.add(row.address);
  }
  const described = new Map(rows.map((row) => [row.address, row.described_managers ?? []]));
  return { own, claimed, described };
}

function vaultOf(row: VaultRow, source: Source, seed: ManagerSeed | undefined): KnownVault {
  return {
    family: row.family,
    address: row.address,
    source,
    strategy: row.strategy_address,
    escrow: row.escrow_address,
    asset: row.asset_address,
    share: row.share_address,
    assetDecimals: row.asset_decimals,
    shareDecimals: row.share_decimals,
    configuredPrimary: seed?.isConfigured ? seed.primary : null,
    capabilities: row.capabilities,
  };
}

async function loadManagerFacts(
  db: Database,
  scope: WorldScope,
): Promise<{ vaultAddress: Address; blockNumber: number; body: FactBody }[]> {
  // Spelled out rather than bound, so that the partial index facts_manager_changes is used.
  const kinds = sql.raw(MANAGER_KINDS.map((kind) => `'${kind}'`).join(", "));
  const { rows } = await sql<{ vault_address: Address; block_number: number; kind: string; data: object }>`
    select vault_address, block_number, kind, data from facts
     where chain_id = ${scope.chainId} and kind in (${kinds}) and vault_address is not null
       and block_number <= ${scope.upTo}
     order by block_number, log_index`.execute(db.kysely);
  // The kinds read here hold addresses and texts alone, whose stored form is their own.
  return rows.map((row) => ({
    vaultAddress: row.vault_address,
    blockNumber: row.block_number,
    body: { kind: row.kind, ...row.data } as FactBody,
  }));
}

async function loadRoleEffects(
  db: Database,
  scope: WorldScope,
): Promise<(Pick<GovernanceBody, "effects"> & { vault_address: Address })[]> {
  // Conditions are as in the partial index facts_governance_roles.
  const { rows } = await sql<Pick<GovernanceBody, "effects"> & { vault_address: Address }>`
    select vault_address, data -> 'effects' as effects from facts
     where chain_id = ${scope.chainId} and kind = 'governance' and data @? '$.effects[*].role'
       and vault_address is not null and block_number <= ${scope.upTo}`.execute(db.kysely);
  return rows;
}
