// Every provider's bound on eth_getLogs, in its own words, in front of a real node: whatever is refused, no block is left out, and what
// is asked for again becomes smaller until it is answered.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { Activity } from "../../../test/activity.ts";
import { testClient } from "../../../test/chain-client.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/simulation/faulty-node.ts";
import { PROVIDER_LIMITS } from "../../../test/simulation/limits.ts";
import type { RawLog } from "./client.ts";

let anvil: Anvil;
let activity: Activity;
let node: FaultyNode;

beforeAll(async () => {
  anvil = await startAnvil();
  activity = await Activity.start(anvil.rpcUrl, { seed: 111 });
  for (let index = 0; index < 12; index += 1) {
    await activity.block(6);
    await activity.chain.client.mine({ blocks: 3 });
  }
  node = await startFaultyNode(anvil.rpcUrl);
});
afterAll(async () => {
  await node.close();
  await anvil.stop();
});

describe.each(PROVIDER_LIMITS)("$name", (limit) => {
  test.each([1, 4])("bounds a range at %i, and every log of the chain is read once", async (size) => {
    node.limit(limit, size);
    const head = Number(await activity.chain.client.getBlockNumber({ cacheTime: 0 }));
    const addresses = [
      activity.system.aggregator,
      ...activity.trios.flatMap(({ vault, strategy }) => [vault, strategy]),
    ];
    const client = testClient([node.url], { chainId: anvil.chainId });
    const found: RawLog[] = [];
    for await (const chunk of client.logsInRange({ fromBlock: 0, toBlock: head, addresses }))
      found.push(...chunk.logs);
    const truth = await activity.chain.client.getLogs({ address: addresses, fromBlock: 0n });
    expect(found.map(placeOf)).toEqual(
      truth.map((log) => `${log.blockNumber}/${log.logIndex}/${log.blockHash}`),
    );
    expect(node.done.get(limit.name)).toBeGreaterThan(0);
  });
});

function placeOf(log: RawLog): string {
  return `${log.blockNumber}/${log.logIndex}/${log.blockHash}`;
}
