// Every read of the engine's half at 1 million intents and 10 million runs: the 99th percentile of each endpoint over HTTP, with its
// authorisation, exact total and JSON, against that of the bare indexed query for a page of one vault, on the same connection settings.
// --quick: 50,000 intents and 200,000 runs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVaultAccess } from "../server/src/auth/vaults.ts";
import { intentsFeature } from "../server/src/features/intents/feature.ts";
import { redemptionsFeature } from "../server/src/features/redemptions/feature.ts";
import { systemClock } from "../server/src/platform/clock.ts";
import { type Database, openDatabase } from "../server/src/platform/db/db.ts";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../server/src/platform/postgres/postgres.ts";
import { engineFeature } from "../server/src/service/engine.ts";
import { startTestApp } from "../server/test/app.ts";
import { as, plainTokenGuard } from "../server/test/caller.ts";
import { testAddress } from "../server/test/chain-rows.ts";
import { CHAIN, fillEngine, vaultOf, WALLET } from "./support/engine-fill.ts";
import { type Figure, type FigureResult, median } from "./support/figure.ts";

const MAINTAINER = testAddress(2);

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
  ["status of all services", "/api/v1/services/status", WALLET],
  ["services of a vault", `/api/v1/vaults/${CHAIN}/${vaultOf(0)}/services`, WALLET],
  ["state of a shard", `/api/v1/engine/shards/${CHAIN}:${vaultOf(0)}/state`, WALLET],
  ["session key of a vault", `/api/v1/vaults/${CHAIN}/${vaultOf(0)}/session-key`, WALLET],
  ["merkle jobs of a vault", `/api/v1/vaults/${CHAIN}/${vaultOf(0)}/merkle`, WALLET],
];

export const figures: Figure[] = MEASURED.map(([name]) => ({
  name: `engine reads: ${name}, p99`,
  against: LIMIT,
  aim: 0.3,
  run: async ({ quick }) => (await measured(quick)).get(name) as FigureResult,
}));

let measuring: Promise<Map<string, FigureResult>> | undefined;

/** All are measured at once, over one filling. */
function measured(quick: boolean): Promise<Map<string, FigureResult>> {
  measuring ??= quick
    ? measureAll({ intents: 50_000, runs: 200_000, rounds: 3, requests: 20 })
    : measureAll({ intents: 1_000_000, runs: 10_000_000, rounds: 9, requests: 100 });
  return measuring;
}

async function measureAll(size: {
  intents: number;
  runs: number;
  rounds: number;
  requests: number;
}): Promise<Map<string, FigureResult>> {
  const log = silentLogger();
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-engine-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  try {
    await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
    const owner = await openDatabase({ url: postgres.ownerUrl, statementTimeoutMs: 0 });
    await fillEngine(owner, size);
    await owner.close();
    const db = await openDatabase({ url: postgres.appUrl });
    const common = { db, clock: systemClock, log };
    const findVisible = createVaultAccess(db).visible;
    const features = [
      intentsFeature({ ...common, clients: new Map(), findVisible }),
      redemptionsFeature({ db, findVisible }),
      engineFeature({ ...common, tokens: [], requestsPerToken: 1e9, historyDays: 90 }),
    ];
    const { app, url } = await startTestApp({
      features,
      guard: plainTokenGuard(db, [MAINTAINER]),
    });
    const results = new Map<string, FigureResult>();
    for (const [name, path, wallet] of MEASURED) {
      const ask = async () => {
        const answer = await fetch(new URL(path, url), { headers: as(wallet) });
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        return answer.text();
      };
      results.set(name, await compare(size.rounds, size.requests, ask, () => bare(db)));
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
