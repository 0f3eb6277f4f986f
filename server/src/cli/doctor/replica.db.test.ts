// `vaultops doctor` before a real streaming replica: one that keeps up, one that stands still, one that hears of nothing any more.
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresPair, startPostgresPair } from "../../../test/fleet/postgres-pair.ts";
import { loadConfig } from "../../config/load.ts";
import { systemClock } from "../../platform/clock.ts";
import { type Database, openDatabase } from "../../platform/db/db.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { replica } from "./replica.ts";

let pair: PostgresPair;
let db: Database;
const egress = createEgress({ allowedNetworks: [], allowHttp: false });

beforeAll(async () => {
  pair = await startPostgresPair();
  db = await openDatabase({ url: pair.url });
});
afterAll(async () => {
  await Promise.all([db?.close(), egress.close()]);
  await pair?.stop();
});

function look() {
  const env = {
    VAULTOPS_DATABASE__URL: pair.url,
    VAULTOPS_DATABASE__REPLICA_URL: pair.standbyUrl,
    VAULTOPS_DATABASE__REPLICA_MAX_LAG_SECONDS: "1",
  };
  return replica.run({ config: loadConfig({ env }), db, noDatabase: null, egress, clock: systemClock });
}

async function onStandby(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: pair.standbySuperuserUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

it("one that keeps up is in order", async () => {
  expect(await look()).toMatchObject([{ state: "ok", says: expect.stringContaining("behind the primary") }]);
});

it("one that replays nothing is behind, though it receives all, and in order once it goes on", async () => {
  await onStandby("select pg_wal_replay_pause()");
  await db.pool.query("insert into chains (chain_id, name) values (1, 'one')");
  expect(await look()).toMatchObject([
    {
      state: "fault",
      says: expect.stringMatching(/^more than 1 s behind the primary, where 1 s are allowed/),
    },
  ]);
  await onStandby("select pg_wal_replay_resume()");
  expect(await look()).toMatchObject([{ state: "ok" }]);
});

it("one that streams no more is at fault, though it has all that it ever received", async () => {
  await onStandby("alter system set primary_conninfo = ''", "select pg_reload_conf()");
  await expect
    .poll(async () => (await look())[0]?.says)
    .toMatch(/^streams from no primary; what it replayed last is \d+ s old$/);
});
