// Nothing stops a chain for good: what the node would never tell is gone on without, and marked.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deployErc4626Vault } from "../../../../demo/src/deploy.ts";
import { createTestDatabase } from "../../../test/database.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import type { Call } from "../../../test/simulation/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/simulation/faulty-node.ts";

let followed: Followed;
let node: FaultyNode;

beforeEach(async () => {
  followed = await createFollowed({ seed: 302 });
  node = await startFaultyNode(followed.anvil.rpcUrl);
});
afterEach(async () => {
  await followed.end();
  await node.close();
});

const start = (patienceMs: number) =>
  followed.start(
    { rpcUrls: [node.url] },
    { patienceMs, client: { backoffMs: { base: 5, max: 50 }, settleMs: 200 } },
  );

describe("a chain goes on, with what is known, past", () => {
  it("transactions that no node knows: their entries name nobody, and each is marked", async () => {
    node.script({ fault: "unknown transactions" });
    for (let index = 0; index < 6; index += 1) await followed.activity.block();
    start(0);
    await followed.settle();
    const places = await rows<{ n: number }>("select count(*)::int as n from facts");
    expect(places[0]!.n).toBeGreaterThan(5);
    const gaps = await rows<{ lacks: string; reason: string }>(
      "select distinct lacks, reason from chain_gaps",
    );
    expect(gaps).toContainEqual({ lacks: "transaction", reason: "inconsistent" });
  });

  it("a vault that the node does not describe: it is followed from its announcement, and completed when the node does", async () => {
    start(0);
    await followed.activity.block();
    await followed.settle();
    node.script({ fault: "execution aborted" });
    await followed.activity.deployAndUse();
    const head = await followed.activity.mine();
    await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    expect(await incomplete()).toEqual([{ name: null }]);
    const gaps = await rows("select distinct lacks from chain_gaps order by lacks");
    expect(gaps).toEqual([{ lacks: "managers" }, { lacks: "vault_description" }]);
    node.calm();
    while ((await incomplete()).length > 0) await sleep(20);
    await followed.settle();
    const lost = await rows("select 1 from facts where kind = 'vault_deployed' and vault_address is null");
    expect(lost).toEqual([]);
  });

  it("samples of the past that fail once: they are tried again and taken", async () => {
    const vault = await plainVaultWithPast();
    node.script({ fault: "internal error", times: 3, when: ({ method }) => method === "eth_call" });
    node.script({
      fault: "pruned state",
      times: 1,
      when: ({ method, params }) => method === "eth_call" && params[1] !== "latest",
    });
    startWith(vault);
    await followed.settle();
    const points = await rows<{ n: number }>(
      "select count(*)::int as n from pps_points p join chains c using (chain_id) where p.block_number < c.confirmed_number - 100",
    );
    expect(points[0]!.n).toBeGreaterThanOrEqual(3);
  });

  it("samples of the past that fail for long: they are marked, and read once the node answers", async () => {
    const vault = await plainVaultWithPast();
    const { client } = followed.activity.chain;
    const past = Number(await client.getBlockNumber({ cacheTime: 0 })) - 100;
    const blocks = await Promise.all(
      Array.from({ length: past }, (_, number) => client.getBlock({ blockNumber: BigInt(number) })),
    );
    const hashes = new Set(blocks.map(({ hash }) => hash as string));
    const isOld = ({ method, params }: Call) =>
      method === "eth_call" && hashes.has((params[1] as { blockHash: string }).blockHash);
    node.script({ fault: "internal error", when: isOld });
    startWith(vault, 0);
    while ((await openSamples()).length < 4) await sleep(20);
    expect(await pointsOfPast(followed)).toEqual([]);
    node.calm();
    while ((await openSamples()).length > 0) await sleep(20);
    const other = followed.with(await createTestDatabase());
    try {
      startWith(vault, undefined, other);
      await other.settle();
      const undisturbed = await pointsOfPast(other);
      expect(undisturbed).toHaveLength(4);
      expect(await pointsOfPast(followed)).toEqual(undisturbed);
    } finally {
      await other.stop();
      await other.database.drop();
    }
  });
});

/** A vault that was used four times, two hours apart, long ago. */
async function plainVaultWithPast(): Promise<Address> {
  const { activity } = followed;
  const { chain, asset } = activity;
  await chain.client.setAutomine(true);
  const vault = await deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN" });
  await chain.client.setAutomine(false);
  for (let index = 0; index < 4; index += 1) {
    await activity.deposit({ vault, asset });
    await chain.client.increaseTime({ seconds: 7_200 });
    await activity.mine();
  }
  await chain.client.mine({ blocks: 140 });
  return vault;
}

function startWith(vault: Address, patienceMs?: number, at = followed): void {
  at.start(
    {
      rpcUrls: [node.url],
      sources: [{ family: "erc4626", vaults: [{ address: vault, primary_manager: null }] }],
    },
    { ...(patienceMs === undefined ? {} : { patienceMs }), client: { backoffMs: { base: 5, max: 50 } } },
  );
}

async function pointsOfPast({ database }: Followed): Promise<unknown[]> {
  const { rows } = await database.db.pool.query(
    `select p.block_number, p.pps, p.total_assets, p.total_supply from pps_points p join chains c using (chain_id)
      where p.block_number < c.confirmed_number - 100 order by 1`,
  );
  return rows;
}

const openSamples = () =>
  rows("select block_number from chain_gaps where lacks = 'sample' and filled_at is null");

async function rows<T>(text: string): Promise<T[]> {
  return (await followed.database.db.pool.query(text)).rows as T[];
}

async function incomplete(): Promise<unknown[]> {
  return await rows("select name from vaults where is_incomplete");
}
