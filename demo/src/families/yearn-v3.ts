/** Yearn-shaped vaults: how they are deployed, and what people do with them. */
import type { Address } from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, deploy, execute, read } from "../chain.ts";
import { announced } from "./factory.ts";

interface YearnOptions {
  readonly asset: Address;
  readonly name: string;
  readonly symbol: string;
  readonly roleManager?: Address;
  readonly profitUnlockSeconds?: number;
}

export interface YearnVault {
  readonly vault: Address;
  readonly asset: Address;
  readonly roleManager: Address;
  /** Of the transaction that made it. */
  readonly blockNumber: bigint;
}

/** Every bit of the mask, of which there are fourteen. */
export const ALL_YEARN_ROLES = 2n ** 14n - 1n;

/** The factory, with what its vaults are copies of. */
export async function deployYearnFactory(chain: DemoChain): Promise<Address> {
  return deploy(chain, "YearnFactory", [await deploy(chain, "YearnVault")]);
}

export async function createYearnVault(
  chain: DemoChain,
  factory: Address,
  options: YearnOptions,
): Promise<YearnVault> {
  const roleManager = options.roleManager ?? addressOf("primaryManager");
  const receipt = await execute(chain, {
    contract: "YearnFactory",
    address: factory,
    functionName: "deploy_new_vault",
    args: [
      options.asset,
      options.name,
      options.symbol,
      roleManager,
      BigInt(options.profitUnlockSeconds ?? 0),
    ],
    from: roleManager,
  });
  const vault = announced(chain, receipt, "YearnFactory", "NewVault", "vault_address");
  return { vault, asset: options.asset, roleManager, blockNumber: receipt.blockNumber };
}

/** An ERC-4626 contract that takes debt, and pays no more at once than it is told to. */
export function deployYearnStrategy(chain: DemoChain, asset: Address, name: string): Promise<Address> {
  return deploy(chain, "YearnStrategy", [asset, name]);
}

/** A call of a vault's function by somebody. */
export function callYearn(
  chain: DemoChain,
  { vault }: YearnVault,
  from: Address,
  functionName: string,
  ...args: readonly unknown[]
) {
  return execute(chain, { contract: "YearnVault", address: vault, functionName, args, from });
}

/** A view of a vault, at the latest block or at one given. */
export function readYearn<T>(
  chain: DemoChain,
  { vault }: YearnVault,
  functionName: string,
  args: readonly unknown[] = [],
  blockNumber?: bigint,
): Promise<T> {
  return read<T>(chain, { contract: "YearnVault", address: vault, functionName, args }, blockNumber);
}
