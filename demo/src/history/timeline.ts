/**
 * Writes the past of a chain: blocks at chosen times, filled either by one call after another, each in a block of its own,
 * or by many transactions gathered into one block. Every transaction is checked; one that reverts stops the history.
 */
import type { Hash } from "viem";
import { type DemoChain, mine, now, send, setClock, type Transaction } from "../chain.ts";

export interface Timeline {
  readonly chain: DemoChain;
  /** Unix seconds of the latest moment reached. */
  time(): number;
  /** Runs calls that mine as they go, a second apart, from `time` on, which is what they are given. */
  at<T>(time: number, run: (time: bigint) => Promise<T>): Promise<T>;
  /** Adds a transaction to the block under way. */
  queue(transaction: Transaction): Promise<void>;
  /** Mines the block under way at `time`, its transactions in the order in which they were added. */
  flush(time: number): Promise<void>;
  /** Gives the mining back to the node, its clock at the real time. */
  finish(): Promise<void>;
}

/** Takes over the mining of a node; nothing is mined but what the timeline says. */
export async function createTimeline(chain: DemoChain, startTime: number): Promise<Timeline> {
  let queued: Transaction[] = [];
  let latest = startTime;
  // That of the last block goes on while what comes next is looked up; who awaits it hears of a failure.
  let checked: Promise<void> = Promise.resolve();
  const setAutomine = (enabled: boolean) => chain.client.setAutomine(enabled);
  await setAutomine(false);
  // Blocks that follow one another within a moment stand a second apart, however fast they are made.
  await chain.client.setBlockTimestampInterval({ interval: 1 });

  const requireAfterLatest = (time: number): void => {
    if (time <= latest) throw new Error(`${time} is not after ${latest}`);
  };
  return {
    chain,
    time: () => latest,
    at: async (time, run) => {
      if (queued.length > 0) throw new Error("a block is in progress");
      requireAfterLatest(time);
      const next = { method: "evm_setNextBlockTimestamp", params: [time] } as never;
      await Promise.all([chain.client.request(next), setAutomine(true)]);
      const result = await run(BigInt(time));
      const [end] = await Promise.all([now(chain), setAutomine(false)]);
      latest = Number(end);
      return result;
    },
    queue: async (transaction) => {
      queued.push(transaction);
    },
    flush: async (time) => {
      requireAfterLatest(time);
      const transactions = queued;
      queued = [];
      const hashes = await Promise.all(transactions.map((transaction) => send(chain, transaction)));
      await checked;
      await mine(chain, BigInt(time));
      latest = time;
      checked = checkLatestBlock(chain, transactions, hashes);
      checked.catch(() => {});
    },
    finish: async () => {
      await checked;
      await chain.client.removeBlockTimestampInterval();
      await setClock(chain, Math.floor(Date.now() / 1000));
      await setAutomine(true);
    },
  };
}

async function checkLatestBlock(
  chain: DemoChain,
  transactions: readonly Transaction[],
  hashes: readonly Hash[],
): Promise<void> {
  const request = { method: "eth_getBlockReceipts", params: ["latest"] } as never;
  const receipts: { transactionHash: Hash; status: string }[] = await chain.client.request(request);
  if (receipts.length !== hashes.length) {
    throw new Error(`the block holds ${receipts.length} transactions of ${hashes.length}`);
  }
  for (const [index, { contract, functionName }] of transactions.entries()) {
    const receipt = receipts[index];
    if (receipt?.transactionHash !== hashes[index])
      throw new Error(`${contract}.${functionName} is out of its order`);
    if (receipt?.status !== "0x1") throw new Error(`${contract}.${functionName} reverted`);
  }
}
