// Which notices of a batch have gone out, kept while the batch's outcomes are not: a worker that dies in the middle of many leaves one at
// most to be sent again.
import { sql } from "kysely";
import type { Delivery, Settled } from "../../../delivery/types.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import type { Logger } from "../../../platform/log.ts";

/** Of these deliveries those that have gone out by a worker that died. */
export async function sentBefore(
  db: Pick<Database, "kysely">,
  deliveries: readonly Delivery[],
): Promise<ReadonlySet<string>> {
  const repeated = deliveries.filter(({ attempt }) => attempt > 1).map(({ id }) => id);
  if (repeated.length === 0) return new Set();
  const { rows } = await sql<{ delivery_id: string }>`
    select delivery_id from channel_sent where delivery_id = any (${repeated}::uuid[])`.execute(db.kysely);
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

/** Notes that a notice went out. False where that cannot be stored: then no more should be sent before the outcomes are. */
export async function markSent(
  db: Pick<Database, "kysely">,
  log: Logger,
  deliveryId: string,
): Promise<boolean> {
  try {
    await sql`insert into channel_sent (delivery_id) values (${deliveryId}) on conflict do nothing`.execute(
      db.kysely,
    );
    return true;
  } catch (error) {
    log.warn({ err: error, delivery_id: deliveryId }, "a notice was sent, which could not be stored yet");
    return false;
  }
}

/** With its outcome stored a delivery needs no note. */
export async function forgetSent(tx: Tx, settled: readonly Settled[]): Promise<void> {
  const ids = settled.map(({ delivery }) => delivery.id);
  await sql`delete from channel_sent where delivery_id = any (${ids}::uuid[])`.execute(tx);
}
