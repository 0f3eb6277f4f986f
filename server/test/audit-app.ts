// The audit feature over a real database, guard and listener, with vaults, roles and tokens for its tests.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { type AuditFeature, type AuditParts, auditFeature } from "../src/audit/feature.ts";
import type { StreamLimits } from "../src/audit/read/stream-seats.ts";
import { createGrants } from "../src/auth/grants.ts";
import { createGuard } from "../src/auth/guard.ts";
import { giveRoles } from "../src/auth/tokens/limit.ts";
import type { VerifiedToken } from "../src/auth/tokens/verify.ts";
import { createVaultAccess } from "../src/auth/vaults.ts";
import { createNotifier } from "../src/platform/db/notifier.ts";
import { silentLogger } from "../src/platform/log.ts";
import { startTestApp } from "./app.ts";
import { ACTORS, VAULTS } from "./audit.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** Manager of VAULTS 0 and 1, viewer of 2; nobody's manager; and a registry maintainer. */
export const [MANAGER, STRANGER, MAINTAINER] = [ACTORS[0]!, ACTORS[4]!, ACTORS[5]!];

export interface AuditApp {
  database: TestDatabase;
  app: FastifyInstance;
  url: string;
  feature: AuditFeature;
  /** Where keys and the newest checkpoint are. */
  folder: string;
  /** Headers of a request by a wallet; `expiresInSeconds` from now; `chainId` where a contract signed. */
  as(wallet: Address, expiresInSeconds?: number, chainId?: number): { authorization: string };
  /** Wallets whose tokens were signed with a key that is withdrawn meanwhile. */
  withdrawn: Set<Address>;
  /** Of open streams; may be changed. */
  limits: StreamLimits;
  close(): Promise<void>;
}

export async function startAuditApp(
  options: Partial<AuditParts> = {},
  given: TestDatabase | null = null,
): Promise<AuditApp> {
  const database = given ?? (await createTestDatabase());
  const { db } = database;
  await db.pool.query("insert into chains (chain_id, name) values (1, 'One'), (8453, 'Base'), (14, 'Quiet')");
  for (const { chain_id, vault_address } of VAULTS) {
    await db.pool.query(
      `insert into vaults (chain_id, address, family, source_address, asset_address, share_decimals, asset_decimals)
       values ($1, $2, 'supervault', $2, $2, 18, 6)`,
      [chain_id, vault_address],
    );
  }
  const role = (vault: number, wallet: Address, name: string) =>
    db.pool.query(
      "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, $4, null)",
      [VAULTS[vault]!.chain_id, VAULTS[vault]!.vault_address, wallet, name],
    );
  await role(0, MANAGER, "primary_manager");
  await role(1, MANAGER, "secondary_manager");
  const log = silentLogger();
  const grants = createGrants(db);
  const vaults = createVaultAccess(db);
  const withdrawn = new Set<Address>();
  const limits = { perWallet: 200, total: 2000 };
  // Tokens are verified elsewhere: here one is the wallet itself and its expiry.
  const verifier = {
    cached: (token: string) => ({
      wallet: token.split(":")[0] as Address,
      scope: "full" as const,
      expiresAt: Number(token.split(":")[1]),
      limitedToChainId: token.split(":")[2] ? Number(token.split(":")[2]) : null,
    }),
    holds: (token: VerifiedToken) => token.expiresAt * 1000 > Date.now() && !withdrawn.has(token.wallet),
    verify: () => Promise.reject(new Error("every token is known")),
  };
  const folder = await mkdtemp(join(tmpdir(), "vaultops-audit-"));
  const notifier = createNotifier(db, log);
  const feature = auditFeature({
    db,
    notifier,
    log,
    findVisible: vaults.visible,
    withRoles: async (caller) => giveRoles({ ...caller }, await grants.of(caller.wallet)),
    streamLimits: limits,
    folder,
    origin: "vaultops.test/audit",
    ...options,
  });
  const guard = createGuard({ verifier, grants, vaults, maintainers: [MAINTAINER] });
  const { app, url } = await startTestApp({
    features: [feature],
    guard,
    ...(options.log && { log: options.log }),
  });
  return {
    database,
    app,
    url,
    feature,
    folder,
    as: (wallet, expiresInSeconds = 3600, chainId) => ({
      authorization: `Bearer ${wallet}:${Math.floor(Date.now() / 1000) + expiresInSeconds}${chainId ? `:${chainId}` : ""}`,
    }),
    withdrawn,
    limits,
    async close() {
      // A client may have connected and never asked; such a connection is not idle, and would be waited for.
      const cutOff = setTimeout(() => app.server.closeAllConnections(), 500);
      await app.close();
      clearTimeout(cutOff);
      await notifier.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
