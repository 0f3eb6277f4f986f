// The engine's half as a busy deployment would have it after two months: 100 vaults, ten of them WALLET's.
import type { Database } from "../../server/src/platform/db/db.ts";
import { testAddress } from "../../server/test/chain-rows.ts";

export const CHAIN = 8453;
const [VAULTS, OWN_VAULTS] = [100, 10];
const SERVICES = 12;
export const WALLET = testAddress(1);
export const vaultOf = (index: number) => testAddress(0x1000 + index);

/** Fills an empty database, and has it analysed. */
export async function fillEngine(
  owner: Database,
  { intents, runs }: { intents: number; runs: number },
): Promise<void> {
  await fillIntents(owner, intents);
  await fillServices(owner, runs);
  await owner.pool.query("vacuum analyze");
}

/** Intents over two months, spread over vaults; one in 500 failed; an event each, a fill for every second. */
async function fillIntents(owner: Database, intents: number): Promise<void> {
  const run = (text: string, values: unknown[] = []) => owner.pool.query(text, values);
  const vaults = Array.from({ length: VAULTS }, (_, index) => vaultOf(index));
  await run(
    "insert into chains (chain_id, name, confirmed_number, head_number, head_timestamp) values ($1, 'bench', 1000, 1000, '2026-03-10')",
    [CHAIN],
  );
  await run(
    `insert into vaults (chain_id, address, family, source_address, asset_address, share_decimals, asset_decimals)
     select $1, v, 'supervault', v, v, 6, 6 from unnest($2::text[]) v`,
    [CHAIN, vaults],
  );
  await run(
    `insert into vault_roles (chain_id, vault_address, wallet, role) select $1, v, $3, 'primary_manager' from unnest($2::text[]) v`,
    [CHAIN, vaults.slice(0, OWN_VAULTS), WALLET],
  );
  await run(
    `insert into intents (intent_id, chain_id, vault_address, strategy_id, action, state, error_code, total_amount_in, total_amount_out,
       fills_count, last_event_seq, created_at, terminal_at)
     select 'intent-' || n, $1, ($2::text[])[1 + n % $3], 'strategy-' || n / 100 % 5, (array['rebalance', 'harvest', 'allocate'])[1 + n % 3],
       case when n / 100 % 500 = 0 then 'FAILED' when n > $4 - 1000 then 'EXECUTING' else 'COMPLETED' end,
       case when n / 100 % 500 = 0 then 'SLIPPAGE' end, n, n, n % 2, 5, '2026-01-10'::timestamptz + n * interval '60 days' / $4,
       '2026-03-12'
     from generate_series(0, $4 - 1) n`,
    [CHAIN, vaults, VAULTS, intents],
  );
  await run(
    `insert into intent_events (intent_id, seq, state, event_time, event_id, tx_hash)
     select 'intent-' || n, 5, 'COMPLETED', '2026-03-12', 'e' || n, '0x' || lpad(to_hex(n), 64, '0') from generate_series(0, $1 - 1) n`,
    [intents],
  );
  await run(
    `insert into intent_fills (vault_chain_id, vault_address, intent_id, fill_id, chain_id, tx_hash, token_in, token_out, amount_in, amount_out,
       fill_time, event_time, event_id, onchain, block_number, was_seen, check_at)
     select chain_id, vault_address, intent_id, 'fill', chain_id, '0x' || md5(intent_id) || md5(intent_id), vault_address, vault_address, 1, 1,
       created_at, created_at, 'f', 'confirmed', 1, true, null
     from intents where fills_count = 1 or intent_id = 'intent-5000'`,
  );
  await run(
    `insert into intent_counts select chain_id, vault_address, coalesce(strategy_id, ''), coalesce(action, ''), state, count(*)
     from intents group by 1, 2, 3, 4, 5`,
  );
  await run(
    `insert into redemption_executions (chain_id, vault_address, execution_id, status, controllers_count, total_shares_fulfilled, total_assets_out,
       pps_at_fulfillment, event_time, event_id, created_at)
     select $1, ($2::text[])[1 + n % $3], 'execution-' || n, 'success', 3, n, n, 1000000, now(), 'e', '2026-01-10'::timestamptz + n * interval '1 minute'
     from generate_series(1, $4 / 20) n`,
    [CHAIN, vaults, VAULTS, intents],
  );
  await run(
    `insert into blocks (chain_id, number, hash, block_timestamp) select $1, n, 'h' || n, '2026-03-01'::timestamptz + n * interval '1 minute'
     from generate_series(1, 1000) n`,
    [CHAIN],
  );
  // Ten steps of each of 1,000 controllers, half of whom still wait.
  await run(
    `insert into redeem_flows (chain_id, block_number, log_index, vault_address, controller, kind, shares, block_timestamp, requested_shares,
       claimable_shares, claimed_shares, cancelled_shares, cancel_claimed_shares, pending_shares, pending_since, vault_pending_shares, vault_pending_count)
     select $1, 1 + n % 1000, n / 1000, $2, '0x' || lpad(to_hex(n % 1000), 40, '0'), 'request', 1, '2026-03-01', 1, 0, 0, 0, 0,
       case when n % 2 = 0 then 1000 else 0 end, '2026-03-01', 1, 1
     from generate_series(0, 9999) n`,
    [CHAIN, vaultOf(0)],
  );
}

/** Twelve services of each vault with their runs of two months, one in 50 failed, and what else is one row a vault. */
async function fillServices(owner: Database, runs: number): Promise<void> {
  const run = (text: string, values: unknown[] = []) => owner.pool.query(text, values);
  await run(
    `insert into services (chain_id, vault_address, name, settings)
     select v.chain_id, v.address, 'service_' || n, '{"schedule_seconds": {"value": 60, "at": "2026-01-10T00:00:00.000000Z", "id": "a"}}'
     from vaults v, generate_series(1, $1) n order by n, v.address`,
    [SERVICES],
  );
  await run(
    `insert into service_runs (service_id, run_id, status, started_at, finished_at, error)
     select 1 + n % $2::integer, 'run-' || lpad(n::text, 12, '0'), case when n / $2 % 50 = 0 then 'failed' else 'success' end, t.at, t.at + interval '2 seconds',
       case when n / $2 % 50 = 0 then 'execution reverted' end
     from generate_series(0, $1::integer - 1) n, lateral (select '2026-01-10'::timestamptz + n * interval '60 days' / $1 as at) t`,
    [runs, VAULTS * SERVICES],
  );
  await run(
    `update services s set total_executions = $1, last_run = '2026-03-11', last_error = w.last_error, recent_success = w.success,
       recent_failed = w.failed, recent_seconds = w.seconds
     from services o cross join lateral service_window(o.id) w where o.id = s.id`,
    [Math.floor(runs / VAULTS / SERVICES)],
  );
  const body = {
    strategy_count: 20,
    active_intent_count: 3,
    tick_interval: 5,
    fields: { mode: "normal" },
    strategies: Array.from({ length: 20 }, (_, n) => ({ strategy_id: `strategy-${n}`, is_active: true })),
    allocations: Array.from({ length: 20 }, (_, n) => ({ strategy_id: `strategy-${n}`, assets: "1000000" })),
    emergency_locks: [],
  };
  await run(
    `insert into shard_states (chain_id, vault_address, body, tick_interval, reported_at, report_id)
     select chain_id, address, $1, 5, now(), 'a' from vaults`,
    [JSON.stringify(body)],
  );
  await run(
    `insert into session_keys (chain_id, vault_address, is_ready, key_address, expires_at, pending_rotation, reported_at, report_id)
     select chain_id, address, true, address, '2100-01-01', false, now(), 'a' from vaults`,
  );
  await run(
    `insert into merkle_jobs (chain_id, vault_address, kind, job_id, status, started_at, reported_at, report_id)
     select chain_id, address, 'publish', 'job-' || n, 'success', t.at, t.at, 'a'
     from vaults, generate_series(1, 2000) n, lateral (select '2026-01-10'::timestamptz + n * interval '40 minutes' as at) t`,
  );
}
