// What the interface's pattern of polling by time loses beside the cursor: entries written all the while, asked for every second by
// both, each answer processed for 50 ms. The pattern sets its last check to the client's clock after processing.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pollAuditLog } from "../../sdk/src/audit-log.ts";
import { record } from "../../server/src/audit/append/record.ts";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import { emptyDatabase } from "../support/audit-database.ts";
import { PLACES } from "../support/audit-log.ts";
import { endProgram, forkProgram } from "../support/audit-process.ts";
import type { AuditServed } from "../support/audit-served.ts";
import type { Figure } from "../support/figure.ts";

const INTERVAL_MS = 1_000;
const PROCESSING_MS = 50;
const WRITE_EVERY_MS = 10;

export const figure: Figure = {
  name: "audit: share of entries that a poller by cursor saw",
  against: "the pattern by time",
  aim: 1,
  async run({ quick }) {
    const database = await emptyDatabase();
    const program = join(import.meta.dirname, "../support/audit-served.ts");
    const { child, said } = await forkProgram(program, [JSON.stringify(database)]);
    const served = said as AuditServed;
    const db = await openDatabase({ url: database.appUrl });
    const stop = new AbortController();
    const seen = { byTime: new Set<string>(), byCursor: new Set<string>() };
    try {
      const pollers = [
        byTime(served, seen.byTime, stop.signal),
        byCursor(served, seen.byCursor, stop.signal),
      ];
      const until = performance.now() + (quick ? 6_000 : 60_000);
      let written = 0;
      while (performance.now() < until) {
        await db.transaction((tx) => record(tx, [change(written)]));
        written += 1;
        await sleep(WRITE_EVERY_MS);
      }
      // Both ask at least once more, for what came last.
      await sleep(3 * INTERVAL_MS);
      stop.abort();
      await Promise.all(pollers);
      const [ours, limit] = [seen.byCursor.size / written, seen.byTime.size / written];
      const notes = {
        written,
        lost_by_time: written - seen.byTime.size,
        lost_by_cursor: written - seen.byCursor.size,
      };
      return { ratio: ours / limit, ours, limit, unit: "seen", spread: 0, notes };
    } finally {
      await db.close();
      await endProgram(child);
    }
  },
};

/** An action by the API, whose place in time is the moment at which it was recorded. */
function change(n: number) {
  const wallet = PLACES[0]!.vault_address;
  return {
    ...PLACES[n % PLACES.length]!,
    action_type: "view_only_add" as const,
    actor_wallet: wallet,
    details: { wallet },
  };
}

async function byTime(
  { port, maintainer }: AuditServed,
  seen: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  let lastCheck = new Date().toISOString();
  while (!signal.aborted) {
    const url = `http://127.0.0.1:${port}/api/v1/audit/logs?from_timestamp=${lastCheck}&limit=1000`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${maintainer}` } });
    const { logs } = (await response.json()) as { logs: { id: string }[] };
    for (const { id } of logs) seen.add(id);
    await sleep(PROCESSING_MS);
    lastCheck = new Date().toISOString();
    await sleep(INTERVAL_MS);
  }
}

async function byCursor(
  { port, maintainer }: AuditServed,
  seen: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  let place: string | null = null;
  await pollAuditLog({
    baseUrl: `http://127.0.0.1:${port}`,
    token: maintainer,
    store: {
      load: async () => place,
      save: async (cursor) => {
        place = cursor;
      },
    },
    async handle(entries) {
      for (const { id } of entries) seen.add(id);
      await sleep(PROCESSING_MS);
    },
    intervalMs: INTERVAL_MS,
    signal,
  });
}
