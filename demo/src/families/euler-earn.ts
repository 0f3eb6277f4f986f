/** Deploys curated vaults over ERC-4626 strategies in the shape of Euler Earn, with the connector through which accounts may act. */
import type { Address } from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, deploy, execute } from "../chain.ts";
import { type CuratedVaultOptions, createCurated } from "./factory.ts";

/** What stands once for all vaults. */
export interface EulerSystem {
  readonly connector: Address;
  /** Says which strategies may be given caps. */
  readonly perspective: Address;
  readonly factory: Address;
  readonly publicAllocator: Address;
}

export async function deployEuler(chain: DemoChain): Promise<EulerSystem> {
  const connector = await deploy(chain, "VaultConnector");
  const perspective = await deploy(chain, "StrategyList");
  const factory = await deploy(chain, "EulerEarnFactory", [connector, perspective]);
  const publicAllocator = await deploy(chain, "EulerEarnPublicAllocator");
  return { connector, perspective, factory, publicAllocator };
}

/** A strategy that may be given caps from the start. */
export async function createStrategy(
  chain: DemoChain,
  system: EulerSystem,
  options: { readonly asset: Address; readonly name: string; readonly symbol: string },
): Promise<Address> {
  const strategy = await deploy(chain, "LendingStrategy", [options.asset, options.name, options.symbol]);
  await verifyStrategy(chain, system, strategy, true);
  return strategy;
}

export async function verifyStrategy(
  chain: DemoChain,
  system: EulerSystem,
  strategy: Address,
  isVerified: boolean,
): Promise<void> {
  await execute(chain, {
    contract: "StrategyList",
    address: system.perspective,
    functionName: "verify",
    args: [strategy, isVerified],
    from: addressOf("deployer"),
  });
}

/** Through the factory, as `from`. */
export function createEulerEarn(
  chain: DemoChain,
  system: EulerSystem,
  options: CuratedVaultOptions,
  from: Address = addressOf("deployer"),
): Promise<Address> {
  const factory = { contract: "EulerEarnFactory", address: system.factory, kind: "eulerEarn" };
  return createCurated(chain, factory, options, from);
}
