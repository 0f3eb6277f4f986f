// Ingestion with its real parts, for tests: chain clients, families, projections and the audit log, over a given database.
import { setTimeout as sleep } from "node:timers/promises";
import { Registry } from "prom-client";
import { recordReverts } from "../src/audit/append/reverts.ts";
import { rolesProjection, setConfiguredManagers } from "../src/auth/roles.ts";
import { type ChainClientOptions, createChainClient } from "../src/chain/client/client.ts";
import type { Families } from "../src/chain/families/family/family.ts";
import { createFamilies } from "../src/chain/families/registry.ts";
import { actionsProjection } from "../src/features/actions/follow/project.ts";
import { redemptionsProjection } from "../src/features/redemptions/projection.ts";
import { vaultsProjection } from "../src/features/vaults/project.ts";
import type { BatchLimits } from "../src/ingest/block/context.ts";
import type { ChainSettings, SourceSettings } from "../src/ingest/block/settings.ts";
import { trackedProjection } from "../src/ingest/block/tracked.ts";
import type { ChainStatus } from "../src/ingest/chain-task.ts";
import { createIngest } from "../src/ingest/ingest.ts";
import { type Clock, systemClock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/db/db.ts";
import { type Logger, silentLogger } from "../src/platform/log.ts";
import { recording } from "../src/service/indexer.ts";

export interface TestChain {
  chainId?: number;
  rpcUrls: string[];
  confirmations?: ChainSettings["confirmations"];
  startBlock?: number;
  sampleSeconds?: number;
  /** Blocks per request for logs of a range. */
  logStep?: number;
  sources: SourceSettings[];
}

export interface IngestOptions {
  log?: Logger;
  batchLimits?: BatchLimits;
  clock?: Clock;
  /** How long one thing that the node does not tell holds up its chain. */
  patienceMs?: number;
  /** What pauses and patience are measured by. */
  nowMs?: () => number;
  /** Other families than those that are registered. */
  families?: Families;
  /** How the nodes are asked, where other than the tests' usual way. */
  client?: Partial<ChainClientOptions>;
}

export interface RunningIngest {
  status(chainId?: number): ChainStatus;
  /** Waits until the chain's status is as asked for. @throws after a while, with the last status */
  until(what: string, isSo: (status: ChainStatus) => boolean, chainId?: number): Promise<ChainStatus>;
  stop(): Promise<void>;
}

/** Starts following; `stop` resolves when nothing is under way any more. */
export function startIngest(db: Database, chains: TestChain[], options: IngestOptions = {}): RunningIngest {
  const log = options.log ?? silentLogger();
  const clients = new Map(
    chains.map(({ chainId = 31337, rpcUrls, logStep }) => [
      chainId,
      createChainClient({
        chainId,
        name: `test ${chainId}`,
        rpcUrls,
        log,
        timeoutMs: 5_000,
        settleMs: 1_000,
        deadlineMs: 10_000,
        backoffMs: { base: 50, max: 500 },
        ...(logStep ? { logStep: { initial: logStep, max: logStep } } : {}),
        ...options.client,
      }),
    ]),
  );
  const families = options.families ?? createFamilies(log);
  const ingest = createIngest({
    db,
    chains: chains.map(settingsOf),
    clients,
    families,
    projections: [
      trackedProjection(families),
      rolesProjection,
      vaultsProjection,
      redemptionsProjection,
      actionsProjection,
    ],
    ...recording,
    recordReverts,
    setConfiguredManagers,
    log,
    clock: options.clock ?? systemClock,
    metrics: new Registry(),
    ...(options.batchLimits ? { batchLimits: options.batchLimits } : {}),
    ...(options.nowMs ? { nowMs: options.nowMs } : {}),
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  });
  const controller = new AbortController();
  const done = Promise.all(ingest.tasks.map((task) => task.run(controller.signal)));
  const status = (chainId = chains[0]?.chainId ?? 31337) => {
    const found = ingest.status().find((each) => each.chainId === chainId);
    if (!found) throw new Error(`chain ${chainId} is not followed`);
    return found;
  };
  return {
    status,
    async until(what, isSo, chainId) {
      const deadline = Date.now() + 240_000;
      while (!isSo(status(chainId))) {
        if (Date.now() > deadline) throw new Error(`not ${what}: ${JSON.stringify(status(chainId))}`);
        await sleep(20);
      }
      return status(chainId);
    },
    async stop() {
      controller.abort();
      await done;
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

export function settingsOf(chain: TestChain): ChainSettings {
  return {
    chain_id: chain.chainId ?? 31337,
    name: `test ${chain.chainId ?? 31337}`,
    explorer_url: null,
    confirmations: chain.confirmations ?? 2,
    start_block: chain.startBlock ?? 0,
    pps_sample_seconds: chain.sampleSeconds ?? 300,
    sources: chain.sources,
  };
}
