// Discover: vaults that logs announce are made known before anything of them is decoded, so that one which is used in the block that deploys it
// is known. Each is described by its contracts at that block; one that no listed manager manages leaves the sighting of who does.
import type { Address } from "viem";
import type { ChainClient, RawLog } from "../../chain/client/client.ts";
import type { KnownVault, Source } from "../../chain/directory.ts";
import {
  type Families,
  type FamilyName,
  NotAVault,
  type VaultDescription,
} from "../../chain/families/family/family.ts";
import { DEFAULT_DECIMALS } from "../../chain/families/family/vault-views.ts";
import { isChainFault } from "../../chain/rpc/fault.ts";
import type { Logger } from "../../platform/log.ts";
import { type Gap, orGap } from "./gaps.ts";
import { walletsOf } from "./managers.ts";
import type { Patience } from "./patience.ts";
import { managersNamedBy, type Sighting, sightingsOf, sightingsOfAll } from "./sightings.ts";
import type { UnknownEvents } from "./unknown-events.ts";
import type { World } from "./world.ts";

export interface ExtractContext {
  client: ChainClient;
  families: Families;
  /** Where events that no family knows are told, if anywhere. */
  unknownEvents?: UnknownEvents;
  log: Logger;
  patience: Patience;
}

/** Logs of some sources. */
interface Announcements {
  sources: ReadonlySet<Source>;
  /** Unix seconds of a block that has a log. */
  timestampOf(log: RawLog): number;
}

export interface FoundVault {
  vault: KnownVault;
  description: VaultDescription;
  /** Where it was announced; null for a vault that the configuration names. */
  announcement: { blockNumber: number; blockTimestamp: number } | null;
  /** Who held a role of the contract when it was described, of families whose contracts have roles of their own. */
  holders: readonly Address[];
  /** The node did not describe it: it is known from its announcement alone. */
  isIncomplete?: true;
}

/**
 * Makes known the vaults that these logs announce. An address that does not answer as a vault is left out, with a warning:
 * anyone may deploy anything through an open aggregator, and it must not hold up the chain.
 */
export async function discover(
  context: ExtractContext,
  world: World,
  input: Announcements,
  logs: readonly RawLog[],
  gaps: Gap[],
  sightings: Sighting[],
): Promise<FoundVault[]> {
  const announced = new Map<Address, { vault: KnownVault; log: RawLog }>();
  for (const log of logs) {
    const contract = world.directory.contract(log.address);
    if (!contract || !input.sources.has(contract.source)) continue;
    const vault = context.families[contract.source.family].discover(log, world.directory);
    if (!vault || world.directory.vault(vault.address) || announced.has(vault.address)) continue;
    if (world.claimed.has(vault.address)) {
      const place = { vault: vault.address, block: log.blockNumber };
      context.log.warn(place, "an announced vault is already followed by another source and is skipped");
      continue;
    }
    announced.set(vault.address, { vault, log });
  }
  const found: FoundVault[] = [];
  await Promise.all(
    [...announced.values()].map(async ({ vault, log }) => {
      const passedOver = await passOver(context, world, input, { vault, log }, gaps);
      if (passedOver) {
        sightings.push(...passedOver);
        return;
      }
      const place = {
        blockNumber: log.blockNumber,
        subject: vault.address,
        lacks: "vault_description",
      } as const;
      let isIncomplete = false;
      const description = await orGap(
        context,
        gaps,
        place,
        () => describe(context, vault, log),
        () => {
          isIncomplete = true;
          return announcedDescription(vault);
        },
      );
      if (!description) return;
      const holders = holdersIn(context.families, vault.family, description);
      const list = world.listed.get(vault.source.address);
      // Whose managers nobody tells is followed: rather one too many than one too few.
      if (list && holders.length > 0 && !holders.some((holder) => list.has(holder))) {
        const seen = {
          source: vault.source.address,
          strategy: vault.address,
          blockTimestamp: input.timestampOf(log),
        };
        sightings.push(...sightingsOfAll({ ...seen, log }, holders, { list, isAnnouncement: true }));
        return;
      }
      const known = {
        ...vault,
        asset: description.asset,
        share: description.share,
        assetDecimals: description.assetDecimals,
        shareDecimals: description.shareDecimals,
        capabilities: description.capabilities,
      };
      world.directory.addVault(known);
      world.managers.hold(vault.address, holders);
      const announcement = { blockNumber: log.blockNumber, blockTimestamp: input.timestampOf(log) };
      found.push({
        vault: known,
        description,
        announcement,
        holders,
        ...(isIncomplete ? { isIncomplete } : {}),
      });
    }),
  );
  return found.sort((a, b) => a.announcement!.blockNumber - b.announcement!.blockNumber);
}

/**
 * Of a family whose announcements name managers: who manages an announced vault that no listed manager manages; null for a vault to follow.
 * So is one whose managers nobody tells: rather one too many than one too few.
 */
async function passOver(
  context: ExtractContext,
  world: World,
  input: Announcements,
  { vault, log }: { vault: KnownVault; log: RawLog },
  gaps: Gap[],
): Promise<Sighting[] | null> {
  const list = world.listed.get(vault.source.address);
  if (!list) return null;
  const family = context.families[vault.family];
  const announcement = family.decode(log, world.directory);
  if (!announcement || !vault.strategy) return null;
  const told = await orGap(
    context,
    gaps,
    { blockNumber: log.blockNumber, subject: String(log.logIndex), lacks: "managers" },
    async () => (await family.complete(context.client, [announcement], world.directory))[0]!,
    () => announcement,
  );
  const managers = managersNamedBy(told.body);
  if (managers.length === 0 || managers.some((manager) => list.has(manager))) return null;
  const place = { source: vault.source.address, strategy: vault.strategy, log };
  return sightingsOf({ ...place, blockTimestamp: input.timestampOf(log) }, told.body, list);
}

export function holdersIn(
  families: Families,
  family: FamilyName,
  { managers }: VaultDescription,
): readonly Address[] {
  return families[family].access ? walletsOf(managers) : [];
}

/** Until the node tells more: what the announcement says, and decimals as most tokens have them. */
function announcedDescription(vault: KnownVault): VaultDescription {
  return {
    asset: vault.asset,
    assetDecimals: vault.assetDecimals ?? DEFAULT_DECIMALS,
    shareDecimals: vault.shareDecimals ?? DEFAULT_DECIMALS,
    assetSymbol: null,
    share: null,
    name: null,
    symbol: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
    managers: { primary: null, secondary: [] },
  };
}

async function describe(
  context: ExtractContext,
  vault: KnownVault,
  log: RawLog,
): Promise<VaultDescription | null> {
  const family = context.families[vault.family];
  const identity = {
    address: vault.address,
    strategy: vault.strategy,
    source: vault.source,
    configuredPrimary: null,
  };
  const at = { number: log.blockNumber, hash: log.blockHash };
  try {
    return await family.describe(context.client, identity, at).catch(async (error: unknown) => {
      if (!isChainFault(error, "state_missing", "refused")) throw error;
      // What it is now stands in for what it was; these properties do not change.
      const { number, hash } = await context.client.head();
      return await family.describe(context.client, identity, { number, hash });
    });
  } catch (error) {
    if (!(error instanceof NotAVault)) throw error;
    context.log.warn(
      { err: error, vault: vault.address, block: log.blockNumber },
      "an announced vault does not answer as a vault and is skipped",
    );
    return null;
  }
}
