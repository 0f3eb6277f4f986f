/** Lagoon-shaped vaults: how they are deployed, and what people do with them. */
import { type Address, encodeFunctionData, type Hex } from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, deploy, execute, read } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import { announced } from "./factory.ts";

type LagoonVersion = "0.5.1" | "0.6.0";

export interface LagoonSystem {
  readonly factory: Address;
  readonly beaconFactory: Address;
  readonly implementations: Readonly<Record<LagoonVersion, Address>>;
}

export interface LagoonOptions {
  readonly version?: LagoonVersion;
  readonly asset: Address;
  readonly name: string;
  readonly symbol: string;
  readonly owner?: Address;
  readonly safe?: Address;
  readonly valuationManager?: Address;
  readonly whitelistManager?: Address;
  readonly feeReceiver?: Address;
  readonly securityCouncil?: Address;
  readonly superOperator?: Address;
  readonly adminOwner?: Address;
  readonly upgradeDelaySeconds?: number;
  readonly managementFeeBps?: number;
  readonly performanceFeeBps?: number;
  readonly exitFeeBps?: number;
  readonly haircutBps?: number;
  readonly rateCooldownSeconds?: number;
  readonly isWhitelist?: boolean;
  readonly initialTotalAssets?: bigint;
  readonly isBeacon?: boolean;
}

export interface LagoonVault {
  readonly vault: Address;
  readonly asset: Address;
  readonly safe: Address;
  readonly valuationManager: Address;
  readonly version: LagoonVersion;
  /** Name of the contract, for its ABI. */
  readonly contract: "LagoonVaultV5" | "LagoonVaultV6";
  /** Of the transaction that made it. */
  readonly blockNumber: bigint;
}

const CONTRACTS = { "0.5.1": "LagoonVaultV5", "0.6.0": "LagoonVaultV6" } as const;
const ZERO: Address = "0x0000000000000000000000000000000000000000";
const DAY_SECONDS = 86_400;

/** Both implementations, and a factory of each kind. The beacon's vaults begin as 0.5.1. */
export async function deployLagoon(chain: DemoChain): Promise<LagoonSystem> {
  const init = await deploy(chain, "LagoonInit");
  const implementations = {
    "0.5.1": await deploy(chain, "LagoonVaultV5", [init]),
    "0.6.0": await deploy(chain, "LagoonVaultV6", [init]),
  };
  const owner = addressOf("deployer");
  return {
    implementations,
    factory: await deploy(chain, "LagoonFactory"),
    beaconFactory: await deploy(chain, "LagoonBeaconFactory", [implementations["0.5.1"], owner]),
  };
}

/** A vault behind its proxy, made through the factory. The Safe, where it is an account of the node, lets the vault take assets. */
export async function createLagoonVault(
  chain: DemoChain,
  system: LagoonSystem,
  options: LagoonOptions,
): Promise<LagoonVault> {
  const version = options.version ?? "0.6.0";
  const contract = CONTRACTS[version];
  const owner = options.owner ?? addressOf("primaryManager");
  const safe = options.safe ?? addressOf("secondaryManager");
  const valuationManager = options.valuationManager ?? addressOf("ppsKeeper");
  const settings = {
    asset: options.asset,
    name: options.name,
    symbol: options.symbol,
    owner,
    seats: {
      whitelistManager: options.whitelistManager ?? addressOf("otherManager"),
      feeReceiver: options.feeReceiver ?? addressOf("feeRecipient"),
      safe,
      feeRegistry: ZERO,
      valuationManager,
      securityCouncil: options.securityCouncil ?? (version === "0.6.0" ? addressOf("formerManager") : ZERO),
      superOperator: options.superOperator ?? ZERO,
    },
    rates: {
      managementRate: options.managementFeeBps ?? 0,
      performanceRate: options.performanceFeeBps ?? 0,
      entryRate: 0,
      exitRate: options.exitFeeBps ?? 0,
      haircutRate: options.haircutBps ?? 0,
    },
    isWhitelist: options.isWhitelist ?? false,
    rateCooldown: BigInt(options.rateCooldownSeconds ?? 0),
    initialTotalAssets: options.initialTotalAssets ?? 0n,
    allowsMarkReset: true,
  };
  const { abi } = artifactOf(chain.artifacts, contract);
  const data: Hex = encodeFunctionData({ abi, functionName: "initialize", args: [settings] });
  const delay = BigInt(options.upgradeDelaySeconds ?? DAY_SECONDS);
  const receipt = await execute(chain, {
    from: owner,
    functionName: "createVaultProxy",
    ...(options.isBeacon
      ? { contract: "LagoonBeaconFactory", address: system.beaconFactory, args: [data] }
      : {
          contract: "LagoonFactory",
          address: system.factory,
          args: [system.implementations[version], options.adminOwner ?? owner, delay, data],
        }),
  });
  const vault = options.isBeacon
    ? announced(chain, receipt, "LagoonBeaconFactory", "BeaconProxyDeployed", "proxy")
    : announced(chain, receipt, "LagoonFactory", "ProxyDeployed", "proxy");
  const code = await chain.client.getCode({ address: safe });
  if (code === undefined || code === "0x") {
    await execute(chain, {
      contract: "Token",
      address: options.asset,
      functionName: "approve",
      args: [vault, 2n ** 256n - 1n],
      from: safe,
    });
  }
  return {
    vault,
    asset: options.asset,
    safe,
    valuationManager,
    version,
    contract,
    blockNumber: receipt.blockNumber,
  };
}

/** A call of a vault's function by somebody. */
export function callLagoon(
  chain: DemoChain,
  { vault, contract }: LagoonVault,
  from: Address,
  functionName: string,
  ...args: readonly unknown[]
) {
  return execute(chain, { contract, address: vault, functionName, args, from });
}

/** Mints assets to somebody and requests their deposit. */
export async function requestLagoonDeposit(
  chain: DemoChain,
  vault: LagoonVault,
  from: Address,
  assets: bigint,
) {
  await giveAssets(chain, vault, from, assets);
  return callLagoon(chain, vault, from, "requestDeposit", assets, from, from);
}

/** Mints assets to somebody, who lets the vault take them. */
export async function giveAssets(
  chain: DemoChain,
  { vault, asset }: LagoonVault,
  to: Address,
  assets: bigint,
): Promise<void> {
  const token = { contract: "Token", address: asset };
  await execute(chain, { ...token, functionName: "mint", args: [to, assets], from: addressOf("deployer") });
  await execute(chain, { ...token, functionName: "approve", args: [vault, assets], from: to });
}

/** Total assets are proposed, and settled at that by the Safe: deposits and redemptions. */
export async function settleLagoon(chain: DemoChain, vault: LagoonVault, totalAssets: bigint) {
  await callLagoon(chain, vault, vault.valuationManager, "updateNewTotalAssets", totalAssets);
  return callLagoon(chain, vault, vault.safe, "settleDeposit", totalAssets);
}

/** A view of a vault, at the latest block or at one given. */
export function readLagoon<T>(
  chain: DemoChain,
  { vault, contract }: LagoonVault,
  functionName: string,
  args: readonly unknown[] = [],
  blockNumber?: bigint,
): Promise<T> {
  return read<T>(chain, { contract, address: vault, functionName, args }, blockNumber);
}
