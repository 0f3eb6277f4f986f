// What a vault of each family costs at a block: requests to the node, and the time of reading many of them, once it is known what there is to
// ask. The limit of requests is one, and one for each three hundred views; that of time is the same calls sent by themselves.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Address, decodeFunctionData, type Hex, multicall3Abi } from "viem";
import { startAnvil } from "../demo/src/anvil.ts";
import { connectChain } from "../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../demo/src/deploy.ts";
import { type BlockRef, type ChainClient, createChainClient } from "../server/src/chain/client/client.ts";
import { together } from "../server/src/chain/client/together.ts";
import type { KnownVault, Source } from "../server/src/chain/directory.ts";
import { createFamilies } from "../server/src/chain/families/registry.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { CURATED, type CuratedFamily, deployEveryFamily } from "../server/test/simulation/every-family.ts";
import { type Figure, interleave } from "./support/figure.ts";

const VIEWS_A_REQUEST = 300;

const SUBJECTS: readonly [name: string, ...families: CuratedFamily[]][] = [
  ...CURATED.map((family) => [family, family] as [string, CuratedFamily]),
  ["every family at once", ...CURATED],
];

export const figures: readonly Figure[] = SUBJECTS.flatMap(([name, ...families]) => [
  {
    name: `requests for a block of vaults: ${name}`,
    against: `one request, and one for each ${VIEWS_A_REQUEST} views`,
    aim: 1,
    run: ({ quick }) => measured(families, quick ? 10 : 100, requestsOf),
  },
  {
    name: `time for a block of vaults: ${name}`,
    against: "the same calls sent by themselves",
    aim: 0.5,
    run: ({ quick }) => measured(families, quick ? 10 : 100, timeOf),
  },
]);

interface Subject {
  read(): Promise<unknown>;
  counter: Counter;
  count: number;
}

/** As many vaults of each family as asked for: the same one under as many names, for a reading keeps nothing of one for another. */
async function measured<T>(
  families: readonly CuratedFamily[],
  count: number,
  measure: (subject: Subject) => Promise<T>,
): Promise<T> {
  const anvil = await startAnvil();
  const counter = await Counter.start(anvil.rpcUrl);
  const log = silentLogger();
  let client: ChainClient | undefined;
  try {
    const chain = await connectChain(anvil.rpcUrl);
    await ensureMulticall3(chain);
    const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const { vaults } = await deployEveryFamily(chain, asset);
    client = createChainClient({ chainId: anvil.chainId, name: "bench", rpcUrls: [counter.url], log });
    const reads = await Promise.all(
      families.map(async (family) => {
        const own = createFamilies(log)[family];
        const source: Source = { family, address: vaults[family], governor: null, oracles: [] };
        const identity = { address: vaults[family], strategy: null, source, configuredPrimary: null };
        const { managers: _, ...description } = await own.describe(client!, identity, "latest");
        const known: KnownVault = { family, escrow: null, ...identity, ...description };
        const all = Array.from({ length: count }, () => known);
        return (each: ChainClient, at: BlockRef) => own.read(each, all, at);
      }),
    );
    const at = await client.head();
    const read = () =>
      together(
        client!,
        reads.map((each) => (own) => each(own, at)),
      );
    // What there is to ask becomes known with the first ones.
    for (let round = 0; round < 3; round += 1) await read();
    return await measure({ read, counter, count: count * families.length });
  } finally {
    await client?.close();
    await counter.close();
    await anvil.stop();
  }
}

async function requestsOf({ read, counter, count }: Subject) {
  counter.begin();
  await read();
  const { requests, views } = counter;
  const limit = 1 + views / VIEWS_A_REQUEST;
  return {
    ratio: limit / requests,
    ours: requests,
    limit,
    unit: "requests",
    spread: 0,
    notes: { vaults: count, views, views_a_vault: Math.round(views / count) },
  };
}

async function timeOf({ read, counter, count }: Subject) {
  counter.begin();
  await read();
  const bodies = [...counter.bodies];
  const result = await interleave({
    rounds: 15,
    unit: "vaults/s",
    ours: () => rateOf(count, read),
    limit: () => rateOf(count, () => Promise.all(bodies.map((body) => counter.send(body)))),
  });
  return { ...result, notes: { vaults: count, ms_a_vault: Number((1000 / result.ours).toFixed(2)) } };
}

async function rateOf(count: number, run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return count / ((performance.now() - startedAt) / 1000);
}

/** Stands before a node and counts what it is asked. */
class Counter {
  requests = 0;
  views = 0;
  bodies: string[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #rpcUrl: string;

  private constructor(server: Server, rpcUrl: string) {
    this.#server = server;
    this.#rpcUrl = rpcUrl;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      this.#see(body);
      response.setHeader("content-type", "application/json");
      response.end(await this.send(body));
    });
  }

  static async start(rpcUrl: string): Promise<Counter> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Counter(server, rpcUrl);
  }

  begin(): void {
    this.requests = 0;
    this.views = 0;
    this.bodies = [];
  }

  async send(body: string): Promise<string> {
    const headers = { "content-type": "application/json" };
    return await (await fetch(this.#rpcUrl, { method: "POST", headers, body })).text();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #see(body: string): void {
    this.bodies.push(body);
    const asked = [JSON.parse(body)].flat() as { method: string; params: [{ to?: Address; data?: Hex }] }[];
    this.requests += asked.length;
    for (const { method, params } of asked) if (method === "eth_call") this.views += viewsIn(params[0].data);
  }
}

/** Those of an aggregate; else it is one. */
function viewsIn(data: Hex | undefined): number {
  try {
    const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data: data! });
    return functionName === "aggregate3" ? args[0].length : 1;
  } catch {
    return 1;
  }
}
