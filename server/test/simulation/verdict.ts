// The verdict on a world: what is stored, held against the node. Facts and entries against the logs themselves, read by other means;
// roles and states against what the contracts answer; the other projections against those of a service that read the finished
// chain in one go with nothing going wrong; and the log's tree and counts against its entries.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { expect } from "vitest";
import { type DemoChain, read } from "../../../demo/src/chain.ts";
import { verifyLog } from "../../src/audit/verify/log.ts";
import type { Database } from "../../src/platform/db/db.ts";
import { createTestDatabase } from "../database.ts";
import { inChainOrder, readFactPlaces, readRecorded, readTruth } from "../ground-truth.ts";
import { startIngest } from "../ingest.ts";
import { expectControllersWord } from "./controllers-verdict.ts";
import { CONTROL_OWED, expectCuratedVaultsWord, expectSameOfCurated } from "./curated-verdict.ts";
import { sourcesOf, type World } from "./world.ts";

const CHAIN = 31337;

export async function expectTruth(world: World): Promise<void> {
  const { database, confirmations } = world;
  const { chain, system } = world.laboratory.activity;
  // The owner's connections: those of the service may have been cut just now.
  const { owner: db } = database;
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  const truth = await readTruth(chain, system.aggregator, {
    head,
    confirmed: Math.max(0, head - confirmations),
    plain: [world.laboratory.plain],
  });
  const curated = Object.values(world.laboratory.curated.vaults);
  expect(await readFactPlaces(db, CHAIN, curated), "facts").toEqual(truth.logs);
  const { entries } = await readRecorded(db, CHAIN);
  expect(inChainOrder(entries.filter((entry) => !curated.includes(entry.vault_address))), "entries").toEqual(
    inChainOrder(truth.entries),
  );
  expect(await revertFaults(db), "reverts").toEqual([]);
  expect((await verifyLog({ pool: db.pool, folder: null })).failure, "the audit log").toBeNull();
  expect(await blocksHeld(db), "blocks").toEqual(await blocksOf(chain, await blocksHeld(db)));
  await expectContractsWord(chain, db);
  await expectPlainVaultsWord(chain, db, world.laboratory.plain);
  await expectCuratedVaultsWord(world.laboratory.curated, db);
  await expectControllersWord(world.laboratory.curated, db, Math.max(0, head - confirmations));
  await expectSameProjections(world);
}

/** Roles and newest state of every vault are what its contracts answer now. */
export async function expectContractsWord(chain: DemoChain, db: Database): Promise<void> {
  const { rows } = await db.pool.query<{ address: Address; strategy: Address; aggregator: Address }>(
    `select address, strategy_address as strategy, source_address as aggregator from vaults
      where family = 'supervault' order by address`,
  );
  for (const vault of rows) {
    const held = await rolesAndState(db, vault.address);
    expect(held, `vault ${vault.address}`).toEqual(await answers(chain, vault));
  }
}

/** The same of the plain vault, whose owner stands for its manager. */
async function expectPlainVaultsWord(chain: DemoChain, db: Database, address: Address): Promise<void> {
  const ask = <T>(functionName: string) =>
    read<T>(chain, { contract: "Erc4626Vault", address, functionName, args: [] });
  const { roles } = await rolesAndState(db, address);
  expect(roles, "roles of the plain vault").toEqual([
    { wallet: await ask<Address>("owner"), role: "primary_manager" },
  ]);
  const { rows } = await db.pool.query(
    `select total_assets::text, total_supply::text from vault_states where vault_address = $1
      order by block_number desc limit 1`,
    [address],
  );
  expect(rows, "state of the plain vault").toEqual([
    {
      total_assets: String(await ask<bigint>("totalAssets")),
      total_supply: String(await ask<bigint>("totalSupply")),
    },
  ]);
}

/** Each revert names an entry that stands, and no entry is reverted twice. */
async function revertFaults(db: Database): Promise<unknown[]> {
  const { rows } = await db.pool.query(`
    with reverts as (select seq, body::jsonb->'details' as details from audit_entries where action_type = 'chain_reorg_revert')
    select r.details from reverts r
     where not exists (select from audit_entries e where e.id::text = r.details->>'reverted_id'
                         and e.seq::text = r.details->>'reverted_seq' and e.seq < r.seq)
        or exists (select from reverts other where other.seq < r.seq
                     and other.details->>'reverted_id' = r.details->>'reverted_id')`);
  return rows;
}

interface HeldBlock {
  number: number;
  hash: string;
  seconds: number;
}

async function blocksHeld(db: Database): Promise<HeldBlock[]> {
  const { rows } = await db.pool.query<HeldBlock>(
    "select number, hash, extract(epoch from block_timestamp)::bigint as seconds from blocks order by number",
  );
  return rows;
}

async function blocksOf(chain: DemoChain, held: readonly HeldBlock[]): Promise<HeldBlock[]> {
  return await Promise.all(
    held.map(async ({ number }) => {
      const block = await chain.client.getBlock({ blockNumber: BigInt(number) });
      return { number, hash: block.hash, seconds: Number(block.timestamp) };
    }),
  );
}

async function rolesAndState(db: Database, vault: Address): Promise<{ roles: unknown[]; state: unknown }> {
  const roles = await db.pool.query<{ wallet: string; role: string }>(
    "select wallet, role from vault_roles where vault_address = $1 and to_block is null order by role, wallet",
    [vault],
  );
  const states = await db.pool.query(
    `select pps, total_supply, is_paused, primary_manager from vault_states where vault_address = $1
      order by block_number desc limit 1`,
    [vault],
  );
  const state = states.rows[0] ?? null;
  return {
    roles: roles.rows,
    state: state && { ...state, pps: text(state.pps), total_supply: text(state.total_supply) },
  };
}

async function answers(
  chain: DemoChain,
  vault: { address: Address; strategy: Address; aggregator: Address },
): Promise<unknown> {
  const { strategy } = vault;
  const aggregator = { contract: "SuperVaultAggregator", address: vault.aggregator, args: [strategy] };
  const primary = await read<Address>(chain, { ...aggregator, functionName: "getMainManager" });
  const secondary = await read<Address[]>(chain, { ...aggregator, functionName: "getSecondaryManagers" });
  const supply = await read<bigint>(chain, {
    contract: "SuperVault",
    address: vault.address,
    functionName: "totalSupply",
    args: [],
  });
  const pps = await read<bigint>(chain, { ...aggregator, functionName: "getPPS" });
  return {
    roles: [
      { wallet: primary, role: "primary_manager" },
      ...[...secondary].sort().map((wallet) => ({ wallet, role: "secondary_manager" })),
    ],
    state: {
      pps: supply === 0n ? null : String(pps),
      total_supply: String(supply),
      is_paused: await read<boolean>(chain, { ...aggregator, functionName: "isStrategyPaused" }),
      primary_manager: primary,
    },
  };
}

function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/** Everything that follows from facts alone. */
const PROJECTIONS: Record<string, string> = {
  facts: `select * from facts where coalesce(data->>'contract', '') not in ('safe', 'timelock', 'proxy_admin')
    order by chain_id, block_number, log_index`,
  vaults: `select address, family, source_address, strategy_address, escrow_address, asset_address, name, symbol, share_decimals,
                  asset_decimals, capabilities, created_block, created_at from vaults order by address`,
  // Those of ERC-4626 vaults are samples: when they were taken is the service's own affair.
  pps_points: `select p.* from pps_points p join vaults v on v.chain_id = p.chain_id and v.address = p.vault_address
    where v.family = 'supervault' order by block_number, log_index, vault_address`,
  share_supplies: "select * from share_supplies order by block_number, vault_address",
  redeem_flows: "select * from redeem_flows order by block_number, log_index",
  vault_intervals: "select * from vault_intervals order by from_block, from_log_index",
  redemption_fulfilments:
    "select * from redemption_fulfilments order by block_number, vault_address, tx_hash",
  redeem_claimables: "select * from redeem_claimables order by block_number, log_index",
};

async function expectSameProjections(world: World): Promise<void> {
  const reference = await createTestDatabase();
  const { laboratory, confirmations } = world;
  const sources = sourcesOf(laboratory, true);
  const ingest = startIngest(reference.db, [
    {
      rpcUrls: [laboratory.anvil.rpcUrl],
      confirmations,
      sources,
    },
  ]);
  try {
    for (;;) {
      if (await isThrough(reference.owner, world, sources.length)) break;
      await sleep(10);
    }
  } finally {
    await ingest.stop();
  }
  try {
    for (const [table, query] of Object.entries(PROJECTIONS)) {
      const [held, wanted] = await Promise.all([
        world.database.owner.pool.query(query),
        reference.db.pool.query(query),
      ]);
      expect(held.rows, table).toEqual(wanted.rows);
    }
    await expectSameOfCurated(world.database.owner, reference.owner, world.laboratory.curated);
  } finally {
    await reference.drop();
  }
}

/** Whether a service has all of the chain, and has recorded as much of it as the world has. */
async function isThrough(db: Database, world: World, sources: number): Promise<boolean> {
  const { rows } = await db.pool.query<{ joined: number; confirmed: number | null; owed: number }>(
    `select (select count(*)::int from sources where next_block is null) as joined, confirmed_number as confirmed,
            ${CONTROL_OWED} as owed
       from chains`,
  );
  const held = await world.database.owner.pool.query<{ confirmed: number }>(
    "select confirmed_number as confirmed from chains",
  );
  const [told] = rows;
  return told?.joined === sources && told.owed === 0 && told.confirmed === held.rows[0]!.confirmed;
}
