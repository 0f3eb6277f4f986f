// Mend: vaults whose announcement was stored without them, because release 0.1 took an error of the node's for the contract's. They are
// described, the logs of their whole life are read, and what is missing is stored: facts under their vault, and, as of now, the audit
// entries of confirmed blocks. What stands stays as it stands.
//
// Guarantee: all of a chain or nothing of it, in one transaction that only the holder of the chain's lease can commit. Done twice, the
// second finds nothing to do. What it reads is held against the blocks that are stored.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChainClient } from "../chain/client/client.ts";
import type { Source } from "../chain/directory.ts";
import type { ConfirmedFact, VaultFact } from "../chain/facts.ts";
import type { Families } from "../chain/families/family/family.ts";
import type { Database, Tx } from "../platform/db/db.ts";
import type { Logger } from "../platform/log.ts";
import { confirmedFactsOf } from "./block/confirm.ts";
import type { ExtractContext, FoundVault } from "./block/discover.ts";
import { Patience } from "./block/patience.ts";
import { insertBlocks, insertFacts, insertVaults } from "./block/rows.ts";
import { LeadLost } from "./block/store.ts";
import { loadWorld } from "./block/world.ts";
import { factsOfRange, findAnnounced } from "./past/lives.ts";

export interface MendOptions {
  /** As the owner of the tables: facts that stand without their vault are put under it. */
  db: Database;
  client: ChainClient;
  families: Families;
  /** Of the lease under which it is done. */
  token: number;
  /** Appends the entries of these facts, which were confirmed long ago; returns how many. */
  record(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number>;
  log: Logger;
  signal: AbortSignal;
}

export interface Mended {
  vaults: Address[];
  facts: number;
  entries: number;
  /** Announced addresses that do not answer as vaults, and are left as they were. */
  left: Address[];
}

interface Lost {
  block_number: number;
  hash: string;
  vault: Address;
}

/** @throws ChainFault when the node fails or has other blocks than those stored, LeadLost when the lease is another's */
export async function mendChain(options: MendOptions): Promise<Mended> {
  const { db, client, families, log } = options;
  const lost = await loadLost(db, client.chainId);
  if (lost.length === 0) return { vaults: [], facts: 0, entries: 0, left: [] };
  // Whoever runs it waits beside it: what fails is told at once, and nothing is gone on without.
  const context = { client, families, log, patience: new Patience(Number.POSITIVE_INFINITY) };
  const sources = await loadSources(db, context);
  const world = await loadWorld(db, {
    chainId: client.chainId,
    sources,
    upTo: Number.MAX_SAFE_INTEGER,
    seeds: new Map(),
  });
  const missing = new Set(lost.map(({ vault }) => vault));
  const found = await findAnnounced(context, world, sources, lost, ({ address }) => missing.has(address));
  const addresses = new Set(found.map(({ vault }) => vault.address));
  const left = lost.map(({ vault }) => vault).filter((vault) => !addresses.has(vault));
  if (found.length === 0) return { vaults: [], facts: 0, entries: 0, left };
  const chain = await loadChain(db, client.chainId);
  // With endless patience no block is left out.
  const { facts } = await factsOfRange(context, world, found, {
    fromBlock: lost[0]!.block_number,
    toBlock: chain.head,
    signal: options.signal,
  });
  const entries = await db.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await fence(tx, client.chainId, options.token);
    return await write(options, tx, found, facts, chain.confirmed);
  });
  return { vaults: [...addresses], facts: facts.length, entries, left };
}

async function loadLost(db: Database, chainId: number): Promise<Lost[]> {
  const { rows } = await sql<Lost>`
    select f.block_number, b.hash, f.data ->> 'vault' as vault
      from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
     where f.chain_id = ${chainId} and f.kind = 'vault_deployed' and f.vault_address is null
       and not exists (select from vaults v where v.chain_id = f.chain_id and v.address = f.data ->> 'vault')
     order by f.block_number, f.log_index`.execute(db.kysely);
  return rows;
}

async function loadSources(db: Database, { client, families }: ExtractContext): Promise<Source[]> {
  const { rows } = await sql<Pick<Source, "family" | "address">>`
    select family, address from sources where chain_id = ${client.chainId} and family = 'supervault'`.execute(
    db.kysely,
  );
  return await Promise.all(
    rows.map(async ({ family, address }) => {
      const bare: Source = { family, address, governor: null, oracles: [] };
      return { ...bare, ...(await families[family].related(client, bare, "latest")) };
    }),
  );
}

async function loadChain(db: Database, chainId: number): Promise<{ head: number; confirmed: number }> {
  const { rows } = await sql<{ head: number; confirmed: number }>`
    select head_number as head, confirmed_number as confirmed from chains where chain_id = ${chainId}`.execute(
    db.kysely,
  );
  return rows[0]!;
}

/** Returns how many entries were appended. Those of blocks that are not confirmed yet come with their confirmation. */
async function write(
  { client, record }: MendOptions,
  tx: Tx,
  found: readonly FoundVault[],
  facts: readonly VaultFact[],
  confirmed: number,
): Promise<number> {
  const { chainId } = client;
  const blocks = new Map(facts.map((fact) => [fact.blockNumber, fact]));
  await insertBlocks(
    tx,
    chainId,
    [...blocks.values()].map(({ blockNumber, blockHash, blockTimestamp }) => ({
      number: blockNumber,
      hash: blockHash,
      parentHash: null,
      timestamp: blockTimestamp,
      isEmpty: false,
    })),
  );
  await insertVaults(tx, chainId, found);
  await sql`
    delete from facts f using unnest(${facts.map((fact) => fact.blockNumber)}::bigint[],
                                     ${facts.map((fact) => fact.logIndex)}::integer[]) as given (block_number, log_index)
     where f.chain_id = ${chainId} and f.vault_address is null
       and f.block_number = given.block_number and f.log_index = given.log_index`.execute(tx);
  const stored = confirmedFactsOf(facts, [], () => false);
  await insertFacts(tx, chainId, stored);
  return await record(
    tx,
    stored.filter(({ blockNumber }) => blockNumber <= confirmed),
  );
}

/** The fence of every commit of a leader: see ChainStore. */
async function fence(tx: Tx, chainId: number, token: number): Promise<void> {
  const { rows } = await sql`
    update chains c set revision = revision + 1 from chain_leases l
     where c.chain_id = ${chainId} and l.chain_id = c.chain_id and l.token = ${token} returning c.chain_id`.execute(
    tx,
  );
  if (rows.length === 0) throw new LeadLost(chainId);
}
