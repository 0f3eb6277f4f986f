// Leases: who leads, for how long, and what a leader may write that is one no more. Time is the database's: a test moves the lease's
// end in the table instead of waiting for it, and none runs out while the machine stands still.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { settingsOf } from "../../../test/ingest.ts";
import { silentLogger } from "../../platform/log.ts";
import { insertBlocks } from "../block/rows.ts";
import { ChainStore, IDLE_IN_COMMIT_MS, LeadLost } from "../block/store.ts";
import { introduceChain } from "../configure.ts";
import { type Lead, Leadership } from "./leadership.ts";
import { LEASE_MS, ROUND_MS } from "./lease-session.ts";

const CHAIN = 31_337;
const OTHER_CHAIN = 4_242;

let database: TestDatabase;
const running: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  for (const chainId of [CHAIN, OTHER_CHAIN])
    await introduceChain(database.db, settingsOf({ chainId, rpcUrls: [], sources: [] }));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((end) => end()));
  await database.drop();
});

const LONG_MS = 3_600_000;

/** One process's leadership, running. */
function start(leaseMs = LONG_MS) {
  const leadership = new Leadership(database.url, silentLogger(), leaseMs);
  const stop = new AbortController();
  const done = leadership.run(stop.signal);
  const leads: Lead[] = [];
  running.push(async () => {
    stop.abort();
    for (const lead of leads) await leadership.release(lead);
    await done;
  });
  const next = async (chainId = CHAIN) => {
    const lead = (await leadership.next(chainId, stop.signal))!;
    leads.push(lead);
    return lead;
  };
  return { leadership, stop, done, next };
}

async function lease(chainId = CHAIN) {
  const { rows } = await database.db.pool.query(
    `select token, holder, holder_name, session_pid, extract(epoch from expires_at - renewed_at)::float8 as seconds,
            expires_at > clock_timestamp() as is_current, (select revision from chains c where c.chain_id = l.chain_id) as revision
       from chain_leases l where chain_id = $1`,
    [chainId],
  );
  return rows[0];
}

describe("a lease", () => {
  it("is free within 10 seconds of its holder's last renewal, a write of the holder's that hangs included", async () => {
    expect(LEASE_MS + IDLE_IN_COMMIT_MS + ROUND_MS).toBeLessThanOrEqual(10_000);
    // Renewed often enough that two rounds may be missed.
    expect(ROUND_MS * 3).toBeLessThan(LEASE_MS);
    await start(LEASE_MS).next();
    expect((await lease()).seconds).toBeCloseTo(LEASE_MS / 1000, 3);
  });

  it("has one holder at a time, and each chain its own", async () => {
    const [first, second] = [start(), start()];
    const lead = await first.next();
    const waiting = second.next();
    expect((await second.next(OTHER_CHAIN)).token).toBe(1);
    await expect.poll(() => second.leadership.other(CHAIN)?.name, WAIT).toMatch(/:\d+$/);

    await first.leadership.release(lead);
    expect(lead.signal.aborted).toBe(true);
    expect((await waiting).token).toBe(lead.token + 1);
  });

  it("is renewed for as long as its holder runs, and handed over at its orderly end", async () => {
    const [first, second] = [start(), start()];
    const lead = await first.next();
    const waiting = second.next();
    const { rows: before } = await database.db.pool.query(
      "select renewed_at from chain_leases where token = 1",
    );
    await expect
      .poll(
        async () =>
          (await database.db.pool.query("select renewed_at from chain_leases where token = 1")).rows[0],
        WAIT,
      )
      .not.toEqual(before[0]);
    expect(lead.signal.aborted).toBe(false);
    // The work ends first; until then the lease is kept.
    first.stop.abort();
    await sleep(100);
    expect(await lease()).toMatchObject({ token: 1, is_current: true });
    await first.leadership.release(lead);
    await first.done;
    expect((await waiting).token).toBe(2);
  });

  it("that has run out is taken by another, who fences the one before off in the same transaction", async () => {
    const [first, second] = [start(), start()];
    const lead = await first.next();
    const before = await lease();
    const waiting = second.next();
    await expect.poll(() => second.leadership.other(CHAIN), WAIT).not.toBeNull();
    await database.db.pool.query("update chain_leases set expires_at = clock_timestamp() where token = 1");
    const taken = await waiting;
    expect(taken.token).toBe(2);
    await expect.poll(() => lead.signal.aborted, WAIT).toBe(true);
    const after = await lease();
    expect(after.revision).toBe(before.revision + 1);
  });

  it("is free at once when its holder's connection has ended; the holder stops leading and waits for its turn again", async () => {
    const [first, second] = [start(), start()];
    const lead = await first.next();
    const waiting = second.next();
    const { session_pid } = await lease();
    await database.db.pool.query("select pg_terminate_backend($1)", [session_pid]);
    await expect.poll(() => lead.signal.aborted, WAIT).toBe(true);
    const taken = await waiting;
    expect(taken.token).toBe(2);
    await second.leadership.release(taken);
    expect((await first.next()).token).toBe(3);
  });
});

describe("work that goes with a lead", () => {
  it("is done by the leader alone, by the next one when the lead ends, and by nobody once its signal aborts", async () => {
    const processes = [start(), start()] as const;
    const doing = processes.map(() => 0);
    const end = new AbortController();
    const done = processes.map(({ leadership }, index) =>
      leadership.during(CHAIN, end.signal, async (signal) => {
        doing[index]! += 1;
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        doing[index]! -= 1;
      }),
    );
    const lead = await processes[0].next();
    await expect.poll(() => doing, WAIT).toEqual([1, 0]);
    // Another chain's lead is none of its business.
    await processes[1].next(OTHER_CHAIN);
    expect(doing).toEqual([1, 0]);

    const waiting = processes[1].next();
    await processes[0].leadership.release(lead);
    const next = await waiting;
    await expect.poll(() => doing, WAIT).toEqual([0, 1]);
    await processes[1].leadership.release(next);
    await processes[0].next();
    await expect.poll(() => doing, WAIT).toEqual([1, 0]);
    end.abort();
    await Promise.all(done);
    expect(doing).toEqual([0, 0]);
  });

  it("begins at once under a lead that has begun, tells its failure, and is not begun again when it ends by itself", async () => {
    const { leadership, next, stop } = start();
    await next();
    let runs = 0;
    await leadership.during(CHAIN, stop.signal, async () => {
      runs += 1;
    });
    expect(runs).toBe(1);
    const failing = leadership.during(CHAIN, stop.signal, async () => {
      throw new TypeError("broken");
    });
    await expect(failing).rejects.toThrow(TypeError);
  });
});

describe("the fence", () => {
  it("refuses what a leader writes whose lease was taken, whenever it wakes: loaded before, loading now, in the middle of a write", async () => {
    const [first, second] = [start(), start()];
    const old = await first.next();
    const [store, sleeper] = [new ChainStore(database.db, CHAIN), new ChainStore(database.db, CHAIN)];
    await store.load(old.token, []);
    await first.leadership.release(old);
    const lead = await second.next();

    await expect(store.commitAlone({ confirmed: 1 }, null)).rejects.toThrow(LeadLost);
    await expect(store.commit({}, (tx) => insertBlocks(tx, CHAIN, [BLOCK]))).rejects.toThrow(LeadLost);
    // It was paused between looking at its lease and loading: the revision of today is not given to it.
    await expect(sleeper.load(old.token, [])).rejects.toThrow(LeadLost);
    const leader = new ChainStore(database.db, CHAIN);
    await leader.load(lead.token, []);
    await leader.commit({}, (tx) => insertBlocks(tx, CHAIN, [BLOCK]));
    expect((await database.db.pool.query("select number from blocks")).rows).toEqual([{ number: 1 }]);
  });

  it("lets nobody take the lease while a write of its holder is under way, and ends a write that hangs", async () => {
    const [first, second] = [start(), start()];
    const old = await first.next();
    const store = new ChainStore(database.db, CHAIN);
    await store.load(old.token, []);
    let resume = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let isInside = () => {};
    const inside = new Promise<void>((resolve) => {
      isInside = resolve;
    });
    const write = store.commit({}, async (tx) => {
      await insertBlocks(tx, CHAIN, [BLOCK]);
      isInside();
      await paused;
    });
    write.catch(() => {});
    await inside;
    // As if it had not renewed for LEASE_MS: the lease is anybody's, but for the write.
    await first.leadership.release(old);
    const lead = await second.next();
    expect(lead.token).toBe(2);
    resume();
    await expect(write).rejects.toThrow();
    expect((await database.db.pool.query("select number from blocks")).rows).toEqual([]);
  });
});

const WAIT = { timeout: 120_000, interval: 20 };
const BLOCK = {
  number: 1,
  hash: `0x${"1".repeat(64)}`,
  parentHash: null,
  timestamp: 1_700_000_000,
  isEmpty: false,
};
