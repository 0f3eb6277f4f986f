/**
 * Intents: what the engine means to do with a vault's assets, carried out as transactions one after another. Each state is
 * reported when it is reached, each transaction as a fill once it stands in a block, and the end whichever way it went. Ids of
 * events follow from the intent and their number, those of fills from their transaction, so that none counts twice.
 */
import { randomUUID } from "node:crypto";
import type { Address, Hash, TransactionReceipt } from "viem";
import type { EngineEvents } from "../../../sdk/src/engine-events.ts";
import { simulate, type Transaction } from "../chain.ts";
import type { DeployedTrio, TrioKey } from "../deployment.ts";
import { type EngineContext, vaultIdOf } from "./engine-context.ts";
import { EngineFault, faultOf } from "./fault.ts";
import { eventOf, transact } from "./transactions.ts";

type IntentEvent = EngineEvents["vaultops.intent.event"];
export type IntentAction = "allocate" | "rebalance" | "redeem" | "emergency_exit";

/** One transaction of an intent, and what it exchanges for what. */
export interface Step {
  readonly transaction: Transaction;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly venue: string;
  /** Raw amounts, as the receipt tells them. */
  readonly amounts: (receipt: TransactionReceipt) => { amountIn: bigint; amountOut: bigint };
}

export interface Intent {
  readonly key: TrioKey;
  readonly action: IntentAction;
  readonly steps: readonly Step[];
  /** The redemption that it carries out. */
  readonly executionId?: string;
  /** Told of each transaction as soon as it is sent. */
  readonly onSent?: (hash: Hash, step: Step) => void;
}

/** The strategy that the engine runs for a vault; each has one. */
export function strategyIdOf(key: TrioKey): string {
  return `${key}-yield`;
}

/** Carries an intent out and returns the receipts; throws the fault that ended it. */
export async function pursue(context: EngineContext, intent: Intent): Promise<readonly TransactionReceipt[]> {
  const id = randomUUID();
  const tell = teller(context, id, intent);
  const totals = { total_amount_in: 0n, total_amount_out: 0n, gas_used_total: 0n };
  const receipts: TransactionReceipt[] = [];
  tell("RECEIVED");
  try {
    const [first] = intent.steps;
    if (!first) throw new EngineFault("NOTHING_TO_DO", "the plan has no transaction");
    tell("ACKED");
    tell("STAGED");
    await simulate(context.chain, first.transaction);
    tell("PLANNED");
    for (const step of intent.steps) {
      const receipt = await transact(context, step.transaction, (hash) => {
        if (receipts.length === 0) tell("EXECUTING", { tx_hash: hash });
        intent.onSent?.(hash, step);
      });
      receipts.push(receipt);
      const { amountIn, amountOut } = step.amounts(receipt);
      if (receipts.length === 1) totals.total_amount_in = amountIn;
      totals.total_amount_out = amountOut;
      totals.gas_used_total += receipt.gasUsed;
      await fill(context, id, intent, step, receipt, { amountIn, amountOut });
    }
    tell("COMPLETED", { ...totals, tx_hash: receipts.at(-1)?.transactionHash });
    return receipts;
  } catch (error) {
    const fault = faultOf(error);
    // Refused before anything was sent: there was nothing to fail yet.
    const state = receipts.length === 0 && fault.code === "NOTHING_TO_DO" ? "CANCELED" : "FAILED";
    tell(state, {
      error_code: fault.code,
      error_message: fault.message,
      ...(receipts.length > 0 && totals),
      tx_hash: fault.hash,
    });
    throw fault;
  }
}

/** Ends what an earlier run of the engine left open: it cannot be taken up, and whatever it sent is on the chain. */
export function endLeftovers(context: EngineContext): void {
  for (const [id, { key, action, seq }] of context.memory.intents) {
    report(context, id, key as TrioKey, {
      intent_id: id,
      seq: seq + 1,
      state: "ABORTED",
      action,
      strategy_id: strategyIdOf(key as TrioKey),
      error_code: "ENGINE_RESTARTED",
      error_message: "the engine stopped while this was in progress",
    });
    context.memory.intents.delete(id);
  }
  context.memory.save();
}

/** How many intents of a vault are under way. */
export function countActive(context: EngineContext, key: TrioKey): number {
  return [...context.memory.intents.values()].filter((intent) => intent.key === key).length;
}

/** Idle assets into a yield source. */
export function allocation(
  context: EngineContext,
  trio: DeployedTrio,
  from: Address,
  source: Address,
  assets: bigint,
): Step {
  return {
    transaction: onStrategy(trio, "allocate", from, [source, assets]),
    tokenIn: trio.asset,
    tokenOut: source,
    venue: venueOf(trio, source),
    amounts: (receipt) => {
      const moved = movedBy(context, receipt, source, "Deposit");
      return { amountIn: moved.assets, amountOut: moved.shares };
    },
  };
}

/** Assets out of a yield source, to lie idle. */
export function deallocation(
  context: EngineContext,
  trio: DeployedTrio,
  from: Address,
  source: Address,
  assets: bigint,
): Step {
  return {
    transaction: onStrategy(trio, "deallocate", from, [source, assets]),
    tokenIn: source,
    tokenOut: trio.asset,
    venue: venueOf(trio, source),
    amounts: (receipt) => {
      const moved = movedBy(context, receipt, source, "Withdraw");
      return { amountIn: moved.shares, amountOut: moved.assets };
    },
  };
}

/** A call of a trio's strategy. */
export function onStrategy(
  trio: DeployedTrio,
  functionName: string,
  from: Address,
  args: readonly unknown[],
): Transaction {
  return { contract: "SuperVaultStrategy", address: trio.strategy, functionName, args, from };
}

function movedBy(context: EngineContext, receipt: TransactionReceipt, address: Address, eventName: string) {
  const moved = eventOf<{ assets: bigint; shares: bigint }>(context, receipt, {
    contract: "Erc4626Vault",
    address,
    eventName,
  });
  if (!moved) throw new EngineFault("NO_EFFECT", `no ${eventName} at ${address}`, receipt.transactionHash);
  return moved;
}

function venueOf(trio: DeployedTrio, source: Address): string {
  const index = trio.yieldSources.findIndex((candidate) => BigInt(candidate) === BigInt(source));
  return ["lending_market", "liquidity_pool", "treasury_bills"][index] ?? "erc4626";
}

function teller(context: EngineContext, id: string, { key, action, executionId }: Intent) {
  let seq = -1;
  return (state: IntentEvent["state"], more: Record<string, string | bigint | undefined> = {}): void => {
    seq += 1;
    const isOver = state === "COMPLETED" || state === "FAILED" || state === "CANCELED";
    if (isOver) context.memory.intents.delete(id);
    else context.memory.intents.set(id, { key, action, seq });
    context.memory.save();
    const known = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
    report(context, id, key, {
      intent_id: id,
      seq,
      state,
      action,
      strategy_id: strategyIdOf(key),
      correlation_id: executionId ?? id,
      ...(executionId !== undefined && { execution_id: executionId }),
      ...known,
    });
  };
}

function report(context: EngineContext, id: string, key: TrioKey, data: IntentEvent): void {
  context.reporter.report("vaultops.intent.event", {
    vault: vaultIdOf(context.deployment, key),
    data,
    id: `intent:${id}:${data.seq}`,
  });
}

async function fill(
  context: EngineContext,
  id: string,
  { key }: Intent,
  { tokenIn, tokenOut, venue }: Step,
  receipt: TransactionReceipt,
  { amountIn, amountOut }: { amountIn: bigint; amountOut: bigint },
): Promise<void> {
  const { timestamp } = await context.chain.client.getBlock({ blockNumber: receipt.blockNumber });
  const fillId = `${receipt.transactionHash}:${key}`;
  context.reporter.report("vaultops.intent.fill", {
    vault: vaultIdOf(context.deployment, key),
    id: `fill:${fillId}`,
    data: {
      fill_id: fillId,
      intent_id: id,
      chain_id: context.deployment.chainId,
      tx_hash: receipt.transactionHash,
      token_in: tokenIn,
      token_out: tokenOut,
      amount_in: amountIn,
      amount_out: amountOut,
      gas_used: receipt.gasUsed,
      venue,
      fill_time: new Date(Number(timestamp) * 1000).toISOString(),
    },
  });
  for (const tell of [...context.onFill])
    tell({ hash: receipt.transactionHash, blockNumber: receipt.blockNumber });
}
