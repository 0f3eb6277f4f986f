// What is kept of witnesses: their cosignatures, who is asking which, and what stands between us.

import type { Cosignature } from "@vaultops/proof";
import { type QueryExecutorProvider, sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import type { Trouble, TroubleKind } from "./exchange.ts";

/** Longer than a round with its three requests takes. */
const CLAIM = sql`interval '45 seconds'`;

/** Whether this process may offer to the witness now. */
export async function claim(db: QueryExecutorProvider, vkey: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into checkpoint_witnesses as w (vkey, claimed_until) values (${vkey}, now() + ${CLAIM})
    on conflict (vkey) do update set claimed_until = excluded.claimed_until where w.claimed_until < now()`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export async function release(db: QueryExecutorProvider, vkey: string): Promise<void> {
  await sql`update checkpoint_witnesses set claimed_until = '-infinity' where vkey = ${vkey}`.execute(db);
}

/** The size of this origin that the witness last cosigned for us; 0 for none. */
export async function lastCosigned(db: QueryExecutorProvider, vkey: string, origin: string): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    select c.size from audit_cosignatures c join audit_checkpoints k on k.size = c.size
     where c.vkey = ${vkey} and starts_with(k.note, ${`${origin}\n`}) order by c.size desc limit 1`.execute(
    db,
  );
  return rows[0]?.size ?? 0;
}

export async function keepCosignature(
  db: Pick<Database, "transaction">,
  size: number,
  { witness, line, time }: Cosignature,
): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`insert into audit_cosignatures (size, vkey, line, cosigned_at)
      values (${size}, ${witness.vkey}, ${line}, to_timestamp(least(${time}::float8, 253402300799)))
      on conflict do nothing`.execute(tx);
    await sql`update checkpoint_witnesses set trouble = null, message = null, told_size = null, since = null
      where vkey = ${witness.vkey} and trouble is not null`.execute(tx);
  });
}

export async function keepTrouble(db: QueryExecutorProvider, vkey: string, trouble: Trouble): Promise<void> {
  const { kind, message, toldSize } = trouble;
  await sql`
    update checkpoint_witnesses set since = case when trouble is not distinct from ${kind}::text then since else now() end,
      trouble = ${kind}, message = ${message}, told_size = ${toldSize} where vkey = ${vkey}`.execute(db);
}

export interface WitnessState {
  vkey: string;
  trouble: TroubleKind | null;
  message: string | null;
  told_size: number | null;
  /** How long its trouble has lasted. */
  seconds: number | null;
}

export async function readStates(
  db: QueryExecutorProvider,
  vkeys: readonly string[],
): Promise<WitnessState[]> {
  const { rows } = await sql<WitnessState>`
    select vkey, trouble, message, told_size, extract(epoch from now() - since)::float8 as seconds
      from checkpoint_witnesses where vkey = any(${vkeys}::text[])`.execute(db);
  return rows;
}

/** The first checkpoint after that size that has waited for cosignatures so long; null where none has. */
export async function waitingAfter(
  db: QueryExecutorProvider,
  size: number,
  seconds: number,
): Promise<number | null> {
  const { rows } = await sql<{ size: number }>`
    select size from (select size, created_at from audit_checkpoints where size > ${size} order by size limit 1) first
     where created_at < now() - ${seconds}::float8 * interval '1 second'`.execute(db);
  return rows[0]?.size ?? null;
}
