// The audit stream to 2,000 listeners: from the commit of an entry to its arrival at the last of them, p99 over entries, each written
// when the one before has reached everybody. Service and listeners in processes of their own.
import { once } from "node:events";
import { join } from "node:path";
import { record } from "../../server/src/audit/append/record.ts";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import { emptyDatabase } from "../support/audit-database.ts";
import { paceOf } from "../support/audit-fill.ts";
import type { Arrivals } from "../support/audit-listeners.ts";
import { operation } from "../support/audit-log.ts";
import { endProgram, forkProgram } from "../support/audit-process.ts";
import type { AuditServed } from "../support/audit-served.ts";
import type { Figure } from "../support/figure.ts";

const LISTENERS = 2_000;
const LIMIT_MS = 1_000;

export const figure: Figure = {
  name: "audit stream to 2,000 listeners: committed to received, p99",
  against: `${LIMIT_MS} ms`,
  aim: 1,
  async run({ quick }) {
    const database = await emptyDatabase();
    const support = (name: string) => join(import.meta.dirname, "../support", name);
    const { child, said } = await forkProgram(support("audit-served.ts"), [JSON.stringify(database)]);
    const served = said as AuditServed;
    const listeners = await forkProgram(support("audit-listeners.ts"), [
      String(served.port),
      served.maintainer,
      String(LISTENERS),
    ]);
    const db = await openDatabase({ url: database.appUrl });
    try {
      const pace = paceOf(1000, Math.floor(Date.now() / 1000));
      const tookMs: number[] = [];
      const [skipped, entries] = [5, quick ? 30 : 300];
      for (let n = 0; n < skipped + entries; n += 1) {
        listeners.child.channel?.ref();
        const received = once(listeners.child, "message");
        await db.transaction((tx) => record(tx, [operation(n, pace)]));
        const committedAt = Date.now();
        const [arrivals] = (await received) as [Arrivals];
        if (n >= skipped) tookMs.push(...arrivals.map((at) => at - committedAt));
      }
      tookMs.sort((a, b) => a - b);
      const at = (part: number) => Math.max(0.1, tookMs[Math.floor(tookMs.length * part)]!);
      return {
        ratio: LIMIT_MS / at(0.99),
        ours: at(0.99),
        limit: LIMIT_MS,
        unit: "ms",
        spread: 0,
        notes: { p50_ms: at(0.5), max_ms: tookMs.at(-1)!, entries },
      };
    } finally {
      await db.close();
      await endProgram(listeners.child);
      await endProgram(child);
    }
  },
};
