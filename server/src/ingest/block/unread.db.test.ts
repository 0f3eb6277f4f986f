// A node that answers everything but the views of contracts: what it cannot tell is no state of theirs. The chain goes on, the last
// state stands and says since when, the node is asked less, and once it is well all is as if nothing had been.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { read } from "../../../../demo/src/chain.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/simulation/faulty-node.ts";

let followed: Followed;
let node: FaultyNode;

beforeEach(async () => {
  followed = await createFollowed({ seed: 301 });
  node = await startFaultyNode(followed.anvil.rpcUrl);
  for (let index = 0; index < 4; index += 1) await followed.activity.block();
  followed.start({ rpcUrls: [node.url] }, { client: { backoffMs: { base: 5, max: 50 } } });
  await followed.settle();
});
afterEach(async () => {
  await followed.end();
  await node.close();
});

describe.each([["an error in words of its own"], ["execution aborted"], ["another block's state"]])(
  "while every view is answered by: %s",
  (fault) => {
    it("the last state stands with its block and the time since when, and the chain goes on", async () => {
      const before = await states();
      node.script({ fault });
      const asked = node.asked.get("eth_call") ?? 0;
      for (let index = 0; index < 6; index += 1) {
        const head = await followed.activity.block();
        await followed.ingest().until(`at ${head}`, (status) => status.head === head);
      }
      // Six blocks with facts of both vaults, each two aggregates in two rounds with a second look, if it were asked as ever.
      expect((node.asked.get("eth_call") ?? 0) - asked).toBeLessThan(24);
      for (const row of await states()) {
        const last = before.find(({ vault_address }) => vault_address === row.vault_address)!;
        const { block_number, unread, as_of_block, ...values } = row;
        if (block_number === last.block_number) continue;
        const { block_number: lastBlock, unread: _, as_of_block: __, ...lastValues } = last;
        expect(values).toEqual(lastValues);
        expect(as_of_block).toBe(lastBlock);
        expect(Object.keys(unread)).toContain("pps");
      }
      node.calm();
      await well();
      await followed.settle();
      expect(await followed.expectTruth()).toEqual([]);
      for (const row of await states())
        expect(await priceOf(row.vault_address)).toEqual([row.pps, row.total_supply]);
    });

    it("a vault that is announced meanwhile is described once the node answers, every entry under it", async () => {
      node.script({ fault });
      await followed.activity.deployAndUse();
      await followed.activity.mine();
      await followed.activity.block();
      while ((node.done.get(fault) ?? 0) < 3) await sleep(10);
      node.calm();
      await followed.settle();
      expect(await followed.expectTruth()).toEqual([]);
      const { rows } = await followed.database.db.pool.query(
        "select 1 from facts where kind = 'vault_deployed' and vault_address is null",
      );
      expect(rows).toEqual([]);
    });
  },
);

interface State {
  vault_address: `0x${string}`;
  block_number: number;
  as_of_block: number | null;
  unread: Record<string, string>;
  pps: bigint | null;
  total_supply: bigint | null;
}

async function states(): Promise<State[]> {
  const { rows } = await followed.database.db.pool.query<State>(
    "select distinct on (vault_address) * from vault_states order by vault_address, block_number desc",
  );
  return rows;
}

async function well(): Promise<void> {
  while ((await states()).some(({ unread }) => Object.keys(unread).length > 0)) await sleep(20);
}

async function priceOf(vault: `0x${string}`): Promise<unknown> {
  const { rows } = await followed.database.db.pool.query<{ strategy_address: `0x${string}` }>(
    "select strategy_address from vaults where address = $1",
    [vault],
  );
  const { chain, system } = followed.activity;
  const supply = await read<bigint>(chain, {
    contract: "SuperVault",
    address: vault,
    functionName: "totalSupply",
    args: [],
  });
  const pps = await read<bigint>(chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName: "getPPS",
    args: [rows[0]!.strategy_address],
  });
  return [supply === 0n ? null : pps, supply];
}
