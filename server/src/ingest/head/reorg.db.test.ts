// Reorganisations deeper than the confirmations, wherever they strike: what stood in the audit log is marked, what stands now is recorded,
// and roles and states are those of the true chain.
import { afterEach, describe, expect, it } from "vitest";
import type { TestDatabase } from "../../../test/database.ts";
import { createTestDatabase } from "../../../test/database.ts";
import { AUDITED_EVENTS } from "../../../test/entry-rules.ts";
import { createFollowed, type Followed, type FollowedOptions } from "../../../test/followed.ts";
import { startHoldingNode } from "../../../test/node-proxy.ts";
import { expectContractsWord } from "../../../test/simulation/verdict.ts";
import { NEAR_BLOCKS } from "../past/backfill.ts";

let followed: Followed;
let database: TestDatabase;
const cleanups: (() => Promise<void>)[] = [];

async function follow(options: FollowedOptions = {}): Promise<Followed> {
  database = await createTestDatabase();
  followed = await createFollowed({ confirmations: 2, ...options, database });
  return followed;
}

afterEach(async () => {
  await followed.end();
  for (const clean of cleanups.splice(0)) await clean();
});

describe("a reorganisation deeper than the confirmations", () => {
  it("at the head: one chain_reorg_revert for each entry that vanished, and none for another", async () => {
    const { activity } = await follow({ seed: 81 });
    followed.start();
    await operations(8);
    await followed.settle();
    await activity.reorg(7);
    await followed.settle();
    await expectMarked();
  });

  it("while the past is filled in: what was filled in above the fork is marked and filled in anew", async () => {
    const { activity } = await follow({ seed: 82 });
    for (let round = 0; round < NEAR_BLOCKS / 4; round += 1) {
      await operations(1);
      await activity.chain.client.mine({ blocks: 5 });
    }
    const node = await startHoldingNode(followed.anvil.rpcUrl, 200);
    cleanups.push(node.stop);
    const ingest = followed.start({ rpcUrls: [node.url], logStep: 2 }, { batchLimits: { facts: 5, ms: 20 } });
    const { head } = await ingest.until(
      "filled in beyond the fork",
      ({ backfill }) => (backfill?.nextBlock ?? 0) > 80,
    );
    expect(head).toBeGreaterThan(200);
    await activity.reorg(head! - 60);
    node.letOn();
    await followed.settle();
    await followed.expectTruth();
    await expectContractsWord(followed.activity.chain, database.db);
  });

  it("that filling in meets before the head has noticed: nothing of the new branch is written beside the old one", async () => {
    const { activity } = await follow({ seed: 87 });
    for (let round = 0; round < NEAR_BLOCKS / 4; round += 1) {
      await operations(1);
      await activity.chain.client.mine({ blocks: 5 });
    }
    const node = await startHoldingNode(followed.anvil.rpcUrl, 100);
    cleanups.push(node.stop);
    const ingest = followed.start(
      { rpcUrls: [node.url], logStep: 2 },
      {
        batchLimits: { facts: 5, ms: 20 },
        client: { timeoutMs: 600_000, logsTimeoutMs: 600_000, deadlineMs: 600_000 },
      },
    );
    const { head } = await ingest.until(
      "filled in beyond the fork",
      ({ backfill }) => (backfill?.nextBlock ?? 0) > 80,
    );
    const letHeadsOn = node.holdHeads();
    await activity.reorg(head! - 60);
    node.letOn();
    await ingest.until("refused or filled in", ({ error, backfill }) => error !== null || backfill === null);
    letHeadsOn();
    await followed.settle();
    await followed.expectTruth();
    await expectContractsWord(followed.activity.chain, database.db);
  });

  it("while the service is stopped: found at its start", async () => {
    const { activity } = await follow({ seed: 83 });
    followed.start();
    await operations(8);
    await followed.settle();
    await followed.stop();
    await activity.reorg(8);
    await operations(2);
    followed.start();
    await followed.settle();
    await expectMarked();
  });

  it("twice in a row: what came back the second time is recorded again, what vanished twice is marked twice", async () => {
    const { activity } = await follow({ seed: 84 });
    followed.start();
    await operations(8);
    await followed.settle();
    await activity.reorg(5);
    await followed.settle();
    await operations(3);
    await followed.settle();
    await activity.reorg(7);
    await activity.reorg(3);
    await followed.settle();
    await expectMarked();
  });

  it("across a vault's deployment: the vault, its roles and its state go with the block, and come with the next", async () => {
    const { activity } = await follow({ seed: 85 });
    followed.start();
    await activity.deployAndUse();
    await activity.mine();
    await operations(4);
    await followed.settle();
    const vaults = async () =>
      (await database.db.pool.query<{ n: number }>("select count(*)::int as n from vaults")).rows[0]!.n;
    expect(await vaults()).toBe(3);
    await activity.reorg(7);
    await followed.settle();
    expect(await vaults()).toBe(2);
    const { rows } = await database.db.pool.query(
      "select 1 from vault_roles r where not exists (select from vaults v where v.address = r.vault_address)",
    );
    expect(rows).toEqual([]);
    await activity.deployAndUse();
    await activity.mine();
    await activity.mine();
    await followed.settle();
    expect(await vaults()).toBe(3);
    await expectMarked();
  });

  it("that leaves a vault untouched takes away the block it was read at: it is read again, and roles are the contract's", async () => {
    const { activity } = await follow({ seed: 86 });
    followed.start();
    await operations(3);
    await followed.settle();
    // The block at which the sources joined the head, and the states read there, are gone; nothing touches the vaults again.
    await activity.reorg(6);
    await followed.settle();
    await expectContractsWord(followed.activity.chain, database.db);
  });
});

/** Blocks with one operation each that has an entry. */
async function operations(blocks: number): Promise<void> {
  const { activity } = followed;
  const event = AUDITED_EVENTS.find(({ signature }) => signature.startsWith("SecondaryManagerAdded("))!;
  for (let index = 0; index < blocks; index += 1) {
    await activity.emit(index % 2 === 0 ? event : AUDITED_EVENTS[5]!);
    await activity.mine();
  }
}

/** The log equals the chain; some entries were marked, each once; and the contracts' word stands. */
async function expectMarked(): Promise<void> {
  const reverted = await followed.expectTruth();
  expect(reverted.length).toBeGreaterThan(0);
  const { rows } = await database.db.pool.query<{ n: number; marks: number }>(
    `select count(*)::int as n, count(distinct body::jsonb->'details'->>'reverted_id')::int as marks
       from audit_entries where action_type = 'chain_reorg_revert'`,
  );
  expect(rows[0]).toEqual({ n: reverted.length, marks: reverted.length });
  await expectContractsWord(followed.activity.chain, database.db);
}
