// Several processes of the service as an installation runs them, on a database of their own behind PgBouncer in transaction mode, with a node, an
// address before their APIs, and a load that goes on whatever is done to them.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addressOf, demoAccount } from "../../../demo/src/accounts.ts";
import { startAnvil } from "../../../demo/src/anvil.ts";
import { connectChain, mine } from "../../../demo/src/chain.ts";
import { createTrio, deployAggregator, deployToken, ensureMulticall3 } from "../../../demo/src/deploy.ts";
import { tokenCommand } from "../../src/cli/sign-in.ts";
import { type Database, openDatabase } from "../../src/platform/db/db.ts";
import { startBalancer } from "../balancer.ts";
import { freePort } from "../free-port.ts";
import { startPgbouncer } from "../pgbouncer.ts";
import { startReceiver } from "../receiver.ts";
import { type ServiceProcess, startServiceProcess } from "../service-process.ts";
import { Load, type Lost } from "./load.ts";

const CHAIN = 84_533;
const SOURCE = "/engine/fleet";
const INGEST_TOKEN = "a-token-of-the-fleet's-engine-for-tests-alone";

export interface FleetDatabase {
  url: string;
  ownerUrl: string;
}

export interface Member {
  process: ServiceProcess;
  roles: string;
  port: number;
}

export interface Fleet {
  /** Reads the database itself, for the verdict. */
  db: Database;
  load: Load;
  members: Member[];
  /** Starts a process with these roles, and resolves when it serves. `root`: of another release's checkout. */
  start(roles: string, root?: string): Promise<Member>;
  /** Kills it, and takes it out of the fleet. */
  kill(member: Member, signal?: NodeJS.Signals): Promise<void>;
  /** Signs in, makes an endpoint for webhooks at the receiver, and lets the load begin. */
  begin(): Promise<void>;
  /** Ends the load and says what was lost. */
  verdict(): Promise<Lost>;
  stop(): Promise<void>;
}

export async function createFleet(
  database: FleetDatabase,
  { isPooled = true }: { isPooled?: boolean } = {},
): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), "vaultops-fleet-"));
  const [node, pooler, balancer, receiver] = await Promise.all([
    startAnvil({ chainId: CHAIN }),
    // As the guide advises, with less sessions than are asked for at once.
    isPooled
      ? startPgbouncer(database.url, "transaction", ["default_pool_size = 4", "server_login_retry = 1"])
      : null,
    startBalancer(),
    startReceiver(),
  ]);
  const db = await openDatabase({ url: database.url, maxConnections: 3 });
  const chain = await connectChain(node.rpcUrl);
  await ensureMulticall3(chain);
  const system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  const trio = await createTrio(chain, system, { asset, name: "One", symbol: "ONE" });
  const load = new Load({
    ...{ chain, system, trio, asset, receiver, url: balancer.url },
    ...{ source: SOURCE, ingestToken: INGEST_TOKEN },
  });
  const env = {
    VAULTOPS_HTTP__PUBLIC_URL: balancer.url,
    VAULTOPS_DATA_DIR: folder,
    VAULTOPS_DATABASE__URL: pooler?.url ?? database.url,
    ...(pooler ? { VAULTOPS_DATABASE__LISTEN_URL: database.url } : {}),
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
    VAULTOPS_EGRESS__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
    VAULTOPS_EGRESS__ALLOW_HTTP: "true",
    VAULTOPS_INGEST__REQUESTS_PER_TOKEN: "1000000",
    VAULTOPS_INGEST__TOKENS: JSON.stringify([
      { source: SOURCE, token_sha256: createHash("sha256").update(INGEST_TOKEN).digest("hex") },
    ]),
    VAULTOPS_CHAINS: JSON.stringify([
      {
        chain_id: CHAIN,
        name: "Test chain",
        rpc_urls: [node.rpcUrl],
        confirmations: 1,
        sources: [{ family: "supervault", aggregator: system.aggregator }],
      },
    ]),
  };
  const members: Member[] = [];
  const route = () => {
    balancer.ports = members.filter(({ roles }) => roles.includes("api")).map(({ port }) => port);
  };
  return {
    db,
    load,
    members,
    async start(roles, root) {
      const port = await freePort();
      const process = startServiceProcess(
        ["--role", roles],
        { ...env, VAULTOPS_HTTP__PORT: String(port) },
        root,
      );
      await process.adminUrl();
      const member = { process, roles, port };
      members.push(member);
      route();
      return member;
    },
    async kill(member, signal = "SIGKILL") {
      members.splice(members.indexOf(member), 1);
      // In order: first nobody is sent there any more.
      if (signal === "SIGTERM") route();
      member.process.kill(signal);
      await member.process.ended;
      route();
    },
    async begin() {
      while (!(await isManaged(db, trio.vault))) await sleep(50);
      const token = await tokenCommand({ baseUrl: balancer.url, privateKey: demoAccount(0).privateKey });
      for (;;) {
        // A role counts once its block is confirmed.
        await mine(chain);
        const answer = await fetch(`${balancer.url}/api/v1/webhooks`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ url: receiver.url, vaults: [`${CHAIN}:${trio.vault}`] }),
        });
        if (answer.status === 201) break;
        if (answer.status !== 403) throw new Error(`no endpoint was made: ${await answer.text()}`);
        await sleep(200);
      }
      load.start();
    },
    async verdict() {
      await load.stop();
      return await load.verdict(db);
    },
    async stop() {
      load.cutOff();
      await Promise.all(members.map(({ process }) => process.end()));
      await db.close();
      await Promise.all([pooler?.stop(), balancer.close(), receiver.close(), node.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isManaged(db: Database, vault: string): Promise<boolean> {
  const { rows } = await db.pool.query(
    "select from vault_roles where vault_address = $1 and wallet = $2 and to_block is null",
    [vault, addressOf("primaryManager")],
  );
  return rows.length > 0;
}
