// From a pause's block on the node to the message at the receiver of each provider, through the whole service in a process of its own: what
// a person on call waits for. Pauses are told at the head, so no confirmation is waited for; chats gather for half a second.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { demoAccount } from "../demo/src/accounts.ts";
import { startAnvil } from "../demo/src/anvil.ts";
import { connectChain, type DemoChain, send } from "../demo/src/chain.ts";
import { createTrio, deployAggregator, deployToken, type Trio } from "../demo/src/deploy.ts";
import { tokenCommand } from "../server/src/cli/sign-in.ts";
import { type HttpProviderName, startProviderReceiver } from "../server/test/provider-receiver.ts";
import { type Figure, median } from "./support/figure.ts";

const CHAIN_ID = 84_532;
const LIMIT_MS = 1_000;
const PROVIDERS: readonly HttpProviderName[] = [
  "pagerduty",
  "opsgenie",
  "webhook",
  "slack",
  "discord",
  "telegram",
  "teams",
];

export const figure: Figure = {
  name: "alert latency: a pause's block to the slowest receiver's message, p50",
  against: `${LIMIT_MS} ms, no confirmation being waited for`,
  aim: 1,
  async run({ quick }) {
    const node = await startAnvil({ chainId: CHAIN_ID });
    const chain = await connectChain(node.rpcUrl);
    const { aggregator, trios } = await deployVaults(chain, quick ? 12 : 60);
    await chain.client.setIntervalMining({ interval: 1 });
    /** When a text first came to a provider. */
    const arrivals = new Map<string, number>();
    const receiver = await startProviderReceiver({
      onReceived: ({ provider, request }) => {
        const at = performance.now();
        for (const [name] of request.body.toString("utf8").matchAll(/Vault \d{3}/g)) {
          const key = `${provider} ${name}`;
          if (!arrivals.has(key)) arrivals.set(key, at);
        }
      },
    });
    const service = await startService(node.rpcUrl, aggregator);
    try {
      await bindChannels(service.url, receiver.configOf, trios.length);
      const byProvider = new Map<string, number[]>(PROVIDERS.map((provider) => [provider, []]));
      const slowest: number[] = [];
      for (const [n, trio] of trios.entries()) {
        const minedAt = await pause(chain, aggregator, trio);
        const keys = PROVIDERS.map((provider) => `${provider} ${nameOf(n)}`);
        while (!keys.every((key) => arrivals.has(key))) await sleep(5);
        const waits = keys.map((key) => (arrivals.get(key) as number) - minedAt);
        for (const [index, provider] of PROVIDERS.entries())
          byProvider.get(provider)?.push(waits[index] as number);
        slowest.push(Math.max(...waits));
        // Chats take a message a second.
        await sleep(1_500);
      }
      slowest.sort((a, b) => a - b);
      const p50 = median(slowest);
      const notes = [...byProvider].map(([provider, waits]) => [
        `${provider} p50 ms`,
        Math.round(median(waits)),
      ]);
      return {
        ratio: LIMIT_MS / p50,
        ours: p50,
        limit: LIMIT_MS,
        unit: "ms",
        spread: ((slowest.at(-1) as number) - (slowest[0] as number)) / p50,
        notes: { pauses: trios.length, ...Object.fromEntries(notes) },
      };
    } finally {
      await service.stop();
      await receiver.stop();
      await node.stop();
    }
  },
};

const nameOf = (n: number) => `Vault ${String(n).padStart(3, "0")}`;

async function deployVaults(chain: DemoChain, count: number) {
  const system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  const trios: Trio[] = [];
  for (let n = 0; n < count; n += 1)
    trios.push(await createTrio(chain, system, { asset, name: nameOf(n), symbol: `V${n}` }));
  return { aggregator: system.aggregator, trios };
}

/** The whole service with a database of its own, as an operator starts it. */
async function startService(rpcUrl: string, aggregator: string) {
  const dir = await mkdtemp(join(tmpdir(), "vaultops-bench-alerts-"));
  const child = spawn(process.execPath, [join(import.meta.dirname, "../server/src/cli/main.ts"), "start"], {
    cwd: dir,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      VAULTOPS_HTTP__PORT: "0",
      VAULTOPS_ADMIN__PORT: "0",
      VAULTOPS_DATA_DIR: join(dir, "data"),
      VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
      VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ recorded_per_wallet: 10_000 }),
      VAULTOPS_EGRESS__ALLOW_HTTP: "true",
      VAULTOPS_EGRESS__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
      VAULTOPS_CHAINS: JSON.stringify([
        {
          chain_id: CHAIN_ID,
          name: "Bench chain",
          rpc_urls: [rpcUrl],
          confirmations: 2,
          sources: [{ family: "supervault", aggregator }],
        },
      ]),
    },
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const entry = JSON.parse(line) as { msg?: string; url?: string };
      if (entry.msg === "serving" && entry.url) resolve(entry.url);
    });
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    url,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** One channel of each provider, bound to every vault. */
async function bindChannels(
  url: string,
  configOf: (provider: HttpProviderName) => Record<string, string>,
  vaultCount: number,
): Promise<void> {
  const token = await tokenCommand({ baseUrl: url, privateKey: demoAccount(0).privateKey });
  const api = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return JSON.parse(await response.text());
  };
  let vaults: { chain_id: number; vault_address: string }[] = [];
  while (vaults.length < vaultCount) {
    await sleep(100);
    ({ vaults } = (await api("GET", "/auth/me")) as { vaults: typeof vaults });
  }
  for (const provider of PROVIDERS) {
    const { id } = (await api("POST", "/notification-channels", {
      provider,
      name: provider,
      config: configOf(provider),
    })) as { id: string };
    const wish = { categories: ["emergency_pause"] };
    for (const { chain_id: chainId, vault_address: vault } of vaults)
      await api("POST", `/vaults/${chainId}/${vault}/notification-channels/${id}`, wish);
  }
}

/** Pauses a vault; when its block was on the node, by the clock of `performance.now()`. */
async function pause(chain: DemoChain, aggregator: Trio["vault"], { strategy }: Trio): Promise<number> {
  const hash = await send(chain, {
    contract: "SuperVaultAggregator",
    address: aggregator,
    functionName: "pauseStrategy",
    args: [strategy],
    from: demoAccount(0).address,
  });
  for (;;) {
    const receipt = await chain.client.getTransactionReceipt({ hash }).catch(() => null);
    if (receipt?.status === "success") return performance.now();
    if (receipt) throw new Error("the pause reverted");
    await sleep(2);
  }
}
