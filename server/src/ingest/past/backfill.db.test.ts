// Filling in the past of a real node while its head moves, and while its past changes.
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { deployErc4626Vault } from "../../../../demo/src/deploy.ts";
import { AUDITED_EVENTS } from "../../../test/entry-rules.ts";
import { createFollowed, type Followed, type FollowedOptions } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { type HoldingNode, startHoldingNode, startPrunedNode } from "../../../test/node-proxy.ts";
import { NEAR_BLOCKS } from "./backfill.ts";

let followed: Followed;

async function follow(options: FollowedOptions = {}): Promise<Followed> {
  followed = await createFollowed(options);
  return followed;
}

const cleanups: (() => Promise<void>)[] = [];

/** So that what a node holds back is no fault of its. */
const PATIENTLY = { timeoutMs: 600_000, logsTimeoutMs: 600_000, deadlineMs: 600_000 };

/** The followed chain's node, which keeps logs back from a block on, so that filling in stands there while a test looks. */
async function held(fromBlock: number): Promise<HoldingNode> {
  const node = await startHoldingNode(followed.anvil.rpcUrl, fromBlock);
  cleanups.push(node.stop);
  return node;
}

afterEach(async () => {
  await followed.end();
  for (const clean of cleanups.splice(0)) await clean();
});

describe("filling in the past", () => {
  it("goes on beside the head, through reorganisations of the head", async () => {
    const { activity } = await follow({ seed: 11, confirmations: 3 });
    await history(followed, NEAR_BLOCKS + 60);
    const node = await held(100);
    const ingest = followed.start({ rpcUrls: [node.url], logStep: 3 }, { client: PATIENTLY });
    await ingest.until("filling in", ({ backfill }) => backfill !== null);
    for (let round = 0; round < 6; round += 1) {
      await activity.block();
      await activity.block();
      await activity.reorg(1 + (round % 3));
      if (round === 3) node.letOn();
    }
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("starts over where a reorganisation deeper than the confirmations has changed what was filled in", async () => {
    const { activity, database, anvil } = await follow({ seed: 12, confirmations: 2 });
    await history(followed, NEAR_BLOCKS + 120);
    const node = await held(200);
    const ingest = followed.start(
      { rpcUrls: [node.url], logStep: 2 },
      { batchLimits: { facts: 5, ms: 50 }, client: PATIENTLY },
    );
    const { head } = await ingest.until("half way", ({ backfill }) => (backfill?.nextBlock ?? 0) > 80);
    expect(head).toBeGreaterThan(200);
    await activity.reorg(head! - 60);
    node.letOn();
    await followed.settle();
    const reverted = await followed.expectTruth();
    expect(reverted.length).toBeGreaterThan(0);
    const { entries } = await readRecorded(database.db, anvil.chainId);
    expect(
      new Set(entries.map((entry) => `${entry.block_hash} ${entry.log_index} ${entry.action_type}`)).size,
    ).toBe(entries.length);
  });

  it("reads a vault that is deployed and used in the block where the past meets the head, and in those beside it", async () => {
    const { activity } = await follow({ seed: 13, confirmations: 2 });
    await activity.block();
    for (let index = 0; index < 5; index += 1) {
      await activity.deployAndUse();
      await activity.block();
    }
    followed.start();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("gives the entries of blocks older than the configuration their blocks' time, and later ones their own", async () => {
    const { activity, database } = await follow({ seed: 14, anvil: { genesisTimestamp: 1_700_000_000 } });
    await history(followed, 10);
    followed.start();
    await followed.settle();
    await activity.chain.client.setNextBlockTimestamp({
      timestamp: BigInt(Math.floor(Date.now() / 1000) + 60),
    });
    await activity.emit(AUDITED_EVENTS.find(({ signature }) => signature.startsWith("YieldSourceAdded("))!);
    await activity.mine();
    await activity.mine();
    await followed.settle();
    const { rows } = await database.db.pool.query<{ timestamp: string; recorded_at: string; body: string }>(
      `select "timestamp", recorded_at, body from audit_entries order by seq`,
    );
    const last = rows.pop()!;
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) expect(row.timestamp).toBe(JSON.parse(row.body).details.block_timestamp);
    expect(JSON.parse(last.body).action_type).toBe("yield_source_add");
    expect(last.timestamp).toBe(last.recorded_at);
  });

  it("tells in the log how far it is, and how long the rest takes at the pace so far", async () => {
    await follow({ seed: 17 });
    await history(followed, NEAR_BLOCKS + 120);
    const node = await held(200);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    cleanups.push(async () => void vi.useRealTimers());
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
    let nowMs = Date.now();
    const ingest = followed.start(
      { rpcUrls: [node.url], logStep: 3 },
      { log, clock: { now: () => nowMs }, batchLimits: { facts: 5, ms: 1_000 }, client: PATIENTLY },
    );
    const { backfill } = await ingest.until(
      "half way",
      (status) => status.backfill !== null && status.backfill.nextBlock > 0,
    );
    expect(backfill?.secondsLeft).toBe(0);
    nowMs += 60_000;
    const now = ingest.status().backfill!;
    vi.advanceTimersByTime(10_000);
    const { sources, nextBlock, toBlock, secondsLeft } = now;
    expect(secondsLeft).toBe(Math.ceil(((toBlock + 1 - nextBlock) / nextBlock) * 60));
    expect(secondsLeft).toBeGreaterThan(0);
    expect(lines.filter(({ msg }) => msg === "filling in the past")).toEqual([
      expect.objectContaining({ chain_id: followed.anvil.chainId, sources, nextBlock, toBlock, secondsLeft }),
    ]);
  });

  it("does not need the past's state: a node that has dropped it gives the same facts and entries", async () => {
    const { activity } = await follow({ seed: 16 });
    await activity.deployAndUse();
    await history(followed, 30);
    const node = await startPrunedNode(followed.anvil.rpcUrl, await activity.mine());
    cleanups.push(node.stop);
    followed.start({ rpcUrls: [node.url] });
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("fills in a vault that is added to the configuration later, without holding up the head", async () => {
    const { activity, database, anvil } = await follow({ seed: 15, confirmations: 2 });
    await activity.chain.client.setAutomine(true);
    const { chain, asset, system } = activity;
    const vault = await deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN" });
    await activity.chain.client.setAutomine(false);
    for (let index = 0; index < 3; index += 1) {
      await activity.deposit({ vault, asset });
      await activity.mine();
    }
    const supervault = { family: "supervault" as const, aggregator: system.aggregator };
    followed.start({ sources: [supervault] });
    await history(followed, NEAR_BLOCKS + 40);
    await followed.settle();
    await followed.stop();

    const later = { family: "erc4626" as const, vaults: [{ address: vault, primary_manager: null }] };
    const node = await held(100);
    const ingest = followed.start(
      { rpcUrls: [node.url], sources: [supervault, later], logStep: 2 },
      { client: PATIENTLY },
    );
    await ingest.until("filling in", ({ backfill }) => backfill !== null);
    for (let index = 0; index < 5; index += 1) {
      const head = await activity.block();
      const status = await ingest.until(`at ${head}`, (each) => each.head === head);
      expect(status.backfill).not.toBeNull();
    }
    node.letOn();
    await activity.deposit({ vault, asset });
    await activity.mine();
    await followed.settle();
    await followed.settle();

    const { entries } = await readRecorded(database.db, anvil.chainId);
    const deposits = entries.filter((entry) => entry.vault_address === vault);
    expect(deposits.map(({ action_type }) => action_type)).toEqual([
      "deposit",
      "deposit",
      "deposit",
      "deposit",
    ]);
    const roles = await database.db.pool.query(
      "select wallet, role from vault_roles where vault_address = $1",
      [vault],
    );
    expect(roles.rows).toEqual([{ wallet: addressOf("primaryManager"), role: "primary_manager" }]);
  });
});

/** Some hundred blocks, an operation or two in every fifth. */
async function history({ activity }: Followed, blocks: number): Promise<void> {
  for (let index = 0; index < blocks; index += 5) {
    await activity.block(2);
    await activity.chain.client.mine({ blocks: 4 });
  }
}
