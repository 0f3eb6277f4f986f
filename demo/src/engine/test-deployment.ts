/** A small demo chain for tests: every vault of the deployment, with deposits and upkeep, and no history. */
import { maxUint256 } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { type Anvil, startAnvil } from "../anvil.ts";
import { connectChain, type DemoChain, execute, read } from "../chain.ts";
import { raiseCurated } from "../curated/raise.ts";
import {
  ASSETS,
  type AssetKey,
  DEMO_CHAIN_ID,
  type DeployedTrio,
  LIVE_TRIOS,
  TRIO_KEYS,
  type TrioKey,
} from "../deployment.ts";
import { layFoundation, openTrio, payerOf, raiseTrio, UPKEEP_COST } from "../history/setup.ts";
import { depositAssets } from "../operate.ts";
import { type DemoDeployment, FORMAT_VERSION } from "../saved/deployment.ts";

export interface SmallChain {
  readonly node: Anvil;
  readonly chain: DemoChain;
  readonly deployment: DemoDeployment;
}

/** Starts a node that mines each transaction at once, and deploys on it. */
export async function startSmallChain(): Promise<SmallChain> {
  const node = await startAnvil({ chainId: DEMO_CHAIN_ID });
  const connected = await connectChain(node.rpcUrl);
  const chain: DemoChain = { ...connected, isScripted: true };
  const startTimestamp = Math.floor(Date.now() / 1000) - 60 * 86_400;
  const foundation = await layFoundation(chain);
  for (const manager of [addressOf("primaryManager"), addressOf("otherManager")])
    await fundUpkeep(chain, foundation.system, manager);
  const trios = {} as Record<TrioKey, DeployedTrio>;
  for (const key of TRIO_KEYS) {
    trios[key] = await raiseTrio(chain, foundation, key);
    await openTrio(chain, foundation, key, trios[key]);
  }
  const { system, tokens, feeds, walletFactory, plain, async } = foundation;
  for (const key of LIVE_TRIOS) await fill(chain, trios[key], key, system);
  await openAsync(chain, async.vault);
  const curated = await raiseCurated(chain, foundation);
  return {
    node,
    chain: connected,
    deployment: {
      formatVersion: FORMAT_VERSION,
      chainId: chain.chainId,
      startTimestamp,
      system,
      tokens,
      feeds,
      walletFactory,
      trios,
      plain,
      async,
      curated,
    },
  };
}

/** Raw units of so many whole tokens. */
export function units(asset: AssetKey, whole: bigint): bigint {
  return whole * 10n ** BigInt(ASSETS[asset].decimals);
}

async function fundUpkeep(
  chain: DemoChain,
  { upkeepToken, aggregator }: DemoDeployment["system"],
  from: `0x${string}`,
): Promise<void> {
  const token = { contract: "Token", address: upkeepToken, from };
  await execute(chain, { ...token, functionName: "mint", args: [from, UPKEEP_COST * 1_000_000n] });
  await execute(chain, { ...token, functionName: "approve", args: [aggregator, maxUint256] });
}

/** Two depositors, a second yield source, and upkeep that lasts. */
async function fill(
  chain: DemoChain,
  trio: DeployedTrio,
  key: TrioKey,
  system: DemoDeployment["system"],
): Promise<void> {
  const [first, second] = depositors();
  for (const depositor of [first, second])
    if (depositor) await depositAssets(chain, trio, depositor, units(trio.assetKey, 1000n));
  const from = payerOf(key);
  await execute(chain, {
    contract: "SuperVaultStrategy",
    address: trio.strategy,
    functionName: "manageYieldSource",
    args: [trio.yieldSources[1], system.yieldSourceOracle, 0],
    from,
  });
  await execute(chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName: "depositUpkeep",
    args: [trio.strategy, UPKEEP_COST * 5_000n],
    from,
  });
}

/** The keeper may fulfil requests there. */
async function openAsync(chain: DemoChain, address: `0x${string}`): Promise<void> {
  const from = addressOf("formerManager");
  const call = { contract: "AsyncVault", address };
  const role = await read(chain, { ...call, functionName: "OPERATOR_ROLE" });
  await execute(chain, {
    ...call,
    functionName: "grantRole",
    args: [role, addressOf("redeemKeeper")],
    from,
  });
}
