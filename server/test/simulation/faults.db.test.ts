// Each fault by its name, at every place where it may strike: while the past is filled in, where past and head meet, and at the head.
// A real node stands behind; what is stored in the end is what that node says.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../database.ts";
import { createFollowed, type Followed } from "../followed.ts";
import { CALL_FAULTS, EXCHANGE_FAULTS } from "./faults.ts";
import { type FaultyNode, startFaultyNode } from "./faulty-node.ts";

const FAULTS = [...EXCHANGE_FAULTS, ...CALL_FAULTS].map(({ name }) => name);
/** Of each fault in a row. */
const TIMES = 4;

let chain: Followed;
let node: FaultyNode;

beforeAll(async () => {
  chain = await createFollowed({ seed: 71, confirmations: 2 });
  node = await startFaultyNode(chain.anvil.rpcUrl);
  const { activity } = chain;
  for (let index = 0; index < 6; index += 1) await activity.block();
  await activity.deployAndUse();
  await activity.mine();
  await node.rememberSiblings();
  await activity.reorg(3);
  await activity.block();
});
afterAll(async () => {
  await node.close();
  await chain.end();
});

describe("nothing is lost, doubled or misread", () => {
  it.each(FAULTS)("when the node goes wrong by: %s", async (fault) => {
    const database = await createTestDatabase();
    const followed = chain.with(database);
    const client = { timeoutMs: 300, logsTimeoutMs: 300, settleMs: 1_000, deadlineMs: 5_000 };
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
    }
  });
});
