// Locks on tables that others write to. Writers stand in line behind whoever waits for such a lock, and that may be for as long as the oldest
// transaction lasts, such as an export.
//
// Guarantee: nobody waits for longer than half a second behind a lock that is not had. It is given up then, and asked for again.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

const LOCK_WAIT_MS = 500;
const LOCK_PAUSE_MS = 1_000;

/** Runs `work` again, whole, until it gets its locks. `onWait` is told once that it has to wait. */
export async function withShortLocks(
  client: pg.Client,
  work: () => Promise<unknown>,
  onWait: () => void = () => {},
): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    try {
      await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`);
      await work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
    } finally {
      await client.query("set lock_timeout = 0").catch(() => {});
    }
    if (!isTold) onWait();
    await sleep(LOCK_PAUSE_MS);
  }
}
