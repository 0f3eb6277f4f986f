// The composition root: configuration → database → chains → features → roles. The only place that wires, and it does only that.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Address, Hex } from "viem";
import { streamPlaces } from "../audit/streams/settings.ts";
import { createGrants, ROLES_CHANNEL } from "../auth/grants.ts";
import { createGuard } from "../auth/guard.ts";
import { openEmbeddedIssuer } from "../auth/issuer/embedded.ts";
import { keepSignersRole } from "../auth/signers-role.ts";
import { trustedIssuers } from "../auth/tokens/issuers.ts";
import { createVerifier } from "../auth/tokens/verify.ts";
import { createVaultAccess } from "../auth/vaults.ts";
import { type ChainClient, createChainClient } from "../chain/client/client.ts";
import { addNodeMetrics } from "../chain/client/node-metrics.ts";
import {
  type Config,
  configWarnings,
  httpSettingsOf,
  proxySettingsOf,
  readSecretsAgain,
  secretRingOf,
} from "../config/load.ts";
import { deliveryTasks } from "../delivery/tasks.ts";
import { auditCondition } from "../features/alerts/judge/system-notes.ts";
import { nodesCondition } from "../features/chains/nodes.ts";
import { chainCondition } from "../features/chains/routes.ts";
import { systemClock } from "../platform/clock.ts";
import { createNotifier } from "../platform/db/notifier.ts";
import { createEgress, type Egress } from "../platform/egress/egress.ts";
import type { ProxySettings } from "../platform/egress/proxy.ts";
import { Problem } from "../platform/errors.ts";
import { createIdempotency } from "../platform/http/idempotency.ts";
import { readConsole } from "../platform/http/pages/console.ts";
import { storedBudget } from "../platform/http/stored-budget.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import { type Condition, Readiness } from "../platform/lifecycle/health.ts";
import { type Lifecycle, startLifecycle } from "../platform/lifecycle/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import { createMetrics } from "../platform/metrics.ts";
import { RELEASE } from "../platform/release.ts";
import { openSecretBox } from "../platform/secret-box.ts";
import { createOtlpSink } from "../platform/telemetry/otlp.ts";
import { startTracing } from "../platform/telemetry/trace.ts";
import { buildAdmin } from "./admin.ts";
import { buildApp } from "./app.ts";
import { createFeatures } from "./features.ts";
import { createIndexer } from "./indexer.ts";
import { createProcessNote, folderMark } from "./processes.ts";
import {
  addReadinessMetric,
  addReplicaMetrics,
  addStandingMetrics,
  addStreamMetrics,
} from "./standing-metrics.ts";
import { addStorageChecks, lagTask, openStorage, replicaCondition } from "./storage.ts";

export type Role = "api" | "indexer" | "worker";
export const ROLES: readonly Role[] = ["api", "indexer", "worker"];

const OK: Condition = { state: "ok" };
/** How often the files of secrets are looked at. */
const SECRETS_MS = 5_000;

/** A running service. `url` and `adminUrl` are null where the role `api` is not among its roles. */
export interface Service {
  url: string | null;
  adminUrl: string;
  lifecycle: Lifecycle;
  /** Resolves, with the reason, when the service has ended without having been told to. */
  ended: Promise<string>;
}

/** Where the console's build puts its files. */
const CONSOLE_DIR = join(import.meta.dirname, "../../../console/dist");

/** Starts the service in the given roles and resolves when it serves. Whatever fails on the way is thrown, and nothing is left running. */
export async function startService(
  given: Config,
  log: Logger,
  roles: readonly Role[] = ROLES,
  consoleDir: string = CONSOLE_DIR,
): Promise<Service> {
  const config = await withOwnUrl(given);
  const clock = systemClock;
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const warning of configWarnings(config)) log.warn(warning);
    const secrets = setInterval(() => takeNewSecrets(given, log), SECRETS_MS).unref();
    undo.unshift(async () => clearInterval(secrets));
    const storage = await openStorage(config, log);
    undo.unshift(storage.close);
    const { db, auditReader, reads, auditReads, replica } = storage;
    const notifier = createNotifier(db, log);
    undo.unshift(() => notifier.close());
    const proxy = proxySettingsOf(config);
    const egress = createEgress({
      allowedNetworks: config.egress.allowed_networks,
      allowHttp: config.egress.allow_http,
      proxy,
    });
    const spans = startTelemetry(config, egress, log, roles);
    undo.unshift(spans);
    const metrics = createMetrics();
    const ring = secretRingOf(config);
    const box = openSecretBox(ring);
    if (box.isNew) log.info({ file: ring.file }, "created a key that encrypts secrets");
    const readiness = new Readiness(clock, log);
    const clients = createClients(config, proxy.proxyFor, log);
    addNodeMetrics(metrics.registry, clients);
    addStorageChecks(readiness, db, config);
    addReadinessMetric(metrics.registry, readiness);
    if (roles.includes("worker")) {
      addStandingMetrics(metrics.registry, db);
      const streams = streamPlaces(config.audit).map(({ name }) => name);
      addStreamMetrics(metrics.registry, db, streams);
    }
    if (roles.includes("api")) addReplicaMetrics(metrics.registry, replica);
    if (replica !== null && roles.includes("api"))
      readiness.add({ name: "replica", check: () => replicaCondition(replica) });

    const issuers = trustedIssuers(config.auth.issuers, egress.fetchJson, { clock, log });
    const embedded = config.auth.embedded.enabled
      ? await openEmbeddedIssuer({
          authUrl: `${config.http.public_url}/identity`,
          audience: config.http.public_url as string,
          dir: join(config.data_dir, "identity"),
          given: () => config.auth.embedded.keys,
          chainIds: config.chains.map(({ chain_id }) => chain_id),
          db,
          clock,
          log,
          verifyOnChain: (chainId, ...rest) => clientOf(clients, chainId).verifyTypedData(...rest),
        })
      : null;
    if (embedded) issuers.push(embedded.trusted);
    const vaults = createVaultAccess(db);
    await keepSignersRole(db, config.auth.safe_signers);
    const grants = createGrants(db, notifier.watch(ROLES_CHANNEL), config.auth.safe_signers);
    const verifier = createVerifier({
      issuers,
      clock,
      codeOnChains: (address) => codeOnChains(clients, address),
    });
    // The first token need not wait for its issuer's keys.
    void verifier.warm();
    const guard = createGuard({
      verifier,
      grants,
      vaults,
      maintainers: config.auth.registry_maintainers,
    });
    const features = createFeatures({
      config,
      db,
      auditReader,
      reads,
      auditReads,
      log,
      clock,
      notifier,
      egress,
      metrics: metrics.registry,
      clients,
      grants,
      verifier,
      vaults,
      embedded,
      box,
      idempotency: createIdempotency({ db, box, clock }),
    });
    const indexer = roles.includes("indexer")
      ? createIndexer({ config, db, log, clock, clients, metrics: metrics.registry })
      : { tasks: [], status: () => [], led: (task: Task) => task };
    for (const { chain_id: chainId, max_lag_seconds: maxLagSeconds } of config.chains) {
      const following = () => indexer.status().find((status) => status.chainId === chainId) ?? null;
      const check = () => chainCondition({ db, clock }, chainId, maxLagSeconds, following());
      readiness.add({ name: `chain ${chainId}`, check });
      const client = clientOf(clients, chainId);
      const asks = () => following()?.isLeading ?? false;
      const nodes = () => (asks() ? nodesCondition(client.health(), client.socketHealth()) : OK);
      if (roles.includes("indexer")) readiness.add({ name: `nodes of chain ${chainId}`, check: nodes });
    }
    readiness.add({ name: "audit log", check: () => auditCondition(db) });
    const note = createProcessNote({
      db,
      log,
      roles,
      listens: () => [
        `${config.admin.host}:${portOf(admin.address())}`,
        ...(app ? [`${config.http.host}:${portOf(app.server.address())}`] : []),
      ],
      checkpointsIn: () => checkpointsOf(config),
    });
    readiness.add({ name: "checkpoints", check: note.condition });
    const delivery = deliveryTasks({
      db,
      clock,
      log,
      notifier,
      metrics: metrics.registry,
      subscribers: features.flatMap(({ subscriber }) => subscriber ?? []),
      queues: features.flatMap(({ queue }) => queue ?? []),
    });
    const tasks = [
      ...features.flatMap((feature) => feature.tasks ?? []).map((task) => indexer.led(task)),
      ...delivery,
      ...indexer.tasks,
      note.task,
      ...(replica === null ? [] : [lagTask(replica)]),
    ].filter((task) => roles.includes(task.role));

    const admin = buildAdmin({
      registry: metrics.registry,
      readiness,
      log,
      token: () => config.admin.token,
    });
    await listening(admin.listen(config.admin.port, config.admin.host), "admin.port");
    undo.unshift(async () => admin.close());
    const app = roles.includes("api")
      ? await buildApp({
          http: httpSettingsOf(config),
          log,
          clock,
          features,
          guard,
          metrics,
          sharedBudget: (policy) => storedBudget(db, policy),
          readiness,
          console: await readConsole(consoleDir, log),
        })
      : null;
    if (app) {
      undo.unshift(() => app.close());
      await app.listen({ host: config.http.host, port: config.http.port }).catch((error) => {
        throw taken(error, "http.port");
      });
    }
    const adminUrl = urlOf(config.admin.host, admin.address());
    const url = app ? urlOf(config.http.host, app.server.address()) : null;
    log.info({ url, admin_url: adminUrl, roles }, "serving");

    const lifecycle = startLifecycle({
      log,
      clock,
      readiness,
      tasks,
      listeners: [
        ...(app
          ? [{ name: "http", close: () => app.close(), cutOff: () => app.server.closeAllConnections() }]
          : []),
        {
          name: "admin",
          close: () => new Promise((resolve) => admin.close(resolve)),
          cutOff: () => admin.closeAllConnections(),
        },
      ],
      resources: [
        { name: "secrets", close: async () => clearInterval(secrets) },
        { name: "telemetry", close: spans },
        { name: "egress", close: () => egress.close() },
        { name: "note of this process", close: note.close },
        { name: "notifier", close: () => notifier.close() },
        { name: "database", close: storage.close },
      ],
    });
    const ended = storage.ended?.then(async (reason) => {
      log.fatal({ reason }, "the embedded database has ended");
      process.exitCode = 1;
      await lifecycle.stop("the embedded database has ended");
      return `the embedded database has ended (${reason})`;
    });
    return { url, adminUrl, lifecycle, ended: ended ?? new Promise(() => {}) };
  } catch (error) {
    for (const close of undo) await close().catch(() => {});
    throw error;
  }
}

export function createClients(
  config: Pick<Config, "chains">,
  proxyFor: ProxySettings["proxyFor"],
  log: Logger,
): ReadonlyMap<number, ChainClient> {
  return new Map(
    config.chains.map(({ chain_id: chainId, name, rpc_urls: rpcUrls, rpc_quorum: quorum }) => [
      chainId,
      createChainClient({ chainId, name, rpcUrls, quorum, proxyFor, log }),
    ]),
  );
}

function clientOf(clients: ReadonlyMap<number, ChainClient>, chainId: number): ChainClient {
  const client = clients.get(chainId);
  if (!client) throw new Problem("chain_not_found", `Chain ${chainId} is not followed here.`);
  return client;
}

function codeOnChains(clients: ReadonlyMap<number, ChainClient>, address: Address): Promise<Hex[]> {
  return Promise.all([...clients.values()].map((client) => client.getCode(address, "latest")));
}

/** Returns what ends it, with what is left sent. */
function startTelemetry(
  { telemetry }: Config,
  egress: Pick<Egress, "request">,
  log: Logger,
  roles: readonly Role[],
): () => Promise<void> {
  if (telemetry.otlp_url === null) return async () => {};
  const sink = createOtlpSink({
    url: telemetry.otlp_url,
    headers: () => telemetry.otlp_headers,
    egress,
    log,
    resource: {
      "service.name": "vaultops",
      "service.version": RELEASE,
      "service.instance.id": randomUUID(),
      "host.name": hostname(),
      "vaultops.roles": roles.join(","),
    },
  });
  const stop = startTracing(sink, telemetry.sample_ratio);
  return async () => {
    stop();
    await sink.close();
  };
}

/** Where other processes that are configured alike find what this one signed. */
async function checkpointsOf({ audit, data_dir }: Config): Promise<string> {
  const elsewhere = audit.checkpoint_file !== null || audit.witnesses.length > 0;
  return elsewhere ? "handed on" : await folderMark(join(data_dir, "audit"));
}

function takeNewSecrets(config: Config, log: Logger): void {
  const { changed, faults } = readSecretsAgain(config);
  if (changed.length > 0) log.info({ keys: changed }, "secrets were read again from their files");
  for (const reason of faults) log.error({ reason }, "a secret's file cannot be used; its last value stays");
}

/** Where any free port will do, links and the embedded issuer need to know which before anything listens. */
async function withOwnUrl(config: Config): Promise<Config> {
  const { port, host, public_url: url } = config.http;
  if (port !== 0 || !url?.endsWith(":0")) return config;
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return { ...config, http: { ...config.http, port: free, public_url: url.replace(/:0$/, `:${free}`) } };
}

async function listening(server: import("node:net").Server, key: string): Promise<void> {
  await Promise.race([
    once(server, "listening"),
    once(server, "error").then(([error]) => {
      throw taken(error, key);
    }),
  ]);
}

function taken(error: NodeJS.ErrnoException, key: string): Error {
  if (error.code !== "EADDRINUSE") return error;
  const port = (error as { port?: number }).port;
  return new Error(
    `Port ${port} is in use by another program. Choose another with ${key} (0 takes any free one).`,
  );
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = portOf(address);
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
