// What release 0.1 lost when a node answered with errors of its own while a vault was announced is found again, once, and said to be so.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { createFollowed, type Followed } from "../../test/followed.ts";
import { readFactPlaces, readTruth } from "../../test/ground-truth.ts";
import { createChainClient } from "../chain/client/client.ts";
import { silentLogger } from "../platform/log.ts";
import { mendCommand } from "./mend.ts";

const NOBODY = "0x0000000000000000000000000000000000000000";

let database: TestDatabase;
let followed: Followed;

beforeEach(async () => {
  database = await createTestDatabase();
  followed = await createFollowed({ seed: 303, confirmations: 6, database });
});
afterEach(() => followed.end());

it("a vault that was lost stands again with all of its facts, roles and entries, and a second time there is nothing to mend", async () => {
  const { activity } = followed;
  followed.start();
  await followed.settle();
  await activity.deployAndUse();
  await activity.mine();
  const head = await activity.block();
  await followed.ingest().until(`at ${head}`, (status) => status.head === head);
  await followed.stop();
  const vault = await lose();
  // From here on as 0.1 went on: confirmed under nobody, and what the vault does is not followed.
  followed.start();
  for (let index = 0; index < 8; index += 1) await activity.block();
  await followed.settle();
  const { confirmed } = followed.ingest().status();
  await followed.stop();
  const { chain, system } = activity;
  const truth = await readTruth(chain, system.aggregator, {
    head: Number(await chain.client.getBlockNumber({ cacheTime: 0 })),
    confirmed: confirmed!,
  });
  expect(await readFactPlaces(database.owner, followed.anvil.chainId)).not.toEqual(truth.logs);
  const standing = await entriesOf(NOBODY);
  expect(standing.map(({ action_type }) => action_type)).toContain("vault_create");

  const { code, printed } = await mend();
  expect([code, printed.length]).toEqual([0, 1]);
  expect(printed[0]).toContain(vault);
  expect(await readFactPlaces(database.owner, followed.anvil.chainId)).toEqual(truth.logs);
  const own = await entriesOf(vault);
  const wanted = truth.entries.filter((entry) => entry.vault_address === vault);
  expect(
    own.map(({ action_type, actor_wallet, details }) => [details.log_index, action_type, actor_wallet]),
  ).toEqual(wanted.map(({ log_index, action_type, actor_wallet }) => [log_index, action_type, actor_wallet]));
  expect(own.every(({ details }) => details.backfilled === true)).toBe(true);
  expect(await entriesOf(NOBODY)).toEqual(standing);
  const roles = await database.owner.pool.query(
    "select 1 from vault_roles where vault_address = $1 and role = 'primary_manager' and to_block is null",
    [vault],
  );
  expect(roles.rowCount).toBe(1);
  const events = await database.owner.pool.query("select 1 from events where vault_address = $1", [vault]);
  expect(events.rowCount).toBe(0);

  expect((await mend()).printed).toEqual([expect.stringContaining("nothing to repair")]);
  followed.start();
  await followed.settle();
  expect((await entriesOf(vault)).length).toBeGreaterThanOrEqual(own.length);
});

/** What 0.1 left of the newest vault: its announcement and its strategy's events under nobody, nothing of its own contracts. */
async function lose(): Promise<`0x${string}`> {
  const { pool } = database.owner;
  const { rows } = await pool.query<{
    address: `0x${string}`;
    strategy_address: string;
    created_block: number;
  }>("select address, strategy_address, created_block from vaults order by created_block desc limit 1");
  const { address, strategy_address: strategy } = rows[0]!;
  const { chain, system } = followed.activity;
  const logs = await chain.client.getLogs({ address: system.aggregator, fromBlock: 0n });
  const announced = new Set(logs.map((log) => `${log.blockNumber}:${log.logIndex}`));
  const facts = await pool.query<{ block_number: number; log_index: number }>(
    "select block_number, log_index from facts where vault_address = $1",
    [address],
  );
  for (const { block_number, log_index } of facts.rows) {
    const place = [block_number, log_index];
    if (announced.has(`${block_number}:${log_index}`))
      await pool.query(
        "update facts set vault_address = null where block_number = $1 and log_index = $2",
        place,
      );
    else await pool.query("delete from facts where block_number = $1 and log_index = $2", place);
  }
  await pool.query(
    `update facts set data = data || '{"primaryManager": "${NOBODY}", "secondaryManagers": []}'
      where kind = 'vault_deployed' and data ->> 'strategy' = $1`,
    [strategy],
  );
  for (const table of [
    "vault_states",
    "vault_roles",
    "pps_points",
    "share_supplies",
    "redeem_flows",
    "vault_intervals",
  ])
    await pool.query(`delete from ${table} where vault_address = $1`, [address]);
  await pool.query("delete from vaults where address = $1", [address]);
  return address;
}

interface Written {
  action_type: string;
  actor_wallet: string;
  details: Record<string, unknown>;
}

async function entriesOf(vault: string): Promise<Written[]> {
  const { rows } = await database.owner.pool.query<{ body: string }>(
    "select body from audit_entries where vault_address = $1 order by occurred_at, (body::jsonb #>> '{details,log_index}')::int, seq",
    [vault],
  );
  return rows.map(({ body }) => JSON.parse(body) as Written);
}

async function mend(): Promise<{ code: number; printed: string[] }> {
  const { chainId, rpcUrl } = followed.anvil;
  const printed: string[] = [];
  const log = silentLogger();
  const client = createChainClient({ chainId, name: "test", rpcUrls: [rpcUrl], log });
  try {
    const code = await mendCommand({
      db: database.db,
      ownerUrl: database.ownerUrl,
      clients: [client],
      log,
      print: (line) => printed.push(line),
      signal: new AbortController().signal,
    });
    return { code, printed };
  } finally {
    await client.close();
  }
}
