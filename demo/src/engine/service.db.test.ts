// The engine and the whole service on a real node: a redeem followed from the request onchain to the payout, as an operator would.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hash } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tokenCommand } from "../../../server/src/cli/sign-in.ts";
import { loadConfig } from "../../../server/src/config/load.ts";
import { silentLogger } from "../../../server/src/platform/log.ts";
import { type Service, startService } from "../../../server/src/service/start.ts";
import { createTestDatabase, type TestDatabase } from "../../../server/test/database.ts";
import { freePort } from "../../../server/test/free-port.ts";
import { demoAccount, depositors } from "../accounts.ts";
import { createWorkQueue } from "../actors/work-queue.ts";
import { requestRedeem } from "../operate.ts";
import { runScenario } from "../start/scenarios.ts";
import { ENGINE_SOURCE, type Engine, startEngine } from "./engine.ts";
import { sha256Of } from "./ingest-token.ts";
import { type SmallChain, startSmallChain, units } from "./test-deployment.ts";

let small: SmallChain;
let database: TestDatabase;
let service: Service;
let engine: Engine;
const workQueue = createWorkQueue();
let dir: string;
let bearer: string;
const lines: string[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-engine-service-"));
  small = await startSmallChain();
  await small.chain.client.setIntervalMining({ interval: 1 });
  database = await createTestDatabase();
  const token = randomBytes(32).toString("base64url");
  const { chainId, system } = small.deployment;
  const config = loadConfig({
    env: {
      VAULTOPS_HTTP__PORT: String(await freePort()),
      VAULTOPS_ADMIN__PORT: "0",
      VAULTOPS_DATA_DIR: join(dir, "service"),
      VAULTOPS_DATABASE__URL: database.url,
      VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
      VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
      VAULTOPS_INGEST__TOKENS: JSON.stringify([
        { source: ENGINE_SOURCE, token_sha256: sha256Of(token), chains: [chainId], vaults: [] },
      ]),
      VAULTOPS_CHAINS: JSON.stringify([
        {
          chain_id: chainId,
          name: "Small chain",
          rpc_urls: [small.node.rpcUrl],
          confirmations: 6,
          sources: [
            { family: "supervault", aggregator: system.aggregator },
            { family: "erc4626", vaults: [{ address: small.deployment.async.vault }] },
          ],
        },
      ]),
    },
  });
  service = await startService(config, silentLogger());
  await until(async () => (await get<unknown[]>("/api/v1/public/vaults")).length === 8);
  bearer = await tokenCommand({ baseUrl: service.url as string, privateKey: demoAccount(0).privateKey });
  engine = await startEngine({
    rpcUrl: small.node.rpcUrl,
    deployment: small.deployment,
    serviceUrl: service.url as string,
    token,
    spoolDir: join(dir, "spool"),
    pace: 10,
    workQueue,
    // What cannot be brought to the service for a moment, as where this process stands still, is brought later.
    log: (line) => line.includes("demo engine: reporting: VaultOps cannot be reached") || lines.push(line),
  });
});

afterAll(async () => {
  await engine?.stop();
  await service?.lifecycle.stop("the test ends");
  await database?.drop();
  await small?.node.stop();
  await rm(dir, { recursive: true, force: true });
});

interface Execution {
  execution_id: string;
  source: string;
  status: string;
  tx_hash: Hash | null;
  total_shares_fulfilled: string;
}

it("shows a redeem from the request onchain to the payout, with every hash on the node", async () => {
  const { chainId, trios } = small.deployment;
  // This vault keeps a queue: one request stays in it.
  const [owner] = depositors() as [Address];
  const shares = units("wbtc", 3n);
  await requestRedeem(small.chain, trios.queued, owner, shares);
  const queue = `/api/v1/vaults/${chainId}/${trios.queued.vault}/redeems`;
  const waiting = await until(
    async () => (await get<{ redeems: Record<string, unknown>[] }>(queue)).redeems[0],
  );
  expect(waiting).toMatchObject({ controller: owner, pending_shares: shares.toString() });

  const paid = trios.prime.vault;
  await requestRedeem(small.chain, trios.prime, owner, units("usdc", 250n));
  const filter = `chain_id=${chainId}&vault_address=${paid}`;
  const execution = await until(async () => {
    const path = `/api/v1/fulfill-redeems/executions?${filter}`;
    const { executions } = await get<{ executions: Execution[] }>(path);
    return executions.find(({ source, status }) => source === "both" && status === "success");
  });
  expect(execution.total_shares_fulfilled).toBe(units("usdc", 250n).toString());

  const intent = await until(async () => {
    const path = `/api/v1/intents?${filter}&action=redeem&state=COMPLETED`;
    const { intents } = await get<{ intents: Record<string, string>[] }>(path);
    return intents.find(({ execution_id }) => execution_id === execution.execution_id);
  });
  expect(intent).toMatchObject({ strategy_id: "prime-yield" });
  const fills = await until(async () => {
    const answer = await get<{ fills: { tx_hash: Hash; onchain: string }[] }>(
      `/api/v1/intents/${intent.intent_id}/fills`,
    );
    return answer.fills.length > 0 && answer.fills.every(({ onchain }) => onchain === "confirmed")
      ? answer.fills
      : null;
  });
  const hashes = [execution.tx_hash as Hash, ...fills.map(({ tx_hash }) => tx_hash)];
  expect(fills.map(({ tx_hash }) => tx_hash)).toContain(execution.tx_hash);
  for (const hash of hashes)
    expect((await small.chain.client.getTransactionReceipt({ hash })).status).toBe("success");
  await until(async () => {
    const { redeems } = await get<{ redeems: unknown[] }>(`/api/v1/vaults/${chainId}/${paid}/redeems`);
    return redeems.length === 0;
  });
});

it("shows the engine's services, shard, session key and emergency exit, and has refused none of its reports", async () => {
  const { chainId, trios } = small.deployment;
  const exiting = `/api/v1/vaults/${chainId}/${trios.exiting.vault}`;
  const services = await until(async () => {
    const list = await get<{ name: string; total_executions: number }[]>(`${exiting}/services`);
    return list.filter(({ total_executions }) => total_executions > 0).length >= 10 ? list : null;
  });
  expect(services.map(({ name }) => name)).toContain("tx_manager");
  // One service may still be on its first run, and be the one that tells of this.
  const shard = `/api/v1/engine/shards/${chainId}:${trios.exiting.vault}/state`;
  await until(async () => (await get<{ emergency_locks: unknown[] }>(shard)).emergency_locks.length > 0);
  await until(async () => (await get<{ is_ready: boolean | null }>(`${exiting}/session-key`)).is_ready);
  await until(
    async () => (await get<{ emergency_exit: { is_armed: boolean } }>(exiting)).emergency_exit.is_armed,
  );
  expect(engine.stats().rejected).toBe(0);
  expect(lines).toEqual([]);
});

it("shows a fill as reorganised once its block has left the chain", async ({ signal }) => {
  // Only of a transaction that the service has seen in a block can it tell that it left the chain.
  const nextFill: Engine["nextFill"] = async (end) => {
    for (let fill = await engine.nextFill(end); fill !== null; fill = await engine.nextFill(end)) {
      if (await hasSeen(fill.hash, end)) return fill;
    }
    return null;
  };
  await runScenario("reorg", {
    rpcUrl: small.node.rpcUrl,
    deployment: small.deployment,
    engine: { ...engine, nextFill },
    relay: { cut: () => undefined, mend: () => undefined },
    workQueue,
    signal,
    lastsMs: 300_000,
    maxDepth: 1000,
  });
  const gone = await until(async () =>
    (await servedFills("onchain = 'reorganised'")).find(({ onchain }) => onchain === "reorganised"),
  );
  await expect(small.chain.client.getTransactionReceipt({ hash: gone.tx_hash })).rejects.toThrow();
  expect(gone).toMatchObject({ onchain: "reorganised", block_number: null, is_reverted: null });
  // What the engine said of its intent stays what it said.
  expect(await get(`/api/v1/intents/${gone.intent_id}`)).toMatchObject({ intent_id: gone.intent_id });
}, 600_000);

interface ServedFill {
  intent_id: string;
  tx_hash: Hash;
  onchain: string;
  block_number: number | null;
}

async function hasSeen(hash: Hash, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const fill = (await servedFills("tx_hash = $1", hash)).find(({ tx_hash }) => tx_hash === hash);
    if (fill && fill.block_number !== null) return true;
    await sleep(100);
  }
  return false;
}

/** The fills of the intents that have one as asked for: which these are the API does not tell, and the newest are soon others. */
async function servedFills(condition: string, ...values: unknown[]): Promise<ServedFill[]> {
  const { rows } = await database.db.pool.query<{ intent_id: string }>(
    `select distinct intent_id from intent_fills where ${condition}`,
    values,
  );
  const paths = rows.map(({ intent_id }) => `/api/v1/intents/${intent_id}/fills`);
  return (await Promise.all(paths.map((path) => get<{ fills: ServedFill[] }>(path)))).flatMap(
    ({ fills }) => fills,
  );
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${service.url}${path}`, {
    headers: bearer ? { authorization: `Bearer ${bearer}` } : {},
  });
  expect(response.status, `${path}: ${await response.clone().text()}`).toBe(200);
  return (await response.json()) as T;
}

async function until<T>(find: () => Promise<T>): Promise<NonNullable<T>> {
  for (let waitedMs = 0; waitedMs < 240_000; waitedMs += 100) {
    const found = await find();
    if (found) return found;
    await sleep(100);
  }
  throw new Error("it did not come to hold in time");
}
