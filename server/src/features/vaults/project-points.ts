// The price per share through time, and the supply that it priced.
//
// A vault with a stored price (supervault) gets a point from each update that it emits, and where its supply begins or ends; the
// supply is the sum of its mints and burns, so that a past filled in from logs alone equals one that was watched. An ERC-4626 vault emits no price: its points are
// the readings. What a deposit paid is never taken for a price, since fees and rounding are in it.
import { sql } from "kysely";
import type { FactBody } from "../../chain/facts.ts";
import type { ProjectedBlock } from "../../chain/projection.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Columns, insertRows } from "../../platform/db/rows.ts";

/** What the projection must know of a vault. */
export interface VaultTraits {
  address: string;
  family: string;
  share_decimals: number;
  has_async_redeem: boolean;
}

interface PpsPoint {
  chain_id: number;
  block_number: number;
  log_index: number;
  vault_address: string;
  block_timestamp: number;
  pps: bigint | null;
  pps_e18: bigint | null;
  stored_pps: bigint | null;
  total_assets: bigint | null;
  total_supply: bigint | null;
}

interface ShareSupply {
  chain_id: number;
  block_number: number;
  vault_address: string;
  total_supply: bigint;
}

/** Writes the points of stored prices that the blocks' facts hold, and the supplies after their mints and burns. */
export async function writeStoredPrices(
  tx: Tx,
  chainId: number,
  blocks: readonly ProjectedBlock[],
  traits: ReadonlyMap<string, VaultTraits>,
): Promise<void> {
  const steps = blocks.flatMap(({ block, facts }) =>
    facts.flatMap((fact) => {
      const vault = fact.vaultAddress === null ? undefined : traits.get(fact.vaultAddress);
      const step = vault && vault.family === STORED_PRICE_FAMILY ? priceStepOf(fact.body) : null;
      return vault && step ? [{ block, fact, vault, ...step }] : [];
    }),
  );
  if (steps.length === 0) return;
  const held = await loadHeld(tx, chainId, [...new Set(steps.map(({ vault }) => vault.address))]);
  const points: PpsPoint[] = [];
  const changed = new Map<string, ShareSupply>();
  for (const { block, fact, vault, minted, pps } of steps) {
    const place = { chain_id: chainId, block_number: block.number, vault_address: vault.address };
    const before = held.get(vault.address) ?? { supply: 0n, storedPps: null };
    const supply = before.supply + minted;
    const storedPps = pps ?? before.storedPps;
    held.set(vault.address, { supply, storedPps });
    if (minted !== 0n) changed.set(`${block.number}:${vault.address}`, { ...place, total_supply: supply });
    // Whoever came first came at the stored price: there the history begins, not at the next update.
    const isTurn = (before.supply === 0n) !== (supply === 0n);
    if ((pps === null && !isTurn) || storedPps === null) continue;
    points.push({
      ...place,
      log_index: fact.logIndex,
      block_timestamp: block.timestamp,
      pps: supply === 0n ? null : storedPps,
      pps_e18: null,
      stored_pps: storedPps,
      total_assets: withinUint256((supply * storedPps) / 10n ** BigInt(vault.share_decimals)),
      total_supply: withinUint256(supply),
    });
  }
  await insertRows(tx, "share_supplies", SUPPLY_COLUMNS, [...changed.values()]);
  await insertRows(tx, "pps_points", POINT_COLUMNS, points);
}

const MAX_UINT256 = 2n ** 256n - 1n;

/** Events may announce what no contract could hold: unknown then, since one contract's logs must not stop its chain. */
function withinUint256(value: bigint): bigint | null {
  return value >= 0n && value <= MAX_UINT256 ? value : null;
}

/** Writes the points of vaults whose price is sampled. A run of samples without supply leaves one point without a price. */
export async function writeSampledPrices(
  tx: Tx,
  chainId: number,
  blocks: readonly ProjectedBlock[],
  traits: ReadonlyMap<string, VaultTraits>,
): Promise<void> {
  const points: PpsPoint[] = [];
  for (const { block, readings } of blocks) {
    for (const [address, reading] of readings) {
      if (traits.get(address)?.family === STORED_PRICE_FAMILY) continue;
      const pps = reading.totalSupply === 0n ? null : reading.pps;
      // Neither a price nor the knowledge that there is none: the contract did not answer.
      if (pps === null && reading.totalSupply !== 0n) continue;
      points.push({
        chain_id: chainId,
        block_number: block.number,
        log_index: 0,
        vault_address: address,
        block_timestamp: block.timestamp,
        pps,
        pps_e18: pps === null ? null : reading.ppsE18,
        stored_pps: null,
        total_assets: reading.totalAssets,
        total_supply: reading.totalSupply,
      });
    }
  }
  await insertRows(tx, "pps_points", POINT_COLUMNS, await withoutRepeatedBreaks(tx, chainId, points), true);
}

export const STORED_PRICE_FAMILY = "supervault";

/** The change of supply or the price that a fact announces. */
function priceStepOf(body: FactBody): { minted: bigint; pps: bigint | null } | null {
  switch (body.kind) {
    case "shares_minted":
      return { minted: body.shares, pps: null };
    case "shares_burned":
      return { minted: -body.shares, pps: null };
    case "pps_updated":
      return { minted: 0n, pps: body.pps };
    case "pps_updated_after_skim":
      return { minted: 0n, pps: body.newPps };
    default:
      return null;
  }
}

const POINT_COLUMNS: Columns<PpsPoint> = {
  chain_id: "bigint",
  block_number: "bigint",
  log_index: "integer",
  vault_address: "text",
  block_timestamp: "timestamptz",
  pps: "numeric",
  pps_e18: "numeric",
  stored_pps: "numeric",
  total_assets: "numeric",
  total_supply: "numeric",
};

const SUPPLY_COLUMNS: Columns<ShareSupply> = {
  chain_id: "bigint",
  block_number: "bigint",
  vault_address: "text",
  total_supply: "numeric",
};

interface Held {
  supply: bigint;
  /** null before the first announcement. */
  storedPps: bigint | null;
}

/** Supply and price of vaults as the rows so far say. */
async function loadHeld(tx: Tx, chainId: number, vaults: readonly string[]): Promise<Map<string, Held>> {
  const { rows } = await sql<{ vault_address: string; supply: bigint | null; stored_pps: bigint | null }>`
    select v.vault_address, s.total_supply as supply, p.stored_pps
    from unnest(${vaults}::text[]) as v(vault_address)
    left join lateral (
      select total_supply from share_supplies s
      where s.chain_id = ${chainId} and s.vault_address = v.vault_address
      order by s.block_number desc limit 1
    ) s on true
    left join lateral (
      select stored_pps from pps_points p
      where p.chain_id = ${chainId} and p.vault_address = v.vault_address
      order by p.block_timestamp desc, p.block_number desc, p.log_index desc limit 1
    ) p on true`.execute(tx);
  return new Map(
    rows.map((row) => [row.vault_address, { supply: row.supply ?? 0n, storedPps: row.stored_pps }]),
  );
}

/** Leaves out points without a price that follow one without a price, or nothing at all. */
async function withoutRepeatedBreaks(
  tx: Tx,
  chainId: number,
  points: readonly PpsPoint[],
): Promise<PpsPoint[]> {
  const vaults = [...new Set(points.filter(({ pps }) => pps === null).map((point) => point.vault_address))];
  if (vaults.length === 0) return [...points];
  // The past is written beside the head: what comes after these points says nothing of what was before them.
  const firsts = vaults.map((vault) => points.find((point) => point.vault_address === vault)!.block_number);
  const { rows } = await sql<{ vault_address: string; is_priced: boolean }>`
    select v.vault_address, p.pps is not null as is_priced
    from unnest(${vaults}::text[], ${firsts}::bigint[]) as v(vault_address, first_block)
    cross join lateral (
      select pps from pps_points p
      where p.chain_id = ${chainId} and p.vault_address = v.vault_address and p.block_number < v.first_block
      order by p.block_timestamp desc, p.block_number desc, p.log_index desc limit 1
    ) p`.execute(tx);
  const isPriced = new Map(rows.map((row) => [row.vault_address, row.is_priced]));
  return points.filter(({ vault_address, pps }) => {
    const isKept = pps !== null || isPriced.get(vault_address) === true;
    isPriced.set(vault_address, pps !== null);
    return isKept;
  });
}
