// What it costs that no statement has a name, as it must be through a pooler in transaction mode: each is parsed and planned each time. Against
// the same work by named ones, on the same server, with no pooler in between.
import { record } from "../server/src/audit/append/record.ts";
import { readPage } from "../server/src/audit/read/query.ts";
import { type Database, openDatabase } from "../server/src/platform/db/db.ts";
import { emptyDatabase } from "./support/audit-database.ts";
import { fillLog, paceOf } from "./support/audit-fill.ts";
import { operation, PLACES } from "./support/audit-log.ts";
import { type Figure, type FigureResult, interleave } from "./support/figure.ts";

const [BEFORE, CLIENTS, BATCH] = [50_000, 4, 10];

export const figures: Figure[] = [
  { name: "audit pages without named statements", work: readPages, unit: "pages/s", aim: 0.4 },
  { name: "audit append without named statements, batches of 10", work: append, unit: "entries/s", aim: 0.8 },
].map(({ name, work, unit, aim }) => ({
  name,
  against: "with them",
  aim,
  run: ({ quick }) => compared(work, unit, quick),
}));

/** How much was done per second. */
type Work = (db: Database, times: number) => Promise<number>;

async function compared(work: Work, unit: string, quick: boolean): Promise<FigureResult> {
  const { ownerUrl, appUrl } = await emptyDatabase();
  await fillLog(ownerUrl, BEFORE);
  const named = await openDatabase({ url: appUrl, genericPlans: true });
  const unnamed = await openDatabase({ url: appUrl, directUrl: appUrl });
  const times = quick ? 100 : 500;
  try {
    return await interleave({
      rounds: quick ? 3 : 7,
      unit,
      ours: () => work(unnamed, times),
      limit: () => work(named, times),
    });
  } finally {
    await Promise.all([named.close(), unnamed.close()]);
  }
}

async function readPages(db: Database, times: number): Promise<number> {
  const place = PLACES[0]!;
  const filter = {
    branches: [{ places: [{ chainId: place.chain_id, vaultAddress: place.vault_address }], actor: null }],
    actions: null,
    from: null,
    to: null,
    timeField: "timestamp",
  } as const;
  return await rateOf(times, 1, () => readPage(db.kysely, { filter, order: "desc", limit: 50, offset: 0 }));
}

let written = BEFORE;

async function append(db: Database, times: number): Promise<number> {
  const pace = paceOf(BEFORE, Math.floor(Date.now() / 1000));
  return await rateOf(times, BATCH, () => {
    written += BATCH;
    const entries = Array.from({ length: BATCH }, (_, n) => operation(written + n, pace));
    return db.transaction((tx) => record(tx, entries));
  });
}

async function rateOf(times: number, each: number, run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const client = async () => {
    for (let i = 0; i < times; i += 1) await run();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (CLIENTS * times * each) / ((performance.now() - startedAt) / 1000);
}
