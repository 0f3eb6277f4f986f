// Managers' roles, derived from the chain's facts and from what the contracts answer.
// Guarantee: after a block the open roles of a vault are those that the chain has at that block; undoing the block undoes them.
//
// Facts are not enough. When a primary manager changes by timelock, the aggregator clears every secondary manager without an
// event; the versions whose event has no fee recipient silently keep the others and make the old primary a secondary, as long as
// there is room. So a change is first applied by the safe rule (nobody keeps a role by guess), and where a reading of the
// same block is at hand, what the contract answers stands.
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import type { FactBody, VaultFact } from "../chain/facts.ts";
import type { ProjectedBlock } from "../chain/projection.ts";
import { NOTHING_READ, type VaultReading } from "../chain/reading.ts";
import type { Tx } from "../platform/db/db.ts";
import { acceptByPast } from "./acceptance.ts";

type ManagerRole = "primary_manager" | "secondary_manager";

/** The projection of roles, for ingestion. */
export const rolesProjection = {
  name: "roles",
  apply: projectRoles,
  replay: { clear: clearRoles, readings: keptReadings },
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
    for (const fact of facts) applyFact(held, fact, block.number);
    for (const [vault, { managers, doubted }] of readings) {
      if (doubted?.includes("managers")) continue;
      if (applyReading(held, vault, managers, block.number))
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
      if (vaultAddress !== null && ROLE_FACTS.has(body.kind)) vaults.add(vaultAddress);
    }
    for (const [vault, { managers }] of readings) if (managers.primary !== null) vaults.add(vault);
  }
  return [...vaults];
}

const ROLE_FACTS: ReadonlySet<FactBody["kind"]> = new Set([
  "vault_deployed",
  "primary_manager_changed",
  "old_primary_manager_removed",
  "secondary_manager_added",
  "secondary_manager_removed",
  "ownership_transferred",
] as const);

function applyFact(held: Held[], { vaultAddress: vault, body, logIndex }: VaultFact, block: number): void {
  if (vault === null || !ROLE_FACTS.has(body.kind) || isConfigured(held, vault)) return;
  const give = (wallet: Address, role: ManagerRole) =>
    open(held, { vault, wallet, role, fromBlock: block, fromLogIndex: logIndex });
  switch (body.kind) {
    case "vault_deployed":
      give(body.primaryManager, "primary_manager");
      for (const manager of body.secondaryManagers) give(manager, "secondary_manager");
      return;
    case "primary_manager_changed":
      close(
        held,
        block,
        (role) =>
          role.vault === vault && (role.role === "primary_manager" || role.wallet === body.newManager),
      );
      // The event with a fee recipient is of the versions that clear the secondary managers.
      if (body.feeRecipient !== null) close(held, block, (role) => role.vault === vault);
      give(body.newManager, "primary_manager");
      return;
    case "old_primary_manager_removed":
      close(held, block, (role) => role.vault === vault && role.wallet === body.oldManager);
      return;
    case "secondary_manager_added":
      give(body.manager, "secondary_manager");
      return;
    case "secondary_manager_removed":
      close(
        held,
        block,
        (role) => role.vault === vault && role.wallet === body.manager && role.role === "secondary_manager",
      );
      return;
    case "ownership_transferred":
      close(held, block, (role) => role.vault === vault);
      give(body.newOwner, "primary_manager");
  }
}

/** What the contract answers at the end of the block stands. A contract that did not answer says nothing. True if it changed anything. */
function applyReading(
  held: Held[],
  vault: Address,
  managers: VaultReading["managers"],
  block: number,
): boolean {
  if (managers.primary === null || isConfigured(held, vault)) return false;
  const wanted = new Map<string, { wallet: Address; role: ManagerRole }>();
  const want = (wallet: Address, role: ManagerRole) => wanted.set(`${role} ${wallet}`, { wallet, role });
  want(managers.primary, "primary_manager");
  for (const manager of managers.secondary) want(manager, "secondary_manager");
  const before = held.length;
  const closed = close(
    held,
    block,
    (role) => role.vault === vault && !wanted.has(`${role.role} ${role.wallet}`),
  );
  for (const { wallet, role } of wanted.values())
    open(held, { vault, wallet, role, fromBlock: block, fromLogIndex: null });
  return closed > 0 || held.length > before;
}

function isConfigured(held: readonly Held[], vault: Address): boolean {
  return held.some((role) => role.vault === vault && role.fromBlock === null);
}

/** Gives a role, unless it is held already. The zero address, which stands for nobody, gets none. */
function open(held: Held[], given: Omit<Held, "id" | "toBlock">): void {
  if (given.wallet === zeroAddress) return;
  const isHeld = held.some(
    (role) =>
      role.toBlock === null &&
      role.vault === given.vault &&
      role.wallet === given.wallet &&
      role.role === given.role,
  );
  if (!isHeld) held.push({ ...given, id: null, toBlock: null });
}

/** Returns how many were closed. */
function close(held: readonly Held[], block: number, isMeant: (role: Held) => boolean): number {
  const ended = held.filter((role) => role.toBlock === null && role.fromBlock !== null && isMeant(role));
  for (const role of ended) role.toBlock = Math.max(block, role.fromBlock as number);
  return ended.length;
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
  }));
  await sql`
    insert into manager_readings
    select * from json_populate_recordset(null::manager_readings, ${JSON.stringify(rows)}::json)
    on conflict do nothing`.execute(tx);
}

/** What the configuration names stays: it is no matter of the chain's. */
async function clearRoles(tx: Tx, chainId: number): Promise<void> {
  await sql`delete from vault_roles where chain_id = ${chainId} and from_block is not null`.execute(tx);
}

async function keptReadings(
  tx: Tx,
  chainId: number,
  fromBlock: number,
  toBlock: number,
): Promise<Map<number, Map<Address, VaultReading>>> {
  const { rows } = await sql<{
    block_number: number;
    vault_address: Address;
    primary_manager: Address;
    secondary_managers: Address[];
  }>`
    select block_number, vault_address, primary_manager, secondary_managers from manager_readings
    where chain_id = ${chainId} and block_number between ${fromBlock} and ${toBlock}
    order by block_number, vault_address`.execute(tx);
  const readings = new Map<number, Map<Address, VaultReading>>();
  for (const row of rows) {
    const managers = { primary: row.primary_manager, secondary: row.secondary_managers };
    const atBlock = readings.get(row.block_number) ?? new Map<Address, VaultReading>();
    readings.set(row.block_number, atBlock.set(row.vault_address, { ...NOTHING_READ, managers }));
  }
  return readings;
}
