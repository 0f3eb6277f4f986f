// What witnesses cost each checkpoint: three are asked what they hold before it is signed, and cosign it after, against signing alone. They
// run in this process on the same machine, so their own work is part of the figure, and the network is not.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { record } from "../../server/src/audit/append/record.ts";
import { createCheckpoints } from "../../server/src/audit/tree/checkpoint.ts";
import { createWitnesses } from "../../server/src/audit/witnesses/witnesses.ts";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import { createEgress } from "../../server/src/platform/egress/egress.ts";
import { silentLogger } from "../../server/src/platform/log.ts";
import { startWitness } from "../../server/test/witnesses.ts";
import { emptyDatabase } from "../support/audit-database.ts";
import { fillLog, paceOf } from "../support/audit-fill.ts";
import { operation } from "../support/audit-log.ts";
import { type Figure, interleave } from "../support/figure.ts";

const WITNESSES = 3;

export const figure: Figure = {
  name: "audit checkpoints that three witnesses cosign",
  against: "signing alone",
  aim: 0.2,
  async run({ quick }) {
    const before = quick ? 20_000 : 100_000;
    const { ownerUrl, appUrl } = await emptyDatabase();
    await fillLog(ownerUrl, before);
    const folder = await mkdtemp(join(tmpdir(), "vaultops-bench-witness-"));
    const db = await openDatabase({ url: appUrl });
    const egress = createEgress({ allowedNetworks: [], allowHttp: false });
    const places = await Promise.all(Array.from({ length: WITNESSES }, (_, n) => startWitness(folder, n)));
    const log = silentLogger();
    const witnesses = createWitnesses({ db, log, request: egress.request, places, quorum: WITNESSES });
    const parts = { db, folder: join(folder, "audit"), origin: "bench/audit", log };
    const alone = createCheckpoints(parts);
    const witnessed = createCheckpoints({ ...parts, elsewhere: witnesses.elsewhere });
    const pace = paceOf(before, Math.floor(Date.now() / 1000));
    let size = before;
    const rate = async (checkpoint: () => Promise<void>) => {
      const times = quick ? 30 : 200;
      let tookMs = 0;
      for (let n = 0; n < times; n += 1) {
        await db.transaction((tx) => record(tx, [operation(size, pace)]));
        size += 1;
        const startedAt = performance.now();
        await checkpoint();
        tookMs += performance.now() - startedAt;
      }
      return times / (tookMs / 1000);
    };
    try {
      await alone.sign();
      for (const { vkey } of await alone.keys()) for (const { knows } of places) knows.add(vkey);
      const result = await interleave({
        rounds: quick ? 3 : 7,
        unit: "checkpoints/s",
        ours: () =>
          rate(async () => {
            const signed = await witnessed.sign();
            if ((await witnesses.vouched(signed.size, 10_000)) === null)
              throw new Error("nobody vouches for it");
          }),
        limit: () => rate(async () => void (await alone.sign())),
      });
      const { rows } = await db.pool.query(
        "select pg_total_relation_size('audit_cosignatures')::float8 / count(*) as bytes from audit_cosignatures",
      );
      const notes = {
        "ms a checkpoint": Number((1000 / result.ours).toFixed(1)),
        "of these signing": Number((1000 / result.limit).toFixed(1)),
        "bytes a cosignature": Math.round(rows[0].bytes),
      };
      return { ...result, notes };
    } finally {
      await db.close();
      await egress.close();
      for (const place of places) await place.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
