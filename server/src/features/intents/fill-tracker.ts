// Looks up on the followed chains what fills' transactions have become, and keeps `onchain` of each fill true:
//
//   pending      not seen yet, or in a block that is not confirmed
//   confirmed    in a confirmed block
//   missing      the node has said for ten minutes that it knows no such transaction
//   reorganised  it stood in a block that left the chain, and stands in none now
//
// The node is asked only about what it may know better than we do: fills not seen yet, at growing intervals; fills in a block
// that was replaced or has been confirmed since, once. Nothing open costs one indexed look per chain and round. A node that is
// out, or answers with an error, changes nothing: "missing" needs its own word, twice, ten minutes apart.
import { sql } from "kysely";
import type { Hash } from "viem";
import type { ChainClient } from "../../chain/client/client.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, executeNamed } from "../../platform/db/db.ts";
import type { Notifier } from "../../platform/db/notifier.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";

export interface FillTrackerParts {
  db: Pick<Database, "kysely">;
  clients: ReadonlyMap<number, Pick<ChainClient, "receipts">>;
  clock: Clock;
  log: Logger;
  /** Wakes the task at a new head; without it, it looks every two seconds. */
  notifier?: Pick<Notifier, "listen">;
  missingAfterMs?: number;
}

const ROUND_MS = 2_000;
const MISSING_AFTER_MS = 600_000;
/** Transactions asked about at once. */
const MOST_AT_ONCE = 500;

/** One task for each chain, so that a node that is out holds up no other chain's fills. */
export function fillTrackers(parts: FillTrackerParts): Task[] {
  return [...parts.clients].map(([chainId, client]) =>
    every(
      {
        name: `fills of chain ${chainId}`,
        role: "indexer",
        ledBy: chainId,
        ms: ROUND_MS,
        log: parts.log,
        wakenBy: (wake, signal) => parts.notifier?.listen("head", wake, signal),
      },
      async (signal) => {
        while (!signal.aborted && (await trackOnce(parts, chainId, client)) === MOST_AT_ONCE);
      },
    ),
  );
}

/** One round for a chain; the number of transactions that the node told of. @throws ChainFault when the node is out */
export async function trackOnce(
  parts: Pick<FillTrackerParts, "db" | "clock" | "missingAfterMs">,
  chainId: number,
  client: Pick<ChainClient, "receipts">,
): Promise<number> {
  const now = new Date(parts.clock.now()).toISOString();
  const { rows: due } = await executeNamed(parts.db.kysely, "fills_due", dueFills(chainId, now));
  if (due.length === 0) return 0;
  const receipts = await client.receipts(due.map((row) => row.tx_hash));
  const answers = [...receipts].map(
    ([hash, receipt]): Answer => ({
      tx_hash: hash,
      block_number: receipt?.blockNumber ?? null,
      block_hash: receipt?.blockHash ?? null,
      is_reverted: receipt ? !receipt.isSuccess : null,
    }),
  );
  const missingSeconds = (parts.missingAfterMs ?? MISSING_AFTER_MS) / 1000;
  await executeNamed(parts.db.kysely, "fills_answered", keep(answers, { chainId, now, missingSeconds }));
  return answers.length;
}

/** What the node knows of a transaction; null throughout: nothing. */
interface Answer {
  tx_hash: Hash;
  block_number: number | null;
  block_hash: Hash | null;
  is_reverted: boolean | null;
}

// A block that we hold by another hash was replaced. A confirmed fill above the confirmed block is one whose block a deep
// reorganisation has undone.
const dueFills = (chainId: number, now: string) => sql<{ tx_hash: Hash }>`
  select distinct tx_hash from (
    (select tx_hash from intent_fills where chain_id = ${chainId} and check_at <= ${now} order by check_at limit ${MOST_AT_ONCE})
    union all
    (select f.tx_hash
      from intent_fills f
      join chains c on c.chain_id = f.chain_id
      left join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
      where f.chain_id = ${chainId} and f.onchain = 'pending' and f.block_number is not null and f.check_at is null
        and (f.block_number <= c.confirmed_number or b.hash <> f.block_hash)
      limit ${MOST_AT_ONCE})
    union all
    (select f.tx_hash from intent_fills f
      where f.chain_id = ${chainId} and f.onchain = 'confirmed'
        and f.block_number > (select coalesce(confirmed_number, -1) from chains where chain_id = ${chainId})
      limit ${MOST_AT_ONCE})
  ) due
  limit ${MOST_AT_ONCE}`;

// A transaction is confirmed where its block is, and where we hold no other block at that height. While node and store do not
// agree about that they are asked again. The interval between questions grows with the time that the node has known nothing, to
// ten minutes; after a week it is not asked any more.
const keep = (
  answers: readonly Answer[],
  { chainId, now, missingSeconds }: { chainId: number; now: string; missingSeconds: number },
) => sql`
  update intent_fills f set
    onchain = case
      when a.block_number is null and f.was_seen then 'reorganised'
      when a.block_number is null and coalesce(f.unknown_since, ${now}::timestamptz) <= ${now}::timestamptz - make_interval(secs => ${missingSeconds}) then 'missing'
      when a.block_number is null and f.onchain = 'missing' then 'missing'
      when a.block_number is null then 'pending'
      when a.block_number <= c.confirmed_number and not a.is_disputed then 'confirmed'
      else 'pending' end,
    block_number = a.block_number,
    block_hash = a.block_hash,
    is_reverted = a.is_reverted,
    was_seen = f.was_seen or a.block_number is not null,
    unknown_since = case when a.block_number is null then coalesce(f.unknown_since, ${now}::timestamptz) end,
    check_at = case
      when a.block_number is not null and not a.is_disputed then null
      when a.block_number is not null then ${now}::timestamptz + interval '2 seconds'
      when f.unknown_since < ${now}::timestamptz - interval '7 days' then null
      else ${now}::timestamptz + least(greatest((${now}::timestamptz - f.unknown_since) / 4, interval '2 seconds'), interval '10 minutes') end
  from (
    select g.*, exists (
      select from blocks b where b.chain_id = ${chainId} and b.number = g.block_number and b.hash <> g.block_hash
    ) as is_disputed
    from json_to_recordset(${JSON.stringify(answers)}::json) as g (tx_hash text, block_number bigint, block_hash text, is_reverted boolean)
  ) a, chains c
  where f.chain_id = ${chainId} and f.tx_hash = a.tx_hash and c.chain_id = ${chainId}`;
