// Invariant: whichever worker judges, and however it dies, every firing and every resolve is told exactly once.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CHAIN } from "../../../../test/alerts.ts";
import { addBlocks, addChain, addVault, testAddress } from "../../../../test/chain-rows.ts";
import { createTestDatabase } from "../../../../test/database.ts";
import type { Database } from "../../../platform/db/db.ts";

const WORKER = fileURLToPath(new URL("./test-worker.ts", import.meta.url));
const WAVES = process.env.VAULTOPS_FULL === "1" ? 25 : 3;
/** Vaults that have their one incident in a wave. */
const PER_WAVE = 40;
/** Between an evaluation that told something and the kill: into the next one, into its commit, or after it. */
const MAX_DELAY_MS = 60;

it(`tells ${WAVES * PER_WAVE} incidents once each, their firing and their end, while three workers are killed again and again`, async () => {
  const database = await createTestDatabase();
  const { db } = database;
  const stop = new AbortController();
  await addChain(db, CHAIN, 8);
  await addBlocks(db, CHAIN, 1, 10);
  // Nothing is wrong with the chain itself.
  await db.pool.query("update chains set head_number = 10, head_timestamp = now()");
  await db.pool.query("update blocks set block_timestamp = now()");
  const vaults = Array.from({ length: WAVES * PER_WAVE }, (_, index) => testAddress(0x1000 + index));
  for (const vault of vaults) await addVault(db, CHAIN, vault);
  const killing = [1, 2, 3].map((own) => keepKilling(database.url, own, stop.signal));
  try {
    for (let wave = 0; wave < WAVES; wave += 1) {
      const of = vaults.slice(wave * PER_WAVE, (wave + 1) * PER_WAVE);
      // One by one, so that workers die with some of them told.
      for (const vault of of) await armed(db, vault, true);
      await until(db, of.length, "resolved_at is null");
      for (const vault of of) await armed(db, vault, false);
      await until(db, 0, "resolved_at is null");
    }
  } finally {
    stop.abort();
  }
  const kills = (await Promise.all(killing)).reduce((sum, count) => sum + count, 0);
  const { rows } = await db.pool.query<{ vault_address: string; types: string[]; ids: string[] }>(
    `select vault_address, array_agg(type order by seq) as types, array_agg(distinct data::jsonb ->> 'id') as ids
     from events where type like 'alert.%' group by 1`,
  );
  expect(new Set(rows.map(({ vault_address }) => vault_address))).toEqual(new Set(vaults));
  expect(rows.filter(({ types }) => types.join() !== "alert.firing,alert.resolved")).toEqual([]);
  expect(rows.filter(({ ids }) => ids.length !== 1)).toEqual([]);
  const stored = await db.pool.query("select count(*) as n from alerts where resolved_at is not null");
  expect(stored.rows[0].n).toBe(vaults.length);
  expect(kills).toBeGreaterThan(0);
  await database.drop();
}, 600_000);

/** What the engine's report of an exit leaves. */
async function armed(db: Database, vault: string, isArmed: boolean): Promise<void> {
  const data = JSON.stringify({ is_armed: isArmed, since: null, by: null });
  await db.pool.query(
    `with report as (
       insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values ($1, $2, 'emergency_exit', $3, now())
       on conflict (chain_id, vault_address, kind) do update set data = excluded.data
     )
     select pg_notify('reports', '')`,
    [CHAIN, vault, data],
  );
}

async function until(db: Database, count: number, where: string): Promise<void> {
  for (const deadline = Date.now() + 300_000; ; await sleep(20)) {
    const { rows } = await db.pool.query(`select count(*) as n from alerts where ${where}`);
    if (rows[0].n === count) return;
    if (Date.now() > deadline) throw new Error(`${rows[0].n} alerts and not ${count} where ${where}`);
  }
}

/**
 * Runs one worker after the other. Each is killed once it has told something, so that on however slow a machine none dies in vain;
 * one that stands by lives until its turn comes. Returns how many were killed while incidents went on.
 */
async function keepKilling(url: string, own: number, signal: AbortSignal): Promise<number> {
  let kills = 0;
  for (let draw = own; !signal.aborted; draw += 1) {
    const child: ChildProcess = spawn(process.execPath, [WORKER, url, String(CHAIN)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const told = once(child.stdout!, "data", { signal }).catch(() => null);
    if ((await Promise.race([told, exited])) !== null && !signal.aborted) {
      kills += 1;
      await sleep((draw * 7919) % MAX_DELAY_MS);
    }
    child.kill("SIGKILL");
    await exited;
  }
  return kills;
}
