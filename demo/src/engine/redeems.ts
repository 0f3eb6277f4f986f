/**
 * Redemptions: the queue is looked over, what is due is paid out of idle assets or out of yield sources, those who were paid
 * claim, and requests that were taken back are cleaned up. A payout is an intent, and an execution of its own.
 */
import { randomUUID } from "node:crypto";
import type { Address, Hash } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import * as flows from "../actors/flows.ts";
import { type Position, readAsyncRows, readPositions, type TrioState } from "../actors/vault-state.ts";
import { read, type Transaction } from "../chain.ts";
import type { DeployedTrio, TrioKey } from "../deployment.ts";
import { type EngineContext, gather, readTrio, vaultIdOf } from "./engine-context.ts";
import { faultOf } from "./fault.ts";
import { deallocation, onStrategy, pursue, type Step } from "./intents.ts";
import { eventOf, transact, transactAll } from "./transactions.ts";
import type { Outcome, VaultKey } from "./types.ts";

const KEEPER = addressOf("redeemKeeper");
// The vault with a queue is fulfilled only when it grows beyond this.
const QUEUE_KEPT = 6;
// One price in so many was taken a moment too early: the contract refuses what it would pay out.
const HASTY_PERCENT = 2;

/** Sees who waits in a vault's queue and marks those whose turn it is. */
export async function lookOverQueue(context: EngineContext, key: VaultKey): Promise<Outcome> {
  if (key === "async") return "success";
  const positions = await readPositions(context.chain, context.deployment.trios[key]);
  const waiting = positions.filter((position) => position.pendingShares > 0n).map(({ owner }) => owner);
  context.queueLengths.set(key, waiting.length);
  context.dueRedeems.set(key, key === "queued" ? waiting.slice(QUEUE_KEPT) : waiting);
  return "success";
}

/** Pays those out whose turn it is. */
export async function fulfilRedeems(context: EngineContext, key: VaultKey): Promise<Outcome> {
  if (key === "async") return fulfilAsyncRedeems(context);
  const due = new Set(context.dueRedeems.get(key) ?? []);
  const { trio, state } = await readTrio(context, key);
  const positions = await readPositions(context.chain, trio);
  const paid = positions
    .filter(({ owner, pendingShares }) => due.has(owner) && pendingShares > 0n)
    .sort((a, b) => (BigInt(a.owner) < BigInt(b.owner) ? -1 : 1));
  if (paid.length === 0) return state.isPaused ? "skipped" : "success";
  await payOut(context, key, trio, state, paid);
  context.dueRedeems.delete(key);
  return "success";
}

/** Takes the assets of fulfilled requests to those who asked, and new shares to those whose deposits were fulfilled. */
export async function fulfilClaims(context: EngineContext, key: VaultKey): Promise<Outcome> {
  const claims = await claimsOf(context, key);
  if (claims.length > 0) await transactAll(context, claims);
  return "success";
}

/** Gives back the shares of requests that were taken back, and forgets what was paid. */
export async function cleanUp(context: EngineContext, key: VaultKey): Promise<Outcome> {
  if (key === "async") return "success";
  const trio = context.deployment.trios[key];
  const canceled: Address[] = [];
  for (const owner of depositors()) {
    const call = { contract: "SuperVaultStrategy", address: trio.strategy, args: [owner] };
    const isPending = await read<boolean>(context.chain, {
      ...call,
      functionName: "pendingCancelRedeemRequest",
    });
    if (isPending) canceled.push(owner);
  }
  if (canceled.length === 0) return "success";
  await transact(context, onStrategy(trio, "fulfillCancelRedeemRequests", KEEPER, [canceled]));
  const vault = { contract: "SuperVault", address: trio.vault, functionName: "claimCancelRedeemRequest" };
  await transactAll(
    context,
    canceled.map((owner) => ({ ...vault, args: [0n, owner, owner], from: owner })),
  );
  return "success";
}

async function payOut(
  context: EngineContext,
  key: TrioKey,
  trio: DeployedTrio,
  state: TrioState,
  paid: readonly Position[],
): Promise<void> {
  const controllers = paid.map(({ owner }) => owner);
  const isHasty = context.random.chance(HASTY_PERCENT);
  const amounts = paid.map(({ pendingAssets }) =>
    isHasty ? pendingAssets + pendingAssets / 100n + 1n : pendingAssets,
  );
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  const shares = paid.reduce((sum, { pendingShares }) => sum + pendingShares, 0n);
  const executionId = `redeem-${randomUUID()}`;
  const createdAt = new Date().toISOString();
  const tell = (
    status: "pending" | "success" | "failed",
    hash?: Hash,
    sharesFulfilled = shares,
    pps = state.pps,
  ) =>
    context.reporter.report("vaultops.redemption.execution", {
      vault: vaultIdOf(context.deployment, key),
      id: `execution:${executionId}:${status}`,
      data: {
        execution_id: executionId,
        status,
        ...(hash !== undefined && { tx_hash: hash }),
        controllers_count: controllers.length,
        total_shares_fulfilled: status === "success" ? sharesFulfilled : 0n,
        total_assets_out: status === "success" ? total : 0n,
        pps_at_fulfillment: pps,
        created_at: createdAt,
      },
    });
  const payout = payoutStep(context, trio, controllers, amounts, total);
  let sent: Hash | undefined;
  try {
    const receipts = await pursue(context, {
      key,
      action: "redeem",
      executionId,
      steps: [...raise(context, trio, state, total, isHasty), payout],
      onSent: (hash, step) => {
        if (step !== payout) return;
        sent = hash;
        tell("pending", hash);
      },
    });
    const receipt = receipts.at(-1);
    const done = receipt && fulfilledIn(context, trio, receipt);
    tell("success", sent, done?.processedShares, done?.currentPPS);
  } catch (error) {
    tell("failed", faultOf(error).hash);
    throw error;
  }
}

/** Withdrawals from yield sources where idle assets do not do. A hasty payout is refused before any of them. */
function raise(
  context: EngineContext,
  trio: DeployedTrio,
  state: TrioState,
  total: bigint,
  isHasty: boolean,
): Step[] {
  const steps: Step[] = [];
  let missing = isHasty ? 0n : total - state.idle;
  for (const [index, allocated] of state.allocated.entries()) {
    const source = trio.yieldSources[index];
    if (missing <= 0n || allocated === 0n || source === undefined) continue;
    const amount = allocated < missing ? allocated : missing;
    steps.push(deallocation(context, trio, KEEPER, source, amount));
    missing -= amount;
  }
  return steps;
}

function payoutStep(
  context: EngineContext,
  trio: DeployedTrio,
  controllers: readonly Address[],
  amounts: readonly bigint[],
  total: bigint,
): Step {
  return {
    transaction: onStrategy(trio, "fulfillRedeemRequests", KEEPER, [controllers, amounts]),
    tokenIn: trio.vault,
    tokenOut: trio.asset,
    venue: "escrow",
    amounts: (receipt) => ({
      amountIn: fulfilledIn(context, trio, receipt)?.processedShares ?? 0n,
      amountOut: total,
    }),
  };
}

function fulfilledIn(context: EngineContext, trio: DeployedTrio, receipt: Parameters<Step["amounts"]>[0]) {
  return eventOf<{ processedShares: bigint; currentPPS: bigint }>(context, receipt, {
    contract: "SuperVaultStrategy",
    address: trio.strategy,
    eventName: "RedeemRequestsFulfilled",
  });
}

async function fulfilAsyncRedeems(context: EngineContext): Promise<Outcome> {
  const vault = context.deployment.async;
  const rows = await readAsyncRows(context.chain, vault.vault);
  const waiting = rows.filter((row) => row.pendingRedeem > 0n).map((row) => row.owner);
  if (waiting.length > 0)
    await transact(context, flows.fulfilOnAsyncVault(vault, "fulfillRedeems", waiting, KEEPER));
  return "success";
}

async function claimsOf(context: EngineContext, key: VaultKey): Promise<readonly Transaction[]> {
  if (key === "async") {
    const vault = context.deployment.async;
    return flows.claimsOfAsyncVault(vault, await readAsyncRows(context.chain, vault.vault));
  }
  const trio = context.deployment.trios[key];
  const positions = await readPositions(context.chain, trio);
  return gather(context, (flow) => flows.claimFulfilled(flow, trio, positions));
}
