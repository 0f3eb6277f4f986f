// What the head keeps and lets go: tags instead of depth, gaps after a long stop, pruned blocks, samples, halted chains.
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { createFollowed, type Followed, type FollowedOptions } from "../../test/followed.ts";
import { setSecondsBetweenBlocks } from "../../test/simulation/laboratory.ts";
import { systemClock } from "../platform/clock.ts";

let followed: Followed;
const cleanups: (() => Promise<unknown>)[] = [];

async function follow(options: FollowedOptions = {}): Promise<Followed> {
  followed = await createFollowed(options);
  return followed;
}

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
  await followed.end();
});

describe("the head of a chain", () => {
  it("confirms what the node's tag names, where a tag stands in place of a depth", async () => {
    const { activity } = await follow({ seed: 51 });
    for (let index = 0; index < 4; index += 1) await activity.block();
    await mineEmpty(90);
    const ingest = followed.start({ confirmations: "safe" });
    const safeBlock = async () => Number((await activity.chain.client.getBlock({ blockTag: "safe" })).number);
    await activity.block();
    await mineEmpty(40);
    const safe = await safeBlock();
    const number = await headOf();
    expect(safe).toBeLessThan(number);
    await ingest.until(
      `confirmed up to ${safe}`,
      ({ head, confirmed, backfill }) => head === number && confirmed === safe && backfill === null,
    );
    await followed.joined();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("fills in a long gap as it fills in the past, and goes on from its end", async () => {
    const { activity } = await follow({ seed: 52 });
    followed.start();
    for (let index = 0; index < 5; index += 1) await activity.block();
    await followed.settle();
    await followed.stop();
    await activity.reorg(1);
    for (let index = 0; index < 12; index += 1) {
      await activity.block();
      await mineEmpty(60);
    }
    followed.start();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("lets empty blocks go once they are deep, and still finds its way through a reorganisation among them", async () => {
    const { activity, database } = await follow({ seed: 53 });
    const ingest = followed.start({ sampleSeconds: 1_000_000 });
    for (let round = 0; round < 6; round += 1) {
      await activity.block(2);
      await mineEmpty(50);
      const head = await headOf();
      await ingest.until(`at ${head}`, (status) => status.head === head);
    }
    await followed.settle();
    const left = async () =>
      (await database.db.pool.query<{ n: number }>("select count(*)::int as n from blocks where is_empty"))
        .rows[0]!.n;
    // They go in a commit of its own after the one that is waited for.
    await expect.poll(left).toBeLessThan(64 + 32 + 32);
    await activity.reorg(200);
    await followed.settle();
    await followed.expectTruth();
  });

  it("tells of each new head at its commit", async () => {
    const { activity, database, anvil } = await follow({ seed: 54 });
    const listener = new pg.Client({ connectionString: database.db.url });
    await listener.connect();
    cleanups.push(() => listener.end());
    const told: number[] = [];
    listener.on("notification", ({ payload }) => {
      const notice = JSON.parse(payload!) as { chain_id: number; number: number };
      if (notice.chain_id === anvil.chainId) told.push(notice.number);
    });
    await listener.query("listen head");
    followed.start();
    await activity.block();
    await followed.settle();
    const { head } = followed.ingest().status();
    await expect.poll(() => told.at(-1)).toBe(head);
    expect(told).toEqual([...told].sort((a, b) => a - b));
  });

  it("calls a chain halted while its node answers and its head stands still, until the next block", async () => {
    let aheadMs = 0;
    const clock = { now: () => systemClock.now() + aheadMs };
    const { activity, database } = await follow({ seed: 55 });
    const ingest = followed.start({}, { clock });
    await followed.settle();
    await followed.settle();
    expect(ingest.status().isHalted).toBe(false);
    aheadMs = 20 * 60_000;
    await ingest.until("halted", ({ isHalted }) => isHalted);
    expect((await database.db.pool.query("select is_halted from chains")).rows).toEqual([
      { is_halted: true },
    ]);
    await activity.mine();
    await ingest.until("going on", ({ isHalted }) => !isHalted);
    expect((await database.db.pool.query("select is_halted from chains")).rows).toEqual([
      { is_halted: false },
    ]);
  });

  it("reads a vault's state at intervals although nothing happens to it", async () => {
    const { activity, database } = await follow({ seed: 56 });
    followed.start({ sampleSeconds: 10 });
    await followed.settle();
    const vault = activity.trios[0]!.vault;
    const readings = async () => {
      const { rows } = await database.db.pool.query(
        "select block_number from vault_states where vault_address = $1",
        [vault],
      );
      return rows.length;
    };
    const before = await readings();
    // By the chain's time alone, whatever the machine's: 11 seconds to each of three blocks, none to the two after them.
    const { client } = activity.chain;
    await setSecondsBetweenBlocks(client, 11);
    for (let index = 0; index < 3; index += 1) await followed.settle();
    expect(await readings()).toBe(before + 3);
    await setSecondsBetweenBlocks(client, 0);
    await activity.mine();
    await followed.settle();
    expect(await readings()).toBe(before + 3);
  });
});

async function mineEmpty(blocks: number): Promise<void> {
  await followed.activity.chain.client.mine({ blocks });
}

async function headOf(): Promise<number> {
  return Number(await followed.activity.chain.client.getBlockNumber({ cacheTime: 0 }));
}
