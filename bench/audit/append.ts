// Appends to the audit log, with the tree, the counts and the checks of the trigger, against bare inserts of the same rows in the same
// batches into a table with the same columns and indexes. Both logs hold a hundred thousand entries before.
import { record } from "../../server/src/audit/append/record.ts";
import { finish, prepare } from "../../server/src/audit/append/render.ts";
import { type Database, openDatabase } from "../../server/src/platform/db/db.ts";
import { emptyDatabase } from "../support/audit-database.ts";
import { fillLog, paceOf } from "../support/audit-fill.ts";
import { operation } from "../support/audit-log.ts";
import { type Figure, type FigureResult, interleave } from "../support/figure.ts";

const BEFORE = 100_000;

export const figures: Figure[] = [
  { batch: 100, batches: 100, quick: 20 },
  { batch: 10, batches: 500, quick: 100 },
].map(({ batch, batches, quick: few }) => ({
  name: `audit append, batches of ${batch}`,
  against: "bare inserts of the same rows",
  aim: 0.4,
  run: ({ quick }) => appended(batch, quick ? few : batches, quick),
}));

async function appended(batch: number, batches: number, quick: boolean): Promise<FigureResult> {
  const { superuserUrl, ownerUrl, appUrl } = await emptyDatabase();
  const before = quick ? 20_000 : BEFORE;
  await fillLog(ownerUrl, before);
  const owner = await openDatabase({ url: superuserUrl, statementTimeoutMs: 0 });
  await owner.pool.query(`
    create schema bench;
    create table bench.bare (like audit_entries including indexes);
    insert into bench.bare select * from audit_entries;
    grant usage on schema bench to public;
    grant insert on bench.bare to public`);
  await owner.close();
  const db = await openDatabase({ url: appUrl });
  const pace = paceOf(before, Math.floor(Date.now() / 1000));
  const places = { ours: before, limit: before };
  const rate = async (side: "ours" | "limit", write: (entries: Entry[], from: number) => Promise<void>) => {
    const startedAt = performance.now();
    for (let i = 0; i < batches; i += 1) {
      const from = places[side];
      places[side] += batch;
      await write(
        Array.from({ length: batch }, (_, n) => operation(from + n, pace)),
        from,
      );
    }
    return (batches * batch) / ((performance.now() - startedAt) / 1000);
  };
  try {
    return await interleave({
      rounds: quick ? 3 : 7,
      unit: "entries/s",
      ours: () => rate("ours", (entries) => db.transaction((tx) => record(tx, entries))),
      limit: () => rate("limit", (entries, from) => insertBare(db, entries, from)),
    });
  } finally {
    await db.close();
  }
}

type Entry = ReturnType<typeof operation>;
const NONE_UNDONE = new Map<string, number>();

/** The same columns, rendered the same way, one statement and one commit for each batch. */
async function insertBare(db: Database, entries: readonly Entry[], from: number): Promise<void> {
  const now = Date.now() * 1000;
  const rows = entries.map((entry, i) => finish(prepare(entry), NONE_UNDONE, from + i + 1, now + i));
  const columns = Array.from({ length: 9 }, (_, at) => rows.map((row) => row[at]).join("\n"));
  await db.pool.query({
    name: "bare",
    text: `insert into bench.bare (seq, id, "timestamp", recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet, body)
      select $1::bigint + n, id::uuid, t::timestamptz, r::timestamptz, o::timestamptz, action, vault, chain::bigint, actor, body
      from unnest(${columns.map((_, at) => `string_to_array($${at + 2}, E'\\n')`).join(", ")})
        with ordinality as e (id, t, r, o, action, vault, chain, actor, body, n)`,
    values: [from, ...columns],
  });
}
