// Complete: vaults that were stored as their announcement has them, because the node would not describe them, are described as soon as it
// does. What does not change in a vault's life may be asked for at the head.
import { sql } from "kysely";
import type { Address } from "viem";
import type { FamilyName } from "../../chain/families/family/family.ts";
import { isAboutOneThing } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import { replayIn } from "../block/replay.ts";
import type { Filled } from "./fill.ts";

/** Answers the vaults that were completed: what is known of them in memory must be loaded again then. */
export async function completeVaults(context: ChainContext, signal: AbortSignal): Promise<Filled> {
  const { store, client, families, projections, log } = context;
  const { rows } = await sql<{
    address: Address;
    strategy_address: Address | null;
    family: FamilyName;
    source_address: Address;
  }>`
    select address, strategy_address, family, source_address from vaults
     where chain_id = ${store.chainId} and is_incomplete`.execute(store.db.kysely);
  const vaults: Address[] = [];
  for (const { address, strategy_address: strategy, family, source_address } of rows) {
    const followed = store.sources.find(
      ({ source }) => source.family === family && source.address === source_address,
    );
    if (!followed) continue;
    const { source } = followed;
    try {
      const described = await families[family].describe(
        client,
        { address, strategy, source, configuredPrimary: null },
        "latest",
      );
      await store.commit({}, async (tx) => {
        await sql`
          update vaults set asset_address = ${described.asset}, name = ${described.name}, symbol = ${described.symbol},
                 share_decimals = ${described.shareDecimals}, asset_decimals = ${described.assetDecimals},
                 capabilities = ${JSON.stringify(described.capabilities)}::jsonb, asset_symbol = ${described.assetSymbol},
                 is_incomplete = false
           where chain_id = ${store.chainId} and address = ${address}`.execute(tx);
        await sql`
          update chain_gaps set filled_at = now()
           where chain_id = ${store.chainId} and lacks = 'vault_description' and subject = ${address}
             and filled_at is null`.execute(tx);
        await replayIn(tx, { chainId: store.chainId, projections, signal });
      });
      vaults.push(address);
      log.warn(
        { vault: address, share_decimals: described.shareDecimals },
        "a vault that was stored from its announcement alone is now described, and what was derived of it before is made anew",
      );
    } catch (error) {
      if (!isAboutOneThing(error)) throw error;
      log.info({ err: error, vault: address }, "the node does not describe a vault yet");
    }
  }
  return { isWaiting: rows.length > 0, isAny: vaults.length > 0, vaults, accounts: [] };
}
