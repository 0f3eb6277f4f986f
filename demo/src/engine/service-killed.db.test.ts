// The engine beside a service that is killed without a warning, again and again: nothing that it had to tell may be lost, told twice or
// refused, it must not stop working meanwhile, and in the end the service says what the chain says.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hash, parseAbiItem } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createReporter } from "../../../sdk/src/report.ts";
import { bareEnvironment } from "../../../server/test/bare-environment.ts";
import { createTestDatabase, type TestDatabase } from "../../../server/test/database.ts";
import { freePort } from "../../../server/test/free-port.ts";
import { depositors } from "../accounts.ts";
import { createWorkQueue } from "../actors/work-queue.ts";
import { requestRedeem } from "../operate.ts";
import { ENGINE_SOURCE, type Engine, startEngine } from "./engine.ts";
import { sha256Of } from "./ingest-token.ts";
import { type SmallChain, startSmallChain, units } from "./test-deployment.ts";

const KILLS = 3;
const FULFILLED = parseAbiItem(
  "event RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS)",
);

let small: SmallChain;
let database: TestDatabase;
let engine: Engine;
let dir: string;
let port: number;
let token: string;
let service: ChildProcess | null = null;
/** What the service said last, for whoever has to find out why it is not back. */
let output = "";
const complaints: string[] = [];
/** Ids of the reports that the service has said it has. */
const acknowledged = new Set<string>();
const realFetch = globalThis.fetch;
const workQueue = createWorkQueue();

beforeAll(async () => {
  globalThis.fetch = listening;
  dir = await mkdtemp(join(tmpdir(), "vaultops-service-killed-"));
  small = await startSmallChain();
  await small.chain.client.setIntervalMining({ interval: 1 });
  database = await createTestDatabase();
  port = await freePort();
  token = randomBytes(32).toString("base64url");
  startService();
  await until("the vaults are known", async () => (await vaultsKnown()) === 8);
  engine = await startEngine({
    rpcUrl: small.node.rpcUrl,
    deployment: small.deployment,
    serviceUrl: serviceUrl(),
    token,
    spoolDir: join(dir, "spool"),
    pace: 10,
    workQueue,
    log: (line) => line.includes("cannot be reached") || complaints.push(line),
  });
}, 300_000);

afterAll(async () => {
  globalThis.fetch = realFetch;
  await engine?.stop();
  await kill();
  await database?.drop();
  await small?.node.stop();
  await rm(dir, { recursive: true, force: true });
});

it("loses nothing, tells nothing twice and agrees with the chain, the service killed again and again", async () => {
  const { trios } = small.deployment;
  for (let n = 0; n < KILLS; n += 1) {
    const { sent } = engine.stats();
    await until("reports are sent", async () => engine.stats().sent > sent + 20);
    await kill();
    // It goes on: a redeem is paid out, and what it has to tell piles up.
    const paidBefore = (await paidOnChain()).length;
    await workQueue.run(() =>
      requestRedeem(small.chain, trios.prime, depositors()[n % 2] as Address, units("usdc", 50n)),
    );
    await until("a redeem is paid out", async () => (await paidOnChain()).length > paidBefore);
    startService();
  }
  await engine.stop();
  expect(engine.stats()).toMatchObject({ rejected: 0, dropped: 0 });
  await drainSpool();

  const paid = await paidOnChain();
  expect(paid.length).toBeGreaterThanOrEqual(KILLS);
  await until("the service knows every payout from both sides", async () => {
    const { rows } = await database.db.pool.query<{ tx_hash: Hash }>(
      `select r.tx_hash from redemption_executions r join redemption_fulfilments f using (chain_id, vault_address, tx_hash)
       where r.execution_id is not null and r.status = 'success'`,
    );
    expect(rows.length).toBeLessThanOrEqual(paid.length);
    return rows.length === paid.length && rows.every(({ tx_hash }) => paid.includes(tx_hash));
  });
  await until("every fill is known on the chain", async () => {
    const { rows } = await database.db.pool.query(
      "select count(*) as open from intent_fills where onchain <> 'confirmed'",
    );
    return rows[0].open === 0;
  });
  const { rows: fills } = await database.db.pool.query<{ tx_hash: Hash }>("select tx_hash from intent_fills");
  expect(fills.length).toBeGreaterThan(0);
  for (const { tx_hash: hash } of fills)
    expect((await small.chain.client.getTransactionReceipt({ hash })).status).toBe("success");

  const { rows } = await database.db.pool.query(
    `select (select array_agg(id) from engine_report_ids) as reports,
       (select sum(total_executions) from services)::bigint as counted, (select count(*) from service_runs) as runs,
       (select sum(n) from intent_counts)::bigint as counted_intents, (select count(*) from intents) as intents,
       (select count(*) from intents i where last_event_seq + 1 <> (select count(*) from intent_events e where e.intent_id = i.intent_id)) as gaps,
       (select count(*) from intents i where fills_count <> (select count(*) from intent_fills f where f.intent_id = i.intent_id)) as miscounted`,
  );
  const [stored] = rows;
  expect(acknowledged.size).toBeGreaterThan(20 * KILLS);
  expect([...acknowledged.difference(new Set(stored.reports))]).toEqual([]);
  expect(stored).toMatchObject({
    counted: stored.runs,
    counted_intents: stored.intents,
    gaps: 0,
    miscounted: 0,
  });
  expect(complaints).toEqual([]);
}, 900_000);

/** Notes what the service answers the reporter with. Of a report that the engine tells twice the second one is a duplicate. */
async function listening(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await realFetch(url, init);
  if (!String(url).endsWith("/ingest/events") || response.status !== 200) return response;
  const { results } = (await response.clone().json()) as { results: { status: string }[] };
  const reports = JSON.parse(String(init?.body)) as { id: string }[];
  for (const [index, { id }] of reports.entries()) {
    if (results[index]?.status !== "rejected") acknowledged.add(id);
  }
  return response;
}

/** Sends what the engine left on disk. */
async function drainSpool(): Promise<void> {
  const spoolDir = join(dir, "spool");
  const rest = await createReporter({ url: serviceUrl(), token, source: ENGINE_SOURCE, spoolDir });
  try {
    expect(await rest.flush(300_000)).toBe(true);
    expect(rest.stats()).toMatchObject({ rejected: 0, dropped: 0, waitingBytes: 0 });
  } finally {
    await rest.stop(0);
  }
}

/** The transactions that paid redemptions out, as the node tells. */
async function paidOnChain(): Promise<Hash[]> {
  const address = Object.values(small.deployment.trios).map(({ strategy }) => strategy);
  const logs = await small.chain.client.getLogs({ address, event: FULFILLED, fromBlock: 0n });
  return logs.map((log) => log.transactionHash as Hash);
}

function startService(): void {
  const { chainId, system } = small.deployment;
  const program = join(import.meta.dirname, "../../../server/src/cli/main.ts");
  const child = spawn(process.execPath, [program, "start"], {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...bareEnvironment,
      VAULTOPS_HTTP__PORT: String(port),
      VAULTOPS_ADMIN__PORT: "0",
      VAULTOPS_DATA_DIR: join(dir, "service"),
      VAULTOPS_DATABASE__URL: database.url,
      VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
      VAULTOPS_INGEST__TOKENS: JSON.stringify([
        { source: ENGINE_SOURCE, token_sha256: sha256Of(token), chains: [chainId], vaults: [] },
      ]),
      VAULTOPS_CHAINS: JSON.stringify([
        {
          chain_id: chainId,
          name: "Small chain",
          rpc_urls: [small.node.rpcUrl],
          confirmations: 1,
          sources: [
            { family: "supervault", aggregator: system.aggregator },
            { family: "erc4626", vaults: [{ address: small.deployment.async.vault }] },
          ],
        },
      ]),
    },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output = (output + String(chunk)).slice(-4000);
    });
  service = child;
}

async function kill(): Promise<void> {
  if (service === null) return;
  const ended = once(service, "exit");
  if (service.exitCode === null && service.kill("SIGKILL")) await ended;
  service = null;
}

function serviceUrl(): string {
  return `http://127.0.0.1:${port}`;
}

async function vaultsKnown(): Promise<number> {
  const response = await fetch(`${serviceUrl()}/api/v1/public/vaults`).catch(() => null);
  return response?.ok ? ((await response.json()) as unknown[]).length : 0;
}

/** A service that ended by itself fails at once, with what it said. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 240_000; Date.now() < deadline; await sleep(100)) {
    if (await holds()) return;
    if (service !== null && service.exitCode !== null) break;
  }
  throw new Error(`not in time: ${what}. The service ${service?.exitCode ?? "runs"}: ${output}`);
}
