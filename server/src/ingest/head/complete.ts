// Complete: vaults that were stored as their announcement has them, because the node would not describe them, are described as soon as it
// does. What does not change in a vault's life may be asked for at the head.
import { sql } from "kysely";
import type { Address } from "viem";
import type { FamilyName } from "../../chain/families/family/family.ts";
import { isAboutOneThing } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";

/** Returns whether any was completed: what is known of them in memory must be loaded anew then. */
export async function completeVaults(context: ChainContext): Promise<boolean> {
  const { store, client, families, log } = context;
  const { rows } = await sql<{
    address: Address;
    strategy_address: Address | null;
    family: FamilyName;
    source_address: Address;
  }>`
    select address, strategy_address, family, source_address from vaults
     where chain_id = ${store.chainId} and is_incomplete`.execute(store.db.kysely);
  let isAny = false;
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
      await store.commit({}, (tx) =>
        sql`
          update vaults set asset_address = ${described.asset}, name = ${described.name}, symbol = ${described.symbol},
                 share_decimals = ${described.shareDecimals}, asset_decimals = ${described.assetDecimals},
                 capabilities = ${JSON.stringify(described.capabilities)}::jsonb, asset_symbol = ${described.assetSymbol},
                 is_incomplete = false
           where chain_id = ${store.chainId} and address = ${address}`.execute(tx),
      );
      isAny = true;
      log.warn(
        { vault: address, share_decimals: described.shareDecimals },
        "a vault that was stored from its announcement alone is now described; `vaultops replay` rebuilds what was derived of it before",
      );
    } catch (error) {
      if (!isAboutOneThing(error)) throw error;
      log.info({ err: error, vault: address }, "the node does not describe a vault yet");
    }
  }
  return isAny;
}
