// A service as an operator runs it, with something behind every route: a chain with vaults and their operations, an engine that has
// reported each kind of event once, a receiver of webhooks, and a caller of each role. For tests of the contract as a whole.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { addressOf, demoAccount, ROLE_ACCOUNTS } from "../../demo/src/accounts.ts";
import { startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, execute, now, passTime } from "../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployErc4626Vault,
  deployPriceFeed,
  deployToken,
  ensureMulticall3,
} from "../../demo/src/deploy.ts";
import { tokenCommand } from "../src/cli/sign-in.ts";
import type { EngineReport } from "./contract-reports.ts";
import { reportsOf } from "./contract-reports.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { startWholeService, TO_THIS_MACHINE, type WholeServiceOptions } from "./whole-service.ts";

export const CHAIN = 84_532;
export const SOURCE = "/engine/test";
export const INGEST_TOKEN = "a-token-of-the-engine-for-this-test-alone";
const BATCH = "application/cloudevents-batch+json";
const PAST_SECONDS = 180;

/** Who asks. `viewer` holds view_only on the first vault once the manager has granted it. */
export const CALLERS = ["nobody", "stranger", "viewer", "manager", "maintainer", "engine"] as const;
export type Caller = (typeof CALLERS)[number];

const ACCOUNTS = {
  stranger: ROLE_ACCOUNTS.stranger,
  viewer: ROLE_ACCOUNTS.viewer,
  manager: ROLE_ACCOUNTS.primaryManager,
  maintainer: ROLE_ACCOUNTS.formerManager,
} as const;

export interface ContractWorld {
  url: string;
  receiver: Receiver;
  /** Its primary manager is `manager`. */
  vault: Address;
  asset: Address;
  /** A vault on which none of the callers but the maintainer may see anything. */
  foreignVault: Address;
  tokenOf(caller: Caller): string | null;
  ask(caller: Caller, method: string, path: string, body?: unknown): Promise<Response>;
  report(reports: readonly EngineReport[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startContractWorld(
  options: Pick<WholeServiceOptions, "env" | "log"> = {},
): Promise<ContractWorld> {
  const receiver = await startReceiver();
  // Its past is a few minutes, so that its newest block is of the present.
  const node = await startAnvil({
    chainId: CHAIN,
    genesisTimestamp: Math.floor(Date.now() / 1000) - PAST_SECONDS,
  });
  const { vault, foreignVault, plain, asset, feed, aggregator } = await fillChain(node.rpcUrl);
  const service = await startWholeService({
    ...(options.log === undefined ? {} : { log: options.log }),
    chains: [
      {
        chain_id: CHAIN,
        rpc_urls: [node.rpcUrl],
        confirmations: 0,
        // Nothing is mined any more, which is no fault of the service however long a test takes.
        max_lag_seconds: 86_400,
        sources: [
          { family: "supervault", aggregator },
          { family: "erc4626", vaults: [{ address: plain, primary_manager: addressOf("otherManager") }] },
        ],
      },
    ],
    env: {
      ...TO_THIS_MACHINE,
      VAULTOPS_AUTH__REGISTRY_MAINTAINERS: JSON.stringify([addressOf("formerManager")]),
      VAULTOPS_HTTP__RATE_LIMITS__PER_WALLET: "100000000",
      VAULTOPS_HTTP__RATE_LIMITS__PER_IP: "100000000",
      VAULTOPS_HTTP__RATE_LIMITS__CHALLENGES_PER_IP: "100000000",
      VAULTOPS_INGEST__REQUESTS_PER_TOKEN: "100000000",
      VAULTOPS_INGEST__TOKENS: JSON.stringify([
        { source: SOURCE, token_sha256: createHash("sha256").update(INGEST_TOKEN).digest("hex") },
      ]),
      VAULTOPS_PRICES: JSON.stringify([{ source: "chainlink", chain_id: CHAIN, address: asset, feed }]),
      ...options.env,
    },
  });
  const tokens = new Map<Caller, string>([["engine", INGEST_TOKEN]]);
  for (const [caller, account] of Object.entries(ACCOUNTS))
    tokens.set(
      caller as Caller,
      await tokenCommand({ baseUrl: service.url, privateKey: demoAccount(account).privateKey }),
    );
  const tokenOf = (caller: Caller) => tokens.get(caller) ?? null;
  const ask = (caller: Caller, method: string, path: string, body?: unknown) => {
    const token = tokenOf(caller);
    const type = caller === "engine" ? BATCH : "application/json";
    return fetch(`${service.url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  const world: ContractWorld = {
    url: service.url,
    receiver,
    vault,
    asset,
    foreignVault,
    tokenOf,
    ask,
    async report(reports) {
      const response = await ask("engine", "POST", "/api/v1/ingest/events", reports);
      const { results } = (await response.json()) as { results?: { status: string }[] };
      if (results?.every(({ status }) => status === "accepted") !== true)
        throw new Error(JSON.stringify(results));
    },
    async stop() {
      await service.stop();
      await node.stop();
      await receiver.close();
    },
  };
  await untilRead(world, [vault, foreignVault, plain]);
  await world.report(reportsOf(`${CHAIN}:${vault}`, SOURCE));
  await untilAlerted(world);
  return world;
}

/** Two trios of different managers with deposits, prices and a queue, and a vault of the plain kind. */
async function fillChain(rpcUrl: string) {
  const chain = await connectChain(rpcUrl);
  await ensureMulticall3(chain);
  const { aggregator, oracle } = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  const feed = await deployPriceFeed(chain, { description: "USDC / USD", answer: 100_000_000n });
  const terms = { asset, minUpdateIntervalSeconds: 1, secondaryManagers: [addressOf("secondaryManager")] };
  const trio = await createTrio(chain, { aggregator } as never, { ...terms, name: "One", symbol: "ONE" });
  const foreign = await createTrio(chain, { aggregator } as never, {
    ...terms,
    secondaryManagers: [],
    name: "Foreign",
    symbol: "FOR",
    primaryManager: addressOf("otherManager"),
  });
  const plain = await deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN" });
  const from = addressOf("firstDepositor");
  const act = (
    contract: string,
    address: Address,
    functionName: string,
    args: readonly unknown[],
    by = from,
  ) => execute(chain, { contract, address, functionName, args, from: by });
  await act("Token", asset, "mint", [from, 3_000_000n]);
  for (const to of [trio.vault, plain]) {
    await act("Token", asset, "approve", [to, 1_000_000n]);
    await act("SuperVault", to, "deposit", [1_000_000n, from]);
  }
  await act("SuperVault", trio.vault, "requestRedeem", [250_000n, from, from]);
  for (const pps of [1_000_000n, 1_000_500n]) {
    await passTime(chain, 60);
    const update = {
      strategies: [trio.strategy],
      proofsArray: [[]],
      ppss: [pps],
      timestamps: [await now(chain)],
    };
    await act("PPSOracle", oracle, "updatePPS", [update], addressOf("ppsKeeper"));
  }
  return { vault: trio.vault, foreignVault: foreign.vault, plain, asset, feed, aggregator };
}

async function untilRead(world: ContractWorld, vaults: readonly Address[]): Promise<void> {
  let last = "";
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 100) {
    const listed = (await (await world.ask("nobody", "GET", "/api/v1/public/vaults")).json()) as {
      vault_address: Address;
    }[];
    const me = (await (await world.ask("manager", "GET", "/api/v1/auth/me")).json()) as {
      is_manager?: boolean;
    };
    const ready = (await world.ask("nobody", "GET", "/readyz")).status === 200;
    if (
      ready &&
      me.is_manager &&
      vaults.every((one) => listed.some(({ vault_address }) => vault_address === one))
    )
      return;
    last = JSON.stringify({ ready, me, listed });
    await sleep(100);
  }
  throw new Error(`the service did not read the chain in time: ${last}`);
}

/** What the chain and the reports give cause for. */
async function untilAlerted(world: ContractWorld): Promise<void> {
  const expected = ["session_key", "emergency_exit"];
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 100) {
    const { alerts } = (await (await world.ask("manager", "GET", "/api/v1/alerts?status=firing")).json()) as {
      alerts: { category: string }[];
    };
    if (expected.every((category) => alerts.some((alert) => alert.category === category))) return;
    await sleep(100);
  }
  throw new Error("the alerts did not come in time");
}
