// Judge: looks into the transactions that were noted, and writes down which prepared action each of them is.
//
// Guarantee: an execution is written with the block that it stands in and never for another; what was looked into is struck off in the same
// transaction, so that whatever dies in between leaves it to be looked into again. The node is asked before, never within. What happened once was
// one action of an account, and one of each account that prepared it: nobody's like action takes an execution from another's.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { ChainClient } from "../../../chain/client/client.ts";
import { safeEvent } from "../../../chain/controllers/events.ts";
import { isAboutOneThing, isChainFault } from "../../../chain/rpc/fault.ts";
import type { RawLog } from "../../../chain/rpc/raw.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, isDatabaseUnavailable, type Tx } from "../../../platform/db/db.ts";
import type { Logger } from "../../../platform/log.ts";
import type { Witness } from "./acted.ts";
import { type Candidate, openActions } from "./followed.ts";
import { executionOf } from "./match.ts";
import { safeNonceAt } from "./safe-nonce.ts";

export interface JudgeParts {
  db: Database;
  clock: Clock;
  log: Pick<Logger, "warn">;
}

export type JudgingClient = Pick<ChainClient, "chainId" | "transactions" | "logsOfTransaction" | "call">;

/** Looked into at once. */
const MOST_AT_ONCE = 50;
/** Until a transaction that the node does not tell, or that could not be looked into, is looked into again. */
const AGAIN_SECONDS = 30;

/** Looks into what is due; how many there were. @throws ChainFault when the node is out */
export async function judgeDue(
  parts: JudgeParts,
  client: JudgingClient,
  signal?: AbortSignal,
): Promise<number> {
  const now = new Date(parts.clock.now()).toISOString();
  const { rows } = await sql<Candidate>`
    select c.chain_id as "chainId", c.block_number as "blockNumber", b.hash as "blockHash", c.transaction_hash as "transactionHash"
      from prepared_action_candidates c join blocks b on b.chain_id = c.chain_id and b.number = c.block_number
     where c.chain_id = ${client.chainId} and c.look_at <= ${now}::timestamptz
     order by c.block_number, c.transaction_hash limit ${MOST_AT_ONCE}`.execute(parts.db.kysely);
  const transactions =
    rows.length === 0 ? null : await client.transactions(rows.map((row) => row.transactionHash));
  for (const candidate of rows) {
    try {
      const transaction = transactions!.get(candidate.transactionHash);
      const logs = transaction ? await logsOf(client, candidate) : null;
      if (!transaction || !logs) {
        await putOff(parts, now, candidate);
        continue;
      }
      const nonces = await noncesOf(client, candidate, logs);
      await parts.db.transaction((tx) => judge(tx, now, candidate, { transaction, logs }, nonces));
    } catch (error) {
      if (signal?.aborted || isAboutAll(error)) throw error;
      const { transactionHash } = candidate;
      parts.log.warn({ err: error, transaction: transactionHash }, "a transaction could not be looked into");
      await putOff(parts, now, candidate);
    }
  }
  return rows.length;
}

/** The node or the database is out: the next would fare no better. Whatever else fails for one transaction holds up no other. */
function isAboutAll(error: unknown): boolean {
  return (isChainFault(error) && !isAboutOneThing(error)) || isDatabaseUnavailable(error);
}

async function putOff({ db }: JudgeParts, now: string, candidate: Candidate): Promise<void> {
  await sql`
    update prepared_action_candidates set look_at = ${now}::timestamptz + make_interval(secs => ${AGAIN_SECONDS})
     where chain_id = ${candidate.chainId} and block_number = ${candidate.blockNumber}
       and transaction_hash = ${candidate.transactionHash}`.execute(db.kysely);
}

/** null where the node has the transaction in another block than we. */
async function logsOf(client: JudgingClient, candidate: Candidate): Promise<RawLog[] | null> {
  const logs = await client.logsOfTransaction(candidate.transactionHash);
  return logs.length > 0 && logs.every((log) => log.blockHash === candidate.blockHash) ? logs : null;
}

/** Of the Safes that say to have executed: what each is at after the block. */
async function noncesOf(
  client: JudgingClient,
  { blockNumber: number, blockHash: hash }: Candidate,
  logs: readonly RawLog[],
): Promise<Map<string, bigint>> {
  const safes = new Set(
    logs.filter((log) => safeEvent(log)?.name === "ExecutionSuccess").map((log) => log.address),
  );
  const nonces = new Map<string, bigint>();
  for (const safe of [...safes].slice(0, MOST_SAFES)) {
    const nonce = await safeNonceAt(client, safe as Address, { number, hash });
    if (nonce !== null) nonces.set(safe, nonce);
  }
  return nonces;
}
const MOST_SAFES = 8;

async function judge(
  tx: Tx,
  now: string,
  candidate: Candidate,
  { transaction, logs }: Omit<Witness, "nonceAfter">,
  nonces: ReadonlyMap<string, bigint>,
): Promise<void> {
  const { chainId, blockNumber, blockHash, transactionHash } = candidate;
  // One at a time for a chain: two processes that both believe to lead it give no log to two actions.
  await sql`select pg_advisory_xact_lock(hashtextextended('prepared_actions', ${chainId}))`.execute(tx);
  const struck = await sql`
    delete from prepared_action_candidates c using blocks b
     where c.chain_id = ${chainId} and c.block_number = ${blockNumber} and c.transaction_hash = ${transactionHash}
       and b.chain_id = c.chain_id and b.number = c.block_number and b.hash = ${blockHash}
    returning c.chain_id`.execute(tx);
  if (struck.rows.length === 0) return;
  const outcomes = logs.flatMap((log) => {
    const event = safeEvent(log);
    if (event?.name !== "ExecutionSuccess" && event?.name !== "ExecutionFailure") return [];
    return [
      { safe: log.address, hash: event.values[0] as Hash, isFailure: event.name === "ExecutionFailure" },
    ];
  });
  const takenBy = await takenLogs(tx, candidate);
  const facts = await sql<{ vault: Address | null; log_index: number }>`
    select vault_address as vault, log_index from facts
     where chain_id = ${chainId} and block_number = ${blockNumber} and tx_hash = ${transactionHash} order by log_index`.execute(
    tx,
  );
  const hashes = outcomes.map(({ hash }) => hash);
  for await (const action of openActions(tx, candidate, hashes)) {
    const nonceAfter = nonces.get(action.from.toLowerCase()) ?? null;
    const ofVault = facts.rows
      .filter(({ vault }) => vault === action.vaultAddress)
      .map((fact) => fact.log_index);
    const taken = takenBy.get(action.account) ?? new Set<number>();
    const found = executionOf(action, { transaction, logs, nonceAfter }, ofVault, taken);
    if (found) {
      takenBy.set(action.account, taken);
      for (const logIndex of found) taken.add(logIndex);
      await sql`
        insert into prepared_action_executions (action_id, chain_id, block_number, transaction_hash, log_indexes, executed_at)
        values (${action.id}, ${chainId}, ${blockNumber}, ${transactionHash}, ${found}::integer[], ${now}::timestamptz)`.execute(
        tx,
      );
    }
  }
  await noteFailures(
    tx,
    now,
    candidate,
    outcomes.filter(({ isFailure }) => isFailure),
  );
}

/** By account. */
async function takenLogs(tx: Tx, { chainId, transactionHash }: Candidate): Promise<Map<string, Set<number>>> {
  const { rows } = await sql<{ account: string; log_index: number }>`
    select p.account, unnest(x.log_indexes) as log_index
      from prepared_action_executions x join prepared_actions p on p.id = x.action_id
     where x.chain_id = ${chainId} and x.transaction_hash = ${transactionHash}`.execute(tx);
  const taken = new Map<string, Set<number>>();
  for (const { account, log_index } of rows)
    taken.set(account, (taken.get(account) ?? new Set<number>()).add(log_index));
  return taken;
}

/** A Safe's transaction that reverted within: its own Safe says so, and the nonce is gone. */
async function noteFailures(
  tx: Tx,
  now: string,
  { chainId, blockNumber, blockHash }: Candidate,
  failures: readonly { safe: string; hash: Hash }[],
): Promise<void> {
  for (const { safe, hash } of failures)
    await sql`
      update prepared_action_submissions s
         set failed_at = ${now}::timestamptz, block_number = ${blockNumber}, block_hash = ${blockHash}
        from prepared_actions p
       where p.id = s.action_id and p.chain_id = ${chainId} and lower(p.from_address) = ${safe}
         and s.safe_tx_hash = ${hash} and s.failed_at is null`.execute(tx);
}
