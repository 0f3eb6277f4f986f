// What becomes of what was submitted, and of nonces: reverted, replaced by another transaction, or another thing than the action. That an
// action was executed is never concluded from here: the chain's facts say it (judge.ts), whether anything was submitted or not.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { ChainClient } from "../../../chain/client/client.ts";
import { isBehind } from "./followed.ts";
import type { JudgeParts } from "./judge.ts";
import { safeNonceAt } from "./safe-nonce.ts";

export type LookingClient = Pick<ChainClient, "chainId" | "receipts" | "sent" | "nonceAt" | "call">;

interface Due {
  action_id: string;
  position: number;
  transaction_hash: Hash;
  sender: Address | null;
  nonce: string | null;
  is_behind: boolean;
  is_old: boolean;
}

const MOST_AT_ONCE = 200;
/** A hash that no node has told by then is taken for one that nobody sent: it may be submitted again. */
const UNKNOWN_HOURS = 24;

/** Asks the node about submitted transactions that are due. @throws ChainFault when the node is out */
export async function lookAfter(parts: JudgeParts, client: LookingClient, confirmed: number): Promise<void> {
  const { db } = parts;
  const now = new Date(parts.clock.now()).toISOString();
  await forgetUndone(parts, client.chainId);
  const { rows } = await sql<Due>`
    select s.action_id, s.position, s.transaction_hash, s.sender, s.nonce::text, ${isBehind} as is_behind,
           s.submitted_at <= ${now}::timestamptz - make_interval(hours => ${UNKNOWN_HOURS}) as is_old
      from prepared_action_submissions s join prepared_actions p on p.id = s.action_id
     where p.chain_id = ${client.chainId} and s.transaction_hash is not null and s.look_at <= ${now}::timestamptz
       and num_nonnulls(s.failed_at, s.replaced_at, s.unrelated_at) = 0 and s.submitted_at > ${now}::timestamptz - interval '30 days'
       and not exists (select from prepared_action_executions x where x.action_id = p.id)
     order by s.look_at limit ${MOST_AT_ONCE}`.execute(db.kysely);
  if (rows.length === 0) return;
  const receipts = await client.receipts(rows.map((row) => row.transaction_hash));
  const unseen = rows.filter((row) => row.nonce === null && receipts.get(row.transaction_hash) === null);
  const sent = unseen.length === 0 ? null : await client.sent(unseen.map((row) => row.transaction_hash));
  for (const row of rows) {
    const receipt = receipts.get(row.transaction_hash);
    const own = sent?.get(row.transaction_hash) ?? null;
    const sender = row.sender ?? own?.from ?? null;
    const nonce = row.nonce === null ? (own?.nonce ?? null) : Number(row.nonce);
    const isReplaced =
      receipt === null &&
      sender !== null &&
      nonce !== null &&
      (await client.nonceAt(sender, confirmed)) > nonce;
    // One that stands in a confirmed block, did not revert and is still not the action's execution is another transaction.
    const isOther = receipt?.isSuccess === true && receipt.blockNumber <= confirmed && !row.is_behind;
    // Said, and not only unanswered; a sender is known of one that a node has told before.
    const isUnknown = row.is_old && row.sender === null && sent?.get(row.transaction_hash) === null;
    const failed = receipt && !receipt.isSuccess ? receipt : null;
    await sql`
      update prepared_action_submissions s set
        sender = ${sender}, nonce = ${nonce},
        failed_at = case when ${failed !== null} then ${now}::timestamptz end,
        block_number = ${failed?.blockNumber ?? null}::bigint, block_hash = ${failed?.blockHash ?? null}::text,
        replaced_at = case when ${isReplaced} then ${now}::timestamptz end,
        unrelated_at = case when ${isOther || isUnknown} then ${now}::timestamptz end,
        look_at = ${now}::timestamptz + least(greatest((${now}::timestamptz - s.submitted_at) / 4, interval '2 seconds'), interval '10 minutes')
       where s.action_id = ${row.action_id} and s.position = ${row.position}
         and not exists (select from prepared_action_executions x where x.action_id = s.action_id)`.execute(
      db.kysely,
    );
  }
}

/** A block that was replaced takes with it that something reverted in it. */
async function forgetUndone({ db }: JudgeParts, chainId: number): Promise<void> {
  await sql`
    update prepared_action_submissions s set failed_at = null, block_number = null, block_hash = null, look_at = '-infinity'
      from prepared_actions p, blocks b
     where p.id = s.action_id and p.chain_id = ${chainId} and s.failed_at is not null
       and b.chain_id = p.chain_id and b.number = s.block_number and b.hash <> s.block_hash`.execute(
    db.kysely,
  );
}

/** Safes whose nonce at the confirmed block is past the one for which an action was prepared. */
export async function lookAtNonces(
  { db, clock }: JudgeParts,
  client: LookingClient,
  confirmed: number,
): Promise<void> {
  const now = new Date(clock.now()).toISOString();
  const { rows } = await sql<{ safe: Address }>`
    select distinct p.from_address as safe
      from prepared_actions p join prepared_action_follows w on w.action_id = p.id
     where p.chain_id = ${client.chainId} and p.from_kind = 'safe' and p.safe_nonce is not null and w.replaced_at is null
       and p.expires_at > ${now}::timestamptz and not ${isBehind}
       and not exists (select from prepared_action_executions x where x.action_id = p.id)`.execute(db.kysely);
  for (const { safe } of rows) {
    const nonce = await safeNonceAt(client, safe, { number: confirmed });
    if (nonce === null) continue;
    await sql`
      with replaced as (
        update prepared_action_follows w set replaced_at = ${now}::timestamptz from prepared_actions p
         where p.id = w.action_id and p.chain_id = ${client.chainId} and p.from_address = ${safe}
           and p.safe_nonce < ${nonce.toString()}::numeric and w.replaced_at is null and not ${isBehind}
           and not exists (select from prepared_action_executions x where x.action_id = p.id)
        returning w.action_id)
      update prepared_action_submissions s set replaced_at = ${now}::timestamptz from replaced
       where s.action_id = replaced.action_id and s.safe_tx_hash is not null
         and num_nonnulls(s.failed_at, s.replaced_at, s.unrelated_at) = 0`.execute(db.kysely);
  }
}
