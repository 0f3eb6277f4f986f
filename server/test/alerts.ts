// A world for tests of alerts: a chain with vaults as rows, a clock that the test holds, and evaluations when the test asks for them.
import { randomUUID } from "node:crypto";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Address, Hash } from "viem";
import { loadConfig } from "../src/config/load.ts";
import { type Alert, AlertSchema } from "../src/events/alert.ts";
import { EVENT_TYPES, type WebhookEventType } from "../src/events/types.ts";
import {
  type Area,
  type EvaluationParts,
  type EvaluationResult,
  evaluateArea,
} from "../src/features/alerts/judge/evaluation.ts";
import { REPORTS } from "../src/features/alerts/judge/heartbeat.ts";
import { areaOfChain } from "../src/monitors/engine/chain-vaults.ts";
import type { Database } from "../src/platform/db/db.ts";
import { addBlocks, addChain, addVault, GENESIS_SECONDS, testAddress } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export const CHAIN = 8453;
export const VAULT = testAddress(0x100);
export const OTHER = testAddress(0x200);
/** Milliseconds: the time of block 10, which is the head. */
export const NOW = (GENESIS_SECONDS + 120) * 1000;

export interface AlertWorld {
  database: TestDatabase;
  db: Database;
  clock: { ms: number; now(): number };
  parts: EvaluationParts;
  /** Nothing is heard: evaluations are not preceded by heartbeats. */
  isDeaf: boolean;
  /** Evaluates an area now; the test's worker always gets the lease. */
  evaluate(area?: Area): Promise<EvaluationResult>;
  /** Alerts, oldest first, as stored. */
  alerts(where?: string): Promise<StoredAlert[]>;
  /** The events since the last time, in their order. */
  events(): Promise<{ type: string; vault_address: string; data: Record<string, unknown> }[]>;
  /** Of those, types and titles of what alerts told. */
  notices(): Promise<string[]>;
  drop(): Promise<void>;
}

export type StoredAlert = Alert & { conditions: string[]; notified_at: string | null };

/** Blocks 1 to 10, the head 10 and confirmed 8, two vaults, each read at block 5 with nothing wrong. */
export async function openAlertWorld(): Promise<AlertWorld> {
  const database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 8);
  await addBlocks(db, CHAIN, 1, 10);
  for (const vault of [VAULT, OTHER]) {
    await addVault(db, CHAIN, vault);
    await addState(db, { block: 5, vault });
  }
  await moveHead(db, 10);
  await db.pool.query("update chains set explorer_url = 'https://explorer.example' where chain_id = $1", [
    CHAIN,
  ]);
  const clock = { ms: NOW, now: () => clock.ms };
  const parts: EvaluationParts = {
    db,
    defaults: loadConfig({ env: {} }).alerts.rules,
    chains: [{ chainId: CHAIN, maxLagSeconds: 300, confirmations: 2 }],
    publicUrl: "https://vaultops.example",
    holder: randomUUID(),
    leaseMs: 60_000,
  };
  let seen = 0;
  const world: AlertWorld = {
    database,
    db,
    clock,
    parts,
    isDeaf: false,
    async evaluate(area = { chainId: CHAIN }) {
      if (!world.isDeaf) await hear(db, clock.ms);
      const result = await evaluateArea(parts, area, clock.now());
      if (result === null) throw new Error("another worker has the lease");
      return result;
    },
    async alerts(where = "true") {
      const { rows } = await db.pool.query<StoredAlert>(
        `select * from alerts where ${where} order by started_at, category, subject, vault_address`,
      );
      return rows;
    },
    async events() {
      const { rows } = await db.pool.query<{
        seq: number;
        type: string;
        vault_address: string;
        data: string;
      }>("select seq, type, vault_address, data from events where seq > $1 order by seq", [seen]);
      seen = rows.at(-1)?.seq ?? seen;
      const events = rows.map(({ type, vault_address, data }) => ({
        type,
        vault_address,
        data: JSON.parse(data),
      }));
      for (const event of events) expectDocumented(event);
      return events;
    },
    async notices() {
      const events = await world.events();
      return events
        .filter(({ type }) => type.startsWith("alert."))
        .map(({ type, data }) => `${type} ${data.category}/${data.subject}`);
    },
    drop: () => database.drop(),
  };
  return world;
}

/** As if reports and the chain had been heard all the time until now. */
export async function hear(db: Database, untilMs: number): Promise<void> {
  await db.pool.query(
    `insert into heartbeats (subject, last_at) select subject, to_timestamp($2::float8 / 1000) from unnest($1::text[]) s (subject)
     on conflict (subject) do update set last_at = excluded.last_at`,
    [[REPORTS, areaOfChain(CHAIN)], untilMs],
  );
}

/** What is emitted has the shape that its type is documented with. */
function expectDocumented({ type, data }: { type: string; data: unknown }): void {
  const documented: TSchema | undefined =
    EVENT_TYPES[type as WebhookEventType]?.data ?? (type.startsWith("alert.") ? AlertSchema : undefined);
  if (documented === undefined) throw new Error(`${type} is no documented event`);
  const errors = [...Value.Errors(documented, data)].map((error) => JSON.stringify(error));
  if (errors.length > 0) throw new Error(`${type}: ${errors.join("; ")}`);
}

/** Moves the head, and the confirmed block two behind it. */
export async function moveHead(db: Database, number: number, confirmed = number - 2): Promise<void> {
  await db.pool.query(
    `update chains c set head_number = b.number, head_hash = b.hash, head_timestamp = b.block_timestamp, confirmed_number = $3
     from blocks b where c.chain_id = $1 and b.chain_id = c.chain_id and b.number = $2`,
    [CHAIN, number, confirmed],
  );
}

export interface StateRow {
  block: number;
  vault?: Address;
  isPaused?: boolean | null;
  /** Unix seconds. */
  lastUpdate?: number | null;
  expirationSeconds?: number | null;
  isFlagged?: boolean | null;
  upkeep?: { balance: bigint | null; required: bigint | null; token?: Address } | null;
  merkle?: { root: string; is_vetoed: boolean } | null;
  /** Fields of the reading that could not be read. */
  unread?: readonly string[];
}

/** A reading of a vault; what is not given has nothing wrong. */
export async function addState(db: Database, row: StateRow): Promise<void> {
  await db.pool.query(
    `insert into vault_states (chain_id, block_number, vault_address, pps_decimals, is_paused, last_pps_update, pps_expiration_seconds,
       is_pps_stale_flag, has_upkeep, upkeep_balance, upkeep_required, upkeep_token, merkle, unread)
     values ($1, $2, $3, 6, $4, to_timestamp($5), $6, $7, $8, $9, $10, $11, $12, $13)
     on conflict (chain_id, block_number, vault_address) do nothing`,
    [
      CHAIN,
      row.block,
      row.vault ?? VAULT,
      row.isPaused === undefined ? false : row.isPaused,
      row.lastUpdate ?? null,
      row.expirationSeconds ?? null,
      row.isFlagged === undefined ? false : row.isFlagged,
      row.upkeep != null,
      row.upkeep?.balance ?? null,
      row.upkeep?.required ?? null,
      row.upkeep?.token ?? null,
      row.merkle === undefined ? null : JSON.stringify(row.merkle),
      JSON.stringify(
        Object.fromEntries((row.unread ?? []).map((field) => [field, "2026-05-05T16:54:20.000000Z"])),
      ),
    ],
  );
}

/** A pause that begins in a block, with its fact and a reading. */
export async function addPause(
  db: Database,
  { block, vault = VAULT, by = testAddress(9) }: { block: number; vault?: Address; by?: Address },
): Promise<void> {
  await db.pool.query(
    `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
     values ($1, $2, 0, 'vault_paused', $3, $4, 0, $5, '{}')`,
    [CHAIN, block, vault, txHash(block), by],
  );
  await db.pool.query(
    `insert into vault_intervals (chain_id, from_block, from_log_index, vault_address, kind, subject, data, since)
     values ($1, $2, 0, $3, 'pause', 'vault', $4, to_timestamp($5))`,
    [CHAIN, block, vault, JSON.stringify({ by }), GENESIS_SECONDS + block * 12],
  );
  await addState(db, { block, vault, isPaused: true });
}

/** Ends the pause in a block. */
export async function endPause(db: Database, block: number, vault: Address = VAULT): Promise<void> {
  await db.pool.query(
    "update vault_intervals set to_block = $3 where chain_id = $1 and vault_address = $2 and kind = 'pause' and to_block is null",
    [CHAIN, vault, block],
  );
  await addState(db, { block, vault, isPaused: false });
}

export function txHash(block: number): Hash {
  return `0x${block.toString(16).padStart(64, "0")}`;
}
