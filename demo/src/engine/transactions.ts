/**
 * Transactions of the engine: tried before they are sent, followed until they stand in a block. What is not seen there in time
 * stays on the context's list, where the transaction manager finds it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hash, parseEventLogs, type TransactionReceipt } from "viem";
import { send, simulate, type Transaction } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import type { EngineContext } from "./engine-context.ts";
import { EngineFault } from "./fault.ts";

const MINED_WITHIN_MS = 90_000;
const POLL_MS = 150;

/** Sends one transaction and returns its receipt; throws what the contract refuses it with, or a fault with its hash. */
export async function transact(
  context: EngineContext,
  transaction: Transaction,
  onSent?: (hash: Hash) => void,
): Promise<TransactionReceipt> {
  await simulate(context.chain, transaction);
  return follow(context, transaction, await post(context, transaction, onSent));
}

/** Sends transactions that do not depend on one another, together; throws the first fault once all have been followed. */
export async function transactAll(
  context: EngineContext,
  transactions: readonly Transaction[],
): Promise<void> {
  const sent = await Promise.all(
    transactions.map(async (transaction) => ({ transaction, hash: await post(context, transaction) })),
  );
  const outcomes = await Promise.allSettled(
    sent.map(({ transaction, hash }) => follow(context, transaction, hash)),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

/** The arguments of the first event of a name that a contract emitted in a receipt. */
export function eventOf<T>(
  context: EngineContext,
  receipt: TransactionReceipt,
  { contract, address, eventName }: { contract: string; address: Address; eventName: string },
): T | undefined {
  const { abi } = artifactOf(context.chain.artifacts, contract);
  const events = parseEventLogs({ abi, logs: receipt.logs, eventName }) as unknown as {
    address: Address;
    args: T;
  }[];
  return events.find((event) => BigInt(event.address) === BigInt(address))?.args;
}

async function post(
  context: EngineContext,
  transaction: Transaction,
  onSent?: (hash: Hash) => void,
): Promise<Hash> {
  const hash = await send(context.chain, transaction);
  context.outstanding.set(hash, { title: titleOf(transaction), sentAtMs: Date.now() });
  onSent?.(hash);
  return hash;
}

async function follow(
  context: EngineContext,
  transaction: Transaction,
  hash: Hash,
): Promise<TransactionReceipt> {
  const deadline = Date.now() + MINED_WITHIN_MS;
  while (Date.now() < deadline) {
    const receipt = await context.chain.client.getTransactionReceipt({ hash }).catch(() => undefined);
    if (receipt === undefined) {
      await sleep(POLL_MS);
      continue;
    }
    context.outstanding.delete(hash);
    if (receipt.status === "reverted")
      throw new EngineFault("TRANSACTION_REVERTED", `${titleOf(transaction)} reverted`, hash);
    return receipt;
  }
  throw new EngineFault(
    "NOT_MINED",
    `${titleOf(transaction)} was not mined within ${MINED_WITHIN_MS / 1000} s`,
    hash,
  );
}

function titleOf({ contract, functionName }: Transaction): string {
  return `${contract}.${functionName}`;
}
