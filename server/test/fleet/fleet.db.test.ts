// Several processes on one database behind PgBouncer in transaction mode, of which some die while an engine reports and a chain lives: nothing that was
// acknowledged is lost, and nothing stands twice. With a process for each role and more, and a database that fails over to its standby,
// and with the release before beside this one, where VAULTOPS_FULL is set.
import { afterEach, expect, it } from "vitest";
import { createEmptyDatabase, createTestDatabase } from "../database.ts";
import { createFleet } from "./fleet.ts";
import { checkOut, whyNoHistory } from "./older-release.ts";
import { startPostgresPair } from "./postgres-pair.ts";

const IS_FULL = process.env.VAULTOPS_FULL === "1";
const NOTHING = { entries: 0, deliveries: 0, roles: 0, twice: 0 };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
/** To be ended with the test, however that ends, in the opposite order. */
function ending<T>(end: (it: T) => Promise<unknown>, made: T): T {
  ends.push(() => end(made));
  return made;
}

it("two processes of all roles, of which one is killed and comes back, lose nothing", async () => {
  const database = ending((it) => it.drop(), await createTestDatabase());
  const fleet = ending((it) => it.stop(), await createFleet(database));
  const first = await fleet.start("api,indexer,worker");
  await fleet.start("api,indexer,worker");
  await fleet.begin();
  await fleet.load.progress(20);
  await fleet.kill(first);
  await fleet.load.progress(20);
  await fleet.start("api,indexer,worker");
  await fleet.load.progress(20);
  const lost = await fleet.verdict();
  expect([lost, fleet.load.refused]).toEqual([NOTHING, []]);
});

it.runIf(IS_FULL)(
  "two of each role behind a proxy: each is killed in its turn, the database fails over to its standby, and nothing is lost",
  async () => {
    const pair = ending((it) => it.stop(), await startPostgresPair());
    const fleet = ending((it) => it.stop(), await createFleet(pair));
    const roles = ["api", "indexer", "worker"];
    for (const role of [...roles, ...roles]) await fleet.start(role);
    await fleet.begin();
    await fleet.load.progress(100);
    for (const role of roles) {
      await fleet.kill(fleet.members.find((member) => member.roles === role)!);
      await fleet.load.progress(50);
      await fleet.start(role);
      await fleet.load.progress(50);
    }
    const { failed: failedBefore, slowestMs: slowestBeforeMs } = fleet.load;
    fleet.load.slowestMs = 0;
    const startedAt = performance.now();
    await pair.failOver();
    await fleet.load.progress(1);
    const awayMs = performance.now() - startedAt;
    await fleet.load.progress(100);
    const { failed, slowestMs, accepted } = fleet.load;
    const lost = await fleet.verdict();
    console.log(
      `Lost: ${lost.entries} entries, ${lost.deliveries} deliveries, ${lost.roles} roles, of ${accepted.length} reports and what the chain did. ` +
        `Processes killed: ${failedBefore} requests had to be repeated, the slowest write took ${Math.round(slowestBeforeMs)} ms. ` +
        `Failover: writes again after ${Math.round(awayMs)} ms, ${failed - failedBefore} requests had to be repeated, the slowest write took ${Math.round(slowestMs)} ms.`,
    );
    expect([lost, fleet.load.refused]).toEqual([NOTHING, []]);
  },
  900_000,
);

const skipped = whyNoHistory();
it.skipIf(!IS_FULL || skipped !== null)(
  `the release before runs on over this one's schema, under load, while one process after another is replaced${skipped === null ? "" : ` (skipped: ${skipped})`}`,
  async () => {
    const before = ending((it) => it.remove(), await checkOut());
    const database = ending((it) => it.drop(), await createEmptyDatabase());
    const fleet = ending((it) => it.stop(), await createFleet(database, { isPooled: false }));
    const all = "api,indexer,worker";
    for (let i = 0; i < 2; i += 1) await fleet.start(all, before.root);
    const older = [...fleet.members];
    await fleet.begin();
    await fleet.load.progress(50);
    const versions = async () =>
      (await database.owner.pool.query("select count(*)::integer as count from schema_migrations")).rows[0]
        .count;
    const appliedBefore = await versions();
    // The first of this release migrates, beside those of the one before.
    await fleet.start(all);
    await fleet.load.progress(50);
    // One of before that dies meanwhile comes back over the new schema.
    await fleet.kill(older.shift()!);
    older.push(await fleet.start(all, before.root));
    await fleet.load.progress(50);
    for (const member of older) {
      await fleet.kill(member, "SIGTERM");
      await fleet.load.progress(25);
      await fleet.start(all);
      await fleet.load.progress(25);
    }
    const { failed, slowestMs, accepted } = fleet.load;
    const lost = await fleet.verdict();
    console.log(
      `Upgrade over ${(await versions()) - appliedBefore} migrations: lost ${lost.entries} entries, ${lost.deliveries} deliveries, ${lost.roles} roles, of ${accepted.length} reports and ` +
        `what the chain did; ${failed} requests had to be repeated, the slowest write took ${Math.round(slowestMs)} ms.`,
    );
    expect([lost, fleet.load.refused]).toEqual([NOTHING, []]);
  },
  900_000,
);
