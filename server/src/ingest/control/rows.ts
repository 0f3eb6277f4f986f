// Who stands behind roles into the tables, and back into memory.
//
// Guarantee: what is written of a block goes with it. The newest row of an account or a vault is how it stands, so that a reorganisation
// leaves what was before it; of signers a stretch that ended in an undone block is open again.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ControllerState } from "../../chain/controllers/state.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { ControlBook, type ControlChange, type RoleHolder, type Signer } from "./book.ts";

/** As of a block; of vaults that are followed. */
export async function loadControl(
  db: Database,
  chainId: number,
  upTo: number,
  isFollowed: (vault: Address) => boolean,
): Promise<ControlBook> {
  const book = new ControlBook();
  const vaults = await sql<{ vault_address: Address; roles: RoleHolder[] }>`
    select distinct on (vault_address) vault_address, roles from vault_controllers
     where chain_id = ${chainId} and block_number <= ${upTo}
     order by vault_address, block_number desc`.execute(db.kysely);
  for (const { vault_address, roles } of vaults.rows)
    if (isFollowed(vault_address)) book.setRoles(vault_address, roles);
  const states = await sql<{ address: Address; state: ControllerState }>`
    select distinct on (address) address, state from controller_states
     where chain_id = ${chainId} and block_number <= ${upTo}
     order by address, block_number desc`.execute(db.kysely);
  for (const { address, state } of states.rows) book.setState(address, state);
  book.prune();
  return book;
}

/** The block's row must be there. */
export async function insertControl(
  tx: Tx,
  chainId: number,
  blockNumber: number,
  { states, vaults, signers }: ControlChange,
): Promise<void> {
  for (const [address, state] of states) {
    await sql`
      insert into controller_states (chain_id, address, block_number, state)
      values (${chainId}, ${address}, ${blockNumber}, ${JSON.stringify(state)}::jsonb)
      on conflict (chain_id, address, block_number) do update set state = excluded.state`.execute(tx);
  }
  for (const [vault, { roles, links }] of vaults) {
    await sql`
      insert into vault_controllers (chain_id, vault_address, block_number, roles, links)
      values (${chainId}, ${vault}, ${blockNumber}, ${JSON.stringify(roles)}::jsonb, ${JSON.stringify(links)}::jsonb)
      on conflict (chain_id, vault_address, block_number) do update set roles = excluded.roles, links = excluded.links`.execute(
      tx,
    );
  }
  if (signers.size > 0) await becomeSigners(tx, chainId, blockNumber, signers);
}

async function becomeSigners(
  tx: Tx,
  chainId: number,
  blockNumber: number,
  signers: ReadonlyMap<Address, readonly Signer[]>,
): Promise<void> {
  const wanted = [...signers].flatMap(([vault, each]) => each.map((signer) => ({ vault, ...signer })));
  const given = sql`unnest(${wanted.map(({ vault }) => vault)}::text[], ${wanted.map(({ wallet }) => wallet)}::text[],
                           ${wanted.map(({ via }) => via)}::text[]) as w (vault_address, wallet, via)`;
  const isWanted = sql`w.vault_address = s.vault_address and w.wallet = s.wallet and w.via = s.via`;
  await sql`
    update vault_signers s set to_block = greatest(${blockNumber}::bigint, s.from_block)
     where s.chain_id = ${chainId} and s.vault_address = any(${[...signers.keys()]}::text[]) and s.to_block is null
       and not exists (select from ${given} where ${isWanted})`.execute(tx);
  await sql`
    insert into vault_signers (chain_id, vault_address, wallet, via, from_block)
    select ${chainId}, w.vault_address, w.wallet, w.via, ${blockNumber}::bigint from ${given}
     where not exists (select from vault_signers s where s.chain_id = ${chainId} and ${isWanted} and s.to_block is null)`.execute(
    tx,
  );
}
