// What has come to the schema since the last release is applied to tables with rows in them, while others write: no writer waits for longer than a
// second. Some thousands of rows, ten times as many where VAULTOPS_FULL is set; VAULTOPS_ENTRIES sets those of the log apart, up to millions.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { migrate } from "../src/platform/db/migrate.ts";
import { MIGRATIONS_DIRECTORY } from "../src/platform/db/migrations.ts";
import { silentLogger } from "../src/platform/log.ts";
import { createEmptyDatabase, type TestDatabase } from "./database.ts";
import { urlOf } from "./test-server.ts";

/** The newest migration of the last release. */
const LAST = 58;
const ROWS = process.env.VAULTOPS_FULL === "1" ? 200_000 : 20_000;
const ENTRIES = Number(process.env.VAULTOPS_ENTRIES ?? ROWS);

let test: TestDatabase;
let before: string;
beforeAll(async () => {
  test = await createEmptyDatabase();
  before = await mkdtemp(join(tmpdir(), "vaultops-migrations-"));
  for (const name of await readdir(MIGRATIONS_DIRECTORY))
    if (Number(name.slice(0, 6)) <= LAST) await cp(join(MIGRATIONS_DIRECTORY, name), join(before, name));
});
afterAll(async () => {
  await test.drop();
  await rm(before, { recursive: true, force: true });
});

/** Rows as they would come, without what comes with them: triggers and references are left out. */
async function fill(): Promise<void> {
  const server = inject("testServer");
  const client = new pg.Client({
    connectionString: urlOf(
      server,
      { role: new URL(server.superuserUrl).username, password: new URL(server.superuserUrl).password },
      new URL(test.url).pathname.slice(1),
    ),
  });
  await client.connect();
  await client.query("set session_replication_role = replica");
  for (const statement of FILL)
    await client.query(statement, [statement.includes("into audit_entries") ? ENTRIES : ROWS]);
  await client.query("analyze");
  await client.end();
}

const ADDRESS = "'0x' || lpad(to_hex(n % 50), 40, '0')";
const FILL = [
  "insert into chains (chain_id, name) select 1, 'one' where $1::integer > 0",
  `insert into blocks (chain_id, number, hash, block_timestamp)
   select 1, n, '0x' || lpad(to_hex(n), 64, '0'), '2026-01-01'::timestamptz + n * interval '1 second' from generate_series(1, $1::integer) n`,
  `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
   select 1, n, 0, 'deposit', ${ADDRESS}, '0x' || lpad(to_hex(n), 64, '0'), 0, ${ADDRESS}, '{}' from generate_series(1, $1::integer) n`,
  `insert into events (id, type, chain_id, vault_address, at, data, fanned_out_at)
   select gen_random_uuid(), 'deposit.fulfilled', 1, ${ADDRESS}, now(), '{}', now() from generate_series(1, $1::integer) n`,
  `insert into deliveries (id, queue, target_id, key, event_type, chain_id, vault_address, body, status, due_at, created_at, finished_at)
   select gen_random_uuid(), 'webhook', md5((n % 50)::text)::uuid, n, 'deposit.fulfilled', 1, ${ADDRESS}, '{}', 'delivered', now(), now(), now()
   from generate_series(1, $1::integer) n`,
  `insert into audit_entries (seq, id, timestamp, recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet, body)
   select n, gen_random_uuid(), t, t, t, 'deposit', ${ADDRESS}, 1, ${ADDRESS}, '{}'
   from (select n, '2026-01-01'::timestamptz + n * interval '1 second' as t from generate_series(1, $1::integer) n) made`,
];

/** One write to each large table, as the service makes them; the log's is the lock that its appends take. */
const WRITES = [
  "insert into events (id, type, chain_id, vault_address, at, data) values (gen_random_uuid(), 'pps.updated', 1, '0x1', now(), '{}')",
  "update deliveries set attempts_count = attempts_count + 1 where id = (select id from deliveries limit 1)",
  "update blocks set is_empty = true where chain_id = 1 and number = 7",
  "update facts set data = '{}' where chain_id = 1 and block_number = 7 and log_index = 0",
  "lock table audit_entries in row exclusive mode",
];

it("no writer waits for longer than a second while the schema is brought to this release", async () => {
  const owner = { ownerUrl: test.ownerUrl, log: silentLogger() };
  await migrate({ ...owner, directory: before });
  await fill();
  let isDone = false;
  let [count, slowestMs] = [0, 0];
  const write = async (text: string) => {
    const client = new pg.Client({ connectionString: test.ownerUrl });
    await client.connect();
    // Whoever waits for longer than that is refused (55P03), which fails the test.
    await client.query("set lock_timeout = '1s'");
    do {
      const startedAt = performance.now();
      await client.query(`begin; ${text}; commit`);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      count += 1;
    } while (!isDone);
    await client.end();
  };
  const writing = WRITES.map(write);
  const { applied } = await Promise.race([
    migrate(owner),
    Promise.all(writing).then(() => ({ applied: [] })),
  ]);
  isDone = true;
  await Promise.all(writing);
  console.log(
    `${applied.length} migrations over ${ENTRIES} entries and ${ROWS} rows in each other large table: ${count} writes meanwhile, the slowest took ${Math.round(slowestMs)} ms.`,
  );
  expect((await migrate(owner)).applied).toEqual([]);
});
