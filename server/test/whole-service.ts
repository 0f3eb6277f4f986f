// The whole service in the test's own process, as an operator starts it: every role, over real HTTP, with a database and a folder of its own.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../src/config/load.ts";
import type { Database } from "../src/platform/db/db.ts";
import { type Logger, silentLogger } from "../src/platform/log.ts";
import { startService } from "../src/service/start.ts";
import { createTestDatabase } from "./database.ts";
import { freePort } from "./free-port.ts";

export interface WholeService {
  url: string;
  adminUrl: string;
  /** Ends it, and removes what it kept. */
  stop(): Promise<void>;
}

export interface WholeServiceOptions {
  /** As `chains` in the configuration; `name` may be left out. */
  chains: readonly object[];
  /** Further configuration, by environment variables. */
  env?: Readonly<Record<string, string>>;
  /** Where it logs; nowhere unless told. */
  log?: Logger;
  /** What the database holds before the service starts. */
  fill?(db: Database): Promise<void>;
}

/** For delivery to receivers of the test's own on this machine. */
export const TO_THIS_MACHINE = {
  VAULTOPS_EGRESS__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
  VAULTOPS_EGRESS__ALLOW_HTTP: "true",
};

/** Starts it with the embedded identity provider on; it serves when this resolves. */
export async function startWholeService({
  chains,
  env = {},
  log = silentLogger(),
  fill,
}: WholeServiceOptions): Promise<WholeService> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-whole-service-"));
  const remove = async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await fill?.(database.db);
    const config = loadConfig({
      env: {
        VAULTOPS_HTTP__PORT: String(await freePort()),
        VAULTOPS_ADMIN__PORT: "0",
        VAULTOPS_DATA_DIR: dataDir,
        VAULTOPS_DATABASE__URL: database.url,
        VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
        VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
        VAULTOPS_CHAINS: JSON.stringify(chains.map((chain) => ({ name: "Test chain", ...chain }))),
        ...env,
      },
    });
    const { url, adminUrl, lifecycle } = await startService(config, log);
    return {
      url: url as string,
      adminUrl,
      async stop() {
        await lifecycle.stop("the test ends");
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
