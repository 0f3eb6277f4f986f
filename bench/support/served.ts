// What the HTTP figures measure, in a process of its own: the service as it is run, filled, with its database; and beside it a
// bare node:http server that returns the same bodies. Ends, with everything it started, when the process that forked it does.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, getAddress, keccak256, numberToHex } from "viem";
import { record } from "../../server/src/audit/append/record.ts";
import type { FactBody } from "../../server/src/chain/facts.ts";
import { loadConfig } from "../../server/src/config/load.ts";
import { vaultsProjection } from "../../server/src/features/vaults/project.ts";
import { type Database, openDatabase } from "../../server/src/platform/db/db.ts";
import { migrate } from "../../server/src/platform/db/migrate.ts";
import { createLogger } from "../../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../../server/src/platform/postgres/postgres.ts";
import { startService } from "../../server/src/service/start.ts";
import { startTestIssuer, TEST_AUDIENCE } from "../../server/test/issuer.ts";
import { readingOf, SyntheticChain } from "../../server/test/synthetic-chain.ts";
import { operation } from "./audit-log.ts";

export interface Served {
  servicePort: number;
  barePort: number;
  /** For the Authorization header. */
  token: string;
  paths: Record<"listing" | "vault" | "me" | "audit", string>;
  /** Of the vault's record now. */
  etag: string;
}

const CHAIN = 8453;
const VAULTS = 60;
const OWN_VAULTS = 10;
const ENTRIES = 20_000;
const [DAYS, DAY_SECONDS] = [40, 86_400];
const wallet = addressOf(1);

if (process.send) {
  const log = createLogger({ level: "error" });
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-http-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
  const db = await openDatabase({ url: postgres.appUrl });
  await fill(db);
  const issuer = await startTestIssuer();
  const jwksFile = join(dataDir, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.document));
  const service = await startService(configOf(postgres, { dataDir, issuer: issuer.issuer, jwksFile }), log, [
    "api",
  ]);
  const url = new URL(service.url!);

  const vault = addressOf(1000);
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

/** Sixty vaults with forty days of prices, ten of them the wallet's, and an audit log. */
async function fill(db: Database): Promise<void> {
  const chain = new SyntheticChain(db, vaultsProjection, CHAIN);
  await chain.start();
  const asset = addressOf(2);
  const vaults = Array.from({ length: VAULTS }, (_, n) => addressOf(1000 + n));
  for (const [n, address] of vaults.entries()) {
    await chain.addVault({
      address,
      asset,
      name: `Bench Vault ${n}`,
      symbol: `bv${n}`,
      shareDecimals: 18,
      assetDecimals: 18,
    });
  }
  const start = Math.floor(Date.now() / 1000) - DAYS * DAY_SECONDS;
  const whole = 10n ** 18n;
  const facts = (day: number) =>
    vaults.flatMap((vault, n): { vault: Address; body: FactBody }[] => [
      ...(day === 0
        ? [{ vault, body: { kind: "shares_minted", to: wallet, shares: whole * BigInt(n + 1) } as FactBody }]
        : []),
      { vault, body: { kind: "pps_updated", pps: whole + BigInt(day) * 10n ** 14n, timestamp: 0n } },
    ]);
  for (let day = 0; day < DAYS; day += 1) {
    await chain.apply([chain.block(day + 1, start + day * DAY_SECONDS, facts(day))]);
  }
  const now = Math.floor(Date.now() / 1000);
  const reading = readingOf({
    pps: whole,
    ppsE18: null,
    ppsDecimals: 18,
    totalAssets: 3n * whole,
    totalSupply: 3n * whole,
    escrowedAssets: 0n,
    freeAssets: whole,
    isPaused: false,
    lastPpsUpdate: now,
    ppsExpirationSeconds: DAY_SECONDS,
    maxStalenessSeconds: DAY_SECONDS,
    minUpdateIntervalSeconds: 60,
    isPpsStaleFlag: false,
    hwmPps: whole,
    fees: { performanceFeeBps: 1000n, managementFeeBps: 0n, recipient: wallet },
    managers: { primary: wallet, secondary: [asset] },
    upkeep: { balance: whole, requiredBalance: whole, token: asset },
    merkle: {
      root: keccak256("0x01"),
      proposedRoot: null,
      effectiveAt: null,
      isVetoed: false,
      isGlobalRootVetoed: false,
    },
    yieldSources: [{ address: asset, oracle: wallet, allocationAssets: whole }],
  });
  await chain.apply([
    chain.block(
      DAYS + 1,
      now,
      [],
      vaults.map((vault) => [vault, reading]),
    ),
  ]);
  await db.pool.query(
    "insert into tokens (chain_id, address, symbol, decimals) values ($1, $2, 'WETH', 18)",
    [CHAIN, asset],
  );
  await db.pool.query(
    `insert into token_prices (chain_id, address, price_usd_e18, source, priced_at, checked_at)
     values ($1, $2, 3100e18, 'static', now(), now())`,
    [CHAIN, asset],
  );
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role)
     select $1, v, $2, 'primary_manager' from unnest($3::text[]) v`,
    [CHAIN, wallet, vaults.slice(0, OWN_VAULTS)],
  );
  for (let n = 0; n < ENTRIES; n += 1000) {
    const entries = Array.from({ length: 1000 }, (_, i) => ({
      ...operation(n + i),
      chain_id: CHAIN,
      vault_address: vaults[(n + i) % OWN_VAULTS]!,
    }));
    await db.transaction((tx) => record(tx, entries));
  }
}

function addressOf(n: number): Address {
  return getAddress(`0x${keccak256(numberToHex(n)).slice(26)}`);
}
