/**
 * Redemptions: the queue is looked over, what is due is paid out of idle assets or out of yield sources, those who were paid
 * claim, and requests that were taken back are cleaned up. A payout is an intent, and an execution of its own.
 */
import { randomUUID } from "node:crypto";
import type { Address, Hash } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { read, type Transaction } from "../chain.ts";
import type { DeployedTrio, TrioKey } from "../deployment.ts";
import * as flows from "../flows.ts";
import { type Position, readAsyncRows, readPositions, type TrioState } from "../history-state.ts";
import { type Desk, gather, readTrio, vaultIdOf } from "./desk.ts";
import { faultOf } from "./fault.ts";
import { deallocation, onStrategy, pursue, type Step } from "./intents.ts";
import type { Outcome, VaultKey } from "./terms.ts";
import { eventOf, transact, transactAll } from "./transactions.ts";

const KEEPER = addressOf("redeemKeeper");
// The vault with a queue is fulfilled only when it grows beyond this.
const QUEUE_KEPT = 6;
// One price in so many was taken a moment too early: the contract refuses what it would pay out.
const HASTY_PERCENT = 2;

/** Sees who waits in a vault's queue and marks those whose turn it is. */
export async function lookOverQueue(desk: Desk, key: VaultKey): Promise<Outcome> {
  if (key === "async") return "success";
  const positions = await readPositions(desk.chain, desk.deployment.trios[key]);
  const waiting = positions.filter((position) => position.pendingShares > 0n).map(({ owner }) => owner);
  desk.queueLengths.set(key, waiting.length);
  desk.dueRedeems.set(key, key === "queued" ? waiting.slice(QUEUE_KEPT) : waiting);
  return "success";
}

/** Pays those out whose turn it is. */
export async function fulfilRedeems(desk: Desk, key: VaultKey): Promise<Outcome> {
  if (key === "async") return fulfilAsyncRedeems(desk);
  const due = new Set(desk.dueRedeems.get(key) ?? []);
  const { trio, state } = await readTrio(desk, key);
  const positions = await readPositions(desk.chain, trio);
  const paid = positions
    .filter(({ owner, pendingShares }) => due.has(owner) && pendingShares > 0n)
    .sort((a, b) => (BigInt(a.owner) < BigInt(b.owner) ? -1 : 1));
  if (paid.length === 0) return state.isPaused ? "skipped" : "success";
  await payOut(desk, key, trio, state, paid);
  desk.dueRedeems.delete(key);
  return "success";
}

/** Takes the assets of fulfilled requests to those who asked, and new shares to those whose deposits were fulfilled. */
export async function fulfilClaims(desk: Desk, key: VaultKey): Promise<Outcome> {
  const claims = await claimsOf(desk, key);
  if (claims.length > 0) await transactAll(desk, claims);
  return "success";
}

/** Gives back the shares of requests that were taken back, and forgets what was paid. */
export async function cleanUp(desk: Desk, key: VaultKey): Promise<Outcome> {
  if (key === "async") return "success";
  const trio = desk.deployment.trios[key];
  const canceled: Address[] = [];
  for (const owner of depositors()) {
    const call = { contract: "SuperVaultStrategy", address: trio.strategy, args: [owner] };
    const isPending = await read<boolean>(desk.chain, {
      ...call,
      functionName: "pendingCancelRedeemRequest",
    });
    if (isPending) canceled.push(owner);
  }
  if (canceled.length === 0) return "success";
  await transact(desk, onStrategy(trio, "fulfillCancelRedeemRequests", KEEPER, [canceled]));
  const vault = { contract: "SuperVault", address: trio.vault, functionName: "claimCancelRedeemRequest" };
  await transactAll(
    desk,
    canceled.map((owner) => ({ ...vault, args: [0n, owner, owner], from: owner })),
  );
  return "success";
}

async function payOut(
  desk: Desk,
  key: TrioKey,
  trio: DeployedTrio,
  state: TrioState,
  paid: readonly Position[],
): Promise<void> {
  const controllers = paid.map(({ owner }) => owner);
  const isHasty = desk.random.chance(HASTY_PERCENT);
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
    desk.reporter.report("vaultops.redemption.execution", {
      vault: vaultIdOf(desk.deployment, key),
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
  const payout = payoutStep(desk, trio, controllers, amounts, total);
  let sent: Hash | undefined;
  try {
    const receipts = await pursue(desk, {
      key,
      action: "redeem",
      executionId,
      steps: [...raise(desk, trio, state, total, isHasty), payout],
      onSent: (hash, step) => {
        if (step !== payout) return;
        sent = hash;
        tell("pending", hash);
      },
    });
    const receipt = receipts.at(-1);
    const done = receipt && fulfilledIn(desk, trio, receipt);
    tell("success", sent, done?.processedShares, done?.currentPPS);
  } catch (error) {
    tell("failed", faultOf(error).hash);
    throw error;
  }
}

/** Withdrawals from yield sources where idle assets do not do. A hasty payout is refused before any of them. */
function raise(desk: Desk, trio: DeployedTrio, state: TrioState, total: bigint, isHasty: boolean): Step[] {
  const steps: Step[] = [];
  let missing = isHasty ? 0n : total - state.idle;
  for (const [index, allocated] of state.allocated.entries()) {
    const source = trio.yieldSources[index];
    if (missing <= 0n || allocated === 0n || source === undefined) continue;
    const amount = allocated < missing ? allocated : missing;
    steps.push(deallocation(desk, trio, KEEPER, source, amount));
    missing -= amount;
  }
  return steps;
}

function payoutStep(
  desk: Desk,
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
      amountIn: fulfilledIn(desk, trio, receipt)?.processedShares ?? 0n,
      amountOut: total,
    }),
  };
}

function fulfilledIn(desk: Desk, trio: DeployedTrio, receipt: Parameters<Step["amounts"]>[0]) {
  return eventOf<{ processedShares: bigint; currentPPS: bigint }>(desk, receipt, {
    contract: "SuperVaultStrategy",
    address: trio.strategy,
    eventName: "RedeemRequestsFulfilled",
  });
}

async function fulfilAsyncRedeems(desk: Desk): Promise<Outcome> {
  const vault = desk.deployment.async;
  const rows = await readAsyncRows(desk.chain, vault.vault);
  const waiting = rows.filter((row) => row.pendingRedeem > 0n).map((row) => row.owner);
  if (waiting.length > 0)
    await transact(desk, flows.fulfilOnAsyncVault(vault, "fulfillRedeems", waiting, KEEPER));
  return "success";
}

async function claimsOf(desk: Desk, key: VaultKey): Promise<readonly Transaction[]> {
  if (key === "async") {
    const vault = desk.deployment.async;
    return flows.claimsOfAsyncVault(vault, await readAsyncRows(desk.chain, vault.vault));
  }
  const trio = desk.deployment.trios[key];
  const positions = await readPositions(desk.chain, trio);
  return gather(desk, (flow) => flows.claimFulfilled(flow, trio, positions));
}
