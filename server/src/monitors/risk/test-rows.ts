// A vault of a curated family whose readings, prices and facts a test writes as ingestion leaves them, and what is told of it.
import {
  type AlertWorld,
  addState,
  CHAIN,
  moveHead,
  openAlertWorld,
  txHash,
  VAULT,
} from "../../../test/alerts.ts";
import { GENESIS_SECONDS, testAddress, undoBlocks } from "../../../test/chain-rows.ts";

export async function openRiskWorld(): Promise<AlertWorld> {
  const world = await openAlertWorld();
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp(0)");
  await world.db.pool.query(
    "update vaults set family = 'morpho_vault_v2', created_block = null where address = $1",
    [VAULT],
  );
  return world;
}

export const secondsOf = (block: number) => GENESIS_SECONDS + block * 12;

/** Writers of rows of the world of the test under way. */
export function riskRows(worldOf: () => AlertWorld) {
  const asked = (sql: string, ...values: unknown[]) => worldOf().db.pool.query(sql, values);
  const rules = (of: object) =>
    asked(
      `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at)
       values ($1, $2, $3, $2, now()) on conflict (chain_id, vault_address) do update set rules = excluded.rules`,
      CHAIN,
      VAULT,
      JSON.stringify(of),
    );

  const sample = (block: number, assets: number, supply: number) =>
    asked(
      `insert into pps_points (chain_id, block_number, log_index, vault_address, block_timestamp, pps, total_assets, total_supply)
       values ($1, $2, 0, $3, to_timestamp($4), case when $6::numeric > 0 then div($5::numeric * 1000000, $6::numeric) end, $5, $6)`,
      CHAIN,
      block,
      VAULT,
      secondsOf(block),
      assets,
      supply,
    );

  const fact = (block: number, kind: string, data: object, { logIndex = 0, tx = block } = {}) =>
    asked(
      `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
       values ($1, $2, $3, $4, $5, $6, $9, $7, $8)`,
      CHAIN,
      block,
      logIndex,
      kind,
      VAULT,
      txHash(tx),
      testAddress(9),
      JSON.stringify(data),
      tx === block ? 0 : 1,
    );

  async function state(block: number, more: Record<string, unknown>): Promise<void> {
    await addState(worldOf().db, { block });
    for (const [column, value] of Object.entries(more))
      await worldOf().database.owner.pool.query(
        `update vault_states set ${column} = $3 where block_number = $1 and vault_address = $2`,
        [block, VAULT, typeof value === "object" ? JSON.stringify(value) : value],
      );
  }

  async function told(): Promise<string[]> {
    await worldOf().evaluate();
    return await worldOf().notices();
  }

  /** The block and all above it are gone; nothing of what was there was ever confirmed by another. */
  async function reorganise(above: number): Promise<void> {
    await undoBlocks(worldOf().db, CHAIN, above);
    await moveHead(worldOf().db, above, above);
  }

  return { asked, rules, sample, fact, state, told, reorganise };
}
