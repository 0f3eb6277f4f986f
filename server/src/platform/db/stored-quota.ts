// Quotas of what costs somebody else, such as messages to others: so many in any window of time, over all processes, by the database's
// clock. What every request is charged for stands in http/rate-limit.ts instead, in memory.
import { sql } from "kysely";
import { Problem } from "../errors.ts";
import type { Tx } from "./db.ts";

export interface StoredQuota {
  name: string;
  quota: number;
  windowSeconds: number;
  /** What is limited, for the refusal: "tests of a channel". */
  what: string;
}

/**
 * Charges `count` to the key in the caller's transaction; what is rolled back has cost nothing. Concurrent charges of one key stand in
 * line. @throws Problem `rate_limited`, telling when there is room again
 */
export async function chargeStored(tx: Tx, quota: StoredQuota, key: string, count = 1): Promise<void> {
  const { name, what, windowSeconds } = quota;
  const windowed = sql`(select coalesce(array_agg(t order by t), '{}') from unnest(q.times) t
    where t > clock_timestamp() - ${windowSeconds} * interval '1 second')`;
  const now = sql`array_fill(clock_timestamp(), array[${count}::integer])`;
  const expires = sql`clock_timestamp() + ${windowSeconds} * interval '1 second'`;
  const { rows: charged } = await sql`
    insert into stored_quotas as q (name, key, times, expires_at)
    select ${name}, ${key}, ${now}, ${expires} where ${count}::integer <= ${quota.quota}::integer
    on conflict (name, key) do update set times = ${windowed} || ${now}, expires_at = ${expires}
    where cardinality(${windowed}) + ${count}::integer <= ${quota.quota}::integer
    returning name`.execute(tx);
  if (charged.length === 0) {
    const { rows } = await sql<{ seconds: number }>`
      select ceil(extract(epoch from min(t) - clock_timestamp()) + ${windowSeconds})::integer as seconds
      from stored_quotas q, unnest(q.times) t
      where name = ${name} and key = ${key} and t > clock_timestamp() - ${windowSeconds} * interval '1 second'`.execute(
      tx,
    );
    const seconds = Math.max(1, rows[0]?.seconds ?? 1);
    throw new Problem(
      "rate_limited",
      `At most ${quota.quota} ${what} are allowed in ${windowSeconds} s. Repeat after ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }
  await sql`
    delete from stored_quotas where (name, key) in (
      select name, key from stored_quotas where expires_at < clock_timestamp() limit 20 for update skip locked)`.execute(
    tx,
  );
}
