// Ground: one vault as it stands at the newest block, with all that must be known to say what calls would do to it. Read, never written.
import type { Address } from "viem";
import type { Block, ChainClient } from "../../chain/client/client.ts";
import { recording } from "../../chain/client/foretold-client.ts";
import type { KnownVault, Source } from "../../chain/directory.ts";
import { withManagers } from "../../chain/families/family/access.ts";
import type { KnownController } from "../../chain/families/family/action.ts";
import type { Families, Family, OpenRequests } from "../../chain/families/family/family.ts";
import type { Tracked, TrackedOf } from "../../chain/governance.ts";
import { NO_STATE, type VaultReading } from "../../chain/reading.ts";
import type { BlockRef, Call } from "../../chain/rpc/raw.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Logger } from "../../platform/log.ts";
import type { Projection } from "../block/projection.ts";
import type { ChainSettings } from "../block/settings.ts";
import { loadWorld, type World } from "../block/world.ts";
import { sourcesOf } from "../configure.ts";
import type { RoleHolder } from "../control/book.ts";

export interface ForetellParts {
  db: Database;
  client: ChainClient;
  families: Families;
  settings: ChainSettings;
  projections: readonly Projection[];
  /** The further contracts of a source, as they were lately. */
  related(source: Source, at: BlockRef): Promise<Pick<Source, "governor" | "oracles">>;
  log: Logger;
}

/** What of the record no reading tells. */
export interface Kept {
  family: string;
  sourceAddress: Address;
  implementation: Address | null;
}

export interface Ground {
  vault: KnownVault;
  family: Family;
  base: Block;
  reading: VaultReading;
  tracked: Tracked;
  controllers: readonly KnownController[];
  roles: readonly RoleHolder[];
  /** The views that were asked for, which are asked again of what is foretold. */
  views: readonly Call[];
  kept: Kept;
  /** A world of its own for each that is foretold: it learns as it goes. */
  world(): Promise<World>;
  readAll(
    client: ChainClient,
    world: World,
    vaults: readonly KnownVault[],
    at: BlockRef,
  ): Promise<VaultReading[]>;
}

/** null where the vault's source is not configured any more. @throws ChainFault */
export async function loadGround(
  { db, client, families, settings, projections, related }: ForetellParts,
  address: Address,
  kept: Kept,
): Promise<Ground | null> {
  const named = sourceOf(settings, kept);
  if (named === null) return null;
  const chainId = settings.chain_id;
  const base = await client.head();
  const source = { ...named, ...(await related(named, { number: base.number, hash: base.hash })) };
  const scope = { chainId, sources: [source], upTo: Number.MAX_SAFE_INTEGER };
  const first = await loadWorld(db, { ...scope, seeds: new Map() });
  const vault = first.directory.vault(address);
  if (vault === undefined) return null;
  const family = families[vault.family];
  const requests = await openRequests(projections, db, chainId, [vault]);

  const readAll: Ground["readAll"] = async (asked, world, vaults, at) => {
    const answers = await family.read(asked, vaults, at, requests, world.tracked.all as TrackedOf);
    return answers.map((answer, index) => {
      const each = vaults[index]!;
      const reading =
        family.access === undefined ? answer : withManagers(answer, family.access, each.configuredPrimary);
      return {
        ...reading,
        implementation: each.address === address ? kept.implementation : NO_STATE.implementation,
      };
    });
  };
  const noted = recording(client);
  const at = { number: base.number, hash: base.hash, timestamp: base.timestamp };
  const [reading] = await readAll(noted.client, first, [vault], at);
  const seeds = new Map([
    [address, { ...reading!.managers, isConfigured: vault.configuredPrimary !== null }],
  ]);
  return {
    vault,
    family,
    base,
    reading: reading!,
    tracked: first.tracked.copyOf(address),
    controllers: controllersOf(first, address),
    roles: first.control.rolesOf(address) ?? [],
    views: noted.calls,
    kept,
    world: () => loadWorld(db, { ...scope, seeds }),
    readAll,
  };
}

function sourceOf(settings: ChainSettings, { family, sourceAddress }: Kept): Source | null {
  const named = sourcesOf(settings).find((each) => each.family === family && each.address === sourceAddress);
  if (named === undefined) return null;
  const { startBlock: _, ...source } = named;
  return { ...source, governor: null, oracles: [] };
}

function controllersOf({ control }: World, vault: Address): KnownController[] {
  return (control.links.get(vault) ?? []).map(({ address, roles }) => ({
    address,
    roles,
    state: control.states.get(address) ?? null,
  }));
}

async function openRequests(
  projections: readonly Projection[],
  db: Database,
  chainId: number,
  vaults: readonly KnownVault[],
): Promise<OpenRequests> {
  const asked = vaults
    .filter(({ capabilities }) => capabilities.erc7540_redeem)
    .map(({ address }) => address);
  const open = new Map<Address, OpenRequests extends ReadonlyMap<Address, infer R> ? R : never>();
  // An aggregator's vaults announce every settlement.
  if (vaults[0]?.family === "supervault") return open;
  for (const projection of projections)
    for (const [vault, requests] of (await projection.openRequests?.(db, chainId, asked)) ?? [])
      open.set(vault, requests);
  return open;
}
