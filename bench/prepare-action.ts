// An action prepared with its simulation, of one of a hundred vaults that are followed: how long it takes, what the node is asked for each, and
// how much of what was foretold came.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { addressOf } from "../demo/src/accounts.ts";
import { startAnvil } from "../demo/src/anvil.ts";
import { connectChain } from "../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
} from "../demo/src/deploy.ts";
import { createChainClient } from "../server/src/chain/client/client.ts";
import { createFamilies } from "../server/src/chain/families/registry.ts";
import { loadConfig } from "../server/src/config/load.ts";
import { prepare } from "../server/src/features/actions/prepare/prepare.ts";
import { systemClock } from "../server/src/platform/clock.ts";
import type { Database } from "../server/src/platform/db/db.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { createForeteller } from "../server/src/service/foretelling.ts";
import { untilJoined } from "../server/test/followed.ts";
import { settingsOf, startIngest } from "../server/test/ingest.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, median } from "./support/figure.ts";

const LIMIT_MS = 500;
const VAULTS = 100;

export const figure: Figure = {
  name: `an action prepared with its simulation, ${VAULTS} vaults, p99`,
  against: `${LIMIT_MS} ms`,
  aim: 1,
  async run({ quick }) {
    const log = silentLogger();
    const anvil = await startAnvil();
    const node = await startCounter(anvil.rpcUrl);
    const databases = await startDatabases();
    const db = await databases.create();
    const { chainId } = anvil;
    const client = createChainClient({ chainId, name: "bench", rpcUrls: [node.url], log });
    const chain = await connectChain(anvil.rpcUrl);
    await ensureMulticall3(chain);
    const system = await deployAggregator(chain);
    const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const vaults: Trio[] = [];
    for (let nth = 0; nth < VAULTS; nth += 1)
      vaults.push(await createTrio(chain, system, { asset, name: `Vault ${nth}`, symbol: "V" }));
    const settings = {
      chainId,
      rpcUrls: [anvil.rpcUrl],
      confirmations: 0,
      sources: [{ family: "supervault" as const, aggregator: system.aggregator }],
    };
    const ingest = startIngest(db, [settings]);
    const settle = async () => {
      const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
      await ingest.until(`at ${head}`, (status) => status.confirmed === head && status.backfill === null);
      await untilJoined({ db });
    };
    const foreteller = createForeteller({
      config: { chains: [settingsOf(settings)] as never, alerts: loadConfig({ env: {} }).alerts },
      db,
      clients: new Map([[chainId, client]]),
      clock: systemClock,
      log,
    });
    const families = createFamilies(log);
    const parts = { db, foreteller, families, log, nowMs: () => Date.now(), nodeMs: 10_000 };
    const wallet = addressOf("primaryManager");
    const one = async (nth: number) => {
      const { vault } = vaults[nth % VAULTS]!;
      const place = { chainId, vaultAddress: vault, wallet, account: wallet };
      const asked = { ...place, action: "pause", parameters: {}, from: null, safeNonce: null };
      const startedAt = performance.now();
      const prepared = await prepare(parts, asked);
      const ms = performance.now() - startedAt;
      if (prepared.simulation?.ok !== true)
        throw new Error(`it was not simulated: ${prepared.simulationUnavailableReason}`);
      return { ms, prepared };
    };
    /** Of what was foretold: how much there was, and how much of it came. */
    const sentAll = async (count: number) => {
      let [foretold, came] = [0, 0];
      for (let nth = 0; nth < count; nth += 1) {
        const { prepared } = await one(nth);
        const { entries } = prepared.simulation as unknown as { entries: { action_type: string }[] };
        const before = await actionTypes(db);
        for (const { target, data } of prepared.calls)
          await chain.client.waitForTransactionReceipt({
            hash: await chain.client.sendTransaction({
              ...{ account: wallet, to: target, data, gas: 1_000_000n, chain: null },
            }),
            pollingInterval: 20,
          });
        await settle();
        const after = (await actionTypes(db)).slice(before.length);
        foretold += entries.length;
        came += entries.filter(({ action_type: type }, index) => after[index] === type).length;
      }
      return { foretold, came };
    };
    try {
      await settle();
      for (let nth = 0; nth < 10; nth += 1) await one(nth);
      node.begin();
      const count = quick ? 30 : 300;
      const times: number[] = [];
      for (let nth = 0; nth < count; nth += 1) times.push((await one(nth)).ms);
      const { requests, exchanges } = node.counted();
      times.sort((a, b) => a - b);
      const p99 = times[Math.min(count - 1, Math.floor(count * 0.99))]!;
      const { foretold, came } = await sentAll(quick ? 5 : VAULTS);
      return {
        ratio: LIMIT_MS / p99,
        ours: p99,
        limit: LIMIT_MS,
        unit: "ms",
        spread: (times.at(-1)! - times[0]!) / median(times),
        notes: {
          p50_ms: Math.round(median(times)),
          requests_each: requests / count,
          http_exchanges_each: exchanges / count,
          entries_foretold: foretold,
          entries_that_came: came,
        },
      };
    } finally {
      await ingest.stop();
      await client.close();
      await databases.drop(db);
      await databases.stop();
      await node.stop();
      await anvil.stop();
    }
  },
};

async function actionTypes(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ action_type: string }>(
    "select action_type from audit_entries order by seq",
  );
  return rows.map((row) => row.action_type);
}

/** Stands before a node and counts what it is asked: JSON-RPC requests, and the HTTP exchanges that they come in. */
async function startCounter(rpcUrl: string) {
  let counts = { requests: 0, exchanges: 0 };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    counts.exchanges += 1;
    counts.requests += [JSON.parse(body)].flat().length;
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.setHeader("content-type", "application/json");
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin() {
      counts = { requests: 0, exchanges: 0 };
    },
    counted: () => counts,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
