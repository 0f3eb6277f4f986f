// The maintained counts against the entries: PostgreSQL counts these anew, and each count that is stored must be what it then has. All
// of it in the snapshot of the client's transaction.
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import { HEAD } from "../read/counts.ts";
import type { LogFailure } from "./row.ts";

/** The first count that is not what the entries say, or null. */
export async function countsFault(snapshot: QueryExecutorProvider): Promise<LogFailure | null> {
  const [count] = (await sql`${COUNTS} limit 1`.execute(snapshot)).rows as Counted[];
  if (count !== undefined) return fault(`the count of ${nameOf(count)}`, count);
  const [actor] = (await sql`${ACTORS} limit 1`.execute(snapshot)).rows as Counted[];
  return actor === undefined ? null : fault(`the count of actor ${actor.actor_wallet}`, actor);
}

/** The entries alone do not tell whether an actor is counted apart. */
function fault(name: string, { stored, counted }: Counted): LogFailure {
  const is = stored === counted ? "is stored under another number" : `is ${stored ?? "missing"}`;
  return { seq: null, reason: `${name} ${is}, the entries are ${counted ?? 0}` };
}

type Counted = { stored: string | null; counted: string | null } & Record<
  "action_type" | "actor_wallet" | "chain_id" | "vault_address" | "level" | "bucket" | "axis",
  string
>;

function nameOf(count: Counted): string {
  const { action_type, actor_wallet, chain_id, vault_address, level, bucket, axis } = count;
  const chain = chain_id === "-1" ? "everything" : `chain ${chain_id}`;
  const place = vault_address === "*" ? chain : `vault ${vault_address} on ${chain}`;
  const who = actor_wallet === "" ? "" : ` by ${actor_wallet}`;
  return `${action_type}${who} for ${place} (level ${level}, bucket ${bucket}, axis ${axis})`;
}

const secondsOf = (column: RawBuilder<unknown>) => sql`floor(date_part('epoch', ${column}))::bigint >> 13`;

const COUNTS = sql`
with ${HEAD},
finest as materialized (
  select who.actor, chain_id, vault_address, action_type, ${secondsOf(sql`"timestamp"`)} as served, ${secondsOf(sql`occurred_at`)} as happened, count(*) as n
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
),
-- Summed up, since who owns the table can take its key away and put a row twice.
stored as (
  select actor_wallet, level, chain_id, vault_address, axis, bucket, action_type, sum(n) as n from audit_counts
  group by 1, 2, 3, 4, 5, 6, 7
  having sum(n) <> 0
)
select coalesce(s.actor_wallet, actor) as actor_wallet, coalesce(s.level, e.level) as level,
       coalesce(s.chain_id, chain)::text as chain_id, coalesce(s.vault_address, vault) as vault_address,
       coalesce(s.axis, e.axis) as axis, coalesce(s.bucket, e.bucket)::text as bucket,
       coalesce(s.action_type, e.action_type) as action_type, s.n::text as stored, e.n::text as counted
from expected e
full join stored s
  on s.actor_wallet = actor and s.level = e.level and s.chain_id = chain and s.vault_address = vault
     and s.axis = e.axis and s.bucket = e.bucket and s.action_type = e.action_type
where s.n is distinct from e.n`;

const ACTORS = sql`
with ${HEAD},
expected as (select actor_wallet, count(*) as n from audit_entries where seq <= (select counted from head) group by 1),
stored as (select actor_wallet, sum(n) as n, bool_or(is_counted) as is_counted from audit_actors group by 1)
select coalesce(s.actor_wallet, e.actor_wallet) as actor_wallet, s.n::text as stored, e.n::text as counted
from expected e full join stored s on s.actor_wallet = e.actor_wallet
where s.n is distinct from e.n or s.is_counted is distinct from (e.n > 1024)`;
