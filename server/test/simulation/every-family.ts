// A vault of every family that curators run, on one chain, with a Safe and a timelock at hand that may hold their roles; for tests.
import {
  type Address,
  concat,
  encodeFunctionData,
  getAddress,
  pad,
  slice,
  zeroAddress,
  zeroHash,
} from "viem";
import { addressOf } from "../../../demo/src/accounts.ts";
import { type DemoChain, execute, type Transaction } from "../../../demo/src/chain.ts";
import { artifactOf } from "../../../demo/src/compile.ts";
import { createEulerEarn, createStrategy, deployEuler } from "../../../demo/src/families/euler-earn.ts";
import { createLagoonVault, deployLagoon, type LagoonVault } from "../../../demo/src/families/lagoon.ts";
import {
  createMarket,
  createMetaMorpho,
  deployMorpho,
  type LendingMarket,
} from "../../../demo/src/families/metamorpho.ts";
import {
  createErc4626Adapter,
  createMarketAdapter,
  createMorphoVault,
  deployMorphoSystem,
  submitAndRun,
} from "../../../demo/src/families/morpho-vault-v2.ts";
import {
  ALL_YEARN_ROLES,
  createYearnVault,
  deployYearnFactory,
  deployYearnStrategy,
} from "../../../demo/src/families/yearn-v3.ts";
import type { SourceSettings } from "../../src/ingest/block/settings.ts";
import { type Controllers, deployControllers, SAFE_ABI } from "../controllers.ts";

export const CURATED = ["morpho_vault_v2", "metamorpho", "euler_earn", "lagoon", "yearn_v3"] as const;
export type CuratedFamily = (typeof CURATED)[number];

/** By family the contract, for its ABI. */
export const CONTRACTS: Readonly<Record<CuratedFamily, string>> = {
  morpho_vault_v2: "MorphoVaultV2",
  metamorpho: "MetaMorphoV1_1",
  euler_earn: "EulerEarn",
  lagoon: "LagoonVaultV6",
  yearn_v3: "YearnVault",
};

/** Who manages them at first; the further accounts are whoever roles may go to. */
export const OWNER = addressOf("primaryManager");
export const KEEPER = addressOf("secondaryManager");

export interface EveryFamily {
  chain: DemoChain;
  asset: Address;
  controllers: Controllers;
  safe: Address;
  timelock: Address;
  vaults: Readonly<Record<CuratedFamily, Address>>;
  factories: Readonly<Record<CuratedFamily, Address>>;
  lagoon: LagoonVault;
  /** The code of the vault of Lagoon. */
  implementation: Address;
  /** The proxy admin of the vault of Lagoon. */
  admin: Address;
  /** Of Morpho Vault V2: the first one is added to the vault already. */
  adapters: readonly [Address, Address];
  /** Which made them, and says that they may be added. */
  adapterFactory: Address;
  markets: readonly LendingMarket[];
  /** Of Euler Earn. */
  strategies: readonly Address[];
  yearnStrategies: readonly Address[];
}

const ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";

/** On a node that mines by itself. Nothing waits long, so that what waits comes due within a few blocks. */
export async function deployEveryFamily(chain: DemoChain, asset: Address): Promise<EveryFamily> {
  const controllers = await deployControllers(chain);
  const safe = await controllers.deploySafe([OWNER, KEEPER]);
  const timelock = await controllers.deployTimelock(5, [OWNER]);

  const morpho = await deployMorphoSystem(chain);
  const morphoVault = await createMorphoVault(chain, morpho, { asset, name: "Two", symbol: "TWO" });
  const adapters = [
    await createMarketAdapter(chain, morpho, morphoVault.vault),
    await createErc4626Adapter(
      chain,
      morpho,
      morphoVault.vault,
      await deployYearnStrategy(chain, asset, "Lower"),
    ),
  ] as const;
  const curated = { contract: "MorphoVaultV2", address: morphoVault.vault, curator: OWNER } as const;
  await submitAndRun(chain, curated, "addAdapter", [adapters[0]]);
  await submitAndRun(chain, curated, "setIsAllocator", [OWNER, true]);

  const meta = await deployMorpho(chain);
  const metaVault = await createMetaMorpho(chain, meta, { asset, name: "Meta", symbol: "META" });
  const markets = [
    await createMarket(chain, meta, { loanToken: asset }),
    await createMarket(chain, meta, {
      loanToken: asset,
      collateralToken: asset,
      lltv: 860_000_000_000_000_000n,
    }),
  ];

  const euler = await deployEuler(chain);
  const eulerVault = await createEulerEarn(chain, euler, { asset, name: "Earn", symbol: "EARN" });
  const strategies = [
    await createStrategy(chain, euler, { asset, name: "One", symbol: "eONE" }),
    await createStrategy(chain, euler, { asset, name: "Two", symbol: "eTWO" }),
  ];

  const lagoonSystem = await deployLagoon(chain);
  const lagoon = await createLagoonVault(chain, lagoonSystem, { asset, name: "Lagoon", symbol: "LGN" });
  const slot = await chain.client.getStorageAt({ address: lagoon.vault, slot: ADMIN_SLOT });

  const yearnFactory = await deployYearnFactory(chain);
  const yearn = await createYearnVault(chain, yearnFactory, { asset, name: "Yearn", symbol: "YV" });
  const yearnStrategies = [
    await deployYearnStrategy(chain, asset, "yONE"),
    await deployYearnStrategy(chain, asset, "yTWO"),
  ];
  await execute(chain, {
    contract: "YearnVault",
    address: yearn.vault,
    functionName: "set_role",
    args: [KEEPER, ALL_YEARN_ROLES],
    from: OWNER,
  });

  return {
    chain,
    asset,
    controllers,
    safe,
    timelock,
    vaults: {
      morpho_vault_v2: morphoVault.vault,
      metamorpho: getAddress(metaVault),
      euler_earn: getAddress(eulerVault),
      lagoon: lagoon.vault,
      yearn_v3: yearn.vault,
    },
    factories: {
      morpho_vault_v2: morpho.factory,
      metamorpho: meta.factory,
      euler_earn: euler.factory,
      lagoon: lagoonSystem.factory,
      yearn_v3: yearnFactory,
    },
    lagoon,
    implementation: lagoonSystem.implementations["0.6.0"],
    admin: getAddress(slice(slot!, 12)),
    adapters,
    adapterFactory: morpho.adapterFactory,
    markets,
    strategies,
    yearnStrategies,
  };
}

/** A source for each, by its factory or by its address. */
export function sourceOf(
  { factories, vaults }: Pick<EveryFamily, "factories" | "vaults">,
  family: CuratedFamily,
  isNamed = false,
): SourceSettings {
  return isNamed
    ? { family, factory: null, vaults: [{ address: vaults[family], start_block: null }] }
    : { family, factory: factories[family], vaults: [] };
}

/** The same by whoever holds the role: a Safe has its first owner send it. */
export function heldBy(world: EveryFamily, holder: Address, tx: Omit<Transaction, "from">): SentTransaction {
  const { abi } = artifactOf(world.chain.artifacts, tx.contract);
  const data = encodeFunctionData({ abi, functionName: tx.functionName, args: tx.args ?? [] });
  if (holder !== world.safe) return { from: holder, to: tx.address, data };
  return { from: OWNER, to: world.safe, data: executed(OWNER, tx.address, data) };
}

export interface SentTransaction {
  from: Address;
  to: Address;
  data: `0x${string}`;
}

/** A Safe's execution with the signature of one owner, who sends it himself. */
export function executed(owner: Address, to: Address, data: `0x${string}`): `0x${string}` {
  const signature = concat([pad(owner), zeroHash, "0x01"]);
  return encodeFunctionData({
    abi: SAFE_ABI,
    functionName: "execTransaction",
    args: [to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signature],
  });
}
