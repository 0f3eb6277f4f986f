// Reads of intents and redemptions at 1 million intents: the 99th percentile of each endpoint over HTTP, with its authorisation,
// exact total and JSON, against that of the bare indexed query for a page of one vault, on the same connection settings.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVaultAccess } from "../server/src/auth/vaults.ts";
import { intentsFeature } from "../server/src/features/engine/intents-feature.ts";
import { systemClock } from "../server/src/platform/clock.ts";
import { type Database, openDatabase } from "../server/src/platform/db.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { migrate } from "../server/src/platform/migrate.ts";
import { startEmbeddedPostgres } from "../server/src/platform/postgres.ts";
import { startTestApp } from "../server/test/app.ts";
import { as, plainTokenGuard } from "../server/test/caller.ts";
import { testAddress } from "../server/test/chain-rows.ts";
import { type Figure, type FigureResult, median } from "./figure.ts";

const CHAIN = 8453;
const [VAULTS, OWN_VAULTS] = [100, 10];
const [WALLET, MAINTAINER] = [testAddress(1), testAddress(2)];
const vaultOf = (index: number) => testAddress(0x1000 + index);

const LIMIT = "bare indexed query for 100 intents of a vault, p99";
/** Name, path, and who asks. */
const MEASURED: [name: string, path: string, wallet: typeof WALLET][] = [
  ["of 10 vaults", "/api/v1/intents", WALLET],
  ["of all vaults", "/api/v1/intents", MAINTAINER],
  ["of a vault", `/api/v1/intents?chain_id=${CHAIN}&vault_address=${vaultOf(0)}`, WALLET],
  ["by a rare state", "/api/v1/intents?state=FAILED", WALLET],
  ["by strategy and action", "/api/v1/intents?strategy_id=strategy-3&action=harvest", WALLET],
  ["by error code", "/api/v1/intents?error_code=SLIPPAGE", WALLET],
  ["by transaction", `/api/v1/intents?tx_hash=0x${"0".repeat(60)}1388`, WALLET],
  ["of a day", "/api/v1/intents?created_from=2026-03-05&created_to=2026-03-06", WALLET],
  ["of half of the time, whose total is counted", "/api/v1/intents?created_from=2026-02-01", WALLET],
  ["facets of 10 vaults", "/api/v1/intents/facets", WALLET],
  ["facets of all vaults", "/api/v1/intents/facets", MAINTAINER],
  ["one", "/api/v1/intents/intent-5000", WALLET],
  ["events of one", "/api/v1/intents/intent-5000/events", WALLET],
  ["fills of one", "/api/v1/intents/intent-5000/fills", WALLET],
  ["executed redemptions", "/api/v1/fulfill-redeems/executions", WALLET],
  ["queue of redemptions", `/api/v1/vaults/${CHAIN}/${vaultOf(0)}/redeems`, WALLET],
];

export const figures: Figure[] = MEASURED.map(([name]) => ({
  name: `read intents: ${name}, p99`,
  against: LIMIT,
  aim: 0.3,
  run: async ({ quick }) => (await measured(quick)).get(name) as FigureResult,
}));

let measuring: Promise<Map<string, FigureResult>> | undefined;

/** All are measured at once, over one filling. */
function measured(quick: boolean): Promise<Map<string, FigureResult>> {
  measuring ??= measureAll(quick ? 50_000 : 1_000_000, quick ? 3 : 9, quick ? 20 : 60);
  return measuring;
}

async function measureAll(
  intents: number,
  rounds: number,
  requests: number,
): Promise<Map<string, FigureResult>> {
  const log = silentLogger();
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-engine-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
    const owner = await openDatabase({ url: postgres.ownerUrl, statementTimeoutMs: 0 });
    await fillIn(owner, intents);
    await owner.close();
    const db = await openDatabase({ url: postgres.appUrl });
    const feature = intentsFeature({
      db,
      clock: systemClock,
      log,
      clients: new Map(),
      findVisible: createVaultAccess(db).visible,
    });
    const { app, url } = await startTestApp({
      features: [feature],
      guard: plainTokenGuard(db, [MAINTAINER]),
    });
    const results = new Map<string, FigureResult>();
    for (const [name, path, wallet] of MEASURED) {
      const ask = async () => {
        const answer = await fetch(new URL(path, url), { headers: as(wallet) });
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        return answer.text();
      };
      results.set(name, await compare(rounds, requests, ask, () => bare(db)));
    }
    await app.close();
    await db.close();
    return results;
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function bare(db: Database): Promise<unknown> {
  return db.pool.query({
    name: "bare",
    text: "select * from intents where chain_id = $1 and vault_address = $2 order by created_at desc, intent_id desc limit 100",
    values: [CHAIN, vaultOf(0)],
  });
}

async function compare(
  rounds: number,
  requests: number,
  ours: () => Promise<unknown>,
  limit: () => Promise<unknown>,
): Promise<FigureResult> {
  const p99s: { ours: number; limit: number }[] = [];
  const all: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const limitMs = await timed(requests, limit);
    const oursMs = await timed(requests, ours);
    if (round < 0) continue;
    all.push(...oursMs);
    p99s.push({ ours: percentile(oursMs, 0.99), limit: percentile(limitMs, 0.99) });
  }
  const ratios = p99s.map((each) => each.limit / each.ours);
  return {
    ratio: median(ratios),
    ours: median(p99s.map((each) => each.ours)),
    limit: median(p99s.map((each) => each.limit)),
    unit: "ms",
    spread: (Math.max(...ratios) - Math.min(...ratios)) / median(ratios),
    notes: { p50_ms: percentile(all, 0.5), p99_ms: percentile(all, 0.99) },
  };
}

async function timed(times: number, run: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    await run();
    took.push(performance.now() - start);
  }
  return took;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}

/** Intents over two months, spread over vaults; one in 500 failed; an event each, a fill for every second. */
async function fillIn(owner: Database, intents: number): Promise<void> {
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
  await run("vacuum analyze");
}
