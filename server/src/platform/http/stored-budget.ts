// Quotas of requests that hold over all processes: fixed windows, counted in the database, told to clients as those in memory are
// (rate-limit.ts). One statement for each request that is charged, so only for what is rare: challenges, and changes that are recorded.
import { sql } from "kysely";
import { type Database, executeNamed } from "../db/db.ts";
import { type Budget, type QuotaPolicy, quotaState } from "./rate-limit.ts";

const EXPIRED_AT_ONCE = 20;

/** Counts in the database, by its clock. Rejects while it is away. */
export function storedBudget(db: Pick<Database, "kysely">, policy: QuotaPolicy): Budget {
  return {
    async take(key) {
      const { rows } = await executeNamed(db.kysely, "quota_take", takeOne(policy, key));
      const { used, seconds } = rows[0]!;
      return quotaState(policy, used, Math.max(1, seconds));
    },
  };
}

/** What is past its end starts again; past the quota no more is counted. Others that have ended are removed, some at a time. */
const takeOne = ({ name, windowSeconds, quota }: QuotaPolicy, key: string) => sql<{
  used: number;
  seconds: number;
}>`
  with gone as (
    delete from quota_windows where (name, key) in (
      select name, key from quota_windows
      where ends_at < clock_timestamp() and (name, key) <> (${name}, ${key})
      limit ${EXPIRED_AT_ONCE}::integer for update skip locked))
  insert into quota_windows as w (name, key, used, ends_at)
  values (${name}, ${key}, 1, clock_timestamp() + ${windowSeconds}::integer * interval '1 second')
  on conflict (name, key) do update set
    used = case when w.ends_at <= clock_timestamp() then 1 else least(w.used + 1, ${quota + 1}::integer) end,
    ends_at = case when w.ends_at <= clock_timestamp() then excluded.ends_at else w.ends_at end
  returning used, ceil(extract(epoch from ends_at - clock_timestamp()))::integer as seconds`;
