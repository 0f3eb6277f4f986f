// Replay: one more send of what is over, outside the schedule, with the same bytes.
import { sql } from "kysely";
import type { Tx } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import { wakeSenders } from "./enqueue.ts";
import type { QueueName } from "./types.ts";

/**
 * Asks for one more send of each delivery, in the caller's transaction. One that is still to be sent by its schedule is left alone; one
 * that waits for a send asked for before gets another. Returns the ids of those that will be sent.
 */
export async function requestReplay(
  tx: Tx,
  queue: QueueName,
  ids: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update deliveries set status_before = case when replays_left > 0 then status_before else status end,
      status = 'pending', replays_left = replays_left + 1, finished_at = null,
      due_at = case when replays_left > 0 then due_at else ${timestampOfMs(nowMs)}::timestamptz end
    where id = any (${[...ids]}::uuid[]) and (status in ('delivered', 'dead', 'canceled') or replays_left > 0)
    returning id`.execute(tx);
  if (rows.length > 0) await wakeSenders(tx, [queue]);
  return rows.map(({ id }) => id);
}
