// Managers' roles, derived from the chain's facts and from what the contracts answer.
// Guarantee: after a block the open roles of a vault are those that the chain has at that block; undoing the block undoes them.
//
// Facts are not enough. When a primary manager changes by timelock, the aggregator clears every secondary manager without an
// event; the versions whose event has no fee recipient silently keep the others and make the old primary a secondary, as long as
// there is room. So a change is first applied by the safe rule (nobody keeps a role by guess), and where a reading of the
// same block is at hand, what the contract answers stands.
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import { changesManagers, type Managers, managersAfter } from "../chain/managers.ts";
import type { ProjectedBlock } from "../chain/projection.ts";
import { NOTHING_READ, type VaultReading } from "../chain/reading.ts";
import type { Tx } from "../platform/db/db.ts";
import { type Scope, within } from "../platform/db/scope.ts";
import { acceptByPast } from "./acceptance.ts";

type ManagerRole = "primary_manager" | "secondary_manager";

/** The projection of roles, for ingestion. */
export const rolesProjection = {
  name: "roles",
  apply: projectRoles,
  replay: { clear: clearRoles, forget: forgetReadings, readings: keptReadings },
};

/**
 * Makes the managers that the configuration names those of the chain: they hold from the beginning, before what the chain
 * says of the same vault, and lose the role when the configuration no longer names them.
 */
export async function setConfiguredManagers(
  tx: Tx,
  chainId: number,
  managers: readonly { vaultAddress: Address; primaryManager: Address }[],
): Promise<void> {
  const vaults = managers.map(({ vaultAddress }) => vaultAddress);
  const wallets = managers.map(({ primaryManager }) => primaryManager);
  await sql`
    with wanted as (select * from unnest(${vaults}::text[], ${wallets}::text[]) as w (vault_address, wallet))
    delete from vault_roles r
    where r.chain_id = ${chainId}
      and case when r.from_block is null
            then not exists (select from wanted w where w.vault_address = r.vault_address and w.wallet = r.wallet)
            else exists (select from wanted w where w.vault_address = r.vault_address) end`.execute(tx);
  await sql`
    insert into vault_roles (chain_id, vault_address, wallet, role)
    select ${chainId}, w.vault_address, w.wallet, 'primary_manager'
    from unnest(${vaults}::text[], ${wallets}::text[]) as w (vault_address, wallet)
    where not exists (
      select from vault_roles r where r.chain_id = ${chainId} and r.vault_address = w.vault_address and r.wallet = w.wallet
        and r.from_block is null)`.execute(tx);
}

/** A role as it is held while blocks are applied: a stored row (`id`) or one yet to be written. */
interface Held {
  id: number | null;
  vault: Address;
  wallet: Address;
  role: ManagerRole;
  /** null: named by the configuration. */
  fromBlock: number | null;
  fromLogIndex: number | null;
  toBlock: number | null;
}

async function projectRoles(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const chainId = blocks[0]?.block.chainId;
  const vaults = concernedVaults(blocks);
  if (chainId === undefined || vaults.length === 0) return;
  const held = await openRoles(tx, chainId, vaults);
  const telling: TellingReading[] = [];
  for (const { block, facts, readings } of blocks) {
    for (const { vaultAddress: vault, body, logIndex } of facts) {
      if (vault === null || !changesManagers(body)) continue;
      become(held, vault, managersAfter(managersOf(held, vault), body), block.number, logIndex);
    }
    // What the contract answers at the end of the block stands. A contract that did not answer says nothing.
    for (const [vault, { managers, doubted }] of readings) {
      if (managers.primary === null || doubted?.includes("managers")) continue;
      if (become(held, vault, managers, block.number, null))
        telling.push({ block: block.number, vault, managers });
    }
  }
  await store(tx, chainId, held);
  await keepReadings(tx, chainId, telling);
}

function concernedVaults(blocks: readonly ProjectedBlock[]): Address[] {
  const vaults = new Set<Address>();
  for (const { facts, readings } of blocks) {
    for (const { body, vaultAddress } of facts) {
      if (vaultAddress !== null && changesManagers(body)) vaults.add(vaultAddress);
    }
    for (const [vault, { managers }] of readings) if (managers.primary !== null) vaults.add(vault);
  }
  return [...vaults];
}

/** The roles of a vault become those of these managers. A configured vault keeps its own. @returns whether anything changed */
function become(
  held: Held[],
  vault: Address,
  { primary, furtherPrimary = [], secondary }: Managers,
  block: number,
  logIndex: number | null,
): boolean {
  const open = openOf(held, vault);
  if (open.some(({ fromBlock }) => fromBlock === null)) return false;
  const wanted = [
    ...[primary, ...furtherPrimary].flatMap((wallet) =>
      wallet === null ? [] : [{ wallet, role: "primary_manager" as const }],
    ),
    ...secondary.map((wallet) => ({ wallet, role: "secondary_manager" as const })),
  ].filter(({ wallet }) => wallet !== zeroAddress);
  const isSame = (a: Grant) => (b: Grant) => a.role === b.role && a.wallet === b.wallet;
  const ended = open.filter((role) => !wanted.some(isSame(role)));
  const given = wanted.filter((role) => !open.some(isSame(role)));
  for (const role of ended) role.toBlock = Math.max(block, role.fromBlock as number);
  for (const role of given)
    held.push({ ...role, id: null, vault, fromBlock: block, fromLogIndex: logIndex, toBlock: null });
  return ended.length + given.length > 0;
}

type Grant = Pick<Held, "wallet" | "role">;

function openOf(held: readonly Held[], vault: Address): Held[] {
  return held.filter((role) => role.vault === vault && role.toBlock === null);
}

function managersOf(held: readonly Held[], vault: Address): Managers {
  const open = openOf(held, vault);
  const [primary = null, ...furtherPrimary] = open
    .filter(({ role }) => role === "primary_manager")
    .map(({ wallet }) => wallet);
  return {
    primary,
    furtherPrimary,
    secondary: open.filter(({ role }) => role === "secondary_manager").map(({ wallet }) => wallet),
  };
}

async function openRoles(tx: Tx, chainId: number, vaults: Address[]): Promise<Held[]> {
  const { rows } = await sql<{
    id: number;
    vault: Address;
    wallet: Address;
    role: ManagerRole;
    from_block: number | null;
  }>`
    select id, vault_address as vault, wallet, role, from_block from vault_roles
    where chain_id = ${chainId} and vault_address = any(${vaults}) and to_block is null
    order by id`.execute(tx);
  return rows.map(({ from_block, ...row }) => ({
    ...row,
    fromBlock: from_block,
    fromLogIndex: null,
    toBlock: null,
  }));
}

async function store(tx: Tx, chainId: number, held: readonly Held[]): Promise<void> {
  const ended = held.filter((role) => role.id !== null && role.toBlock !== null);
  if (ended.length > 0) {
    await sql`
      update vault_roles r set to_block = e.to_block
      from unnest(${ended.map(({ id }) => id)}::bigint[], ${ended.map(({ toBlock }) => toBlock)}::bigint[]) as e (id, to_block)
      where r.id = e.id`.execute(tx);
  }
  const given = held.filter((role) => role.id === null);
  if (given.length > 0) {
    await acceptByPast(tx, chainId, given);
    await sql`
      insert into vault_roles (chain_id, vault_address, wallet, role, from_block, from_log_index, to_block)
      select ${chainId}, g.* from unnest(
        ${given.map(({ vault }) => vault)}::text[], ${given.map(({ wallet }) => wallet)}::text[],
        ${given.map(({ role }) => role)}::text[], ${given.map(({ fromBlock }) => fromBlock)}::bigint[],
        ${given.map(({ fromLogIndex }) => fromLogIndex)}::integer[], ${given.map(({ toBlock }) => toBlock)}::bigint[]) as g`.execute(
      tx,
    );
  }
}

/** A reading that told what no fact had. Kept, for a node forgets its past state: from facts and these the roles can be made anew. */
interface TellingReading {
  block: number;
  vault: Address;
  managers: VaultReading["managers"];
}

async function keepReadings(tx: Tx, chainId: number, telling: readonly TellingReading[]): Promise<void> {
  if (telling.length === 0) return;
  const rows = telling.map(({ block, vault, managers }) => ({
    chain_id: chainId,
    block_number: block,
    vault_address: vault,
    primary_manager: managers.primary,
    secondary_managers: managers.secondary,
    further_primary: managers.furtherPrimary ?? [],
  }));
  await sql`
    insert into manager_readings
    select * from json_populate_recordset(null::manager_readings, ${JSON.stringify(rows)}::json)
    on conflict do nothing`.execute(tx);
}

async function forgetReadings(tx: Tx, chainId: number, vault: Address): Promise<void> {
  await sql`delete from manager_readings where chain_id = ${chainId} and vault_address = ${vault}`.execute(
    tx,
  );
}

/** What the configuration names stays: it is no matter of the chain's. */
async function clearRoles(tx: Tx, scope: Scope): Promise<void> {
  await sql`delete from vault_roles where ${within(scope)} and from_block is not null`.execute(tx);
}

async function keptReadings(
  tx: Tx,
  scope: Scope,
  fromBlock: number,
  toBlock: number,
): Promise<Map<number, Map<Address, VaultReading>>> {
  const { rows } = await sql<{
    block_number: number;
    vault_address: Address;
    primary_manager: Address;
    secondary_managers: Address[];
    further_primary: Address[];
  }>`
    select block_number, vault_address, primary_manager, secondary_managers, further_primary from manager_readings
    where ${within(scope)} and block_number between ${fromBlock} and ${toBlock}
    order by block_number, vault_address`.execute(tx);
  const readings = new Map<number, Map<Address, VaultReading>>();
  for (const row of rows) {
    const managers = {
      primary: row.primary_manager,
      furtherPrimary: row.further_primary,
      secondary: row.secondary_managers,
    };
    const atBlock = readings.get(row.block_number) ?? new Map<Address, VaultReading>();
    readings.set(row.block_number, atBlock.set(row.vault_address, { ...NOTHING_READ, managers }));
  }
  return readings;
}
