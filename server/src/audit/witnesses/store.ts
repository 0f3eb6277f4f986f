// What is kept of witnesses: their cosignatures, who is asking which, and what stands between us.

import type { Cosignature } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import type { Queryable } from "../read/query.ts";
import type { Trouble, TroubleKind } from "./exchange.ts";

/** Longer than a round with its three requests takes. */
const CLAIM_SECONDS = 45;

/** Whether this process may offer to the witness now. */
export async function claim(db: Pick<Database, "pool">, vkey: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `insert into checkpoint_witnesses as w (vkey, claimed_until) values ($1, now() + interval '${CLAIM_SECONDS} seconds')
     on conflict (vkey) do update set claimed_until = excluded.claimed_until where w.claimed_until < now()`,
    [vkey],
  );
  return rowCount === 1;
}

export async function release(db: Pick<Database, "pool">, vkey: string): Promise<void> {
  await db.pool.query("update checkpoint_witnesses set claimed_until = '-infinity' where vkey = $1", [vkey]);
}

/** The size of this origin that the witness last cosigned for us; 0 for none. */
export async function lastCosigned(
  db: Pick<Database, "pool">,
  vkey: string,
  origin: string,
): Promise<number> {
  const { rows } = await db.pool.query(
    `select c.size from audit_cosignatures c join audit_checkpoints k on k.size = c.size
     where c.vkey = $1 and starts_with(k.note, $2) order by c.size desc limit 1`,
    [vkey, `${origin}\n`],
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

export async function keepTrouble(db: Pick<Database, "pool">, vkey: string, trouble: Trouble): Promise<void> {
  await db.pool.query(
    `update checkpoint_witnesses set since = case when trouble is not distinct from $2 then since else now() end,
       trouble = $2, message = $3, told_size = $4 where vkey = $1`,
    [vkey, trouble.kind, trouble.message, trouble.toldSize],
  );
}

export interface WitnessState {
  vkey: string;
  trouble: TroubleKind | null;
  message: string | null;
  told_size: number | null;
  /** How long its trouble has lasted. */
  seconds: number | null;
}

export async function readStates(db: { pool: Queryable }, vkeys: readonly string[]): Promise<WitnessState[]> {
  const { rows } = await db.pool.query(
    `select vkey, trouble, message, told_size, extract(epoch from now() - since)::float8 as seconds
     from checkpoint_witnesses where vkey = any($1)`,
    [vkeys],
  );
  return rows;
}

/** The first checkpoint after that size that has waited for cosignatures so long; null where none has. */
export async function waitingAfter(
  db: Pick<Database, "pool">,
  size: number,
  seconds: number,
): Promise<number | null> {
  const { rows } = await db.pool.query(
    `select size from (select size, created_at from audit_checkpoints where size > $1 order by size limit 1) first
     where created_at < now() - $2 * interval '1 second'`,
    [size, seconds],
  );
  return rows[0]?.size ?? null;
}
