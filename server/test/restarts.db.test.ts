// A service that is killed and started again and again beside a living engine and a living price: nobody is told of a service or a price
// for it. Five times, up to a minute away, where VAULTOPS_FULL is set; features/alerts/judge/outages.db.test.ts has more by a clock of its own.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressOf } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, passTime } from "../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../demo/src/deploy.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { freePort } from "./free-port.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

const IS_FULL = process.env.VAULTOPS_FULL === "1";
/** Seconds away, for each kill: longer than three schedules of the engine's service and than the price has left. */
const AWAY_SECONDS = IS_FULL ? [10, 20, 60, 15, 30] : [10, 10];
const SCHEDULE_SECONDS = 2;
/** What the price has left when it is updated, beyond the hour at which a warning is due. */
const MARGIN_SECONDS = 8;
const [DAY_SECONDS, HOUR_SECONDS] = [86_400, 3_600];
const CHAIN = 84_532;
const SOURCE = "/engine/test";
const INGEST_TOKEN = "a-token-of-the-engine-for-this-test-alone";

let node: Anvil;
let chain: DemoChain;
let system: VaultSystem;
let trio: Trio;
let database: TestDatabase;
let folder: string;
let port: number;
let service: ServiceProcess;

beforeAll(async () => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  node = await startAnvil({ chainId: CHAIN, genesisTimestamp: nowSeconds - 2 * DAY_SECONDS });
  chain = await connectChain(node.rpcUrl);
  await ensureMulticall3(chain);
  system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  trio = await createTrio(chain, system, {
    asset,
    name: "One",
    symbol: "ONE",
    minUpdateIntervalSeconds: 1,
    maxStalenessSeconds: DAY_SECONDS,
  });
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "vaultops-restarts-"));
  port = await freePort();
}, 300_000);

afterAll(async () => {
  await service?.end();
  await node?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

function start(): ServiceProcess {
  return startServiceProcess([], {
    VAULTOPS_HTTP__PORT: String(port),
    VAULTOPS_DATA_DIR: folder,
    VAULTOPS_DATABASE__URL: database.url,
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_INGEST__TOKENS: JSON.stringify([
      { source: SOURCE, token_sha256: createHash("sha256").update(INGEST_TOKEN).digest("hex") },
    ]),
    VAULTOPS_CHAINS: JSON.stringify([
      {
        chain_id: CHAIN,
        name: "Test chain",
        rpc_urls: [node.rpcUrl],
        confirmations: 0,
        sources: [{ family: "supervault", aggregator: system.aggregator }],
      },
    ]),
  });
}

const spool: object[] = [];
let runs = 0;

function run(name: string): void {
  const at = new Date().toISOString();
  runs += 1;
  spool.push({
    specversion: "1.0",
    id: String(runs),
    source: SOURCE,
    subject: `${CHAIN}:${trio.vault}`,
    time: at,
    type: "vaultops.service.run",
    data: {
      service: name,
      run_id: `run-${runs}`,
      status: "success",
      started_at: at,
      finished_at: at,
      schedule_seconds: SCHEDULE_SECONDS,
    },
  });
}

/** Takes from the spool what the service takes in. */
async function report(): Promise<void> {
  const batch = spool.slice(0, 100);
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/ingest/events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${INGEST_TOKEN}`,
      "content-type": "application/cloudevents-batch+json",
    },
    body: JSON.stringify(batch),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  const results = response?.ok ? ((await response.json()) as { results: { status: string }[] }).results : [];
  if (results.length > 0 && results.every(({ status }) => ["accepted", "duplicate"].includes(status)))
    spool.splice(0, batch.length);
}

/** A price of the machine's clock with little more left than the hour at which a warning is due. */
async function updatePrice(): Promise<void> {
  const at = BigInt(Math.floor(Date.now() / 1000) - (DAY_SECONDS - HOUR_SECONDS - MARGIN_SECONDS));
  await execute(chain, {
    contract: "PPSOracle",
    address: system.oracle,
    functionName: "updatePPS",
    args: [{ strategies: [trio.strategy], proofsArray: [[]], ppss: [1_034_211n], timestamps: [at] }],
    from: addressOf("ppsKeeper"),
  });
}

/** Engine and price live on whatever becomes of the service. */
async function live(signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    run("alive");
    await report();
    if (round % 2 === 0) await updatePrice();
    await sleep(1000);
  }
}

const told = async (category: string): Promise<string[]> => {
  const { rows } = await database.db.pool.query<{ word: string }>(
    `select type || ' ' || coalesce(data::jsonb ->> 'service', data::jsonb ->> 'subject', '') as word from events
     where type in ('service.late', 'service.down', 'service.degraded', 'pps.stale') and $1 = 'events'
       or type like 'alert.%' and data::jsonb ->> 'category' = $1
     order by seq`,
    [category],
  );
  return rows.map(({ word }) => word);
};
const toldOfOthers = async () =>
  (await Promise.all(["events", "keeper_run", "pps_staleness"].map(told))).flat();

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(100);
}

const isHeard = async () => {
  const { rows } = await database.db.pool.query(
    "select from heartbeats where last_at > now() - interval '4 seconds'",
  );
  return rows.length === 2;
};

it(`killed and started ${AWAY_SECONDS.length} times beside a living engine, it tells nothing of services and prices`, async () => {
  await passTime(chain, 2 * DAY_SECONDS);
  service = start();
  await service.line(({ msg }) => msg === "serving");
  const stop = new AbortController();
  // A price before there is none to be stale.
  await updatePrice();
  const living = live(stop.signal);
  await until(isHeard);
  for (const seconds of AWAY_SECONDS) {
    await sleep(3000);
    await service.end();
    await sleep(seconds * 1000);
    service = start();
    await until(async () => spool.length <= 1 && (await isHeard()));
  }
  await sleep(5000);
  expect(await toldOfOthers()).toEqual([]);
  stop.abort();
  await living;
}, 900_000);

it.runIf(IS_FULL)(
  "who really falls silent is told of once",
  async () => {
    run("dead");
    await until(async () => {
      run("alive");
      await report();
      await sleep(1000);
      return (await told("keeper_run")).length > 1;
    });
    expect((await toldOfOthers()).filter((word) => word.endsWith("dead"))).toEqual([
      "service.late dead",
      "service.down dead",
      "alert.firing dead",
      "alert.updated dead",
    ]);
  },
  300_000,
);
