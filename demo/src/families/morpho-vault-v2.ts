/** Vaults in the shape of Morpho Vault V2, with their adapters and the lending markets below; each step is a transaction or two. */
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  type TransactionReceipt,
} from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, deploy, execute } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import { announced } from "./factory.ts";

/** One for all vaults. */
export interface MorphoSystem {
  readonly factory: Address;
  readonly adapterFactory: Address;
  readonly markets: Address;
}

export interface MorphoMarket {
  readonly loanToken: Address;
  readonly collateralToken: Address;
  readonly oracle: Address;
  readonly irm: Address;
  readonly lltv: bigint;
}

export interface MorphoVault {
  readonly vault: Address;
  readonly asset: Address;
  readonly owner: Address;
  readonly curator: Address;
}

/** A contract with timelocks: the vault, or one of its market adapters. */
export interface Timelocked {
  readonly contract: "MorphoVaultV2" | "MorphoMarketAdapter";
  readonly address: Address;
  readonly curator: Address;
}

const MARKET_PARAMS = parseAbiParameters(
  "(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv)",
);
const NAMED = parseAbiParameters("string, address");

export async function deployMorphoSystem(chain: DemoChain): Promise<MorphoSystem> {
  return {
    factory: await deploy(chain, "MorphoVaultV2Factory"),
    adapterFactory: await deploy(chain, "MorphoAdapterFactory"),
    markets: await deploy(chain, "MorphoMarkets"),
  };
}

/** A vault with a curator and a name; its timelocks are zero, so that it can be set up at once. */
export async function createMorphoVault(
  chain: DemoChain,
  system: MorphoSystem,
  options: {
    readonly asset: Address;
    readonly name: string;
    readonly symbol: string;
    readonly owner?: Address;
    readonly curator?: Address;
    readonly salt?: Hex;
  },
): Promise<MorphoVault> {
  const owner = options.owner ?? addressOf("primaryManager");
  const curator = options.curator ?? owner;
  const receipt = await execute(chain, {
    contract: "MorphoVaultV2Factory",
    address: system.factory,
    functionName: "createVaultV2",
    args: [
      owner,
      options.asset,
      options.salt ?? keccak256(encodeAbiParameters(parseAbiParameters("string"), [options.name])),
    ],
    from: owner,
    gas: 8_000_000n,
  });
  const vault = announced(chain, receipt, "MorphoVaultV2Factory", "CreateVaultV2", "newVaultV2");
  const calls = [
    ["setCurator", [curator]],
    ["setName", [options.name]],
    ["setSymbol", [options.symbol]],
  ] as const;
  for (const [functionName, args] of calls) {
    await execute(chain, { contract: "MorphoVaultV2", address: vault, functionName, args, from: owner });
  }
  return { vault, asset: options.asset, owner, curator };
}

/** An adapter for lending markets, with timelocks of its own; it is not added to the vault yet. */
export async function createMarketAdapter(
  chain: DemoChain,
  system: MorphoSystem,
  vault: Address,
): Promise<Address> {
  const receipt = await execute(chain, {
    contract: "MorphoAdapterFactory",
    address: system.adapterFactory,
    functionName: "createMarketAdapter",
    args: [vault, system.markets],
    from: addressOf("deployer"),
  });
  return announced(chain, receipt, "MorphoAdapterFactory", "CreateMorphoMarketV1AdapterV2", "adapter");
}

/** An adapter for one ERC-4626 vault; it is not added to the vault yet. */
export async function createErc4626Adapter(
  chain: DemoChain,
  system: MorphoSystem,
  vault: Address,
  target: Address,
): Promise<Address> {
  const receipt = await execute(chain, {
    contract: "MorphoAdapterFactory",
    address: system.adapterFactory,
    functionName: "createErc4626Adapter",
    args: [vault, target],
    from: addressOf("deployer"),
  });
  return announced(chain, receipt, "MorphoAdapterFactory", "CreateMorphoVaultV1Adapter", "adapter");
}

/** The very bytes that are submitted, and sent once they have waited. */
export function callOf(
  chain: DemoChain,
  contract: Timelocked["contract"],
  functionName: string,
  args: readonly unknown[],
): Hex {
  return encodeFunctionData({ abi: artifactOf(chain.artifacts, contract).abi, functionName, args });
}

export function submit(chain: DemoChain, to: Timelocked, data: Hex): Promise<TransactionReceipt> {
  const { contract, address, curator } = to;
  return execute(chain, { contract, address, functionName: "submit", args: [data], from: curator });
}

/** Submits a call and sends it: as fast as it goes where its timelock is zero. */
export async function submitAndRun(
  chain: DemoChain,
  to: Timelocked,
  functionName: string,
  args: readonly unknown[],
  from: Address = to.curator,
): Promise<TransactionReceipt> {
  const { contract, address } = to;
  await submit(chain, to, callOf(chain, contract, functionName, args));
  return await execute(chain, { contract, address, functionName, args, from });
}

/** Bytes of an id of caps, and what they stand for. */
export const idData = {
  adapter: (adapter: Address) => encodeAbiParameters(NAMED, ["this", adapter]),
  collateral: (token: Address) => encodeAbiParameters(NAMED, ["collateralToken", token]),
  market: (adapter: Address, market: MorphoMarket) =>
    encodeAbiParameters([...NAMED, ...MARKET_PARAMS], ["this/marketParams", adapter, market]),
};

/** What an adapter for lending markets takes as its data; its hash is the market's id. */
export function marketData(market: MorphoMarket): Hex {
  return encodeAbiParameters(MARKET_PARAMS, [market]);
}
