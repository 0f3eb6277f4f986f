// Verification of the running log - every entry, its columns, the counts, the tree - against ten million entries in a quarter of an hour.
import { verifyLog } from "../../server/src/audit/verify/log.ts";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import { filledDatabase } from "../support/audit-database.ts";
import { type Figure, interleave } from "../support/figure.ts";

const LIMIT = 10_000_000 / (15 * 60);

export const figure: Figure = {
  name: "audit verification of the running log",
  against: "10 million entries in 15 minutes",
  aim: 1,
  async run({ quick }) {
    const { appUrl, size } = await filledDatabase(quick);
    const db = await openDatabase({ url: appUrl, statementTimeoutMs: 0 });
    try {
      return await interleave({
        rounds: 3,
        unit: "entries/s",
        ours: async () => {
          const startedAt = performance.now();
          const { failure } = await verifyLog({ pool: db.pool, folder: null });
          if (failure !== null) throw new Error(`${failure.seq}: ${failure.reason}`);
          return size / ((performance.now() - startedAt) / 1000);
        },
        limit: async () => LIMIT,
      });
    } finally {
      await db.close();
    }
  },
};
