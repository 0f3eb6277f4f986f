// The maintained counts as verification reads them: the stored ones for the fingerprint, and, where that differs, every count
// recomputed from the entries and compared row by row. All of it in the snapshot of the client's transaction.
import type { Readable } from "node:stream";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { HEAD } from "./counts.ts";
import type { LogFailure } from "./verify-row.ts";
import type { CountsCheck } from "./verify-tally.ts";

/** How many entries are in the counts. */
export async function countedSize(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query(`with ${HEAD} select counted::float8 as counted from head`);
  return rows[0].counted;
}

/** The actors that say that they are counted by cell. */
export async function countedActors(client: pg.PoolClient): Promise<Set<string>> {
  const { rows } = await client.query("select actor_wallet from audit_actors where is_counted");
  return new Set(rows.map((row) => row.actor_wallet));
}

/** Hands the check every stored count and actor. */
export async function addStored(client: pg.PoolClient, counts: CountsCheck): Promise<void> {
  await eachLine(client, STORED_COUNTS, (line) => {
    const at = line.lastIndexOf("\t");
    counts.addStoredCount(line.slice(0, at), Number(line.slice(at + 1)));
  });
  await eachLine(client, "select actor_wallet, n, is_counted from audit_actors", (line) => {
    const [actor, n, isCounted] = line.split("\t");
    counts.addStoredActor(actor!, Number(n), isCounted === "t");
  });
}

const STORED_COUNTS =
  "select actor_wallet, level, chain_id, vault_address, axis, bucket, action_type, n from audit_counts where n <> 0";

async function eachLine(client: pg.PoolClient, query: string, take: (line: string) => void): Promise<void> {
  const rows = client.query(copyTo(`copy (${query}) to stdout`)) as unknown as Readable;
  let rest = "";
  for await (const text of rows.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(line);
  }
}

/** The first count that is not what the entries say. */
export async function countsFault(client: pg.PoolClient): Promise<LogFailure> {
  const { rows } = await client.query(`${COUNTS} limit 1`);
  const actors = rows.length > 0 ? [] : (await client.query(`${ACTORS} limit 1`)).rows;
  if (actors.length > 0) {
    const { actor_wallet, stored, counted } = actors[0];
    return {
      seq: null,
      reason: `the count of actor ${actor_wallet} is ${stored ?? "missing"}, his entries are ${counted ?? 0}`,
    };
  }
  const row = rows[0];
  if (row === undefined) return { seq: null, reason: "the counts differ from the entries" };
  const place =
    row.vault_address === "*"
      ? row.chain_id < 0
        ? "everything"
        : `chain ${row.chain_id}`
      : `vault ${row.vault_address} on chain ${row.chain_id}`;
  const who = row.actor_wallet === "" ? "" : ` by ${row.actor_wallet}`;
  return {
    seq: null,
    reason: `the count of ${row.action_type}${who} for ${place} (level ${row.level}, bucket ${row.bucket}, axis ${row.axis}) is ${row.stored ?? "missing"}, the entries are ${row.counted ?? 0}`,
  };
}

const SECONDS = (column: string) => `floor(date_part('epoch', ${column}))::bigint >> 13`;

const COUNTS = `
with ${HEAD},
finest as materialized (
  select who.actor, chain_id, vault_address, action_type, ${SECONDS('"timestamp"')} as served, ${SECONDS("occurred_at")} as happened, count(*) as n
  from audit_entries e
  left join audit_actors a on a.actor_wallet = e.actor_wallet and a.is_counted
  cross join lateral (select '' as actor union all select a.actor_wallet where a.is_counted) who
  where seq <= (select counted from head)
  group by 1, 2, 3, 4, 5, 6
),
expected as (
  select actor, level, place.chain, place.vault, moved.axis, moved.bucket >> (level - 13) as bucket, action_type, sum(moved.n)::bigint as n
  from finest
  cross join lateral (values (0, served, n), (1, happened, n), (1, served, -n)) moved (axis, bucket, n)
  cross join lateral (values (vault_address, chain_id, 16), ('*', chain_id, 13), ('*', -1::bigint, 13)) place (vault, chain, fine)
  cross join lateral (values (place.fine), (20), (63)) levels (level)
  where (moved.axis = 0 or served <> happened) and (actor = '' or place.vault <> '*')
  group by 1, 2, 3, 4, 5, 6, 7
  having sum(moved.n) <> 0
)
select coalesce(c.actor_wallet, actor) as actor_wallet, coalesce(c.level, e.level) as level, coalesce(c.chain_id, chain) as chain_id,
       coalesce(c.vault_address, vault) as vault_address, coalesce(c.axis, e.axis) as axis, coalesce(c.bucket, e.bucket) as bucket,
       coalesce(c.action_type, e.action_type) as action_type, c.n as stored, e.n as counted
from expected e
full join (select * from audit_counts where n <> 0) c
  on c.actor_wallet = actor and c.level = e.level and c.chain_id = chain and c.vault_address = vault
     and c.axis = e.axis and c.bucket = e.bucket and c.action_type = e.action_type
where c.n is distinct from e.n`;

const ACTORS = `
with ${HEAD},
expected as (select actor_wallet, count(*) as n from audit_entries where seq <= (select counted from head) group by 1)
select coalesce(a.actor_wallet, e.actor_wallet) as actor_wallet, a.n as stored, e.n as counted
from expected e full join audit_actors a on a.actor_wallet = e.actor_wallet
where a.n is distinct from e.n or a.is_counted is distinct from (e.n > 1024)`;
