// Chains, blocks and vaults as rows, for tests that need them to stand there and do not care how they came.
import { type Address, getAddress, type Hash } from "viem";
import type { Database } from "../src/platform/db/db.ts";

/** Unix seconds of block 0; each block is 12 s after the one before. */
export const GENESIS_SECONDS = 1_778_000_000;

/** A checksummed address that ends in the number. */
export function testAddress(number: number): Address {
  return getAddress(`0x${number.toString(16).padStart(40, "0")}`);
}

export function testHash(chainId: number, number: number, fork = 0): Hash {
  return `0x${fork.toString(16).padStart(8, "0")}${chainId.toString(16).padStart(24, "0")}${number.toString(16).padStart(32, "0")}`;
}

export async function addChain(
  db: Database,
  chainId: number,
  confirmed: number | null = null,
): Promise<void> {
  await db.pool.query(
    "insert into chains (chain_id, name, confirmed_number) values ($1, $2, $3) on conflict do nothing",
    [chainId, `chain ${chainId}`, confirmed],
  );
}

/** Blocks `from` to `to`, both included. */
export async function addBlocks(
  db: Database,
  chainId: number,
  from: number,
  to: number,
  fork = 0,
): Promise<void> {
  for (let number = from; number <= to; number += 1) {
    await db.pool.query(
      "insert into blocks (chain_id, number, hash, parent_hash, block_timestamp) values ($1, $2, $3, $4, to_timestamp($5))",
      [
        chainId,
        number,
        testHash(chainId, number, fork),
        testHash(chainId, number - 1, fork),
        GENESIS_SECONDS + number * 12,
      ],
    );
  }
}

export async function addVault(
  db: Database,
  chainId: number,
  address: Address,
  family: "supervault" | "erc4626" = "supervault",
): Promise<void> {
  await db.pool.query(
    `insert into vaults (chain_id, address, family, source_address, asset_address, name, share_decimals, asset_decimals)
     values ($1, $2, $3, $2, $2, 'A vault', 18, 6)`,
    [chainId, address, family],
  );
}

/** What undoes a reorganisation: every block above `ancestor` goes. */
export async function undoBlocks(db: Database, chainId: number, ancestor: number): Promise<void> {
  await db.pool.query("delete from blocks where chain_id = $1 and number > $2", [chainId, ancestor]);
}

export async function confirm(db: Database, chainId: number, number: number | null): Promise<void> {
  await db.pool.query("update chains set confirmed_number = $2 where chain_id = $1", [chainId, number]);
}

/** Every wallet accepts every vault on which it holds a role, as who has acted on it has. */
export async function acceptAll(db: Pick<Database, "pool">): Promise<void> {
  await db.pool.query(`
    insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted)
    select wallet, chain_id, vault_address, true from vault_roles union
    select wallet, chain_id, vault_address, true from members
    on conflict do nothing`);
}
