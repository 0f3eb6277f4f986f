// The ways of layer 2s: several blocks in one second, tags in place of a depth, logs that belong to no transaction, headers without a
// bloom and logs without their block's time.
import { zeroAddress } from "viem";
import { afterEach, describe, expect, it } from "vitest";
import { AUDITED_EVENTS } from "../../../test/entry-rules.ts";
import { createFollowed, type Followed, type FollowedOptions } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/simulation/faulty-node.ts";
import { setSecondsBetweenBlocks } from "../../../test/simulation/laboratory.ts";

let followed: Followed;
let node: FaultyNode;

async function follow(options: FollowedOptions = {}): Promise<Followed> {
  followed = await createFollowed(options);
  node = await startFaultyNode(followed.anvil.rpcUrl);
  return followed;
}

afterEach(async () => {
  await followed.end();
  await node.close();
});

describe("a layer 2", () => {
  it("with many blocks in one second is ordered by block and log, in the past, at the head and through reorganisations", async () => {
    const { activity, database } = await follow({ seed: 91, confirmations: 3 });
    await setSecondsBetweenBlocks(activity.chain.client, 0);
    for (let index = 0; index < 12; index += 1) await activity.block();
    followed.start();
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 4; index += 1) await activity.block();
      await activity.reorg(2);
    }
    await followed.settle();
    await followed.expectTruth();
    const { rows } = await database.db.pool.query<{ seconds: number; blocks: number }>(
      "select count(distinct block_timestamp)::int as seconds, count(*)::int as blocks from blocks",
    );
    expect(rows[0]!.seconds).toBeLessThan(rows[0]!.blocks);
    // Those of one second stand in the log in the order of the chain.
    const { entries } = await readRecorded(database.db, followed.anvil.chainId);
    const places = entries.map((entry) => entry.block_number * 1_000 + entry.log_index);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it("without blooms and without times on its logs is read by block hash and by header", async () => {
    const { activity } = await follow({ seed: 92 });
    node.script({ fault: "header without a bloom" });
    node.script({ fault: "logs without their block's time" });
    for (let index = 0; index < 6; index += 1) await activity.block();
    followed.start({ rpcUrls: [node.url] });
    for (let index = 0; index < 6; index += 1) await activity.block();
    await activity.reorg(2);
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
    expect(node.done.get("header without a bloom")).toBeGreaterThan(0);
  });

  it("with logs under a hash of zeros has them recorded, with nobody as the one who acted where the event names none", async () => {
    const { activity, database, anvil } = await follow({ seed: 93 });
    node.script({ fault: "logs of a system transaction" });
    const eventOf = (name: string) =>
      AUDITED_EVENTS.find(({ signature }) => signature.startsWith(`${name}(`))!;
    await activity.emit(eventOf("StrategyPaused"));
    await activity.mine();
    followed.start({ rpcUrls: [node.url] });
    await followed.settle();
    await activity.emit(eventOf("StrategyUnpaused"));
    await activity.emit(eventOf("UpkeepDeposited"));
    await activity.mine();
    await followed.settle();
    await followed.settle();
    const { entries } = await readRecorded(database.db, anvil.chainId);
    const last = entries.slice(-3).map(({ action_type, actor_wallet, tx_hash }) => ({
      action_type,
      hasActor: actor_wallet !== zeroAddress,
      tx_hash,
    }));
    const none = `0x${"0".repeat(64)}`;
    expect(last).toEqual([
      { action_type: "vault_pause", hasActor: false, tx_hash: none },
      { action_type: "vault_unpause", hasActor: false, tx_hash: none },
      { action_type: "upkeep_deposit", hasActor: true, tx_hash: none },
    ]);
  });

  it.each(["safe", "finalized"] as const)(
    "that names its %s block has entries up to that block and no further, whatever lags behind the load balancer",
    async (tag) => {
      const { activity } = await follow({ seed: 94 });
      const { client } = activity.chain;
      await activity.block();
      await client.mine({ blocks: 70 });
      for (let index = 0; index < 3; index += 1) await activity.block();
      const ingest = followed.start({ rpcUrls: [node.url], confirmations: tag });
      node.storm({ seed: tag, exchanges: 0, calls: 0, lags: [0, 0, 3], hangMs: 100 });
      await client.mine({ blocks: 30 });
      await activity.block();
      await client.mine({ blocks: 20 });
      node.calm();
      const confirmed = Number((await client.getBlock({ blockTag: tag })).number);
      const head = Number(await client.getBlockNumber({ cacheTime: 0 }));
      expect(confirmed).toBeLessThan(head);
      await ingest.until(
        `confirmed up to ${confirmed}`,
        (status) => status.head === head && status.confirmed === confirmed && status.backfill === null,
      );
      await followed.joined();
      expect(await followed.expectTruth()).toEqual([]);
    },
  );

  it("that knows no such tag says so, and begins once a depth is configured", async () => {
    const { activity } = await follow({ seed: 95 });
    node.script({ fault: "no tags" });
    const ingest = followed.start({ rpcUrls: [node.url], confirmations: "finalized" });
    await ingest.until("told", ({ error }) => error?.includes("set confirmations") ?? false);
    await followed.stop();
    followed.start({ rpcUrls: [node.url], confirmations: 2 });
    await activity.block();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });
});
