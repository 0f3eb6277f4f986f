// What blocks say of redemptions, written in the transaction of the block: executions as the chain has them, and what each controller
// may claim. Every row of theirs goes with its block; only the id by which an execution is known stays, so that one that comes back in
// another block after a reorganisation is the same.
import { sql } from "kysely";
import type { VaultFact } from "../../chain/facts.ts";
import type { ProjectedBlock } from "../../chain/projection.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Scope, within } from "../../platform/db/scope.ts";

export const redemptionsProjection = {
  name: "redemptions",
  apply: projectRedemptions,
  replay: {
    /** What executions are known by stays (redemption_executions): their ids never change. */
    async clear(tx: Tx, scope: Scope): Promise<void> {
      await sql`delete from redemption_fulfilments where ${within(scope)}`.execute(tx);
      await sql`delete from redeem_claimables where ${within(scope)}`.execute(tx);
    },
  },
};

/** Applies blocks in chain order. All are of one chain. */
async function projectRedemptions(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const chainId = blocks[0]?.block.chainId;
  if (chainId === undefined) return;
  const facts = blocks.flatMap((each) => each.facts).filter((fact) => fact.vaultAddress !== null);
  await writeFulfilments(tx, fulfilmentsOf(facts));
  await writeClaimables(tx, chainId, claimStepsOf(facts));
  await writeReadClaimables(tx, chainId, blocks);
}

/** All that one transaction fulfilled for one vault. Quantities are decimal strings; `total_assets_out` null: the contract did not say. */
export interface Fulfilment {
  chain_id: number;
  block_number: number;
  vault_address: string;
  tx_hash: string;
  block_timestamp: number;
  controllers_count: number;
  total_shares_fulfilled: string;
  total_assets_out: string | null;
  pps_at_fulfillment: string;
}

/** The fulfilments that facts (in chain order) tell of. */
export function fulfilmentsOf(facts: readonly VaultFact[]): Fulfilment[] {
  const batches = new Map<
    string,
    { controllers: Set<string>; shares: bigint; pps: bigint; fact: VaultFact }
  >();
  const assets = new Map<string, bigint>();
  for (const fact of facts) {
    const key = `${fact.vaultAddress} ${fact.txHash}`;
    if (fact.body.kind === "redeem_claimable") {
      assets.set(key, (assets.get(key) ?? 0n) + fact.body.assets);
    } else if (fact.body.kind === "redeem_requests_fulfilled") {
      const batch = batches.get(key) ?? { controllers: new Set(), shares: 0n, pps: 0n, fact };
      for (const controller of fact.body.controllers) batch.controllers.add(controller);
      batch.shares += fact.body.processedShares;
      batch.pps = fact.body.currentPps;
      batches.set(key, batch);
    }
  }
  return [...batches].map(([key, { controllers, shares, pps, fact }]) => ({
    chain_id: fact.chainId,
    block_number: fact.blockNumber,
    vault_address: fact.vaultAddress as string,
    tx_hash: fact.txHash,
    block_timestamp: fact.blockTimestamp,
    controllers_count: controllers.size,
    total_shares_fulfilled: `${shares}`,
    total_assets_out: assets.has(key) ? `${assets.get(key)}` : null,
    pps_at_fulfillment: `${pps}`,
  }));
}

async function writeFulfilments(tx: Tx, rows: readonly Fulfilment[]): Promise<void> {
  if (rows.length === 0) return;
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::json) as g (chain_id bigint, block_number bigint,
    vault_address text, tx_hash text, block_timestamp bigint, controllers_count integer, total_shares_fulfilled numeric,
    total_assets_out numeric, pps_at_fulfillment numeric)`;
  await sql`
    insert into redemption_fulfilments (chain_id, block_number, vault_address, tx_hash, controllers_count,
      total_shares_fulfilled, total_assets_out, pps_at_fulfillment)
    select chain_id, block_number, vault_address, tx_hash, controllers_count, total_shares_fulfilled, total_assets_out, pps_at_fulfillment
    from ${given}`.execute(tx);
  await sql`
    insert into redemption_executions as held (chain_id, vault_address, tx_hash, created_at)
    select chain_id, vault_address, tx_hash, to_timestamp(block_timestamp) from ${given}
    order by chain_id, vault_address, tx_hash
    on conflict (chain_id, vault_address, tx_hash) do update set created_at = excluded.created_at
      where held.execution_id is null and held.created_at <> excluded.created_at`.execute(tx);
}

interface ClaimStep {
  block_number: number;
  log_index: number;
  vault_address: string;
  controller: string;
  shares: bigint;
  assets: bigint;
}

function claimStepsOf(facts: readonly VaultFact[]): ClaimStep[] {
  return facts.flatMap((fact) => {
    const place = {
      block_number: fact.blockNumber,
      log_index: fact.logIndex,
      vault_address: fact.vaultAddress as string,
    };
    const { body } = fact;
    if (body.kind === "redeem_claimable")
      return [{ ...place, controller: body.controller, shares: body.shares, assets: body.assets }];
    // A cancelled request takes back what waits, which the queue counts; what is claimable was fulfilled before and stays.
    // ERC-7540: the owner of a Withdraw is the request's controller.
    if (body.kind === "withdraw")
      return [{ ...place, controller: body.owner, shares: -body.shares, assets: -body.assets }];
    return [];
  });
}

interface Claimable {
  claimable_shares: bigint;
  claimable_assets: bigint;
}

/**
 * Withdrawals of those who had nothing to claim are none of the queue's. Contracts hold what is claimable in assets and round when they
 * tell shares, so nothing is left in shares where nothing is left in assets.
 */
async function writeClaimables(tx: Tx, chainId: number, all: readonly ClaimStep[]): Promise<void> {
  const queued = await loadQueued(tx, chainId, all);
  const steps = all.filter((step) => queued.has(step.vault_address));
  if (steps.length === 0) return;
  const known = await loadClaimables(tx, chainId, steps);
  const rows = steps.flatMap(({ shares, assets, ...step }) => {
    const key = `${step.vault_address} ${step.controller}`;
    const before = known.get(key) ?? { claimable_shares: 0n, claimable_assets: 0n };
    if (assets <= 0n && before.claimable_assets === 0n) return [];
    const left = before.claimable_assets + assets;
    const after = {
      claimable_assets: left > 0n ? left : 0n,
      claimable_shares:
        left > 0n && before.claimable_shares + shares > 0n ? before.claimable_shares + shares : 0n,
    };
    known.set(key, after);
    return [
      {
        chain_id: chainId,
        ...step,
        claimable_shares: `${after.claimable_shares}`,
        claimable_assets: `${after.claimable_assets}`,
      },
    ];
  });
  if (rows.length === 0) return;
  await sql`
    insert into redeem_claimables
    select * from json_populate_recordset(null::redeem_claimables, ${JSON.stringify(rows)}::json)`.execute(
    tx,
  );
}

/** From here on the places of readings, behind every log of their block. */
const FIRST_READING = 2_000_000_000;

/** A settlement need not announce itself (ERC-7540): where the contract says that something else is claimable, that stands from there on. */
async function writeReadClaimables(
  tx: Tx,
  chainId: number,
  blocks: readonly ProjectedBlock[],
): Promise<void> {
  const read = blocks.flatMap(({ block, readings }) =>
    [...readings].flatMap(([vault_address, { redeemRequests }]) =>
      redeemRequests.map(({ controller, claimableShares, claimableAssets }) => ({
        chain_id: chainId,
        block_number: block.number,
        vault_address,
        controller,
        claimable_shares: `${claimableShares}`,
        claimable_assets: `${claimableAssets}`,
      })),
    ),
  );
  if (read.length === 0) return;
  await sql`
    insert into redeem_claimables (chain_id, block_number, log_index, vault_address, controller, claimable_shares, claimable_assets)
    select g.chain_id, g.block_number, coalesce(taken.next, ${FIRST_READING}) - 1
        + row_number() over (partition by g.block_number order by g.vault_address, g.controller),
      g.vault_address, g.controller, g.claimable_shares, g.claimable_assets
    from json_populate_recordset(null::redeem_claimables, ${JSON.stringify(read)}::json) g
    left join lateral (
      select max(c.log_index) + 1 as next from redeem_claimables c
      where c.chain_id = g.chain_id and c.block_number = g.block_number and c.log_index >= ${FIRST_READING}
    ) taken on true
    left join lateral (
      select c.claimable_shares, c.claimable_assets from redeem_claimables c
      where c.chain_id = g.chain_id and c.vault_address = g.vault_address and c.controller = g.controller
        and c.block_number <= g.block_number
      order by c.block_number desc, c.log_index desc limit 1
    ) held on true
    where (coalesce(held.claimable_shares, 0), coalesce(held.claimable_assets, 0)) <> (g.claimable_shares, g.claimable_assets)`.execute(
    tx,
  );
}

/** The vaults among the steps' that ever fulfilled a request: of most vaults every withdrawal is a plain one. */
async function loadQueued(tx: Tx, chainId: number, steps: readonly ClaimStep[]): Promise<Set<string>> {
  const queued = new Set(steps.filter(({ assets }) => assets > 0n).map((step) => step.vault_address));
  const others = [...new Set(steps.map((step) => step.vault_address))].filter((vault) => !queued.has(vault));
  if (others.length === 0) return queued;
  const { rows } = await sql<{ vault_address: string }>`
    select v.vault_address from unnest(${others}::text[]) as v(vault_address)
    where exists (
      select from redeem_claimables c where c.chain_id = ${chainId} and c.vault_address = v.vault_address
    )`.execute(tx);
  for (const row of rows) queued.add(row.vault_address);
  return queued;
}

async function loadClaimables(
  tx: Tx,
  chainId: number,
  steps: readonly ClaimStep[],
): Promise<Map<string, Claimable>> {
  const pairs = new Map(steps.map((step) => [`${step.vault_address} ${step.controller}`, step]));
  const { rows } = await sql<Claimable & { vault_address: string; controller: string }>`
    select p.vault_address, p.controller, c.claimable_shares, c.claimable_assets
    from unnest(${[...pairs.values()].map((step) => step.vault_address)}::text[],
                ${[...pairs.values()].map((step) => step.controller)}::text[]) as p(vault_address, controller)
    cross join lateral (
      select * from redeem_claimables c
      where c.chain_id = ${chainId} and c.vault_address = p.vault_address and c.controller = p.controller
      order by c.block_number desc, c.log_index desc limit 1
    ) c`.execute(tx);
  return new Map(rows.map((row) => [`${row.vault_address} ${row.controller}`, row]));
}
