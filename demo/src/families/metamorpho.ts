/** Deploys lending markets and curated vaults over them, in the shape of Morpho Blue and MetaMorpho. */
import { type Address, encodeAbiParameters, type Hex, keccak256, zeroAddress } from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, deploy, execute } from "../chain.ts";
import { type CuratedVaultOptions, createCurated, creationArguments } from "./factory.ts";

export interface MarketParams {
  readonly loanToken: Address;
  readonly collateralToken: Address;
  readonly oracle: Address;
  readonly irm: Address;
  readonly lltv: bigint;
}

export interface LendingMarket {
  readonly id: Hex;
  readonly params: MarketParams;
}

/** What stands once for all markets and vaults. */
export interface MorphoSystem {
  readonly markets: Address;
  readonly rateModel: Address;
  /** Of vaults of version 1.1. */
  readonly factory: Address;
  readonly publicAllocator: Address;
}

/** `ratePerSecond` is what borrowers of every market pay, × 10^18. */
export async function deployMorpho(chain: DemoChain, ratePerSecond = 0n): Promise<MorphoSystem> {
  const markets = await deploy(chain, "LendingMarkets", [addressOf("treasury")]);
  const rateModel = await deploy(chain, "RateModel", [ratePerSecond]);
  const factory = await deploy(chain, "MetaMorphoV1_1Factory", [markets]);
  const publicAllocator = await deploy(chain, "MetaMorphoPublicAllocator");
  return { markets, rateModel, factory, publicAllocator };
}

/** A market without a collateral token is one that nobody borrows from. */
export async function createMarket(
  chain: DemoChain,
  system: MorphoSystem,
  options: { readonly loanToken: Address; readonly collateralToken?: Address; readonly lltv?: bigint },
): Promise<LendingMarket> {
  const collateralToken = options.collateralToken ?? zeroAddress;
  const params: MarketParams = {
    loanToken: options.loanToken,
    collateralToken,
    oracle: zeroAddress,
    irm: collateralToken === zeroAddress ? zeroAddress : system.rateModel,
    lltv: options.lltv ?? 0n,
  };
  await execute(chain, {
    contract: "LendingMarkets",
    address: system.markets,
    functionName: "createMarket",
    args: [params],
    from: addressOf("deployer"),
  });
  return { id: marketId(params), params };
}

/** Through the factory, as `from`. */
export function createMetaMorpho(
  chain: DemoChain,
  system: MorphoSystem,
  options: CuratedVaultOptions,
  from: Address = addressOf("deployer"),
): Promise<Address> {
  const factory = { contract: "MetaMorphoV1_1Factory", address: system.factory, kind: "metaMorpho" };
  return createCurated(chain, factory, options, from);
}

/** A vault of version 1.0, of no factory. Its timelock is a day at least. */
export function deployMetaMorphoV1(
  chain: DemoChain,
  system: MorphoSystem,
  options: CuratedVaultOptions,
): Promise<Address> {
  const [owner, timelock, ...rest] = creationArguments(options);
  return deploy(chain, "MetaMorpho", [owner, system.markets, timelock, ...rest]);
}

function marketId(params: MarketParams): Hex {
  const { loanToken, collateralToken, oracle, irm, lltv } = params;
  const types = ["address", "address", "address", "address", "uint256"].map((type) => ({ type }));
  return keccak256(encodeAbiParameters(types, [loanToken, collateralToken, oracle, irm, lltv]));
}
