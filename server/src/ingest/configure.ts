// Configure: brings a chain's rows in step with its configuration. Chains and sources are added and never removed: what the
// configuration no longer names keeps its data and its place, and goes on from there should it be named again.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChainClient } from "../chain/client/client.ts";
import type { Source } from "../chain/directory.ts";
import { type Families, NotAVault, type VaultDescription } from "../chain/families/family/family.ts";
import { isChainFault } from "../chain/rpc/fault.ts";
import type { BlockRef } from "../chain/rpc/raw.ts";
import type { Database, Tx } from "../platform/db/db.ts";
import { type ExtractContext, holdersIn } from "./block/discover.ts";
import { insertVaults } from "./block/rows.ts";
import type { ChainSettings } from "./block/settings.ts";
import type { ChainStore } from "./block/store.ts";
import type { ManagerSeed } from "./block/world.ts";
import type { PlannedMove } from "./head/move.ts";

/** What the configuration names, with what the chain adds to it. */
export interface ConfiguredSources {
  /** Followed. A configured vault that does not answer as one yet is not among them. */
  sources: Source[];
  seeds: Map<Address, ManagerSeed>;
  /** Configured addresses that do not answer as vaults, with the reason. */
  unready: { address: Address; reason: string }[];
  /** Vaults that are followed as plain ERC-4626 ones and are to be of the family that the configuration names. */
  moves: PlannedMove[];
}

export type SetConfiguredManagers = (
  tx: Tx,
  chainId: number,
  managers: { vaultAddress: Address; primaryManager: Address }[],
) => Promise<void>;

/** Adds the chain and its lease where they are not there yet. Safe to run at any time, beside any other process. */
export async function introduceChain(db: Database, settings: ChainSettings): Promise<void> {
  await sql`
    insert into chains (chain_id, name, explorer_url)
    values (${settings.chain_id}, ${settings.name}, ${settings.explorer_url}) on conflict do nothing`.execute(
    db.kysely,
  );
  await sql`
    insert into chain_leases (chain_id) values (${settings.chain_id}) on conflict do nothing`.execute(
    db.kysely,
  );
}

/** Renames the chain and adds its sources. Safe to run at any time, beside any other process. */
export async function upsertChain(db: Database, settings: ChainSettings): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`
      update chains set name = ${settings.name}, explorer_url = ${settings.explorer_url}
       where chain_id = ${settings.chain_id}
         and (name, explorer_url) is distinct from (${settings.name}, ${settings.explorer_url}::text)`.execute(
      tx,
    );
    for (const { family, address, startBlock } of sourcesOf(settings)) {
      await sql`
        insert into sources (chain_id, family, address, start_block, next_block)
        values (${settings.chain_id}, ${family}, ${address}, ${startBlock}, ${startBlock})
        on conflict do nothing`.execute(tx);
    }
  });
}

/**
 * Finds out what the sources consist of: governors and oracles of aggregators, whether configured vaults are vaults.
 * @throws ChainFault when the node fails
 */
export async function surveySources(
  context: ExtractContext,
  settings: ChainSettings,
  store: ChainStore,
): Promise<ConfiguredSources> {
  const known = await knownVaults(store);
  // At one block: of nodes behind one URL, one that lags would tell nothing of a contract that another has just told of.
  const { number, hash } = await context.client.head();
  const at = { number, hash };
  const survey: ConfiguredSources = { sources: [], seeds: new Map(), unready: [], moves: [] };
  const described: { source: Source; description: VaultDescription }[] = [];
  const surveyOne = async ({ family, address, isFactory, startBlock }: Named) => {
    const bare: Source = { family, address, ...(isFactory && { isFactory }), governor: null, oracles: [] };
    if (isFactory) {
      survey.sources.push(bare);
      if ((await context.client.getCode(address, at)) === "0x")
        survey.unready.push({ address, reason: `there is no contract at the factory's address ${address}` });
      return;
    }
    if (family === "supervault") {
      const related = await context.families[family].related(context.client, bare, at);
      const before =
        settings.start_block <= number ? await oraclesBefore(context, bare, settings.start_block) : [];
      survey.sources.push({
        ...bare,
        ...related,
        oracles: [...new Set([...related.oracles, ...before])],
      });
      if (related.governor === null && (await context.client.getCode(address, at)) === "0x")
        survey.unready.push({
          address,
          reason: `there is no contract at the aggregator's address ${address}`,
        });
      return;
    }
    const standing = known.get(address);
    if (standing !== undefined && standing.family !== family) {
      if (standing.family === PLAIN_FAMILY) {
        const move = await planMove(context, bare, {
          startBlock: Math.min(startBlock, standing.startBlock),
          at,
        });
        survey.sources.push(move.from);
        if (move.managers) survey.seeds.set(address, { ...move.managers, isConfigured: false });
        if (typeof move.description === "string") survey.unready.push({ address, reason: move.description });
        else survey.moves.push({ ...move, description: move.description });
        return;
      }
      survey.unready.push({
        address,
        reason: `${address} is followed as ${standing.family} already and cannot be moved to ${family}: name it under ${standing.family}`,
      });
      return;
    }
    const primary = configuredPrimaryOf(settings, address);
    const configured = primary === null ? null : { primary, secondary: [], isConfigured: true };
    if (configured && known.has(address)) {
      survey.sources.push(bare);
      survey.seeds.set(address, configured);
      return;
    }
    // Without a configured manager the owner manages: asked for at every start, for nothing else tells who owned it first.
    const description = await describe(context.families, context.client, bare, primary, at);
    if (typeof description === "string") {
      survey.unready.push({ address, reason: description });
      return;
    }
    survey.sources.push(bare);
    survey.seeds.set(address, configured ?? { ...description.managers, isConfigured: false });
    if (!known.has(address)) described.push({ source: bare, description });
  };
  await Promise.all(sourcesOf(settings).map(surveyOne));
  if (described.length > 0) {
    await store.commit({}, (tx) =>
      insertVaults(
        tx,
        store.chainId,
        described.map(({ source, description }) => ({
          vault: {
            family: source.family,
            address: source.address,
            source,
            strategy: null,
            escrow: null,
            asset: description.asset,
            share: description.share,
            assetDecimals: description.assetDecimals,
            shareDecimals: description.shareDecimals,
            configuredPrimary: configuredPrimaryOf(settings, source.address),
            capabilities: description.capabilities,
          },
          description,
          announcement: null,
          holders: holdersIn(context.families, source.family, description),
        })),
      ),
    );
  }
  return survey;
}

/**
 * Sets aside, at its place, what followed the head but is no longer configured; and tells the roles which managers the
 * configuration names. Fenced: a process with an older configuration loses the lead by it.
 */
export async function settleConfiguration(
  store: ChainStore,
  settings: ChainSettings,
  setConfiguredManagers: SetConfiguredManagers,
  followed: readonly Source[] = [],
): Promise<void> {
  const named = sourcesOf(settings);
  // A vault that is to move is followed as before until it has.
  const kept = [...named, ...followed];
  await store.commit({}, async (tx) => {
    await sql`
      update sources s set next_block = coalesce(c.head_number + 1, s.start_block)
        from chains c
       where c.chain_id = s.chain_id and s.chain_id = ${store.chainId} and s.next_block is null
         and s.family || ':' || s.address <> all(${kept.map(({ family, address }) => `${family}:${address}`)}::text[])`.execute(
      tx,
    );
    const managers = named.flatMap(({ family, address }) => {
      const primaryManager = family === "erc4626" ? configuredPrimaryOf(settings, address) : null;
      return primaryManager ? [{ vaultAddress: address, primaryManager }] : [];
    });
    await setConfiguredManagers(tx, store.chainId, managers);
  });
}

type Named = Pick<Source, "family" | "address" | "isFactory"> & { startBlock: number };

/** What the configuration names on a chain. */
export function sourcesOf(settings: Pick<ChainSettings, "sources" | "start_block">): Named[] {
  const { start_block: startBlock } = settings;
  return settings.sources.flatMap((source): Named[] => {
    const { family } = source;
    if (family === "supervault") return [{ family, address: source.aggregator, startBlock }];
    if (family === "erc4626") return source.vaults.map(({ address }) => ({ family, address, startBlock }));
    if (source.factory !== null) return [{ family, address: source.factory, isFactory: true, startBlock }];
    return source.vaults.map((vault) => ({
      family,
      address: vault.address,
      startBlock: vault.start_block ?? startBlock,
    }));
  });
}

function configuredPrimaryOf(settings: ChainSettings, vault: Address): Address | null {
  for (const source of settings.sources) {
    if (source.family !== "erc4626") continue;
    const found = source.vaults.find(({ address }) => address === vault);
    if (found) return found.primary_manager;
  }
  return null;
}

/**
 * The oracles with which the past begins: what comes later, events tell. A node without an archive does not know them; where the
 * aggregator's first block is the first to be read, there are none.
 */
async function oraclesBefore(
  context: ExtractContext,
  source: Source,
  startBlock: number,
): Promise<Address[]> {
  if (startBlock === 0) return [];
  try {
    const related = await context.families[source.family].oraclesAt?.(context.client, source, {
      number: startBlock - 1,
    });
    return related ?? [];
  } catch (error) {
    if (isChainFault(error, "state_missing", "refused", "block_missing")) return [];
    throw error;
  }
}

async function describe(
  families: Families,
  client: ChainClient,
  source: Source,
  configuredPrimary: Address | null,
  at: BlockRef,
): Promise<VaultDescription | string> {
  const identity = { address: source.address, strategy: null, source, configuredPrimary };
  try {
    return await families[source.family].describe(client, identity, at);
  } catch (error) {
    if (error instanceof NotAVault) return error.message;
    throw error;
  }
}

/** The family that vaults move from, to the one that they are of. */
const PLAIN_FAMILY = "erc4626";

/** What a vault is as which it is followed, and as which it is to be: a reason in words where it is none of that family. */
async function planMove(
  { families, client }: ExtractContext,
  to: Source,
  { startBlock, at }: { startBlock: number; at: BlockRef },
) {
  const from: Source = { ...to, family: PLAIN_FAMILY };
  const [before, description] = await Promise.all([
    describe(families, client, from, null, at),
    describe(families, client, to, null, at),
  ]);
  return {
    from,
    to,
    startBlock,
    description,
    managers: typeof before === "string" ? null : before.managers,
  };
}

/** By address the family as which a configured vault is followed, and from where on. */
async function knownVaults(
  store: ChainStore,
): Promise<Map<Address, { family: Source["family"]; startBlock: number }>> {
  const { rows } = await sql<{ address: Address; family: Source["family"]; start_block: number }>`
    select v.address, v.family, coalesce(s.start_block, 0) as start_block
      from vaults v left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
     where v.chain_id = ${store.chainId} and v.created_block is null`.execute(store.db.kysely);
  return new Map(
    rows.map(({ address, family, start_block: startBlock }) => [address, { family, startBlock }]),
  );
}
