/**
 * The everyday life of the vaults: deposits, redeems, idle assets put to work, yield, upkeep. Each function sends
 * transactions through `submit` and leaves mining to its caller: the history gathers them into blocks, the actors send them live.
 */
import type { Address, Hex } from "viem";
import { addressOf } from "../accounts.ts";
import type { Transaction } from "../chain.ts";
import { ASSETS, type AssetKey, type DeployedTrio, type DeployedVault } from "../deployment.ts";
import type { Random } from "./market.ts";
import {
  type AsyncRow,
  assetsBehind,
  type PlainState,
  type Position,
  type TrioState,
} from "./vault-state.ts";

export interface Flow {
  readonly random: Random;
  readonly submit: (transaction: Transaction) => Promise<unknown>;
}

const KEEPER = addressOf("redeemKeeper");
const DEPLOYER = addressOf("deployer");

// A strategy keeps between these shares of its assets idle, in percent: enough for fees and small redeems.
const IDLE_TARGET_PERCENT = 12n;
const IDLE_MOST_PERCENT = 20n;

/** A deposit as people make them: mostly small, in round numbers, raw units. */
export function chooseDeposit(random: Random, assetKey: AssetKey): bigint {
  const one = 10n ** BigInt(ASSETS[assetKey].decimals);
  const unit =
    assetKey === "usdc" || assetKey === "dai" ? 250n * one : assetKey === "weth" ? one / 4n : one / 100n;
  return unit * BigInt(1 + random.below(random.chance(15) ? 800 : 120));
}

/** Someone deposits into a trio or a plain ERC-4626 vault. */
export async function depositSome(
  flow: Flow,
  target: { vault: Address; assetKey: AssetKey },
  from: Address,
): Promise<void> {
  const args = [chooseDeposit(flow.random, target.assetKey), from];
  await flow.submit({ contract: "SuperVault", address: target.vault, functionName: "deposit", args, from });
}

/** Of those who have shares and nothing pending, up to `most` ask to redeem a part. */
export async function requestSomeRedeems(
  flow: Flow,
  trio: DeployedTrio,
  positions: readonly Position[],
  most: number,
): Promise<number> {
  const able = positions.filter((position) => position.shares > 0n && position.pendingShares === 0n);
  let count = 0;
  for (const { owner, shares } of able.slice(flow.random.below(able.length + 1)).slice(0, most)) {
    const amount = (shares * BigInt(5 + flow.random.below(30))) / 100n;
    if (amount === 0n) continue;
    const args = [amount, owner, owner];
    await flow.submit({
      contract: "SuperVault",
      address: trio.vault,
      functionName: "requestRedeem",
      args,
      from: owner,
    });
    count++;
  }
  return count;
}

/** Fulfils what is pending, taking assets out of yield sources where idle ones do not do. Exact as of the state given. */
export async function fulfillPending(
  flow: Flow,
  trio: DeployedTrio,
  state: TrioState,
  positions: readonly Position[],
): Promise<void> {
  const pending = positions
    .filter((position) => position.pendingShares > 0n)
    .sort((a, b) => (BigInt(a.owner) < BigInt(b.owner) ? -1 : 1));
  if (pending.length === 0) return;
  const total = pending.reduce((sum, position) => sum + position.pendingAssets, 0n);
  const strategy = { contract: "SuperVaultStrategy", address: trio.strategy, from: KEEPER };
  let missing = total - state.idle;
  for (const [index, allocated] of state.allocated.entries()) {
    if (missing <= 0n || allocated === 0n) continue;
    let amount = missing;
    if (allocated < missing) amount = allocated;
    await flow.submit({ ...strategy, functionName: "deallocate", args: [trio.yieldSources[index], amount] });
    missing -= amount;
  }
  if (missing > 0n) await mint(flow, trio.asset, trio.strategy, missing);
  const args = [pending.map((position) => position.owner), pending.map((position) => position.pendingAssets)];
  await flow.submit({ ...strategy, functionName: "fulfillRedeemRequests", args });
}

/** Those whose redeem was fulfilled take their assets. */
export async function claimFulfilled(
  flow: Flow,
  trio: DeployedTrio,
  positions: readonly Position[],
): Promise<void> {
  for (const { owner, claimableAssets } of positions) {
    if (claimableAssets === 0n) continue;
    const args = [claimableAssets, owner, owner];
    await flow.submit({
      contract: "SuperVault",
      address: trio.vault,
      functionName: "withdraw",
      args,
      from: owner,
    });
  }
}

/** Puts idle assets above the target into one of the yield sources in use. */
export async function allocateIdle(flow: Flow, trio: DeployedTrio, state: TrioState): Promise<void> {
  const excess = idleExcess(trio, state);
  if (state.sourcesInUse.length === 0 || excess === 0n) return;
  const args = [flow.random.pick(state.sourcesInUse), excess];
  const allocate = { contract: "SuperVaultStrategy", address: trio.strategy, functionName: "allocate" };
  await flow.submit({ ...allocate, args, from: KEEPER });
}

/** Raw idle assets that should be at work: none until more than a fifth of all is idle. */
export function idleExcess(trio: DeployedTrio, state: TrioState): bigint {
  const behind = assetsBehind(trio, state.totalSupply, state.pps);
  return state.idle * 100n <= behind * IDLE_MOST_PERCENT
    ? 0n
    : state.idle - (behind * IDLE_TARGET_PERCENT) / 100n;
}

/** Makes the assets behind a trio follow its price: yield arrives in its fullest source, a loss is taken from there. */
export async function accrue(flow: Flow, trio: DeployedTrio, state: TrioState): Promise<void> {
  const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
  await yieldInto(flow, trio, state, assetsBehind(trio, state.totalSupply, state.pps) - held);
}

/** Raw assets that arrive in a trio's fullest source, or among its idle assets where it has none; a negative number is lost there. */
export async function yieldInto(
  flow: Flow,
  trio: DeployedTrio,
  state: TrioState,
  difference: bigint,
): Promise<void> {
  const fullest = state.allocated.reduce(
    (best, assets, index) => (assets > (state.allocated[best] ?? 0n) ? index : best),
    0,
  );
  const inSource = state.allocated[fullest] ?? 0n;
  const place = inSource > 0n ? (trio.yieldSources[fullest] ?? trio.strategy) : trio.strategy;
  if (difference > 0n) await mint(flow, trio.asset, place, difference);
  else if (difference < 0n && -difference < inSource) await burn(flow, trio.asset, place, -difference);
}

/** The plain vault: someone deposits or withdraws, and it yields some parts per billion of what it holds. */
export async function movePlainVault(
  flow: Flow,
  vault: DeployedVault,
  state: PlainState,
  holder: Address,
  yieldPpb: bigint,
): Promise<void> {
  const change = (state.totalAssets * yieldPpb) / 1_000_000_000n;
  if (change > 0n) await mint(flow, vault.asset, vault.vault, change);
  if (change < 0n) await burn(flow, vault.asset, vault.vault, -change);
  if (state.withdrawable > 0n && flow.random.chance(30)) {
    const args = [state.withdrawable / BigInt(2 + flow.random.below(6)), holder, holder];
    await flow.submit({
      contract: "Erc4626Vault",
      address: vault.vault,
      functionName: "withdraw",
      args,
      from: holder,
    });
  } else if (flow.random.chance(60)) {
    await depositSome(flow, vault, holder);
  }
}

/** The ERC-7540 vault: claims first, then what is pending is fulfilled by its operator, then perhaps a new request. */
export async function moveAsyncVault(
  flow: Flow,
  vault: DeployedVault,
  rows: readonly AsyncRow[],
  operator: Address,
): Promise<void> {
  for (const claim of claimsOfAsyncVault(vault, rows)) await flow.submit(claim);
  const withDeposit = rows.filter((row) => row.pendingDeposit > 0n).map((row) => row.owner);
  const withRedeem = rows.filter((row) => row.pendingRedeem > 0n).map((row) => row.owner);
  if (withDeposit.length > 0)
    await flow.submit(fulfilOnAsyncVault(vault, "fulfillDeposits", withDeposit, operator));
  if (withRedeem.length > 0)
    await flow.submit(fulfilOnAsyncVault(vault, "fulfillRedeems", withRedeem, operator));
  await requestOnAsyncVault(flow, vault, rows);
}

/** What those whose requests of an ERC-7540 vault were fulfilled do to have their shares or assets. */
export function claimsOfAsyncVault(vault: DeployedVault, rows: readonly AsyncRow[]): Transaction[] {
  const call = { contract: "AsyncVault", address: vault.vault };
  return rows.flatMap(({ owner: from, claimableDeposit, claimableRedeem }) => {
    const args = (amount: bigint) => [amount, from, from];
    return [
      // deposit is overloaded: by way of mint, the claim needs no choosing between the two.
      ...(claimableDeposit > 0n
        ? [{ ...call, functionName: "mint", args: args(claimableDeposit), from }]
        : []),
      ...(claimableRedeem > 0n
        ? [{ ...call, functionName: "redeem", args: args(claimableRedeem), from }]
        : []),
    ];
  });
}

/** The operator's fulfilling of what these controllers have pending in an ERC-7540 vault. */
export function fulfilOnAsyncVault(
  vault: DeployedVault,
  functionName: "fulfillDeposits" | "fulfillRedeems",
  controllers: readonly Address[],
  from: Address,
): Transaction {
  return { contract: "AsyncVault", address: vault.vault, functionName, args: [controllers], from };
}

/** Perhaps someone asks to deposit into, or to redeem from, an ERC-7540 vault. */
export async function requestOnAsyncVault(
  flow: Flow,
  vault: DeployedVault,
  rows: readonly AsyncRow[],
): Promise<void> {
  const call = { contract: "AsyncVault", address: vault.vault };
  const row = flow.random.pick(rows);
  const from = row.owner;
  if (row.shares > 0n && flow.random.chance(30)) {
    const args = [row.shares / 4n, from, from];
    await flow.submit({ ...call, functionName: "requestRedeem", args, from });
  } else if (flow.random.chance(50)) {
    const args = [chooseDeposit(flow.random, vault.assetKey), from, from];
    await flow.submit({ ...call, functionName: "requestDeposit", args, from });
  }
}

/** Mints raw units of a token: yield that arrives somewhere. */
export function mint(flow: Flow, token: Address, to: Address, amount: bigint): Promise<unknown> {
  return flow.submit({
    contract: "Token",
    address: token,
    functionName: "mint",
    args: [to, amount],
    from: DEPLOYER,
  });
}

function burn(flow: Flow, token: Address, from: Address, amount: bigint): Promise<unknown> {
  return flow.submit({
    contract: "Token",
    address: token,
    functionName: "burn",
    args: [from, amount],
    from: DEPLOYER,
  });
}

/** Updates a price feed; `at` in unix seconds. */
export function setFeed(flow: Flow, feed: Address, answer: bigint, at: bigint): Promise<unknown> {
  return flow.submit({
    contract: "PriceFeed",
    address: feed,
    functionName: "set",
    args: [answer, at],
    from: DEPLOYER,
  });
}

/** Pushes prices of several strategies in one transaction; `timestamps` are the oracle's, unix seconds. */
export function pushPrices(
  flow: Flow,
  oracle: Address,
  updates: readonly { readonly strategy: Address; readonly pps: bigint; readonly timestamp: bigint }[],
): Promise<unknown> {
  const args = {
    strategies: updates.map((update) => update.strategy),
    proofsArray: updates.map((): Hex[] => []),
    ppss: updates.map((update) => update.pps),
    timestamps: updates.map((update) => update.timestamp),
  };
  const from = addressOf("ppsKeeper");
  return flow.submit({
    contract: "PPSOracle",
    address: oracle,
    functionName: "updatePPS",
    args: [args],
    from,
  });
}
