// The verdict on the curated vaults of a world: what is stored of them, who stands behind their roles and what the audit log says of both is
// what a service holds that read the finished chain in one go; owner and amounts are what the contracts answer.
import { expect } from "vitest";
import { read } from "../../../demo/src/chain.ts";
import type { Database } from "../../src/platform/db/db.ts";
import { readRecorded } from "../ground-truth.ts";
import { CONTRACTS, CURATED, type EveryFamily } from "./every-family.ts";

const CHAIN = 31337;

/** Who owns each vault, and what it holds. */
export async function expectCuratedVaultsWord({ chain, vaults }: EveryFamily, db: Database): Promise<void> {
  for (const family of CURATED) {
    const ask = async (functionName: string) =>
      String(await read(chain, { contract: CONTRACTS[family], address: vaults[family], functionName }));
    const { rows } = await db.pool.query(
      `select jsonb_path_query_array(contract_roles, $2) as owners, total_assets::text, total_supply::text, unread
         from vault_states where vault_address = $1 order by block_number desc limit 1`,
      [vaults[family], '$[*] ? (@.role == "owner" || @.role == "role_manager").account'],
    );
    expect(rows, family).toEqual([
      {
        owners: [await ask(family === "yearn_v3" ? "role_manager" : "owner")],
        total_assets: await ask("totalAssets"),
        total_supply: await ask("totalSupply"),
        unread: {},
      },
    ]);
  }
}

/** How much of who stands behind roles is known to be missing yet: it follows a block by itself, where the node did not tell. */
export const CONTROL_OWED = `
  (select count(*)::int from vaults v
    cross join lateral (select contract_roles from vault_states where vault_address = v.address order by block_number desc limit 1) s
     left join lateral (select roles from vault_controllers where vault_address = v.address order by block_number desc limit 1) c on true
    where jsonb_array_length(s.contract_roles) > 0 and not coalesce(c.roles @> s.contract_roles, false))
  + (select count(*)::int from (select distinct on (address) address, state from controller_states order by address, block_number desc) c
      where c.state->>'kind' = 'timelock' and c.state->'timelock'->'holders' = 'null'
        and c.address in (select l.value->>'address' from (
          select distinct on (vault_address) links from vault_controllers order by vault_address, block_number desc) v
          cross join jsonb_array_elements(v.links) l))`;

/** By name what must be the same in both databases, of the vaults that are $1. */
const HELD: Readonly<Record<string, string>> = {
  "what is remembered of vaults": `
    select * from tracked_changes where vault_address = any($1) order by block_number, log_index, nth`,
  records: `
    select distinct on (vault_address) * from vault_states where vault_address = any($1)
     order by vault_address, block_number desc`,
  roles: `
    select vault_address, wallet, role from vault_roles where vault_address = any($1) and to_block is null order by 1, 2, 3`,
  "who stands behind roles": `
    select distinct on (vault_address) vault_address, roles, links from vault_controllers where vault_address = any($1)
     order by vault_address, block_number desc`,
  controllers: `
    select distinct on (c.address) c.address, c.state from controller_states c
     where c.address in (select l.value->>'address' from (
       select distinct on (vault_address) links from vault_controllers where vault_address = any($1)
        order by vault_address, block_number desc) v cross join jsonb_array_elements(v.links) l)
     order by c.address, c.block_number desc`,
  signers: `
    select vault_address, wallet, via from vault_signers where vault_address = any($1) and to_block is null order by 1, 2, 3`,
};

export async function expectSameOfCurated(
  held: Database,
  wanted: Database,
  world: EveryFamily,
): Promise<void> {
  const { vaults } = world;
  const addresses = Object.values(vaults);
  for (const [name, query] of Object.entries(HELD)) {
    const [ours, theirs] = await Promise.all([
      held.pool.query(query, [addresses]),
      wanted.pool.query(query, [addresses]),
    ]);
    expect(ours.rows, name).toEqual(theirs.rows);
  }
  expect(await entriesOf(held, world), "entries").toEqual(await entriesOf(wanted, world));
}

async function entriesOf(db: Database, { vaults, safe, timelock }: EveryFamily) {
  const [addresses, behind] = [Object.values(vaults), [safe, timelock] as unknown[]];
  const { entries } = await readRecorded(db, CHAIN);
  // Who stands behind a role is followed from when that is known: controllers-verdict.ts.
  return entries
    .filter((entry) => addresses.includes(entry.vault_address) && !behind.includes(entry.details.controller))
    .map((entry) => [entry.block_number, entry.log_index, entry.action_type, JSON.stringify(entry)] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[3] < b[3] ? -1 : 1));
}
