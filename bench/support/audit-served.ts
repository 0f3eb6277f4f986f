// The service as it is run, on a filled log, in a process of its own: the figures measure its answers and its memory. Arguments: the
// database's URLs as JSON. First sends where it listens and tokens; answers `rss` with its resident memory, in bytes.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../server/src/config/load.ts";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import { createLogger } from "../../server/src/platform/log.ts";
import { startService } from "../../server/src/service/start.ts";
import { startTestIssuer, TEST_AUDIENCE } from "../../server/test/issuer.ts";
import { PLACES } from "./audit-log.ts";

export interface AuditServed {
  port: number;
  /** Of a registry maintainer, who sees the whole log. */
  maintainer: string;
  /** Of the manager of the first ten places. */
  manager: string;
}

export const MANAGED = PLACES.slice(0, 10);
const [MAINTAINER, MANAGER] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];

if (process.send) {
  const { appUrl, ownerUrl } = JSON.parse(process.argv[2]!) as { appUrl: string; ownerUrl: string };
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-served-"));
  await addVaults(appUrl);
  const issuer = await startTestIssuer();
  const jwksFile = join(dataDir, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.document));
  const issuers = [
    { issuer: issuer.issuer, audience: [TEST_AUDIENCE], jwks_file: jwksFile, profile: "generic" },
  ];
  const config = loadConfig({
    env: {
      VAULTOPS_HTTP__PORT: "0",
      VAULTOPS_ADMIN__PORT: "0",
      VAULTOPS_DATA_DIR: dataDir,
      VAULTOPS_DATABASE__URL: appUrl,
      VAULTOPS_DATABASE__OWNER_URL: ownerUrl,
      VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ per_wallet: 1e12, per_ip: 1e12 }),
      VAULTOPS_HTTP__STREAMS: JSON.stringify({ per_wallet: 10_000, total: 10_000 }),
      VAULTOPS_AUTH__ISSUERS: JSON.stringify(issuers),
      VAULTOPS_AUTH__REGISTRY_MAINTAINERS: JSON.stringify([MAINTAINER]),
    },
  });
  const service = await startService(config, createLogger({ level: "error" }), ["api"]);
  const token = (wallet: string) => issuer.token({ wallet, expiresInSeconds: 86_400 });
  const served: AuditServed = {
    port: Number(new URL(service.url!).port),
    maintainer: await token(MAINTAINER!),
    manager: await token(MANAGER!),
  };
  process.send(served);
  process.on("message", () => process.send!(process.memoryUsage.rss()));
  process.once("disconnect", async () => {
    await service.lifecycle.stop("the measurement has ended");
    await issuer.stop();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
}

/** The places as vaults, and their manager. */
async function addVaults(url: string): Promise<void> {
  const db = await openDatabase({ url });
  await db.pool.query(
    "insert into chains (chain_id, name) select distinct c, 'Chain ' || c from unnest($1::bigint[]) c on conflict do nothing",
    [PLACES.map((place) => place.chain_id)],
  );
  await db.pool.query(
    `insert into vaults (chain_id, address, family, source_address, asset_address, share_decimals, asset_decimals)
     select c, v, 'supervault', v, v, 18, 6 from unnest($1::bigint[], $2::text[]) p (c, v) on conflict do nothing`,
    [PLACES.map((place) => place.chain_id), PLACES.map((place) => place.vault_address)],
  );
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role)
     select c, v, $3, 'primary_manager' from unnest($1::bigint[], $2::text[]) p (c, v) on conflict do nothing`,
    [MANAGED.map((place) => place.chain_id), MANAGED.map((place) => place.vault_address), MANAGER],
  );
  await db.close();
}
