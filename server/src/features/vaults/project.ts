// The projection of vault state: what blocks' facts and readings mean for a vault's price, queue, pauses, yield sources and pending
// changes. Written in the transaction of the block, set by set: the past comes by thousands of blocks.
//
// Guarantee: every row refers to its block and goes, or reopens, with it. A past filled in from facts alone gives the same
// rows as one that was watched, the readings themselves aside.
import { sql } from "kysely";
import type { ProjectedBlock } from "../../chain/projection.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Scope, within } from "../../platform/db/scope.ts";
import { openRequests } from "./open-requests.ts";
import { intervalStepOf, writeIntervalSteps } from "./project-intervals.ts";
import {
  STORED_PRICE_FAMILY,
  type VaultTraits,
  writeSampledPrices,
  writeStoredPrices,
} from "./project-points.ts";
import { type RedeemStep, redeemStepOf, writeRedeemSteps } from "./project-redeems.ts";
import { writeStates } from "./project-states.ts";

export const vaultsProjection = {
  name: "vaults",
  openRequests,

  apply: projectVaults,

  replay: {
    /** What was read from the contracts stays: states, and the prices of vaults whose price stands in no event. */
    async clear(tx: Tx, scope: Scope): Promise<void> {
      for (const table of ["share_supplies", "redeem_flows", "vault_intervals"])
        await sql`delete from ${sql.table(table)} where ${within(scope)}`.execute(tx);
      await sql`
        delete from pps_points
        where ${within(scope)} and vault_address in (
          select address from vaults where chain_id = ${scope.chainId} and family = ${STORED_PRICE_FAMILY})`.execute(
        tx,
      );
    },
  },
};

/** Applies blocks in chain order. All are of one chain. */
async function projectVaults(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const chainId = blocks[0]?.block.chainId;
  if (chainId === undefined) return;
  const traits = await loadTraits(tx, chainId, touchedVaults(blocks));
  if (traits.size === 0) return;
  await writeStates(tx, blocks);
  await writeStoredPrices(tx, chainId, blocks, traits);
  await writeSampledPrices(tx, chainId, blocks, traits);

  const facts = blocks.flatMap((each) =>
    each.facts.flatMap((fact) => {
      const vault = fact.vaultAddress === null ? undefined : traits.get(fact.vaultAddress);
      return vault ? [{ fact, vault }] : [];
    }),
  );
  await writeIntervalSteps(
    tx,
    chainId,
    facts.flatMap(({ fact, vault }) => {
      const step = intervalStepOf(fact);
      return step ? [{ fact, vault: vault.address, step }] : [];
    }),
  );
  await writeRedeemSteps(
    tx,
    chainId,
    blocks.flatMap((each) => redeemStepsOf(each, traits)),
  );
}

/** What the block's facts did to the queues, then what the contracts said at its end. */
function redeemStepsOf(
  { block, facts, readings }: ProjectedBlock,
  traits: ReadonlyMap<string, VaultTraits>,
): RedeemStep[] {
  const at = { chain_id: block.chainId, block_number: block.number, block_timestamp: block.timestamp };
  const steps = facts.flatMap((fact): RedeemStep[] => {
    const vault = fact.vaultAddress === null ? undefined : traits.get(fact.vaultAddress);
    if (!vault) return [];
    const step = redeemStepOf(fact.body, vault.has_async_redeem && vault.family !== STORED_PRICE_FAMILY);
    return step ? [{ ...at, vault_address: vault.address, log_index: fact.logIndex, ...step }] : [];
  });
  for (const [vault, { redeemRequests }] of readings) {
    for (const { controller, pendingShares: shares } of redeemRequests)
      steps.push({
        ...at,
        vault_address: vault,
        log_index: null,
        controller,
        kind: "reading",
        shares,
        request_id: null,
      });
  }
  return steps;
}

function touchedVaults(blocks: readonly ProjectedBlock[]): string[] {
  const touched = new Set<string>();
  for (const { facts, readings } of blocks) {
    for (const { vaultAddress } of facts) if (vaultAddress !== null) touched.add(vaultAddress);
    for (const address of readings.keys()) touched.add(address);
  }
  return [...touched];
}

async function loadTraits(tx: Tx, chainId: number, vaults: string[]): Promise<Map<string, VaultTraits>> {
  if (vaults.length === 0) return new Map();
  const { rows } = await sql<VaultTraits>`
    select address, family, share_decimals, coalesce((capabilities->>'erc7540_redeem')::boolean, false) as has_async_redeem
    from vaults where chain_id = ${chainId} and address = any(${vaults})`.execute(tx);
  const missing = vaults.length - rows.length;
  if (missing > 0) throw new Error(`${missing} vaults of chain ${chainId} have facts or readings but no row`);
  return new Map(rows.map((row) => [row.address, row]));
}
