// Events of a real chain: what happens in confirmed blocks is told, once, whatever reorganises; the past is not.
import { sql } from "kysely";
import { zeroAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFollowed, type Followed } from "../../test/followed.ts";
import type { StoredBody } from "../chain/facts.ts";
import { eventsOf } from "./from-facts.ts";

let followed: Followed;
beforeAll(async () => {
  followed = await createFollowed({ seed: 7, confirmations: 2 });
});
afterAll(() => followed.end());

interface FactRow {
  vault_address: `0x${string}` | null;
  block_number: number;
  hash: `0x${string}`;
  block_timestamp: number;
  tx_hash: `0x${string}`;
  log_index: number;
  kind: string;
  data: object;
  is_history: boolean;
}

/** The confirmed facts as they are stored, in chain order. */
async function facts(): Promise<FactRow[]> {
  const { rows } = await sql<FactRow>`
    select f.vault_address, f.block_number, b.hash, extract(epoch from b.block_timestamp)::bigint as block_timestamp, f.tx_hash,
      f.log_index, f.kind, f.data, b.block_timestamp < s.configured_at as is_history
    from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
    join chains c on c.chain_id = f.chain_id cross join (select min(configured_at) as configured_at from sources) s
    where f.block_number <= c.confirmed_number order by f.block_number, f.log_index`.execute(
    followed.database.db.kysely,
  );
  return rows;
}

async function told() {
  const { rows } = await followed.database.db.pool.query(
    "select type, chain_id, vault_address, at, data from events order by seq",
  );
  return rows.map(({ type, chain_id, vault_address, at, data }) => ({
    type,
    chainId: chain_id,
    vaultAddress: vault_address,
    at,
    data: JSON.parse(data),
  }));
}

test("each confirmed fact that is news is one event, in chain order; history is none", async () => {
  const { activity } = followed;
  for (let n = 0; n < 10; n += 1) await activity.block(3);
  // The chain's time is another than the machine's: what is past is judged by a clock that goes with the chain.
  const { timestamp } = await activity.chain.client.getBlock();
  const startedAtMs = performance.now();
  const clock = { now: () => Number(timestamp) * 1000 + performance.now() - startedAtMs };
  followed.start({}, { clock });
  await followed.settle();
  // A fast node may give its next blocks the very second of the start, and they would be history.
  await activity.chain.client.increaseTime({ seconds: 60 });
  for (let n = 0; n < 25; n += 1) {
    await activity.block(3);
    if (n % 6 === 5) await activity.reorg(1);
  }
  await followed.settle();

  const stored = await facts();
  const expected = stored.flatMap((row) =>
    eventsOf([
      {
        chainId: followed.anvil.chainId,
        vaultAddress: row.vault_address,
        blockNumber: row.block_number,
        blockHash: row.hash,
        blockTimestamp: row.block_timestamp,
        txHash: row.tx_hash,
        txIndex: 0,
        logIndex: row.log_index,
        actorWallet: zeroAddress,
        txFrom: null,
        body: { kind: row.kind, ...row.data } as StoredBody,
        isHistory: row.is_history,
      },
    ]),
  );
  expect(expected.length).toBeGreaterThan(5);
  expect(await told()).toEqual(expected);
  // The world had a past, and nobody is told of it.
  expect(stored.some(({ is_history }) => is_history)).toBe(true);
});
