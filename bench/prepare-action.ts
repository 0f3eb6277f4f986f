// An action prepared with its simulation, of one of a hundred vaults that are followed: how long it takes, and what the node is asked for each.
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
import { silentLogger } from "../server/src/platform/log.ts";
import { createForeteller } from "../server/src/service/foretelling.ts";
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
    try {
      const chain = await connectChain(anvil.rpcUrl);
      await ensureMulticall3(chain);
      const { aggregator } = await deployAggregator(chain);
      const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
      const vaults: Trio[] = [];
      for (let nth = 0; nth < VAULTS; nth += 1)
        vaults.push(
          await createTrio(chain, { aggregator } as never, { asset, name: `Vault ${nth}`, symbol: "V" }),
        );
      const settings = {
        chainId,
        rpcUrls: [anvil.rpcUrl],
        confirmations: 0,
        sources: [{ family: "supervault" as const, aggregator }],
      };
      const ingest = startIngest(db, [settings]);
      const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
      await ingest.until("caught up", (status) => status.confirmed === head && status.backfill === null);
      const foreteller = createForeteller({
        config: { chains: [settingsOf(settings)] as never, alerts: loadConfig({ env: {} }).alerts },
        db,
        clients: new Map([[chainId, client]]),
        clock: systemClock,
        log,
      });
      const parts = {
        db,
        foreteller,
        families: createFamilies(log),
        log,
        nowMs: () => Date.now(),
        nodeMs: 10_000,
      };
      const wallet = addressOf("primaryManager");
      const one = async (nth: number) => {
        const { vault } = vaults[nth % VAULTS]!;
        const asked = {
          chainId,
          vaultAddress: vault,
          wallet,
          account: wallet,
          action: "pause",
          parameters: {},
        };
        const startedAt = performance.now();
        const { simulation } = await prepare(parts, { ...asked, from: null, safeNonce: null });
        if (simulation?.ok !== true) throw new Error("it was not simulated");
        return performance.now() - startedAt;
      };
      for (let nth = 0; nth < 10; nth += 1) await one(nth);
      node.begin();
      const count = quick ? 30 : 300;
      const times: number[] = [];
      for (let nth = 0; nth < count; nth += 1) times.push(await one(nth));
      times.sort((a, b) => a - b);
      const p99 = times[Math.min(count - 1, Math.floor(count * 0.99))]!;
      const { requests, exchanges } = node.counted();
      await ingest.stop();
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
        },
      };
    } finally {
      await client.close();
      await databases.drop(db);
      await databases.stop();
      await node.stop();
      await anvil.stop();
    }
  },
};

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
