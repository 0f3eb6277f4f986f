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
import { CURATED_FAMILIES, type CuratedFamily } from "../deployment.ts";
import { requestRedeem } from "../operate.ts";
import { curatedIncident } from "../start/curated-incident.ts";
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
      VAULTOPS_ALERTS__RULES__GOVERNANCE__RESOLVE_AFTER_SECONDS: "30",
      VAULTOPS_ALERTS__RULES__LOSSES__RESOLVE_AFTER_SECONDS: "30",
      VAULTOPS_ALERTS__RULES__FLOWS__RESOLVE_AFTER_SECONDS: "30",
      VAULTOPS_ALERTS__RULES__TVL__WINDOW_SECONDS: "30",
      VAULTOPS_ALERTS__RULES__TVL__CHANGE_FRACTION: "0.005",
      VAULTOPS_ALERTS__RULES__ALLOCATION__CAP_FRACTION: "0.99",
      VAULTOPS_INGEST__TOKENS: JSON.stringify([
        { source: ENGINE_SOURCE, token_sha256: sha256Of(token), chains: [chainId], vaults: [] },
      ]),
      VAULTOPS_CHAINS: JSON.stringify([
        {
          chain_id: chainId,
          name: "Small chain",
          rpc_urls: [small.node.rpcUrl],
          confirmations: 6,
          pps_sample_seconds: 5,
          sources: [
            { family: "supervault", aggregator: system.aggregator },
            { family: "erc4626", vaults: [{ address: small.deployment.async.vault }] },
            ...CURATED_FAMILIES.map((family) => ({
              family,
              factory: small.deployment.curated[family].factory,
            })),
          ],
        },
      ]),
    },
  });
  service = await startService(config, silentLogger());
  await until(async () => (await get<unknown[]>("/api/v1/public/vaults")).length === 13);
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

interface Shown {
  family: string;
  contract_roles: { role: string; account: Address }[];
  controllers: { address: Address; kind: string; owners: Address[]; threshold: number | null }[];
  allocations: { absolute_cap: string | null; assets: string }[];
  liquidity: { withdrawable_assets: string | null };
  pending_changes: { function: string | null; proposed: { arguments: Record<string, unknown> } }[];
  lost_assets: string | null;
  pps: string;
  nav: { owed_assets: string | null } | null;
}

function shown(family: CuratedFamily): Promise<Shown> {
  const { chainId, curated } = small.deployment;
  return get<Shown>(`/api/v1/vaults/${chainId}/${curated[family].vault}`);
}

async function actionsOf(family: CuratedFamily): Promise<string[]> {
  const { chainId, curated } = small.deployment;
  const path = `/api/v1/audit/logs?chain_id=${chainId}&vault_address=${curated[family].vault}&limit=100`;
  return (await get<{ logs: { action_type: string }[] }>(path)).logs.map(({ action_type }) => action_type);
}

it("shows each curated vault with its roles, who stands behind them, its allocations and their caps", async () => {
  const { curated } = small.deployment;
  const kindOf = ({ contract_roles: roles, controllers }: Shown, role: string) => {
    const holder = roles.find((each) => each.role === role)?.account;
    return controllers.find(({ address }) => address === holder);
  };
  const morpho = await until(async () => {
    const vault = await shown("morpho_vault_v2");
    return kindOf(vault, "owner")?.kind === "safe" ? vault : null;
  });
  expect(kindOf(morpho, "owner")).toMatchObject({ address: curated.council, threshold: 2 });
  expect(kindOf(morpho, "owner")?.owners).toHaveLength(3);
  const metamorpho = await until(async () => {
    const vault = await shown("metamorpho");
    return kindOf(vault, "owner")?.owners.length === 1 ? vault : null;
  });
  expect(kindOf(metamorpho, "owner")).toMatchObject({ kind: "timelock", owners: [curated.council] });
  expect(kindOf(await shown("lagoon"), "safe")).toMatchObject({ address: curated.desk, kind: "safe" });
  expect(kindOf(await shown("euler_earn"), "curator")).toMatchObject({ kind: "eoa" });
  expect(kindOf(await shown("yearn_v3"), "role_manager")).toMatchObject({ kind: "eoa" });
  for (const family of ["morpho_vault_v2", "metamorpho", "euler_earn", "yearn_v3"] as const) {
    const { allocations, family: told } = await shown(family);
    expect(told).toBe(family);
    const capped = allocations.filter(({ absolute_cap }) => absolute_cap !== null);
    expect(capped.length, family).toBeGreaterThanOrEqual(2);
    for (const { assets, absolute_cap } of capped)
      expect(BigInt(assets)).toBeLessThanOrEqual(BigInt(absolute_cap!));
  }
});

it("shows what an incident does to the curated vaults, and that it is taken back", async () => {
  const { curated } = small.deployment;
  const priceBefore = BigInt((await shown("yearn_v3")).pps);
  const incident = await curatedIncident(small.chain, curated);
  await incident.strike();
  const raise = await until(async () =>
    (await shown("morpho_vault_v2")).pending_changes.find((each) => each.function === "increaseAbsoluteCap"),
  );
  expect(raise.proposed.arguments).toMatchObject({ newAbsoluteCap: "3500000000000" });
  const signers = async () =>
    (await shown("morpho_vault_v2")).controllers.find(({ address }) => address === curated.council)?.owners;
  await until(async () => (await signers())?.length === 4);
  // What is owed stays owed: the Safe settled, and paid nobody.
  await until(async () => BigInt((await shown("lagoon")).nav?.owed_assets ?? 0) > 0n);
  // The market says nothing to the vault: it shows where the vault's state is read the next time.
  const liquid = async () => BigInt((await shown("metamorpho")).liquidity.withdrawable_assets ?? 0);
  await until(async () => (await liquid()) < 10n ** 22n);
  expect(BigInt((await shown("yearn_v3")).pps)).toBeLessThan((priceBefore * 995n) / 1000n);
  await until(async () => (await alertsOf(SET_OFF)).size === SET_OFF.length);

  await incident.recover();
  await until(async () => (await signers())?.length === 3);
  await until(async () => BigInt((await shown("lagoon")).nav?.owed_assets ?? 0) === 0n);
  expect((await shown("morpho_vault_v2")).pending_changes).toEqual([]);
  expect(BigInt((await shown("yearn_v3")).pps)).toBeGreaterThanOrEqual(priceBefore);
  const told = async () => [
    await actionsOf("morpho_vault_v2"),
    await actionsOf("lagoon"),
    await actionsOf("yearn_v3"),
  ];
  await until(async () => (await told())[0]?.includes("signer_remove"));
  const [ofMorpho, ofLagoon, ofYearn] = await told();
  expect(ofMorpho).toEqual(expect.arrayContaining(["signer_add", "timelock_submit", "timelock_revoke"]));
  expect(ofLagoon).toEqual(expect.arrayContaining(["nav_propose", "settle", "safe_execute"]));
  expect(ofYearn).toEqual(expect.arrayContaining(["strategy_report", "cap_change"]));

  const all = [...SET_OFF, ...TAKEN_BACK];
  const categories = ["price", "losses", "liquidity", "flows", "tvl", "governance", "allocation"];
  expect(new Set(SET_OFF.map(([, category]) => category))).toEqual(new Set(categories));
  const resolved = await until(async () => {
    const alerts = await alertsOf(all);
    const isOver = [...alerts.values()].every((each) => each.every(({ status }) => status === "resolved"));
    return alerts.size === all.length && isOver ? alerts : null;
  });
  for (const [what, alerts] of resolved) expect(alerts, what).toHaveLength(1);
});

interface Alert {
  category: string;
  title: string;
  status: string;
  vault_address: Address;
}
type Told = readonly [CuratedFamily, category: string, title: string];

/** What monitors tell of an incident, and of its end. */
const SET_OFF: readonly Told[] = [
  ["morpho_vault_v2", "governance", "A call was submitted to the vault's own timelock"],
  ["morpho_vault_v2", "governance", "An owner was added to a Safe"],
  ["yearn_v3", "losses", "The vault lost assets"],
  ["yearn_v3", "price", "Price per share fell"],
  ["metamorpho", "liquidity", "Hardly anything can be withdrawn"],
  ["lagoon", "liquidity", "A settlement cannot be paid"],
  ["morpho_vault_v2", "flows", "A large withdrawal"],
  ["yearn_v3", "tvl", "Total assets fell without withdrawals"],
  ["yearn_v3", "allocation", "A cap is nearly full"],
];
const TAKEN_BACK: readonly Told[] = [
  ["morpho_vault_v2", "governance", "A submitted call was revoked before it was executed"],
  ["morpho_vault_v2", "governance", "An owner was removed from a Safe"],
  ["morpho_vault_v2", "flows", "A large deposit"],
  ["yearn_v3", "tvl", "Total assets rose without deposits"],
];

/** Those of the kinds given, by kind. */
async function alertsOf(kinds: readonly Told[]): Promise<Map<string, Alert[]>> {
  const { curated } = small.deployment;
  const { alerts } = await get<{ alerts: Alert[] }>("/api/v1/alerts?limit=1000");
  return Map.groupBy(
    alerts.filter((alert) => kindOf(alert) !== undefined),
    (alert) => String(kindOf(alert)),
  );
  function kindOf({ vault_address: address, category, title }: Alert): Told | undefined {
    return kinds.find(
      (kind) => curated[kind[0]].vault === address && kind[1] === category && kind[2] === title,
    );
  }
}

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
