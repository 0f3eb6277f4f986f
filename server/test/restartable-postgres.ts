// A PostgreSQL of the test's own that it restarts in the middle of things, behind an address that stays, and durable: what was committed
// before is there after. As TestDatabase, so that what is built on one can be built on this.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/platform/db/db.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { silentLogger } from "../src/platform/log.ts";
import { startEmbeddedPostgres } from "../src/platform/postgres/postgres.ts";
import { startBalancer } from "./balancer.ts";
import type { TestDatabase } from "./database.ts";

export interface RestartablePostgres extends TestDatabase {
  /** Ends the server with every session on it, and starts it again. */
  restart(): Promise<void>;
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-restart-"));
  const log = silentLogger();
  const start = () => startEmbeddedPostgres({ dataDir, log, isDurable: true });
  let postgres = await start();
  await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
  const proxy = await startProxy();
  const url = proxy.to(postgres.appUrl);
  const ownerUrl = proxy.to(postgres.ownerUrl);
  const db = await openDatabase({ url, log });
  const owner = await openDatabase({ url: ownerUrl, maxConnections: 3, log });
  return {
    db,
    owner,
    url,
    ownerUrl,
    async restart() {
      await postgres.stop();
      postgres = await start();
      proxy.to(postgres.appUrl);
    },
    async drop() {
      await Promise.all([db.close(), owner.close()]);
      await proxy.close();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A stable address before a server that comes back at another. */
export async function startProxy() {
  const balancer = await startBalancer();
  return {
    /** The same URL by way of the proxy, which from now on leads to where the URL does. */
    to(url: string): string {
      const parsed = new URL(url);
      balancer.ports = [Number(parsed.port)];
      parsed.port = new URL(balancer.url).port;
      return parsed.toString();
    },
    close: () => balancer.close(),
  };
}
