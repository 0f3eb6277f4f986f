// What the monitors cost with 5,000 vaults of all families: one evaluation of a chain by all categories, as each block brings, and of the
// engine, as reports bring, against the bare reading of what is judged; and an incident of all vaults opened and closed, against bare inserts of as many rows.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../server/src/config/load.ts";
import {
  type Area,
  type EvaluationParts,
  evaluateArea,
} from "../server/src/features/alerts/judge/evaluation.ts";
import { areaOfChain } from "../server/src/monitors/engine/chain-vaults.ts";
import { type Database, openDatabase } from "../server/src/platform/db/db.ts";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../server/src/platform/postgres/postgres.ts";
import { testAddress } from "../server/test/chain-rows.ts";
import { type Figure, type FigureResult, interleave } from "./support/figure.ts";

const CHAIN = 8453;
const VAULTS = 5_000;
const SERVICES = 7;
/** A day of blocks. */
const BLOCKS = 1_000;
const BLOCK_SECONDS = 87;
const NOW = 1_790_000_000_000;
/** Of each vault within the day. */
const PRICES = 144;
const FLOWS = 10;

const MEASURED = [
  ["a block, all categories", "readings, a day of prices and of flows, bare SQL", 0.3],
  ["reports", "the services' rows, bare SQL", 0.3],
  ["an incident of all vaults, opened and closed", "bare inserts of as many rows", 0.1],
] as const;

export const figures: Figure[] = MEASURED.map(([name, against, aim]) => ({
  name: `alerts of 5,000 vaults: ${name}`,
  against,
  aim,
  run: async ({ quick }) => (await measured(quick)).get(name) as FigureResult,
}));

let measuring: Promise<Map<string, FigureResult>> | undefined;

/** All are measured at once, over one filling. */
function measured(quick: boolean): Promise<Map<string, FigureResult>> {
  measuring ??= measureAll(quick ? 3 : 9, quick ? 5 : 20);
  return measuring;
}

async function measureAll(rounds: number, times: number): Promise<Map<string, FigureResult>> {
  const log = silentLogger();
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-alerts-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
    const owner = await openDatabase({ url: postgres.ownerUrl, statementTimeoutMs: 0 });
    await fillIn(owner);
    const db = await openDatabase({ url: postgres.appUrl });
    const parts: EvaluationParts = {
      db,
      defaults: loadConfig({ env: {} }).alerts.rules,
      chains: [{ chainId: CHAIN, maxLagSeconds: 300 }],
      publicUrl: "https://vaultops.example",
      holder: randomUUID(),
      leaseMs: 60_000,
    };
    let nowMs = NOW;
    const evaluate = async (area: Area) => {
      nowMs += 1;
      return (await evaluateArea(parts, area, nowMs))?.transitions ?? 0;
    };
    const rate =
      (run: () => Promise<unknown>, count = times) =>
      async () => {
        const startedAt = performance.now();
        for (let round = 0; round < count; round += 1) await run();
        return (count * 1000) / (performance.now() - startedAt);
      };
    const results = new Map<string, FigureResult>();
    const measure = async (
      name: (typeof MEASURED)[number][0],
      ours: () => Promise<number>,
      limit: () => Promise<number>,
      unit = "evaluations/s",
    ) => {
      const result = await interleave({ rounds, unit, ours, limit });
      results.set(name, { ...result, notes: { ms: Math.round(1e5 / result.ours) / 100 } });
    };
    await measure(
      "a block, all categories",
      rate(() => evaluate({ chainId: CHAIN }), Math.ceil(times / 5)),
      rate(() => judgedRows(db), Math.ceil(times / 5)),
    );
    await measure(
      "reports",
      rate(() => evaluate("engine")),
      rate(() => services(db)),
    );
    const pause = (isPaused: boolean) =>
      owner.pool.query("update vault_states set is_paused = $1", [isPaused]);
    await measure(
      "an incident of all vaults, opened and closed",
      async () => {
        await pause(true);
        const opening = await timed(async () => expectAll(await evaluate({ chainId: CHAIN })));
        await pause(false);
        // Past the time in which it would count as flapping.
        nowMs += 301_000;
        const closing = await timed(async () => expectAll(await evaluate({ chainId: CHAIN })));
        return 1000 / (opening + closing);
      },
      async () => 1000 / (await timed(() => bareInserts(owner))),
      "incidents/s",
    );
    await db.close();
    await owner.close();
    return results;
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function expectAll(transitions: number): void {
  if (transitions !== VAULTS) throw new Error(`${transitions} transitions instead of ${VAULTS}`);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** The newest reading of each vault, its prices of a day and what came and went in it: the least that has to be looked at. */
async function judgedRows(db: Database): Promise<void> {
  await db.pool.query({
    name: "bare_states",
    text: `select v.address, s.is_paused, s.upkeep_balance, s.last_pps_update, s.pps_expiration_seconds, s.liquidity, s.allocations, p.high, p.low
           from vaults v
           cross join lateral (
             select * from vault_states s where s.chain_id = v.chain_id and s.vault_address = v.address order by s.block_number desc limit 1) s
           cross join lateral (
             select max(p.pps) as high, min(p.pps) as low from pps_points p where p.chain_id = v.chain_id and p.vault_address = v.address) p
           where v.chain_id = $1`,
    values: [CHAIN],
  });
  await db.pool.query({
    name: "bare_flows",
    text: `select vault_address, tx_hash, sum((data ->> 'assets')::numeric) from facts
           where chain_id = $1 and kind in ('deposit', 'withdraw', 'shares_minted') group by 1, 2`,
    values: [CHAIN],
  });
}

function services(db: Database): Promise<unknown> {
  const text = "select name, is_paused, last_run, recent_success, recent_failed from services";
  return db.pool.query({ name: "bare_services", text });
}

/** As many alerts and events as the incident leaves. */
async function bareInserts(owner: Database): Promise<void> {
  await owner.pool.query(
    `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
       conditions, is_unconfirmed, started_at, last_seen_at, resolved_at)
     select gen_random_uuid(), chain_id, address, 'emergency_pause', 'bare', 'bare', 'critical', 't', repeat('m', 120), 'n', '{}', 'h', '{}',
       false, now(), now(), now() from vaults`,
  );
  await owner.pool.query(
    `insert into events (id, type, chain_id, vault_address, at, data)
     select gen_random_uuid(), 'alert.firing', chain_id, address, now(), repeat('d', 900) from vaults, generate_series(1, 2)`,
  );
}

const FAMILIES = ["supervault", "erc4626", "morpho_vault_v2", "metamorpho", "lagoon", "yearn_v3"];

/**
 * Vaults with twenty readings each, half of them unconfirmed at the newest, with prices and flows of a day, a tenth of the flows of an asset
 * without a price, all well; seven services each, all well.
 */
async function fillIn(owner: Database): Promise<void> {
  const run = (text: string, values: unknown[] = []) => owner.pool.query(text, values);
  const vaults = Array.from({ length: VAULTS }, (_, index) => testAddress(0x1000 + index));
  await run(
    `insert into chains (chain_id, name, confirmed_number, head_number, head_timestamp) values ($1, 'bench', $2 - 12, $2, to_timestamp($3))`,
    [CHAIN, BLOCKS, NOW / 1000],
  );
  await run(
    `insert into blocks (chain_id, number, hash, block_timestamp) select $1, n, 'h' || n, to_timestamp($2 - ($3 - n) * $4::integer) from generate_series(1, $3) n`,
    [CHAIN, NOW / 1000, BLOCKS, BLOCK_SECONDS],
  );
  await run("update alert_watches set since = to_timestamp(0)");
  // As if the chain had been heard all the time.
  await run("insert into heartbeats (subject, last_at) values ($1, to_timestamp($2))", [
    areaOfChain(CHAIN),
    NOW / 1000 + 1_000_000,
  ]);
  await run("insert into tokens (chain_id, address) select $1, 'asset ' || n from generate_series(0, 9) n", [
    CHAIN,
  ]);
  await run(
    `insert into price_points (chain_id, address, priced_at, stands_until, price_usd_e18, source)
     select $1, 'asset ' || n, to_timestamp($2 - h * 3600), to_timestamp($2 - h * 3600 + 7200), 1e18, 'chainlink'
     from generate_series(1, 9) n, generate_series(0, 30) h`,
    [CHAIN, NOW / 1000],
  );
  await run(
    `insert into vaults (chain_id, address, family, source_address, asset_address, name, share_decimals, asset_decimals)
     select $1, v, ($3::text[])[1 + i % $4], v, 'asset ' || i % 10, 'Vault', 6, 6 from unnest($2::text[]) with ordinality as u (v, i)`,
    [CHAIN, vaults, FAMILIES, FAMILIES.length],
  );
  await run(
    `insert into pps_points (chain_id, block_number, log_index, vault_address, block_timestamp, pps, total_assets, total_supply)
     select $1, b.number, 0, v, b.block_timestamp, 1000000 + b.number, 1000000 * (1000000 + b.number)::numeric, 1000000000000
     from unnest($2::text[]) with ordinality as u (v, i), generate_series(1, $4::integer) r
     join blocks b on b.chain_id = $1 and b.number = 1 + (r * $3::integer / $4::integer - 1)`,
    [CHAIN, vaults, BLOCKS, PRICES],
  );
  await run(
    `insert into share_supplies (chain_id, block_number, vault_address, total_supply)
     select $1, 1, v, 1000000000000 from unnest($2::text[]) v`,
    [CHAIN, vaults],
  );
  await run(
    `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
     select $1, 1 + (r * $3::integer / $4::integer - 1), i * 2 + k, case k when 0 then 'shares_minted' else 'deposit' end, v, 'tx ' || i || ' ' || r, i, v,
       '{"assets": "1000000", "shares": "1000000", "to": "somebody"}'
     from unnest($2::text[]) with ordinality as u (v, i), generate_series(1, $4::integer) r, generate_series(0, 1) k`,
    [CHAIN, vaults, BLOCKS, FLOWS],
  );
  await run(
    `insert into redeem_flows (chain_id, block_number, log_index, vault_address, controller, kind, shares, block_timestamp, requested_shares,
       claimable_shares, claimed_shares, cancelled_shares, cancel_claimed_shares, pending_shares, pending_since, vault_pending_shares, vault_pending_count)
     select $1, $3::integer - r, i, v, 'controller ' || r, 'request', 1, to_timestamp($4 - r * 60), 1, 0, 0, 0, 0, 1, to_timestamp($4 - r * 60), 3, 3
     from unnest($2::text[]) with ordinality as u (v, i), generate_series(20, 22) r where i % 6 in (0, 4)`,
    [CHAIN, vaults, BLOCKS, NOW / 1000],
  );
  await run(
    `insert into vault_states (chain_id, block_number, vault_address, pps_decimals, is_paused, last_pps_update, pps_expiration_seconds,
       is_pps_stale_flag, has_upkeep, upkeep_balance, upkeep_required, merkle, total_assets, total_supply, liquidity, allocations)
     select $1, $3 - 1 - (i % 50) - r * 50, v, 6, false, to_timestamp($4), 86400, false, true, 1000, 10, '{"root": "0x01", "is_vetoed": false}',
       1000000000000, 1000000000000, '{"idle_assets": "1000000000", "withdrawable_assets": "500000000000", "is_exit_immediate": true}',
       '[{"id": "0x0a", "label": null, "assets": "999000000000", "absolute_cap": "2000000000000", "is_absolute_capped": true}]'
     from unnest($2::text[]) with ordinality as u (v, i), generate_series(0, 18) r`,
    [CHAIN, vaults, BLOCKS, NOW / 1000],
  );
  await run(
    `insert into services (chain_id, vault_address, name, settings, last_run, recent_success, total_executions)
     select $1, v, 'service_' || s, '{"schedule_seconds": {"value": 3600}}', to_timestamp($4), 100, 1000
     from unnest($2::text[]) v, generate_series(1, $3) s`,
    [CHAIN, vaults, SERVICES, NOW / 1000],
  );
  await run(
    `insert into session_keys (chain_id, vault_address, is_ready, key_address, expires_at, pending_rotation, reported_at, report_id)
     select $1, v, true, v, to_timestamp($3) + interval '30 days', false, now(), 'r' from unnest($2::text[]) v`,
    [CHAIN, vaults, NOW / 1000],
  );
  await run("vacuum analyze");
}
