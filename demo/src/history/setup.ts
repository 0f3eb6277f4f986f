/** The first blocks of the history: everything that stands once, and money for those who will use it. */
import { type Address, maxUint256 } from "viem";
import { accountAddress, addressOf, depositors } from "../accounts.ts";
import { type DemoChain, deploy, execute } from "../chain.ts";
import {
  createTrio,
  deployAggregator,
  deployAsyncVault,
  deployContractWalletFactory,
  deployErc4626Vault,
  deployPriceFeed,
  deployToken,
  ensureMulticall3,
  type VaultSystem,
} from "../deploy.ts";
import {
  ASSETS,
  type AssetKey,
  type DeployedTrio,
  type DeployedVault,
  TRIOS,
  type TrioKey,
} from "../deployment.ts";
import type { Timeline } from "./timeline.ts";

export interface Foundation {
  readonly system: VaultSystem;
  readonly tokens: Record<AssetKey, Address>;
  readonly feeds: Record<AssetKey, Address>;
  readonly walletFactory: Address;
  readonly plain: DeployedVault;
  readonly async: DeployedVault;
}

/** Raw upkeep tokens that a price update costs. */
export const UPKEEP_COST = 10n ** 18n;

const SOURCE_NAMES = ["Lending Market", "Liquidity Pool", "Treasury Bills"];

/** Who manages each trio when it is made. The redeem keeper is a secondary manager, as fulfilling takes one. */
const FIRST_MANAGERS: Readonly<Record<TrioKey, { primary: Address; secondary: readonly Address[] }>> =
  (() => {
    const keeper = addressOf("redeemKeeper");
    const own = { primary: addressOf("primaryManager"), secondary: [addressOf("secondaryManager"), keeper] };
    const other = { primary: addressOf("otherManager"), secondary: [keeper] };
    const former = { primary: addressOf("formerManager"), secondary: [addressOf("otherManager"), keeper] };
    return {
      prime: own,
      drawdown: own,
      queued: own,
      exiting: own,
      paused: other,
      upkeepShort: other,
      stale: former,
    };
  })();

/** Who pays a trio's upkeep: the one who manages it in the end. */
export function payerOf(key: TrioKey): Address {
  const isOthers = key === "paused" || key === "upkeepShort" || key === "stale";
  return addressOf(isOthers ? "otherManager" : "primaryManager");
}

/** Deploys what is there from the first day. */
export async function layFoundation(chain: DemoChain): Promise<Foundation> {
  await ensureMulticall3(chain);
  const tokens = {} as Record<AssetKey, Address>;
  const feeds = {} as Record<AssetKey, Address>;
  for (const key of Object.keys(ASSETS) as AssetKey[]) {
    const { name, symbol, decimals, usdE8 } = ASSETS[key];
    tokens[key] = await deployToken(chain, { name, symbol, decimals });
    feeds[key] = await deployPriceFeed(chain, { description: `${symbol} / USD`, answer: usdE8 });
  }
  const system = await deployAggregator(chain, { upkeepCost: UPKEEP_COST, treasuryFeeBps: 2000n });
  const walletFactory = await deployContractWalletFactory(chain);
  const plain = await deployPlain(chain, tokens);
  const async = await deployAsync(chain, tokens);
  return { system, tokens, feeds, walletFactory, plain, async };
}

async function deployPlain(chain: DemoChain, tokens: Record<AssetKey, Address>): Promise<DeployedVault> {
  const options = { asset: tokens.usdc, name: "Open USDC Vault", symbol: "ovUSDC", decimalsOffset: 12 };
  const vault = await deployErc4626Vault(chain, options);
  return { vault, asset: tokens.usdc, assetKey: "usdc", blockNumber: await chain.client.getBlockNumber() };
}

async function deployAsync(chain: DemoChain, tokens: Record<AssetKey, Address>): Promise<DeployedVault> {
  const owner = addressOf("formerManager");
  const vault = await deployAsyncVault(chain, {
    asset: tokens.dai,
    name: "Request Dai Vault",
    symbol: "rqDAI",
    owner,
  });
  return { vault, asset: tokens.dai, assetKey: "dai", blockNumber: await chain.client.getBlockNumber() };
}

/** Makes a trio with three yield sources of its own, none of them taken up yet, and lets everyone deposit there. */
export async function raiseTrio(
  chain: DemoChain,
  foundation: Foundation,
  key: TrioKey,
): Promise<DeployedTrio> {
  const { name, symbol, asset: assetKey } = TRIOS[key];
  const asset = foundation.tokens[assetKey];
  const { primary, secondary } = FIRST_MANAGERS[key];
  const trio = await createTrio(chain, foundation.system, {
    asset,
    name,
    symbol,
    primaryManager: primary,
    secondaryManagers: secondary,
    minUpdateIntervalSeconds: 30,
    maxStalenessSeconds: 86_400,
    performanceFeeBps: 1000,
    managementFeeBps: key === "paused" ? 10 : 0,
  });
  const yieldSources: Address[] = [];
  for (const sourceName of SOURCE_NAMES) {
    const args = [asset, `${sourceName} of ${name}`, `s${symbol}`, 0, addressOf("deployer")];
    yieldSources.push(await deploy(chain, "Erc4626Vault", args));
  }
  return { ...trio, name, assetKey, yieldSources };
}

/** Gives every depositor plenty of each asset, and the keepers and managers upkeep tokens: one block. */
export async function fundEveryone(timeline: Timeline, foundation: Foundation, time: number): Promise<void> {
  const from = addressOf("deployer");
  const mint = (token: Address, to: Address, amount: bigint) =>
    timeline.queue({ contract: "Token", address: token, functionName: "mint", args: [to, amount], from });
  for (const key of Object.keys(ASSETS) as AssetKey[]) {
    const amount =
      10n ** BigInt(ASSETS[key].decimals) * (key === "usdc" || key === "dai" ? 50_000_000n : 20_000n);
    for (const depositor of depositors()) await mint(foundation.tokens[key], depositor, amount);
  }
  for (const manager of [0, 4])
    await mint(foundation.system.upkeepToken, accountAddress(manager), UPKEEP_COST * 10_000_000n);
  for (const manager of [0, 4]) {
    const args = [foundation.system.aggregator, maxUint256];
    const token = foundation.system.upkeepToken;
    await timeline.queue({
      contract: "Token",
      address: token,
      functionName: "approve",
      args,
      from: accountAddress(manager),
    });
  }
  for (const vault of [foundation.plain, foundation.async]) await approveAll(timeline, vault);
  await timeline.flush(time);
}

/** Lets a vault take any amount of its asset from every depositor; queued, not mined. */
export async function approveAll(
  timeline: Timeline,
  vault: { vault: Address; asset: Address },
): Promise<void> {
  for (const from of depositors()) {
    const args = [vault.vault, maxUint256];
    await timeline.queue({ contract: "Token", address: vault.asset, functionName: "approve", args, from });
  }
}

/** First upkeep and first yield source of a new trio. */
export async function openTrio(
  chain: DemoChain,
  foundation: Foundation,
  key: TrioKey,
  trio: DeployedTrio,
): Promise<void> {
  const { aggregator, yieldSourceOracle } = foundation.system;
  const upkeep = {
    contract: "SuperVaultAggregator",
    address: aggregator,
    functionName: "depositUpkeep",
    from: payerOf(key),
  };
  await execute(chain, { ...upkeep, args: [trio.strategy, UPKEEP_COST * 100n] });
  const source = {
    contract: "SuperVaultStrategy",
    address: trio.strategy,
    functionName: "manageYieldSource",
  };
  await execute(chain, {
    ...source,
    args: [trio.yieldSources[0], yieldSourceOracle, 0],
    from: FIRST_MANAGERS[key].primary,
  });
}
