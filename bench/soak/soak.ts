// An installation under the load of a platform for an hour: two API processes, an indexer and a worker on one PostgreSQL, with clients that poll,
// listeners of the audit log, chains that go on and endpoints that are told. It fails where memory rises, a table grows without a reason, an
// answer is none, an entry is left out, or something falls behind.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { filledDatabase } from "../support/audit-database.ts";
import { ask, endProgram, forkProgram } from "../support/audit-process.ts";
import { fillDeliveries, letTenantsIn, tenant, vaultsOf } from "./fill.ts";
import { type Fleet, MAINTAINER, startFleet } from "./fleet.ts";
import type { ListenPlan, ListenReport } from "./listeners.ts";
import type { PollPlan, PollReport } from "./pollers.ts";
import { type Growth, growthOf, risingMemory, type Sample, takeSample } from "./samples.ts";
import type { Scale } from "./scale.ts";

const SAMPLE_MS = 30_000;
/** Of the soak's time, before which nothing is measured. */
const WARM_UP = 0.1;

export interface SoakResult {
  scale: Scale;
  /** What is not as it should be. */
  faults: string[];
  latencies: { what: string; count: number; p50Ms: number; p99Ms: number }[];
  memory: { process: string; firstMb: number; lastMb: number; cores: number }[];
  growth: Growth[];
  cost: Record<string, number>;
}

export async function runSoak(scale: Scale, tell: (line: string) => void): Promise<SoakResult> {
  tell(`filling a log of ${scale.entries} entries`);
  const database = await filledDatabase(false, scale.entries);
  tell(`following ${scale.chains * scale.vaultsPerChain} vaults on ${scale.chains} chains`);
  const fleet = await startFleet(database, scale);
  const stopping = new AbortController();
  try {
    await letTenantsIn(fleet.db, scale);
    const tokens = await Promise.all(Array.from({ length: scale.tenants }, (_, n) => fleet.token(tenant(n))));
    for (const [n, token] of tokens.entries())
      await addEndpoint(fleet, token, await vaultsOf(fleet.db, tenant(n)));
    tell(`filling ${scale.deliveries} deliveries`);
    await fillDeliveries(fleet.db, scale);
    const making = fleet.makeBlocks(stopping.signal);
    const pollers = await forkProgram(join(import.meta.dirname, "pollers.ts"), [
      JSON.stringify(pollPlan(fleet, scale, tokens)),
    ]);
    const maintainer = await fleet.token(MAINTAINER);
    const port = Number(new URL(fleet.url).port);
    const listenPlan: ListenPlan = {
      port,
      tokens: Array.from({ length: scale.streams }, (_, n) =>
        n % 2 === 0 ? maintainer : tokens[n % tokens.length]!,
      ),
    };
    const listeners = await forkProgram(join(import.meta.dirname, "listeners.ts"), [
      JSON.stringify(listenPlan),
    ]);
    const result = await measure(fleet, scale, { pollers: pollers.child, listeners: listeners.child }, tell);
    stopping.abort();
    await making;
    await Promise.all([endProgram(pollers.child), endProgram(listeners.child)]);
    return result;
  } finally {
    stopping.abort();
    await fleet.stop();
  }
}

type Child = Parameters<typeof ask>[0];

async function measure(
  fleet: Fleet,
  scale: Scale,
  clients: { pollers: Child; listeners: Child },
  tell: (line: string) => void,
): Promise<SoakResult> {
  const begunAt = performance.now();
  const wholeMs = scale.minutes * 60_000;
  const samples: Sample[] = [];
  const tookMs = new Map<string, number[]>();
  const faults: string[] = [];
  const add = (what: string, times: readonly number[]) =>
    tookMs.set(what, [...(tookMs.get(what) ?? []), ...times]);
  await sleep(wholeMs * WARM_UP);
  await Promise.all(Object.values(clients).map((child) => ask(child, "report")));
  while (performance.now() - begunAt < wholeMs) {
    samples.push(await takeSample(fleet));
    await sleep(SAMPLE_MS);
    const polled = (await ask(clients.pollers, "report")) as PollReport;
    const listened = (await ask(clients.listeners, "report")) as ListenReport;
    for (const [what, times] of Object.entries(polled.tookMs)) add(what, times);
    add("an entry of the log to its listeners", listened.tookMs);
    faults.push(...faultsOf(polled, listened));
    const { chainLagSeconds, deliveriesWaiting } = samples.at(-1)!;
    const minutes = Math.round((performance.now() - begunAt) / 60_000);
    tell(
      `${minutes} of ${scale.minutes} min: chains ${Math.round(chainLagSeconds)} s behind, ${deliveriesWaiting} deliveries wait, ${faults.length} faults`,
    );
  }
  samples.push(await takeSample(fleet));
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const growth = growthOf(first, last);
  for (const { name, process } of fleet.processes)
    for (const line of process.log)
      if (line.level === "error" || line.level === "fatal") faults.push(`${name}: ${JSON.stringify(line)}`);
  faults.push(...risingMemory(samples));
  for (const { table, reason } of growth) if (reason === null) faults.push(`${table} grows without a reason`);
  add("a delivery, from its event to its outcome", await deliveryTimes(fleet));
  const elapsedMs = last.atMs - first.atMs;
  return {
    scale,
    faults,
    latencies: [...tookMs].map(([what, times]) => ({ what, count: times.length, ...quantiles(times) })),
    memory: fleet.processes.map(({ name }) => ({
      process: name,
      firstMb: first.memoryMb[name]!,
      lastMb: last.memoryMb[name]!,
      cores: (last.cpuMs[name]! - first.cpuMs[name]!) / elapsedMs,
    })),
    growth,
    cost: costOf(first, last, scale),
  };
}

function faultsOf(polled: PollReport, listened: ListenReport): string[] {
  const strange = Object.entries(polled.statuses).filter(([status]) => status !== "200" && status !== "304");
  return [
    ...polled.broken.slice(0, 5),
    ...strange.map(([status, count]) => `${count} polls were answered with ${status}`),
    ...(listened.disordered > 0 ? [`${listened.disordered} entries came out of their order`] : []),
    ...(listened.ended > 0 ? [`${listened.ended} streams ended`] : []),
  ];
}

/** What a vault costs in a day, and an entry, at this load. */
function costOf(first: Sample, last: Sample, { chains, vaultsPerChain }: Scale): Record<string, number> {
  const vaultDays = (chains * vaultsPerChain * (last.atMs - first.atMs)) / 86_400_000;
  const sum = (sample: Sample, what: "rows" | "bytes") =>
    Object.values(sample.tables).reduce((total, table) => total + table[what], 0);
  const rows = sum(last, "rows") - sum(first, "rows");
  const bytes = sum(last, "bytes") - sum(first, "bytes");
  const entries = last.tables.audit_entries!.rows - first.tables.audit_entries!.rows;
  const wal = last.walBytes - first.walBytes;
  return {
    entries,
    rows_per_vault_day: rows / vaultDays,
    wal_bytes_per_vault_day: wal / vaultDays,
    disk_bytes_per_vault_day: bytes / vaultDays,
    rpc_requests_per_vault_day: (last.rpcRequests - first.rpcRequests) / vaultDays,
    rows_per_entry: rows / entries,
    wal_bytes_per_entry: wal / entries,
    disk_bytes_per_entry: bytes / entries,
  };
}

async function deliveryTimes({ db }: Fleet): Promise<number[]> {
  const { rows } = await db.pool.query<{ ms: number }>(
    `select (extract(epoch from finished_at - created_at) * 1000)::float8 as ms from deliveries
     where finished_at is not null and key not like 'filled-%'`,
  );
  return rows.map(({ ms }) => ms);
}

function quantiles(times: readonly number[]): { p50Ms: number; p99Ms: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function addEndpoint(fleet: Fleet, token: string, vaults: readonly string[]): Promise<void> {
  for (const until = performance.now() + 30_000; ; ) {
    const answer = await fetch(`${fleet.url}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ url: fleet.receiverUrl, vaults }),
    });
    if (answer.status === 201) return;
    // Roles are told to each process within a moment.
    if (answer.status !== 403 || performance.now() > until)
      throw new Error(`no endpoint was made: ${await answer.text()}`);
    await sleep(200);
  }
}

/** Of a hundred clients sixty poll a vault, twenty the list of a chain's, ten what their engine's services do, ten what was done; as the guide says. */
function pollPlan(fleet: Fleet, scale: Scale, tokens: readonly string[]): PollPlan {
  const client = (n: number): PollPlan["clients"][number] => {
    const token = tokens[n % tokens.length]!;
    const chainId = fleet.chainIds[n % fleet.chainIds.length]!;
    const vault = fleet.vaults[n % fleet.vaults.length]!;
    const kind = n % 10;
    if (kind < 6)
      return { name: "a vault", path: `/api/v1/vaults/${chainId}/${vault}`, token, everyMs: 15_000 };
    if (kind < 8)
      return {
        ...{ name: "a chain's vaults", path: `/api/v1/public/vaults?chain_id=${chainId}` },
        ...{ token, everyMs: 15_000 },
      };
    if (kind === 8) return { name: "services", path: "/api/v1/services/status", token, everyMs: 30_000 };
    return { name: "the log by cursor", path: "/api/v1/audit/logs?limit=100", token, everyMs: 60_000 };
  };
  return { url: fleet.url, clients: Array.from({ length: scale.clients }, (_, n) => client(n)) };
}
