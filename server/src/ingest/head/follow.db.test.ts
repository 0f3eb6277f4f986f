// Following a real node: every operation once in the audit log, every log once among the facts, through the past, the head
// and reorganisations of both.
import { afterEach, describe, expect, it } from "vitest";
import { AUDITED_EVENTS } from "../../../test/entry-rules.ts";
import { createFollowed, type Followed, type FollowedOptions } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { startIngest } from "../../../test/ingest.ts";

let followed: Followed;

async function follow(options: FollowedOptions = {}): Promise<Followed> {
  followed = await createFollowed(options);
  return followed;
}

afterEach(async () => {
  await followed.end();
});

describe("a chain that is followed", () => {
  it("has every event of the table once in the audit log, with the decided action, actor and details", async () => {
    const { activity, database, anvil } = await follow();
    followed.start();
    for (const event of AUDITED_EVENTS) {
      if (!event.signature.startsWith("VaultDeployed(")) await activity.emit(event);
      if (activity.draw(3) === 0) await activity.mine();
    }
    await activity.deployAndUse();
    await activity.mine();
    await activity.mine();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
    const { entries } = await readRecorded(database.db, anvil.chainId);
    expect(entries.length).toBeGreaterThanOrEqual(AUDITED_EVENTS.length);
  });

  it("is filled in from its past and goes on from the head in the same way", async () => {
    const { activity } = await follow({ seed: 2 });
    for (let index = 0; index < 40; index += 1) await activity.block();
    followed.start();
    for (let index = 0; index < 20; index += 1) await activity.block();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("undoes and redoes reorganisations that end above the confirmed block", async () => {
    const { activity } = await follow({ seed: 3, confirmations: 4 });
    followed.start();
    for (let round = 0; round < 15; round += 1) {
      for (let index = 0; index <= round % 3; index += 1) await activity.block();
      await followed.settle();
      await activity.reorg(1 + (round % 4));
    }
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("goes on after a reorganisation while it was stopped", async () => {
    const { activity } = await follow({ seed: 4, confirmations: 5 });
    followed.start();
    for (let index = 0; index < 8; index += 1) await activity.block();
    await followed.settle();
    await followed.stop();
    await activity.reorg(4);
    await activity.block();
    followed.start();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("keeps the entries of a reorganisation deeper than the confirmations, marks them, and goes on from the true chain", async () => {
    const { activity, database, anvil } = await follow({ seed: 5, confirmations: 2 });
    followed.start();
    for (let index = 0; index < 12; index += 1) await activity.block(3);
    await followed.settle();
    const before = await readRecorded(database.db, anvil.chainId);
    await activity.reorg(8);
    await followed.settle();
    const reverted = await followed.expectTruth();
    expect(reverted.length).toBeGreaterThan(0);
    for (const entry of reverted) expect(before.entries).toContainEqual(entry);
  });

  it("follows at zero confirmations, where every reorganisation is a deep one", async () => {
    const { activity } = await follow({ seed: 6, confirmations: 0 });
    followed.start();
    for (let round = 0; round < 8; round += 1) {
      for (let index = 0; index < 3; index += 1) await activity.block();
      await followed.settle();
      await activity.reorg(1 + (round % 3));
    }
    await followed.settle();
    expect((await followed.expectTruth()).length).toBeGreaterThan(0);
  });

  it("stays whole while two processes follow it at once, of which one at a time can write", async () => {
    const { activity, database, anvil } = await follow({ seed: 7, confirmations: 3 });
    for (let index = 0; index < 10; index += 1) await activity.block();
    const sources = [{ family: "supervault" as const, aggregator: activity.system.aggregator }];
    const other = startIngest(database.db, [
      { chainId: anvil.chainId, rpcUrls: [anvil.rpcUrl], confirmations: 3, sources },
    ]);
    followed.start();
    try {
      for (let round = 0; round < 10; round += 1) {
        await activity.block();
        await activity.block();
        await activity.reorg(1 + (round % 4));
      }
    } finally {
      await other.stop();
    }
    await followed.settle();
    await followed.expectTruth();
  });
});
