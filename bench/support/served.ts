// What the HTTP figures measure, in a process of its own: the service as it is run, filled, with its database; and beside it a
// bare node:http server that returns the same bodies. Ends, with everything it started, when the process that forked it does.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../server/src/config/load.ts";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import { migrate } from "../../server/src/platform/db/migrate.ts";
import { createLogger } from "../../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../../server/src/platform/postgres/postgres.ts";
import { startService } from "../../server/src/service/start.ts";
import { startTestIssuer, TEST_AUDIENCE } from "../../server/test/issuer.ts";
import { CHAIN, fillServed, firstVault, wallet } from "./served-fill.ts";

export interface Served {
  servicePort: number;
  barePort: number;
  /** For the Authorization header. */
  token: string;
  paths: Record<"listing" | "vault" | "me" | "audit", string>;
  /** Of the vault's record now. */
  etag: string;
}

if (process.send) {
  const log = createLogger({ level: "error" });
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-http-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
  const db = await openDatabase({ url: postgres.appUrl });
  await fillServed(db);
  const issuer = await startTestIssuer();
  const jwksFile = join(dataDir, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.document));
  const service = await startService(configOf(postgres, { dataDir, issuer: issuer.issuer, jwksFile }), log, [
    "api",
  ]);
  const url = new URL(service.url!);

  const vault = firstVault;
  const paths = {
    listing: "/api/v1/public/vaults",
    vault: `/api/v1/vaults/${CHAIN}/${vault}`,
    me: "/api/v1/auth/me",
    audit: `/api/v1/audit/logs?vault_address=${vault}&chain_id=${CHAIN}&limit=100`,
  };
  const token = await issuer.token({ wallet });
  const bodies = new Map<string, Buffer>();
  let etag = "";
  for (const path of Object.values(paths)) {
    const answer = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    if (path === paths.vault) etag = answer.headers.get("etag")!;
    bodies.set(path, Buffer.from(await answer.arrayBuffer()));
  }
  const bare = await startBare(bodies);
  process.send({ servicePort: Number(url.port), barePort: bare, token, paths, etag } satisfies Served);
  process.once("disconnect", async () => {
    await service.lifecycle.stop("the measurement has ended");
    await Promise.all([db.close(), issuer.stop()]);
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
}

/** The same bodies by the least that node:http can do; 304 to whoever names an entity tag. */
function startBare(bodies: ReadonlyMap<string, Buffer>): Promise<number> {
  const server = createServer((request, response) => {
    if (request.headers["if-none-match"] !== undefined) {
      response.writeHead(304, { etag: request.headers["if-none-match"] });
      response.end();
      return;
    }
    const body = bodies.get(request.url ?? "")!;
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": body.length,
    });
    response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function configOf(
  postgres: { appUrl: string; ownerUrl: string },
  { dataDir, issuer, jwksFile }: { dataDir: string; issuer: string; jwksFile: string },
) {
  return loadConfig({
    env: {
      VAULTOPS_HTTP__PORT: "0",
      VAULTOPS_ADMIN__PORT: "0",
      VAULTOPS_DATA_DIR: dataDir,
      VAULTOPS_DATABASE__URL: postgres.appUrl,
      VAULTOPS_DATABASE__OWNER_URL: postgres.ownerUrl,
      VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ per_wallet: 1e12, per_ip: 1e12 }),
      VAULTOPS_AUTH__ISSUERS: JSON.stringify([
        { issuer, audience: [TEST_AUDIENCE], jwks_file: jwksFile, profile: "generic" },
      ]),
    },
  });
}
