// Holds the chain's row while a block is foretold, so that none comes in between: within a transaction that must not commit.
//
// Guarantee: whoever writes the chain's blocks waits for one that is foretold HELD_MS and the statement under way at most, whatever the monitors'
// queries take, and whether the process goes on or stands still.
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";

export interface Hold {
  /** The number of the newest block that is stored. */
  head: number;
  /** The transaction, for everything from here on: once the row was held for too long each statement throws a Problem `service_unavailable`. */
  held: Tx;
}

const HELD_MS = 4_000;
const STATEMENT_MS = 2_000;
/** Of a process that stands still, PostgreSQL ends the session. */
const IDLE_MS = 2_000;
const LOCK_MS = 3_000;

export async function holdChain(tx: Tx, chainId: number, heldMs = HELD_MS): Promise<Hold> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(IDLE_MS)}, true), set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(
    tx,
  );
  // Whoever writes a chain updates its row first. That blocks of the past which are written ahead refer to it is no reason to wait.
  const { rows } = await sql<{ head_number: number | null }>`
    select head_number, set_config('statement_timeout', ${String(STATEMENT_MS)}, true)
      from chains where chain_id = ${chainId} for no key update`.execute(tx);
  const untilMs = performance.now() + heldMs;
  const held = tx.withPlugin({
    transformQuery({ node }) {
      if (performance.now() >= untilMs) throw heldTooLong();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { head: rows[0]?.head_number ?? -1, held };
}

export function heldTooLong(): Problem {
  return new Problem("service_unavailable", "The database was too slow to say what the calls would do.", {
    retryAfterSeconds: 5,
  });
}
