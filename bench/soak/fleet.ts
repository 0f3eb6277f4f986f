// The installation that a soak runs: two API processes, an indexer, a worker and an address before them, on one PostgreSQL; chains that one node
// is passed off as; and a receiver of webhooks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, openDatabase } from "../../server/src/platform/db/db.ts";
import { startBalancer } from "../../server/test/balancer.ts";
import { startTestIssuer, TEST_AUDIENCE } from "../../server/test/issuer.ts";
import { type ServiceProcess, startServiceProcess } from "../../server/test/service-process.ts";
import type { AuditDatabase } from "../support/audit-database.ts";
import { startBusyChain } from "../support/busy-chain.ts";
import { startChainCrowd } from "../support/chain-crowd.ts";
import type { Scale } from "./scale.ts";

const FIRST_CHAIN_ID = 10_000;
const BLOCK_MS = 12_000;
/** One block in so many has events: forty on each chain. */
const EVENTS_EVERY = 2;
export const MAINTAINER = `0x${"1".repeat(40)}`;

export interface Fleet {
  url: string;
  db: Database;
  chainIds: number[];
  vaults: string[];
  processes: { name: string; process: ServiceProcess }[];
  token(wallet: string): Promise<string>;
  receiverUrl: string;
  /** That nodes were asked so far. */
  rpcRequests(): number;
  /** Makes blocks until the signal aborts. */
  makeBlocks(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function startFleet(database: AuditDatabase, scale: Scale): Promise<Fleet> {
  const chainIds = Array.from({ length: scale.chains }, (_, index) => FIRST_CHAIN_ID + index);
  const folder = await mkdtemp(join(tmpdir(), "vaultops-soak-"));
  const busy = await startBusyChain(0, { vaults: scale.vaultsPerChain });
  const [crowd, balancer, issuer] = await Promise.all([
    startChainCrowd(busy.anvil.rpcUrl),
    startBalancer(),
    startTestIssuer(),
  ]);
  const jwksFile = join(folder, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.document));
  const receiver = spawn(
    process.execPath,
    [join(import.meta.dirname, "../support/webhook-receiver-process.ts")],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  // Its further lines, reports of what came, are read and forgotten.
  const [receiverUrl] = (await once(createInterface({ input: receiver.stdout! }), "line")) as [string];
  const env = {
    VAULTOPS_DATA_DIR: folder,
    VAULTOPS_HTTP__PUBLIC_URL: balancer.url,
    VAULTOPS_DATABASE__URL: database.appUrl,
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ per_wallet: 1e12, per_ip: 1e12 }),
    VAULTOPS_HTTP__STREAMS: JSON.stringify({ per_wallet: 10_000, total: 10_000 }),
    VAULTOPS_EGRESS__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
    VAULTOPS_EGRESS__ALLOW_HTTP: "true",
    VAULTOPS_AUTH__ISSUERS: JSON.stringify([
      { issuer: issuer.issuer, audience: [TEST_AUDIENCE], jwks_file: jwksFile, profile: "generic" },
    ]),
    VAULTOPS_AUTH__REGISTRY_MAINTAINERS: JSON.stringify([MAINTAINER]),
    VAULTOPS_CHAINS: JSON.stringify(
      chainIds.map((chainId) => ({
        chain_id: chainId,
        name: `Chain ${chainId}`,
        rpc_urls: [crowd.urlOf(chainId)],
        confirmations: 2,
        sources: [{ family: "supervault", aggregator: busy.aggregator }],
      })),
    ),
  };
  const processes = ["api", "api", "indexer", "worker"].map((role, index) => ({
    name: role === "api" ? `api ${index + 1}` : role,
    process: startServiceProcess(["--role", role], env),
  }));
  const db = await openDatabase({ url: database.appUrl, maxConnections: 2 });
  const lines = await Promise.all(
    processes.map(({ process }) => process.line(({ msg }) => msg === "serving")),
  );
  balancer.ports = lines.slice(0, 2).map(({ url }) => Number(new URL(url as string).port));
  const fleet: Fleet = {
    ...{ url: balancer.url, db, chainIds, processes, receiverUrl },
    vaults: busy.trios.map(({ vault }) => vault),
    token: (wallet) => issuer.token({ wallet, expiresInSeconds: 86_400 }),
    rpcRequests: crowd.requests,
    async makeBlocks(signal) {
      for (let index = 0; !signal.aborted; index += 1) {
        const dueAt = performance.now() + BLOCK_MS;
        if (index % EVENTS_EVERY === 0) await busy.block();
        else await busy.chain.client.mine({ blocks: 1 });
        crowd.moved();
        receiver.stdin?.write("report\n");
        await sleep(Math.max(0, dueAt - performance.now()), undefined, { signal }).catch(() => {});
      }
    },
    async stop() {
      await Promise.all(processes.map(({ process }) => process.end()));
      receiver.kill("SIGKILL");
      await Promise.all([crowd.close(), balancer.close(), issuer.stop(), db.close(), busy.anvil.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
  while (!(await allAreFollowed(fleet, scale))) {
    crowd.moved();
    await sleep(1_000);
  }
  return fleet;
}

async function allAreFollowed({ db }: Fleet, { chains, vaultsPerChain }: Scale): Promise<boolean> {
  const { rows } = await db.pool.query<{ followed: number; waiting: number }>(
    `select (select count(*)::integer from vaults where chain_id >= $1) as followed,
       (select count(*)::integer from sources where chain_id >= $1 and next_block is not null) as waiting`,
    [FIRST_CHAIN_ID],
  );
  return rows[0]!.followed === chains * vaultsPerChain && rows[0]!.waiting === 0;
}
