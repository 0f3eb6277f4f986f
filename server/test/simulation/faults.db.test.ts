// Each fault by its name, at every place where it may strike: while the past is filled in, where past and head meet, and at the head.
// A real node stands behind; what is stored in the end is what that node says. Most of the time is waiting until it is tried again, so
// several chains are followed at once, each with a node of its own that serves one fault after another.
import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../database.ts";
import { createFollowed, type Followed } from "../followed.ts";
import { CALL_FAULTS, EXCHANGE_FAULTS } from "./faults.ts";
import { type FaultyNode, startFaultyNode } from "./faulty-node.ts";

const FAULTS = [...EXCHANGE_FAULTS, ...CALL_FAULTS].map(({ name }) => name);
/** Of each fault in a row. */
const TIMES = 4;

interface Bench {
  chain: Followed;
  node: FaultyNode;
}

const benches: Promise<Bench>[] = [];
const idle: Bench[] = [];

/** One that no other fault is at, made where there is none. */
async function takeBench(): Promise<Bench> {
  const free = idle.pop();
  if (free) return free;
  const made = makeBench(71 + benches.length);
  benches.push(made);
  return await made;
}

async function makeBench(seed: number): Promise<Bench> {
  const chain = await createFollowed({ seed, confirmations: 2 });
  const node = await startFaultyNode(chain.anvil.rpcUrl);
  const { activity } = chain;
  for (let index = 0; index < 6; index += 1) await activity.block();
  await activity.deployAndUse();
  await activity.mine();
  await node.rememberSiblings();
  await activity.reorg(3);
  await activity.block();
  return { chain, node };
}

afterAll(async () => {
  for (const { chain, node } of await Promise.all(benches)) {
    await node.close();
    await chain.end();
  }
});

describe("nothing is lost, doubled or misread", () => {
  it.concurrent.each(FAULTS)("when the node goes wrong by: %s", { timeout: 900_000 }, async (fault) => {
    const bench = await takeBench();
    const { chain, node } = bench;
    const database = await createTestDatabase();
    const followed = chain.with(database);
    const client = { timeoutMs: 1_000, logsTimeoutMs: 1_000, settleMs: 1_000, deadlineMs: 10_000 };
    try {
      node.script({ fault, times: TIMES });
      const before = node.done.get(fault) ?? 0;
      followed.start({ rpcUrls: [node.url] }, { client: { ...client, backoffMs: { base: 5, max: 50 } } });
      await node.rememberSiblings();
      for (let index = 0; index < 2; index += 1) await chain.activity.block(3);
      await chain.activity.reorg(1);
      await followed.settle();
      expect(await followed.expectTruth()).toEqual([]);
      expect(node.done.get(fault) ?? 0).toBeGreaterThan(before);
    } finally {
      node.calm();
      await followed.stop();
      await database.drop();
      idle.push(bench);
    }
  });
});
