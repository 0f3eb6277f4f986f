// Sightings: who manages vaults that are not followed, where the configuration follows those of listed managers alone. Making a vault
// is free where anybody may: one that no listed manager manages leaves these few rows and nothing else, and is found by them when
// one does (see adopt.ts).
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { RawLog } from "../../chain/client/client.ts";
import type { FactBody } from "../../chain/facts.ts";
import { changesManagers, managersNamed } from "../../chain/managers.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { ChainSettings } from "./settings.ts";

/** The managers whose vaults are followed, by aggregator or factory; one that is not here has all its vaults followed. */
export type Listed = ReadonlyMap<Address, ReadonlySet<Address>>;

export interface Sighting {
  source: Address;
  /** Of a vault without one its own address. */
  strategy: Address;
  manager: Address;
  isAnnouncement: boolean;
  isListed: boolean;
  blockNumber: number;
  blockHash: Hash;
  /** Unix seconds. */
  blockTimestamp: number;
}

export function listedManagers(settings: Pick<ChainSettings, "sources">): Listed {
  return new Map(
    settings.sources.flatMap((source) => {
      if (!("managers" in source) || !source.managers?.length) return [];
      const announcer = source.family === "supervault" ? source.aggregator : source.factory;
      return announcer === null ? [] : [[announcer, new Set(source.managers)] as const];
    }),
  );
}

/** Everybody of whom an event says that they manage the vault, or managed it. */
export function managersNamedBy(body: FactBody): Address[] {
  if (!changesManagers(body)) return [];
  const { until, since } = managersNamed(body);
  return [...until, ...since];
}

type Place = Pick<Sighting, "source" | "strategy" | "blockTimestamp"> & {
  log: Pick<RawLog, "blockNumber" | "blockHash">;
};

export function sightingsOf(place: Place, body: FactBody, list: ReadonlySet<Address>): Sighting[] {
  const isAnnouncement = body.kind === "vault_deployed";
  return sightingsOfAll(place, managersNamedBy(body), { list, isAnnouncement });
}

export function sightingsOfAll(
  { log, ...place }: Place,
  managers: readonly Address[],
  { list, isAnnouncement }: { list: ReadonlySet<Address>; isAnnouncement: boolean },
): Sighting[] {
  return managers.map((manager) => ({
    ...place,
    manager,
    isAnnouncement,
    isListed: list.has(manager),
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
  }));
}

/** The blocks that sightings refer to, which may hold no fact. */
export function blocksOfSightings(sightings: readonly Sighting[]) {
  const blocks = new Map(sightings.map((each) => [each.blockNumber, each]));
  return [...blocks.values()].map(({ blockNumber, blockHash, blockTimestamp }) => ({
    number: blockNumber,
    hash: blockHash,
    parentHash: null,
    timestamp: blockTimestamp,
    isEmpty: false,
  }));
}

/** Their blocks must be there. An announcement stays one, whatever else its block says of the same manager. */
export async function insertSightings(
  tx: Tx,
  chainId: number,
  sightings: readonly Sighting[],
): Promise<void> {
  for (const { source, strategy, manager, blockNumber, isAnnouncement, isListed } of sightings) {
    await sql`
      insert into manager_sightings as held
             (chain_id, source_address, strategy_address, manager_address, block_number, is_announcement, is_listed)
      values (${chainId}, ${source}, ${strategy}, ${manager}, ${blockNumber}, ${isAnnouncement}, ${isListed})
      on conflict (chain_id, strategy_address, manager_address, block_number)
      do update set is_announcement = held.is_announcement or excluded.is_announcement`.execute(tx);
  }
}
