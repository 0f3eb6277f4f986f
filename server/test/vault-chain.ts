// Vaults of every kind on a real node, followed by real ingestion, served by the real routes.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, TransactionReceipt } from "viem";
import { expect } from "vitest";
import { accountAddress, addressOf } from "../../demo/src/accounts.ts";
import { startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, passTime, read } from "../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployAsyncVault,
  deployBytes32Token,
  deployErc4626Vault,
  deployNamelessToken,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../demo/src/deploy.ts";
import { createChainClient } from "../src/chain/client/client.ts";
import { readTokens } from "../src/chain/client/tokens.ts";
import { tokensFeature } from "../src/features/tokens/feature.ts";
import { TokenRefresh } from "../src/features/tokens/refresh.ts";
import { vaultsFeature } from "../src/features/vaults/feature.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/db/db.ts";
import { timestampOfSeconds } from "../src/platform/http/time.ts";
import { silentLogger } from "../src/platform/log.ts";
import { buildTestApp } from "./app.ts";
import { as, plainTokenGuard } from "./caller.ts";
import { createTestDatabase } from "./database.ts";
import { type RunningIngest, startIngest } from "./ingest.ts";

export const CHAIN = 31_337;
export const MANAGER = addressOf("primaryManager");
export const SECOND = addressOf("secondaryManager");
export const [ALICE, BOB] = [accountAddress(10), accountAddress(11)];
/** Raw upkeep tokens that an update of a price costs. */
export const UPKEEP_COST = 5n * 10n ** 18n;

export interface VaultChain {
  db: Database;
  chain: DemoChain;
  ingest: RunningIngest;
  system: VaultSystem;
  /** A trio over a token of 6 decimals, and one over 18. */
  trio: Trio;
  idle: Trio;
  /** An ERC-4626 vault whose shares have 6 decimals more than its asset; an ERC-7540 vault. */
  plain: { vault: Address; asset: Address };
  queued: { vault: Address; asset: Address };
  /** A vault for strategies to use. */
  source: Address;
  tokens: { dollar: Address; ether: Address; coin: Address; nameless: Address };
  refresh: TokenRefresh;
  /** Waits until what is stored is what the node says now, every source included. Returns the head's number. */
  caughtUp(): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  get(url: string, wallet?: Address): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  record(vault: Address, wallet?: Address): Promise<any>;
  /** Sends a transaction, the manager's unless told. */
  manage(
    contract: string,
    address: Address,
    functionName: string,
    args: readonly unknown[],
    from?: Address,
  ): Promise<TransactionReceipt>;
  /** A block's time as the API writes it. */
  timeOf(block: bigint | number): Promise<string>;
  close(): Promise<void>;
}

export async function openVaultChain(): Promise<VaultChain> {
  const database = await createTestDatabase();
  const anvil = await startAnvil({ chainId: CHAIN });
  const client = createChainClient({
    chainId: CHAIN,
    name: "test",
    rpcUrls: [anvil.rpcUrl],
    log: silentLogger(),
  });
  const chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const system = await deployAggregator(chain, { upkeepCost: UPKEEP_COST });
  const dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const ether = await deployToken(chain, { name: "Ether", symbol: "ETH", decimals: 18 });
  const coin = await deployBytes32Token(chain, { name: "Old Coin", symbol: "OLD", decimals: 8 });
  const nameless = await deployNamelessToken(chain, 8);
  const terms = { secondaryManagers: [SECOND], minUpdateIntervalSeconds: 1 };
  const trio = await createTrio(chain, system, { asset: dollar, name: "Trio", symbol: "TRI", ...terms });
  const idle = await createTrio(chain, system, { asset: ether, name: "Idle", symbol: "IDL", ...terms });
  const plainOf = (asset: Address, decimalsOffset: number) =>
    deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN", decimalsOffset });
  const plain = { vault: await plainOf(dollar, 6), asset: dollar };
  const queued = {
    vault: await deployAsyncVault(chain, { asset: ether, name: "Queue", symbol: "QUE" }),
    asset: ether,
  };
  const source = await plainOf(dollar, 0);
  const unnamed = await plainOf(nameless, 0);
  const old = await plainOf(coin, 0);
  // A node may give a fast run's blocks one and the same second, and no price is taken twice in a second.
  await passTime(chain, 60);
  const ingest = startIngest(database.db, [
    {
      rpcUrls: [anvil.rpcUrl],
      confirmations: 2,
      sources: [
        { family: "supervault", aggregator: system.aggregator },
        {
          family: "erc4626",
          vaults: [plain.vault, queued.vault, unnamed, old].map((address) => ({
            address,
            primary_manager: null,
          })),
        },
      ],
    },
  ]);
  const tokenParts = {
    notifier: { listen() {} },
    db: database.db,
    clock: systemClock,
    log: silentLogger(),
    readTokens: (_chainId: number, addresses: readonly Address[]) => readTokens(client, addresses, "latest"),
    latestPrices: async (asked: readonly { address: Address }[]) =>
      asked.map(({ address }) =>
        address === dollar
          ? { usdE18: 999_900_000_000_000_000n, updatedAt: 1_700_000_000, source: "chainlink" }
          : { unavailable: "no price source covers this token" },
      ),
    tokenLists: [],
    fetchJson: () => Promise.reject(new Error("no list is configured")),
  };
  const refresh = new TokenRefresh(tokenParts);
  const app = await buildTestApp({
    guard: plainTokenGuard(database.db),
    features: [
      vaultsFeature({
        publicUrl: "https://vaults.example",
        db: database.db,
        clock: systemClock,
        log: silentLogger(),
        notifier: { listen() {} },
        maxAgeMs: 0,
      }),
      tokensFeature(tokenParts),
    ],
  });

  const caughtUp = async (): Promise<number> => {
    const head = await chain.client.getBlock({ blockTag: "latest" });
    for (const deadline = Date.now() + 240_000; Date.now() < deadline; await sleep(20)) {
      const { rows } = await database.db.pool.query<{ is_there: boolean }>(
        `select head_hash = $2 and not exists (select from sources s where s.chain_id = c.chain_id and s.next_block is not null)
         as is_there from chains c where chain_id = $1`,
        [CHAIN, head.hash],
      );
      if (rows[0]?.is_there) return Number(head.number);
    }
    throw new Error(`not at block ${head.number}: ${JSON.stringify(ingest.status())}`);
  };
  await caughtUp();
  const get = async (url: string, wallet = MANAGER) => {
    const response = await app.inject({ method: "GET", url, headers: as(wallet) });
    expect(response.statusCode, response.body).toBe(200);
    return JSON.parse(response.body);
  };
  return {
    db: database.db,
    chain,
    ingest,
    system,
    trio,
    idle,
    plain,
    queued,
    source,
    refresh,
    tokens: { dollar, ether, coin, nameless },
    caughtUp,
    get,
    record: (vault, wallet = MANAGER) => get(`/api/v1/vaults/${CHAIN}/${vault}`, wallet),
    manage: (contract, address, functionName, args, from = MANAGER) =>
      execute(chain, { contract, address, functionName, args, from }),
    async timeOf(block) {
      const { timestamp } = await chain.client.getBlock({ blockNumber: BigInt(block) });
      return timestampOfSeconds(Number(timestamp));
    },
    async close() {
      await app.close();
      await ingest.stop();
      await client.close();
      await anvil.stop();
      await database.drop();
    },
  };
}

/** What the contracts of a trio answer now. */
export function viewsOf({ chain, system }: VaultChain, of: Trio) {
  const call =
    (contract: string, address: Address) =>
    <T>(functionName: string, args: readonly unknown[] = []) =>
      read<T>(chain, { contract, address, functionName, args });
  const aggregator = call("SuperVaultAggregator", system.aggregator);
  return {
    aggregator: <T>(functionName: string) => aggregator<T>(functionName, [of.strategy]),
    strategy: call("SuperVaultStrategy", of.strategy),
    vault: call("SuperVault", of.vault),
  };
}
