// For tests of following: a node with SuperVaults that a wallet, a Safe 1.4.1 and a timelock manage, followed by real ingestion, and the routes of
// actions over them.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../../demo/src/deploy.ts";
import { buildTestApp } from "../../../../test/app.ts";
import { plainTokenGuard } from "../../../../test/caller.ts";
import { type Controllers, deployControllers, safeArtifact } from "../../../../test/controllers.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/database.ts";
import { type RunningIngest, settingsOf, startIngest } from "../../../../test/ingest.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../../chain/client/client.ts";
import { createFamilies } from "../../../chain/families/registry.ts";
import { loadConfig } from "../../../config/load.ts";
import { silentLogger } from "../../../platform/log.ts";
import { createForeteller } from "../../../service/foretelling.ts";
import { actionsFeature } from "../api/feature.ts";
import { findMultiSend } from "../formats/multi-send.ts";

export const CONFIRMATIONS = 3;
export const MANAGER = addressOf("primaryManager");
export const SECOND = addressOf("secondaryManager");
export const owners = [demoAccount(10), demoAccount(11)].map(({ privateKey }) =>
  privateKeyToAccount(privateKey),
);

/** Stands still until it is set. */
export class HeldClock {
  ms = Date.now();
  now(): number {
    return this.ms;
  }
}

export interface Standing {
  chain: TestChain;
  controllers: Controllers;
  database: TestDatabase;
  client: ChainClient;
  ingest: RunningIngest;
  system: VaultSystem;
  safe: Address;
  timelock: Address;
  trios: { wallet: Trio; safe: Trio; timelock: Trio };
  multiSend: Address;
  app: FastifyInstance;
  clock: HeldClock;
}

export async function standUp(): Promise<Standing> {
  const [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  const controllers = await deployControllers(chain);
  await chain.client.setCode({
    address: "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
    bytecode: safeArtifact("libraries/MultiSendCallOnly").deployedBytecode,
  });
  const codeOf = async (address: Address) => (await chain.client.getCode({ address })) ?? "0x";
  const multiSend = (await findMultiSend("1.4.1", codeOf))!;
  const safe = await controllers.deploySafe(
    owners.map(({ address }) => address),
    2,
  );
  const timelock = await controllers.deployTimelock(60, [safe], [safe]);
  await ensureMulticall3(chain);
  const system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const trioOf = async (primaryManager: Address) => {
    await chain.client.impersonateAccount({ address: primaryManager });
    await chain.client.setBalance({ address: primaryManager, value: 10n ** 20n });
    return await createTrio(chain, system, { asset, name: "Trio", symbol: "TRI", primaryManager });
  };
  const trios = {
    wallet: await trioOf(MANAGER),
    safe: await trioOf(safe),
    timelock: await trioOf(timelock),
  };
  const { chainId, rpcUrl } = chain;
  const log = silentLogger();
  const client = createChainClient({ chainId, name: "test", rpcUrls: [rpcUrl], log, settleMs: 500 });
  const settings = {
    chainId,
    rpcUrls: [rpcUrl],
    confirmations: CONFIRMATIONS,
    sources: [{ family: "supervault" as const, aggregator: system.aggregator }],
  };
  const ingest = startIngest(database.db, [settings]);
  const clock = new HeldClock();
  const { db } = database;
  const clients = new Map([[chainId, client]]);
  const { alerts } = loadConfig({ env: {} });
  const config = { chains: [settingsOf(settings)] as never, alerts };
  const actions = actionsFeature({
    ...{ db, clock, log, clients, families: createFamilies(log), notifier: { listen() {} } },
    foreteller: createForeteller({ config, db, clients, clock, log }),
  });
  const app = await buildTestApp({ features: [actions], guard: plainTokenGuard(db) });
  return {
    chain,
    controllers,
    database,
    client,
    ingest,
    system,
    safe,
    timelock,
    trios,
    multiSend,
    app,
    clock,
  };
}
