// A chain made up block by block, for tests of projections: it stores blocks, vaults and facts as ingestion would and hands
// them to a projection, in one transaction a block, without a node.
import { sql } from "kysely";
import { type Address, getAddress, keccak256, numberToHex, pad } from "viem";
import type { FamilyName } from "../src/chain/directory.ts";
import { type FactBody, toStored, type VaultFact } from "../src/chain/facts.ts";
import { NOTHING_READ, type VaultReading } from "../src/chain/reading.ts";
import type { Database, Tx } from "../src/platform/db/db.ts";

export interface SyntheticBlock {
  block: {
    chainId: number;
    number: number;
    hash: `0x${string}`;
    parentHash: `0x${string}`;
    timestamp: number;
  };
  facts: VaultFact[];
  readings: Map<Address, VaultReading>;
}

export interface SyntheticProjection {
  apply(tx: Tx, blocks: SyntheticBlock[]): Promise<void>;
}

export interface SyntheticVault {
  address: Address;
  family?: FamilyName;
  asset?: Address;
  name?: string | null;
  symbol?: string | null;
  shareDecimals?: number;
  assetDecimals?: number;
  hasAsyncRedeem?: boolean;
  createdBlock?: number | null;
}

/** An address that is the same in every run. */
export function syntheticAddress(n: number): Address {
  return getAddress(`0x${keccak256(numberToHex(n)).slice(26)}`);
}

export const ACTOR: Address = "0x000000000000000000000000000000000000dEaD";

/** A reading in which nothing was answered but what is given. */
export function readingOf(given: Partial<VaultReading>): VaultReading {
  return { ...NOTHING_READ, ppsDecimals: 6, ...given };
}

export class SyntheticChain {
  readonly chainId: number;
  readonly #db: Database;
  readonly #projection: SyntheticProjection;
  /** Differs after each reorganisation, so that the same height gets another hash. */
  #branch = 0;

  constructor(db: Database, projection: SyntheticProjection, chainId = 31_337) {
    this.#db = db;
    this.#projection = projection;
    this.chainId = chainId;
  }

  async start(): Promise<void> {
    await sql`insert into chains (chain_id, name) values (${this.chainId}, 'test')`.execute(this.#db.kysely);
  }

  async addVault(vault: SyntheticVault): Promise<Address> {
    const { address, family = "supervault", createdBlock = null } = vault;
    const capabilities = JSON.stringify({ erc7540_redeem: vault.hasAsyncRedeem ?? false });
    await sql`
      insert into vaults (chain_id, address, family, source_address, asset_address, name, symbol, share_decimals,
        asset_decimals, capabilities, created_block, created_at)
      values (${this.chainId}, ${address}, ${family}, ${address}, ${vault.asset ?? syntheticAddress(1)},
        ${vault.name === undefined ? "Vault" : vault.name}, ${vault.symbol === undefined ? "V" : vault.symbol},
        ${vault.shareDecimals ?? 6}, ${vault.assetDecimals ?? 6}, ${capabilities}::jsonb, ${createdBlock},
        (select block_timestamp from blocks where chain_id = ${this.chainId} and number = ${createdBlock}))`.execute(
      this.#db.kysely,
    );
    return address;
  }

  /** A block in memory; facts get their log indexes in the order given. */
  block(
    number: number,
    timestamp: number,
    facts: readonly { vault: Address; body: FactBody }[] = [],
    readings: readonly [Address, VaultReading][] = [],
  ): SyntheticBlock {
    const hash = this.#hash(number);
    return {
      block: { chainId: this.chainId, number, hash, parentHash: this.#hash(number - 1), timestamp },
      facts: facts.map(({ vault, body }, logIndex) => ({
        chainId: this.chainId,
        blockNumber: number,
        blockHash: hash,
        blockTimestamp: timestamp,
        txHash: hash,
        txIndex: 0,
        logIndex,
        vaultAddress: vault,
        actorWallet: ACTOR,
        txFrom: null,
        body,
      })),
      readings: new Map(readings),
    };
  }

  /** Writes blocks in one transaction, moves the head, and tells the projection. */
  async apply(blocks: readonly SyntheticBlock[]): Promise<void> {
    await this.#db.transaction(async (tx) => {
      for (const { block, facts } of blocks) {
        await sql`
          insert into blocks (chain_id, number, hash, parent_hash, block_timestamp)
          values (${this.chainId}, ${block.number}, ${block.hash}, ${block.parentHash}, to_timestamp(${block.timestamp}))
          on conflict do nothing`.execute(tx);
        for (const fact of facts) {
          await sql`
            insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
            values (${this.chainId}, ${fact.blockNumber}, ${fact.logIndex}, ${fact.body.kind}, ${fact.vaultAddress},
              ${fact.txHash}, 0, ${fact.actorWallet}, ${JSON.stringify(toStored(fact.body))}::jsonb)`.execute(
            tx,
          );
        }
      }
      const head = blocks.at(-1)!.block;
      await sql`
        update chains set head_number = ${head.number}, head_hash = ${head.hash},
          head_timestamp = to_timestamp(${head.timestamp}), revision = revision + 1
        where chain_id = ${this.chainId}`.execute(tx);
      await this.#projection.apply(tx, [...blocks]);
    });
  }

  async confirm(number: number): Promise<void> {
    await sql`update chains set confirmed_number = ${number} where chain_id = ${this.chainId}`.execute(
      this.#db.kysely,
    );
  }

  /** Undoes the blocks above one, as ingestion does; the next ones get other hashes. */
  async undoAbove(number: number): Promise<void> {
    this.#branch += 1;
    await sql`delete from blocks where chain_id = ${this.chainId} and number > ${number}`.execute(
      this.#db.kysely,
    );
    await sql`
      update chains c set head_number = b.number, head_hash = b.hash, head_timestamp = b.block_timestamp
      from blocks b where c.chain_id = ${this.chainId} and b.chain_id = c.chain_id and b.number = ${number}`.execute(
      this.#db.kysely,
    );
  }

  #hash(number: number): `0x${string}` {
    return keccak256(pad(numberToHex(number * 1000 + this.#branch)));
  }
}

/** Whose shares the facts below speak of, where it does not matter. */
export const HOLDER = syntheticAddress(20);

/** Facts of a vault, and their bodies. */
export const of = (vault: Address, ...bodies: FactBody[]) => bodies.map((body) => ({ vault, body }));
export const mint = (shares: bigint): FactBody => ({ kind: "shares_minted", to: HOLDER, shares });
export const burn = (shares: bigint): FactBody => ({ kind: "shares_burned", from: HOLDER, shares });
export const price = (pps: bigint): FactBody => ({ kind: "pps_updated", pps, timestamp: 0n });
export const request = (controller: Address, shares: bigint): FactBody => ({
  kind: "redeem_requested",
  controller,
  owner: controller,
  requestId: 0n,
  sender: controller,
  shares,
});
export const fulfil = (controller: Address, shares: bigint): FactBody => ({
  kind: "redeem_claimable",
  controller,
  requestId: 0n,
  assets: shares,
  shares,
  averageWithdrawPrice: null,
});
export const withdraw = (owner: Address, shares: bigint): FactBody => ({
  kind: "withdraw",
  sender: owner,
  receiver: owner,
  owner,
  assets: shares,
  shares,
});
