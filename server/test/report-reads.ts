// For tests of the reads of intents and redemptions: an app over a database that holds a few of both, of three vaults.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { createVaultAccess } from "../src/auth/vaults.ts";
import { intentsFeature } from "../src/features/intents/feature.ts";
import { intentFillHandler } from "../src/features/intents/fill-reports.ts";
import { intentEventHandler } from "../src/features/intents/reports.ts";
import { redemptionsFeature } from "../src/features/redemptions/feature.ts";
import { redemptionHandler } from "../src/features/redemptions/reports.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/db/db.ts";
import { silentLogger } from "../src/platform/log.ts";
import type { VaultRef } from "../src/vault.ts";
import { buildTestApp } from "./app.ts";
import { as, plainTokenGuard } from "./caller.ts";
import { addBlocks, addChain, addVault, testAddress } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { applyReports, at, execution, fill, report, txHash } from "./handled-reports.ts";

export const CHAIN = 8453;
export const [ONE, TWO, FOREIGN] = [0x100, 0x200, 0x300].map(testAddress) as [Address, Address, Address];
export const [MANAGER, VIEWER, STRANGER, NOBODY, MAINTAINER] = [1, 2, 3, 4, 5].map(testAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
export const placeOf = (vaultAddress: Address): VaultRef => ({ chainId: CHAIN, vaultAddress });

export interface ReadsTest {
  database: TestDatabase;
  /** Asks as a wallet; null: without a token. */
  ask(url: string, by?: Address | null, headers?: Record<string, string>): Promise<Answer>;
  end(): Promise<void>;
}

interface Answer {
  status: number;
  body: ReturnType<typeof JSON.parse>;
  headers: Record<string, unknown>;
}

/** Call it in `beforeAll` and `end()` in `afterAll`. */
export async function startReadsTest(): Promise<ReadsTest> {
  const database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  for (const vault of [ONE, TWO, FOREIGN]) await addVault(db, CHAIN, vault);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $3, 'primary_manager', 1), ($1, $4, $3, 'secondary_manager', 1), ($1, $5, $6, 'primary_manager', 1)`,
    [CHAIN, ONE, MANAGER, TWO, FOREIGN, STRANGER],
  );
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, ONE, VIEWER, MANAGER],
  );
  await seed(db);
  const app: FastifyInstance = await buildTestApp({
    features: [
      intentsFeature({
        db,
        clock: systemClock,
        log: silentLogger(),
        clients: new Map(),
        findVisible: createVaultAccess(db).visible,
      }),
      redemptionsFeature({ db, findVisible: createVaultAccess(db).visible }),
    ],
    guard: plainTokenGuard(db, [MAINTAINER]),
  });
  return {
    database,
    async ask(url, by = MANAGER, headers = {}) {
      const response = await app.inject({ url, headers: { ...as(by), ...headers } });
      return {
        status: response.statusCode,
        body: response.body === "" ? null : response.json(),
        headers: response.headers,
      };
    },
    async end() {
      await app.close();
      await database.drop();
    },
  };
}

/**
 * Intents i0 … i5 of the first vault, i6 … i8 of the second, f0 of a foreign one, a second apart; two executions of the first vault and one
 * of the foreign one.
 */
async function seed(db: Database): Promise<void> {
  const intent = (vault: Address, id: string, seconds: number, index: number) => [
    report("vaultops.intent.event", placeOf(vault), `${id}-1`, seconds, {
      intent_id: id,
      seq: 1,
      state: "RECEIVED",
      ...(index % 2 === 0 ? { strategy_id: "stables" } : {}),
      action: index % 3 === 0 ? "rebalance" : "harvest",
    }),
    ...(index % 2 === 1
      ? [
          report("vaultops.intent.event", placeOf(vault), `${id}-2`, seconds + 60, {
            intent_id: id,
            seq: 2,
            state: "FAILED",
            error_code: "SLIPPAGE",
            tx_hash: txHash(0xaa),
          }),
        ]
      : []),
  ];
  await applyReports(
    db,
    intentEventHandler,
    [0, 1, 2, 3, 4, 5].flatMap((index) => intent(ONE, `i${index}`, index, index)),
  );
  await applyReports(
    db,
    intentEventHandler,
    [6, 7, 8].flatMap((index) => intent(TWO, `i${index}`, index, index)),
  );
  await applyReports(db, intentEventHandler, intent(FOREIGN, "f0", 100, 1));
  for (const [vault, name, hash] of [
    [ONE, "i0", txHash(0xbb)],
    [FOREIGN, "f0", txHash(0xbb)],
  ] as const) {
    await applyReports(db, intentFillHandler, [
      report(
        "vaultops.intent.fill",
        placeOf(vault),
        `fill-${name}-1`,
        5,
        fill(name, "fill-1", { tx_hash: hash }),
      ),
      report(
        "vaultops.intent.fill",
        placeOf(vault),
        `fill-${name}-2`,
        6,
        fill(name, "fill-2", { fill_time: at(9), gas_used: "21000", venue: "curve" }),
      ),
    ]);
  }
  for (const [vault, id, status, seconds] of [
    [ONE, "e1", "success", 1],
    [ONE, "e2", "failed", 2],
    [FOREIGN, "e3", "success", 3],
  ] as const) {
    await applyReports(db, redemptionHandler, [
      report(
        "vaultops.redemption.execution",
        placeOf(vault),
        id,
        seconds,
        execution(id, { status, created_at: at(seconds) }),
      ),
    ]);
  }
}
