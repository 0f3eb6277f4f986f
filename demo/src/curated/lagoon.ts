/** The demo's vault of Lagoon shape: deposits and redemptions are asked for, valued by one account and settled by a Safe. */
import type { Address } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import type { DemoChain, Transaction } from "../chain.ts";
import { CURATED, type DeployedVault } from "../deployment.ts";
import { callTo } from "../families/controllers.ts";
import { createLagoonVault, deployLagoon, requestLagoonDeposit } from "../families/lagoon.ts";
import { byDesk, executeAll } from "./council.ts";
import type { Grounds } from "./grounds.ts";

export interface DemoLagoonVault extends DeployedVault {
  readonly factory: Address;
  readonly safe: Address;
}

const CONTRACT = "LagoonVaultV6";
const USDC = 1_000_000n;
const VALUER = addressOf("ppsKeeper");

export async function raiseLagoon(chain: DemoChain, { tokens, desk }: Grounds): Promise<DemoLagoonVault> {
  const { name, symbol, asset: assetKey } = CURATED.lagoon;
  const asset = tokens[assetKey];
  const system = await deployLagoon(chain);
  const made = await createLagoonVault(chain, system, {
    asset,
    name,
    symbol,
    safe: desk,
    managementFeeBps: 100,
    performanceFeeBps: 1_000,
  });
  const { vault, blockNumber } = made;
  const raised = { vault, asset, assetKey, blockNumber, factory: system.factory, safe: desk };
  // What is settled moves between the Safe and the vault.
  const approval = callTo(chain, "Token", asset, "approve", [vault, 2n ** 256n - 1n]);
  await executeAll(chain, await byDesk(chain, { desk }, approval));
  const [first, second] = depositors() as [Address, Address];
  await requestLagoonDeposit(chain, made, first, 1_500_000n * USDC);
  await requestLagoonDeposit(chain, made, second, 1_000_000n * USDC);
  await executeAll(chain, await settlement(chain, raised, 0n));
  return raised;
}

/** The vault is valued at so much; the Safe settles what was asked for, and hands out what came of it. */
export async function settlement(
  chain: DemoChain,
  { vault, safe }: DemoLagoonVault,
  totalAssets: bigint,
): Promise<readonly Transaction[]> {
  const calls = [
    callTo(chain, CONTRACT, vault, "settleDeposit", [totalAssets]),
    callTo(chain, CONTRACT, vault, "claimSharesOnBehalf", [depositors()]),
    callTo(chain, CONTRACT, vault, "claimAssetsOnBehalf", [depositors()]),
  ];
  const valuation = { contract: CONTRACT, address: vault, functionName: "updateNewTotalAssets" };
  const bySafe = await Promise.all(calls.map((call) => byDesk(chain, { desk: safe }, call)));
  return [{ ...valuation, args: [totalAssets], from: VALUER }, ...bySafe.flat()];
}

export function askToDeposit({ vault }: DemoLagoonVault, from: Address, assets: bigint): Transaction {
  const args = [assets, from, from];
  return { contract: CONTRACT, address: vault, functionName: "requestDeposit", args, from };
}

export function askToRedeem({ vault }: DemoLagoonVault, from: Address, shares: bigint): Transaction {
  const args = [shares, from, from];
  return { contract: CONTRACT, address: vault, functionName: "requestRedeem", args, from };
}
