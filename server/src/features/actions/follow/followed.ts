// What following needs to know of a prepared action, and which of them a transaction may concern.
import { sql } from "kysely";
import type { Address, Hash, Hex } from "viem";
import type { Tx } from "../../../platform/db/db.ts";
import type { ForetoldEvent, PreparedCall, SenderKind } from "../prepared.ts";

export type FollowedCall = Pick<PreparedCall, "target" | "value" | "data">;

export interface FollowedAction {
  id: string;
  /** Whose it is: what one account prepared says nothing of what another did. */
  account: string;
  chainId: number;
  vaultAddress: Address;
  from: Address;
  fromKind: SenderKind;
  safeNonce: bigint | null;
  calls: readonly FollowedCall[];
  events: readonly ForetoldEvent[];
}

/** A transaction that may have done what was prepared. */
export interface Candidate {
  chainId: number;
  blockNumber: number;
  blockHash: Hash;
  transactionHash: Hash;
}

interface Row {
  id: string;
  account: string;
  chain_id: number;
  vault_address: Address;
  from_address: Address;
  from_kind: SenderKind;
  safe_nonce: string | null;
  calls: { target: Address; value: string; data: Hex }[];
  events: {
    emitter: Address;
    topics: Hex[];
    data: Hex;
    moving_topics: number[];
    moving_words: number[];
    is_data_moving: boolean;
  }[];
}

/**
 * Whether a fact's block came after the one as of which an action was prepared. A block that was replaced since tells nothing by its
 * number: then the time does. `p` is the action; `number` and `time` are the fact's.
 */
export const isLater = (number: string, time: string) => sql`(
  ${sql.raw(number)} > p.block_number
  or (${sql.raw(time)} >= p.created_at and not exists (
    select from blocks held where held.chain_id = p.chain_id and held.number = p.block_number and held.hash = p.block_hash)))`;

/**
 * Whether blocks of the vault's source are still to be filled in, as after a time away: what stands in them has not been looked into, however far
 * the chain is confirmed. `p` is the action.
 */
export const isBehind = sql`exists (
  select from vaults v join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
   where v.chain_id = p.chain_id and v.address = p.vault_address and s.next_block is not null)`;

/** Whose calls and events are held at once. */
const MOST_AT_ONCE = 50;

/**
 * The open actions of which this transaction may be the execution, those first whose submission names it (or, by the hashes given, a Safe's
 * transaction in it), then the oldest. There may be very many, of all accounts: their calls are loaded a few at a time.
 */
export async function* openActions(
  tx: Tx,
  candidate: Candidate,
  safeTxHashes: readonly Hash[],
): AsyncGenerator<FollowedAction> {
  const ids = await openIds(tx, candidate, safeTxHashes);
  for (let at = 0; at < ids.length; at += MOST_AT_ONCE)
    yield* await load(tx, ids.slice(at, at + MOST_AT_ONCE));
}

async function openIds(
  tx: Tx,
  { chainId, blockNumber, transactionHash }: Candidate,
  safeTxHashes: readonly Hash[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id
      from prepared_actions p
      join blocks b on b.chain_id = p.chain_id and b.number = ${blockNumber}
     where p.chain_id = ${chainId} and ${isLater("b.number", "b.block_timestamp")}
       and exists (
         select from facts f
          where f.chain_id = p.chain_id and f.tx_hash = ${transactionHash} and f.block_number = b.number
            and (f.vault_address = p.vault_address or f.vault_address is null))
       and not exists (select from prepared_action_executions x where x.action_id = p.id)
     order by exists (
         select from prepared_action_submissions s
          where s.action_id = p.id
            and (s.transaction_hash = ${transactionHash} or s.safe_tx_hash = any(${safeTxHashes}::text[]))) desc,
       p.created_at, p.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** In the order of their ids as given. */
async function load(tx: Tx, ids: readonly string[]): Promise<FollowedAction[]> {
  const { rows } = await sql<Row>`
    select p.id, p.account, p.chain_id, p.vault_address, p.from_address, p.from_kind, p.safe_nonce::text,
           (select json_agg(json_build_object('target', c.target, 'value', c.value::text, 'data', c.data) order by position)
              from prepared_action_calls c where c.action_id = p.id) as calls,
           coalesce((select json_agg(to_json(e) order by position) from prepared_action_events e where e.action_id = p.id), '[]') as events
      from prepared_actions p
     where p.id = any(${ids}::uuid[])
     order by array_position(${ids}::uuid[], p.id)`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    account: row.account,
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    from: row.from_address,
    fromKind: row.from_kind,
    safeNonce: row.safe_nonce === null ? null : BigInt(row.safe_nonce),
    calls: row.calls.map((call) => ({ ...call, value: BigInt(call.value) })),
    events: row.events.map((event) => ({
      emitter: event.emitter,
      topics: event.topics,
      data: event.data,
      movingTopics: event.moving_topics,
      movingWords: event.moving_words,
      isDataMoving: event.is_data_moving,
    })),
  }));
}
