// The app with all features over a test database, for tests of what holds on every route.
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { createGrants } from "../src/auth/grants.ts";
import { openEmbeddedIssuer } from "../src/auth/issuer/embedded.ts";
import { trustedIssuers } from "../src/auth/tokens/issuers.ts";
import { createVerifier } from "../src/auth/tokens/verify.ts";
import { createVaultAccess } from "../src/auth/vaults.ts";
import type { ChainClient } from "../src/chain/client/client.ts";
import { type Config, loadConfig } from "../src/config/load.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/db/db.ts";
import type { Notifier } from "../src/platform/db/notifier.ts";
import { createEgress } from "../src/platform/egress/egress.ts";
import { createIdempotency } from "../src/platform/http/idempotency.ts";
import type { Feature } from "../src/platform/lifecycle/feature.ts";
import { Readiness } from "../src/platform/lifecycle/health.ts";
import { silentLogger } from "../src/platform/log.ts";
import { openSecretBox } from "../src/platform/secret-box.ts";
import { createFeatures } from "../src/service/features.ts";
import { buildTestApp } from "./app.ts";
import { plainTokenGuard } from "./caller.ts";

export interface WholeAppOptions {
  db: Database;
  notifier: Notifier;
  /** For keys and secrets. */
  dir: string;
  /** Where wallets sign in. */
  chainId: number;
  /** Of each kind. Default: out of the way. */
  quota?: number;
  /** Wallets that may read every vault. */
  maintainers?: readonly Address[];
  /** Features before all others. */
  features?: readonly Feature[];
  /** As `auth.issuers` of the configuration. */
  issuers?: Config["auth"]["issuers"];
  /** As `chains` of the configuration, and their clients; none where left out. */
  chains?: readonly object[];
  clients?: ReadonlyMap<number, ChainClient>;
  /** As `audit.witnesses` of the configuration. */
  witnesses?: Config["audit"]["witnesses"];
}

export async function buildWholeApp(options: WholeAppOptions): Promise<FastifyInstance> {
  const { db, notifier, dir, chainId, quota = 1e9, issuers = [] } = options;
  const config = loadConfig({
    env: {
      VAULTOPS_HTTP__PUBLIC_URL: "http://127.0.0.1:8080",
      VAULTOPS_DATA_DIR: dir,
      VAULTOPS_SMTP__ALLOWED_DOMAINS: '["example.org"]',
      VAULTOPS_CHAINS: JSON.stringify(options.chains ?? []),
    },
  });
  config.audit.witnesses = options.witnesses ?? [];
  const vaults = createVaultAccess(db);
  const egress = createEgress({ allowedNetworks: [], allowHttp: false });
  const common = { db, log: silentLogger(), clock: systemClock };
  const embedded = await openEmbeddedIssuer({
    ...common,
    authUrl: "http://127.0.0.1:8080/identity",
    audience: "http://127.0.0.1:8080",
    dir: join(dir, "identity"),
    chainIds: [chainId],
    verifyOnChain: async () => false,
  });
  const box = openSecretBox({ keys: null, file: join(dir, "secrets", "keys") });
  const features = createFeatures({
    ...common,
    config: {
      ...config,
      auth: { ...config.auth, issuers },
      ingest: { ...config.ingest, requests_per_token: quota },
    },
    auditReader: db,
    reads: db,
    auditReads: db,
    notifier,
    egress,
    metrics: undefined as never,
    clients: options.clients ?? new Map(),
    grants: createGrants(db),
    verifier: createVerifier({
      issuers: trustedIssuers(issuers, egress.fetchJson, common),
      clock: systemClock,
      codeOnChains: async () => [],
    }),
    vaults,
    embedded,
    box,
    idempotency: createIdempotency({ ...common, box }),
  });
  return buildTestApp({
    features: [...(options.features ?? []), ...features],
    guard: plainTokenGuard(db, options.maintainers ?? []),
    readiness: new Readiness(systemClock),
    http: {
      rateLimits: { perWallet: quota, perIp: quota, challengesPerIp: quota, recordedPerWallet: quota },
    },
  });
}
