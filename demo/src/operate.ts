/** What people and keepers do with vaults, each a few transactions; used by the history, the actors and tests. */
import type { Address, TransactionReceipt } from "viem";
import { addressOf } from "./accounts.ts";
import { type DemoChain, execute, now, read } from "./chain.ts";
import type { Trio, VaultSystem } from "./deploy.ts";
import type { TrioKey } from "./deployment.ts";

export interface PpsUpdate {
  readonly strategy: Address;
  /** Raw asset units per whole share. */
  readonly pps: bigint;
  /** Unix seconds at which the price was taken; the time of the latest block where left out. */
  readonly timestamp?: bigint;
}

/** Pushes prices through the oracle in one transaction; what the aggregator refuses is in the receipt's logs. */
export async function pushPps(
  chain: DemoChain,
  system: VaultSystem,
  updates: readonly PpsUpdate[],
  from: Address = addressOf("ppsKeeper"),
): Promise<TransactionReceipt> {
  const time = await now(chain);
  const args = {
    strategies: updates.map((update) => update.strategy),
    proofsArray: updates.map(() => []),
    ppss: updates.map((update) => update.pps),
    timestamps: updates.map((update) => update.timestamp ?? time),
  };
  return execute(chain, {
    contract: "PPSOracle",
    address: system.oracle,
    functionName: "updatePPS",
    args: [args],
    from,
  });
}

/** Mints raw units of a token to someone. */
export function mintTokens(
  chain: DemoChain,
  token: Address,
  to: Address,
  amount: bigint,
): Promise<TransactionReceipt> {
  const from = addressOf("deployer");
  return execute(chain, {
    contract: "Token",
    address: token,
    functionName: "mint",
    args: [to, amount],
    from,
  });
}

/** Mints `assets` for the depositor, approves and deposits them; for trios and plain ERC-4626 vaults alike. */
export async function depositAssets(
  chain: DemoChain,
  vault: { readonly vault: Address; readonly asset: Address },
  from: Address,
  assets: bigint,
): Promise<TransactionReceipt> {
  await mintTokens(chain, vault.asset, from, assets);
  const approve = {
    contract: "Token",
    address: vault.asset,
    functionName: "approve",
    args: [vault.vault, assets],
  };
  await execute(chain, { ...approve, from });
  const deposit = {
    contract: "Erc4626Vault",
    address: vault.vault,
    functionName: "deposit",
    args: [assets, from],
  };
  return execute(chain, { ...deposit, from });
}

/** Pays upkeep tokens in for a strategy. */
export async function payUpkeep(
  chain: DemoChain,
  system: VaultSystem,
  strategy: Address,
  amount: bigint,
  from: Address = addressOf("primaryManager"),
): Promise<TransactionReceipt> {
  const { upkeepToken, aggregator } = system;
  await mintTokens(chain, upkeepToken, from, amount);
  const approve = {
    contract: "Token",
    address: upkeepToken,
    functionName: "approve",
    args: [aggregator, amount],
  };
  await execute(chain, { ...approve, from });
  const args = [strategy, amount];
  return execute(chain, {
    contract: "SuperVaultAggregator",
    address: aggregator,
    functionName: "depositUpkeep",
    args,
    from,
  });
}

/** Asks to redeem shares; they wait in the escrow until fulfilled. */
export function requestRedeem(
  chain: DemoChain,
  trio: Trio,
  from: Address,
  shares: bigint,
): Promise<TransactionReceipt> {
  const args = [shares, from, from];
  return execute(chain, {
    contract: "SuperVault",
    address: trio.vault,
    functionName: "requestRedeem",
    args,
    from,
  });
}

/** Fulfils the pending requests of these controllers at the current price. The strategy must hold the assets. */
export async function fulfillRedeems(
  chain: DemoChain,
  trio: Trio,
  controllers: readonly Address[],
  from: Address = addressOf("primaryManager"),
): Promise<TransactionReceipt> {
  const sorted = [...controllers].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const assets: bigint[] = [];
  for (const controller of sorted) {
    const preview = {
      contract: "SuperVaultStrategy",
      address: trio.strategy,
      functionName: "previewExactRedeem",
    };
    const [, most] = await read<readonly [bigint, bigint, bigint]>(chain, { ...preview, args: [controller] });
    assets.push(most);
  }
  const args = [sorted, assets];
  const fulfill = {
    contract: "SuperVaultStrategy",
    address: trio.strategy,
    functionName: "fulfillRedeemRequests",
  };
  return execute(chain, { ...fulfill, args, from });
}

/** Claims everything that is claimable for a controller: the Withdraw of a fulfilled request. */
export async function claimRedeem(
  chain: DemoChain,
  vault: Address,
  from: Address,
): Promise<TransactionReceipt> {
  const assets = await read<bigint>(chain, {
    contract: "SuperVault",
    address: vault,
    functionName: "maxWithdraw",
    args: [from],
  });
  const args = [assets, from, from];
  return execute(chain, { contract: "SuperVault", address: vault, functionName: "withdraw", args, from });
}

/** What trios stand on, and where each is. */
interface DeployedTrios {
  readonly system: VaultSystem;
  readonly trios: Readonly<Record<TrioKey, Trio>>;
}

/** What the aggregator says of a trio's strategy. */
export function viewOfTrio<T>(
  { chain, deployment }: { readonly chain: DemoChain; readonly deployment: DeployedTrios },
  key: TrioKey,
  functionName: string,
): Promise<T> {
  const args = [deployment.trios[key].strategy];
  const address = deployment.system.aggregator;
  return read<T>(chain, { contract: "SuperVaultAggregator", address, functionName, args });
}
