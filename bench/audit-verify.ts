// Verification of the running log - every entry, its columns, the counts, the tree - against SHA-256 of the same bytes alone, which are
// in memory already, one hash for each entry.
import { hash } from "node:crypto";
import { verifyLog } from "../server/src/audit/verify-log.ts";
import { openDatabase } from "../server/src/platform/db.ts";
import { type Figure, interleave } from "./figure.ts";
import { filledDatabase } from "./support/audit-database.ts";

/** So many entries' bytes are kept in memory, and hashed until as many as the log has are through. */
const KEPT = 200_000;

export const figure: Figure = {
  name: "audit verification of the running log",
  against: "SHA-256 of the same bytes",
  aim: 0.5,
  async run({ quick }) {
    const { appUrl, size } = await filledDatabase(quick);
    const db = await openDatabase({ url: appUrl, statementTimeoutMs: 0 });
    const { rows } = await db.pool.query<{ body: string }>(
      "select body from audit_entries where seq <= $1 order by seq",
      [KEPT],
    );
    const leaves = rows.map(({ body }) => Buffer.from(`\0${body}`));
    const rate = async (run: () => Promise<void> | void, entries: number) => {
      const startedAt = performance.now();
      await run();
      return entries / ((performance.now() - startedAt) / 1000);
    };
    try {
      return await interleave({
        rounds: 3,
        unit: "entries/s",
        ours: () =>
          rate(async () => {
            const { failure } = await verifyLog({ pool: db.pool, folder: null });
            if (failure !== null) throw new Error(`${failure.seq}: ${failure.reason}`);
          }, size),
        limit: () =>
          rate(() => {
            for (const leaf of leaves) hash("sha256", leaf, "buffer");
          }, leaves.length),
      });
    } finally {
      await db.close();
    }
  },
};
