// What follows from alerts beside their evaluation: the last 30 days of 100 vaults judged again, against the bare reading of what is judged;
// and 5,000 alerts that nobody took, due to be escalated in one moment, against bare inserts of as many messages.
import { randomUUID } from "node:crypto";
import { alertsReplayCommand } from "../server/src/cli/alerts-replay.ts";
import { loadConfig } from "../server/src/config/load.ts";
import { alertsById } from "../server/src/features/alerts/api/alert-store.ts";
import { escalate } from "../server/src/features/channels/send/escalation.ts";
import { systemClock } from "../server/src/platform/clock.ts";
import type { Database } from "../server/src/platform/db/db.ts";
import { testAddress } from "../server/test/chain-rows.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, interleave } from "./support/figure.ts";

const CHAIN = 8453;
const VAULTS = 100;
const DAYS = 30;
const NOW_SECONDS = 1_790_000_000;
/** A reading every ten minutes, and what came and went. */
const BLOCKS_PER_DAY = 144;
const FLOWS_PER_DAY = 10;
const BLOCKS = DAYS * BLOCKS_PER_DAY;
const BLOCK_SECONDS = 86_400 / BLOCKS_PER_DAY;
const DUE = 5_000;

export const figures: Figure[] = [
  {
    name: "alert replay: 30 days of 100 vaults",
    against: "prices and flows of those days, bare SQL",
    aim: 0.05,
    run: ({ quick }) => withDatabase((db) => replayed(db, quick ? 1 : 5)),
  },
  {
    name: "escalation: 5,000 alerts due at once",
    against: "bare inserts of as many messages",
    aim: 0.2,
    run: ({ quick }) => withDatabase((db) => escalated(db, quick ? 3 : 9)),
  },
];

async function withDatabase<T>(run: (db: Database) => Promise<T>): Promise<T> {
  const databases = await startDatabases();
  try {
    const db = await databases.create();
    await fillIn(db);
    return await run(db).finally(() => databases.drop(db));
  } finally {
    await databases.stop();
  }
}

async function replayed(db: Database, rounds: number) {
  const toTime = (seconds: number) => new Date(seconds * 1000).toISOString();
  let notices = 0;
  const result = await interleave({
    rounds,
    unit: "vaults/s",
    ours: () =>
      rate(VAULTS, async () => {
        notices = 0;
        await alertsReplayCommand({
          db,
          defaults: loadConfig({ env: {} }).alerts.rules,
          from: toTime(NOW_SECONDS - DAYS * 86_400),
          to: toTime(NOW_SECONDS),
          rulesFile: null,
          isJson: true,
          print: () => (notices += 1),
          tell: () => {},
          signal: new AbortController().signal,
        });
      }),
    limit: () =>
      rate(VAULTS, async () => {
        await db.pool.query("select block_timestamp, pps, total_assets, total_supply from pps_points");
        await db.pool.query("select tx_hash, kind, data from facts");
      }),
  });
  return { ...result, notes: { seconds: Math.round((10 * VAULTS) / result.ours) / 10, notices } };
}

async function escalated(db: Database, rounds: number) {
  const parts = {
    db,
    clock: systemClock,
    collectMs: 500,
    chainNames: new Map([[CHAIN, "Bench chain"]]),
    alertsById: (tx: Parameters<typeof alertsById>[0], ids: readonly string[]) =>
      alertsById(tx, ids, "https://vaultops.example"),
  };
  const result = await interleave({
    rounds,
    unit: "alerts/s",
    ours: async () => {
      await clear(db);
      await db.pool.query(
        "insert into channel_escalations (alert_id, channel_id, since) select a.id, c.id, now() - interval '1 hour' from alerts a, notification_channels c",
      );
      return rate(DUE, async () => {
        let ended = 0;
        for (let each = 1; each > 0; ended += each) each = await escalate(parts);
        if (ended !== DUE) throw new Error(`${ended} of ${DUE} were escalated`);
      });
    },
    limit: async () => {
      await clear(db);
      return rate(DUE, () =>
        db.pool.query(
          `insert into deliveries (id, queue, target_id, key, event_type, chain_id, vault_address, body, due_at, created_at)
           select gen_random_uuid(), 'channel', c.id, a.id::text, 'alert.escalated', a.chain_id, a.vault_address, repeat('b', 900), now(), now()
           from alerts a, notification_channels c`,
        ),
      );
    },
  });
  return { ...result, notes: { ms: Math.round((1000 * DUE) / result.ours) } };
}

async function clear(db: Database): Promise<void> {
  for (const table of ["deliveries", "channel_alerts", "channel_escalations"])
    await db.pool.query(`delete from ${table}`);
}

async function rate(count: number, run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (count * 1000) / (performance.now() - startedAt);
}

/** Prices that climb, but once in ten days fall by a hundredth for an hour; flows of which one in fifty is large; an alert for every fifty. */
async function fillIn(db: Database): Promise<void> {
  const vaults = Array.from({ length: VAULTS }, (_, index) => testAddress(0x1000 + index));
  const run = (text: string, values: unknown[]) => db.pool.query(text, values);
  await run(
    `insert into chains (chain_id, name, confirmed_number, head_number, head_timestamp) values ($1, 'bench', $2, $2, to_timestamp($3))`,
    [CHAIN, BLOCKS, NOW_SECONDS],
  );
  await run(
    `insert into blocks (chain_id, number, hash, block_timestamp) select $1, n, 'h' || n, to_timestamp($2 - ($3 - n) * $4::integer) from generate_series(1, $3) n`,
    [CHAIN, NOW_SECONDS, BLOCKS, BLOCK_SECONDS],
  );
  await run(
    `insert into vaults (chain_id, address, family, source_address, asset_address, name, share_decimals, asset_decimals)
     select $1, v, 'morpho_vault_v2', v, 'asset', 'Vault', 6, 6 from unnest($2::text[]) v`,
    [CHAIN, vaults],
  );
  await run(
    `insert into pps_points (chain_id, block_number, log_index, vault_address, block_timestamp, pps, total_assets, total_supply)
     select $1, b.number, 0, v, b.block_timestamp, p.pps, 1000000 * p.pps, 1000000000000
     from unnest($2::text[]) v, blocks b
     cross join lateral (select (1000000 + b.number) * case when b.number % 1440 between 700 and 706 then 99 else 100 end::numeric as pps) p
     where b.chain_id = $1`,
    [CHAIN, vaults],
  );
  await run(
    `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
     select $1, 1 + r * $3 / $4, i * 2 + k, case k when 0 then 'shares_minted' else 'deposit' end, v, 'tx ' || i || ' ' || r, i, v,
       jsonb_build_object('to', v, 'assets', s.shares, 'shares', s.shares)
     from unnest($2::text[]) with ordinality as u (v, i), generate_series(0, $4 - 1) r, generate_series(0, 1) k
     cross join lateral (select case r % 50 when 0 then '200000000000' else '1000000' end as shares) s`,
    [CHAIN, vaults, BLOCKS, DAYS * FLOWS_PER_DAY],
  );
  await run(
    `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
       conditions, is_unconfirmed, started_at, last_seen_at)
     select gen_random_uuid(), $1, v, 'price', n::text, 'bench', 'critical', 'Price per share fell', repeat('m', 120), 'n', '{}', 'h', '{}', false, now(), now()
     from unnest($2::text[]) v, generate_series(1, $3::integer) n`,
    [CHAIN, vaults, DUE / VAULTS],
  );
  const id = randomUUID();
  await run(
    `insert into notification_channels (id, provider, name, created_by, created_at, updated_at) values ($1, 'slack', 'boss', $2, now(), now())`,
    [id, vaults[0]],
  );
  await run(
    `insert into channel_bindings (channel_id, chain_id, vault_address, categories, is_all_categories, min_severity, bound_by, bound_at, escalate_after_seconds)
     select $1, $2, v, '{}', true, 'info', v, now(), 900 from unnest($3::text[]) v`,
    [id, CHAIN, vaults],
  );
  await run("analyze", []);
}
