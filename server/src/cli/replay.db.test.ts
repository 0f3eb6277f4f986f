// Whatever is derived from facts can be rebuilt from them, and comes out the same: on a chain with every event, reorganisations,
// managers that only readings tell of, and vaults whose price is sampled.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addressOf } from "../../../demo/src/accounts.ts";
import { send } from "../../../demo/src/chain.ts";
import { deployErc4626Vault } from "../../../demo/src/deploy.ts";
import { readEventTable } from "../../../demo/src/events.ts";
import { bareEnvironment } from "../../test/bare-environment.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { createFollowed, type Followed } from "../../test/followed.ts";
import { replayChain } from "../ingest/block/replay.ts";
import type { SourceSettings } from "../ingest/block/settings.ts";
import { LeadLost } from "../ingest/block/store.ts";
import { silentLogger } from "../platform/log.ts";
import { PROJECTIONS } from "../service/indexer.ts";
import { replayCommand } from "./replay.ts";

/** Every table that a projection writes, with what must be in it for this test to be about it. */
const PROJECTED = {
  vault_roles: 15,
  manager_readings: 5,
  vault_states: 20,
  pps_points: 20,
  share_supplies: 5,
  redeem_flows: 5,
  vault_intervals: 10,
  redemption_executions: 1,
  redemption_fulfilments: 1,
  redeem_claimables: 3,
};

const eventOf = (place: string, name: string) =>
  readEventTable().find(({ section, signature }) => section === place && signature.startsWith(`${name}(`))!;
const CLAIMABLE = eventOf("SuperVaultStrategy", "RedeemClaimable");
const MANAGER_ADDED = eventOf("SuperVaultAggregator", "SecondaryManagerAdded");

let database: TestDatabase;
let followed: Followed;
let sources: SourceSettings[];
let before: Record<string, string[]>;

beforeAll(async () => {
  database = await createTestDatabase();
  followed = await createFollowed({ seed: 61, trios: 3, database });
  const { activity } = followed;
  const { chain } = activity;
  await chain.client.setAutomine(true);
  const vault = await deployErc4626Vault(chain, { asset: activity.asset, name: "Plain", symbol: "PLN" });
  await chain.client.setAutomine(false);
  for (let index = 0; index < 25; index += 1) await activity.block(6);
  sources = [
    { family: "supervault", aggregator: activity.system.aggregator },
    { family: "erc4626", vaults: [{ address: vault, primary_manager: null }] },
  ];
  // One part of it as the past, one as it happens.
  followed.start({ sources, sampleSeconds: 1 }, { batchLimits: { facts: 40, ms: 1_000 } });
  await followed.settle();
  for (let index = 0; index < 35; index += 1) {
    await activity.emit(CLAIMABLE);
    // The contract knows nothing of it, so the reading of the same block takes the role away again.
    await activity.emit(MANAGER_ADDED);
    await activity.block(6);
    if (index % 5 === 0) await activity.deposit({ vault, asset: activity.asset });
    if (index % 10 === 9) await activity.reorg(1 + activity.draw(4));
    if (index === 20) {
      await send(chain, {
        contract: "Erc4626Vault",
        address: vault,
        functionName: "transferOwnership",
        args: [addressOf("otherManager")],
        from: addressOf("primaryManager"),
      });
    }
  }
  await followed.settle();
  await followed.stop();
  before = await rows();
});
afterAll(() => followed.end());
beforeEach(async () => {
  expect(await changed()).toEqual([]);
});

describe("a replay", () => {
  it("gives the same rows in every table that is derived from facts", async () => {
    for (const [table, least] of Object.entries(PROJECTED))
      expect(before[table]!.length, table).toBeGreaterThanOrEqual(least);
    expect(await replay()).toMatchObject({ code: 0, printed: [/rebuilt from \d+ facts/, /is unchanged/] });
    expect(await changed()).toEqual([]);
  });

  it("gives the same rows however few facts are applied at once", async () => {
    await withLease((token) =>
      replayChain({
        ...parts(),
        token,
        batchFacts: 7,
        signal: new AbortController().signal,
        onProgress() {},
      }),
    );
    expect(await changed()).toEqual([]);
  });

  it("mends what was lost or wrong, and leaves facts, audit log and blocks alone", async () => {
    const kept = await counts();
    await database.owner.pool.query(`
      delete from redeem_flows where block_number % 2 = 0; delete from vault_roles where from_block % 3 = 0;
      delete from redeem_claimables; delete from redemption_fulfilments; update vault_intervals set to_block = null, since = null;
      update share_supplies set total_supply = 1; delete from pps_points where stored_pps is not null`);
    expect((await changed()).length).toBeGreaterThan(20);
    expect((await replay()).code).toBe(0);
    expect(await changed()).toEqual([]);
    expect(await counts()).toEqual(kept);
  });

  it("that is ended in the middle has changed nothing", async () => {
    const end = new AbortController();
    const replayed = withLease((token) =>
      replayChain({
        ...parts(),
        token,
        batchFacts: 20,
        signal: end.signal,
        onProgress: (done) => {
          if (done > 60) end.abort(new Error("ended"));
        },
      }),
    );
    await expect(replayed).rejects.toThrow("ended");
    expect(await changed()).toEqual([]);
  });

  it("writes nothing under a lease that has been taken by another", async () => {
    const signal = new AbortController().signal;
    const replayed = replayChain({ ...parts(), token: 999, signal, onProgress() {} });
    await expect(replayed).rejects.toThrow(LeadLost);
  });

  it("is refused, in words, while a service follows the chain, and does not disturb it", async () => {
    const ingest = followed.start({ sources });
    await ingest.until("leading", ({ isLeading, head }) => isLeading && head !== null);
    await expect(replay()).rejects.toThrow(
      /is being followed by a running service \(.*:\d+, since .*--role api,worker/,
    );
    await followed.settle();
    await followed.stop();
    before = await rows();
  });

  it("is refused where the tables' owner is not configured, and for a chain that is not there", async () => {
    await expect(replay({ ownerUrl: database.url })).rejects.toThrow(/set database\.owner_url/);
    await expect(replay({ chainId: 4_242 })).rejects.toThrow("Chain 4242 is not stored here.");
  });
});

describe("vaultops replay", () => {
  it("explains itself", async () => {
    const { code, stdout } = await run(["--help"]).done;
    expect(code).toBe(0);
    expect(stdout).toMatch(/What was read from the nodes stays\.[\s\S]*--chain/);
  });

  it.each(["SIGINT", "SIGKILL"] as const)(
    "ended by %s in the middle leaves everything as it was",
    async (signal) => {
      const holder = await database.owner.pool.connect();
      try {
        await holder.query("begin; lock table redeem_claimables in share mode");
        const { child, done } = run(["--chain", String(followed.anvil.chainId)]);
        // It waits for the lock, with everything before that done.
        while (!(await isWaitingFor("redeem_claimables"))) {
          if (child.exitCode !== null) throw new Error(`it has ended: ${(await done).stderr}`);
          await sleep(50);
        }
        child.kill(signal);
        if (signal === "SIGKILL") await once(child, "exit");
        await holder.query("rollback");
        const { code, stdout, stderr } = await done;
        expect(code, stderr).toBe(signal === "SIGINT" ? 130 : null);
        if (signal === "SIGINT") expect(stdout).toMatch(/Stopped\. Chain \d+ \(test \d+\) is unchanged\./);
      } finally {
        holder.release(true);
      }
      await expect.poll(changed, { timeout: 240_000 }).toEqual([]);
    },
  );

  it("says what it has done", async () => {
    const { code, stdout, stderr } = await run([]).done;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/roles, vaults, redemptions, actions rebuilt from \d+ facts/);
  });
});

async function isWaitingFor(table: string): Promise<boolean> {
  const { rowCount } = await database.owner.pool.query(
    "select from pg_locks where relation = $1::regclass and not granted",
    [table],
  );
  return rowCount === 1;
}

function parts() {
  return { db: database.owner, chainId: followed.anvil.chainId, projections: PROJECTIONS };
}

async function replay(options: { ownerUrl?: string; chainId?: number } = {}) {
  const printed: string[] = [];
  const code = await replayCommand({
    db: database.db,
    ownerUrl: options.ownerUrl ?? database.ownerUrl,
    chainId: options.chainId ?? null,
    log: silentLogger(),
    print: (line) => printed.push(line),
    tell() {},
    signal: new AbortController().signal,
  });
  return { code, printed };
}

async function withLease<T>(work: (token: number) => Promise<T>): Promise<T> {
  const { rows } = await database.db.pool.query<{ token: number }>("select token from chain_leases");
  return await work(rows[0]!.token);
}

function run(args: string[]) {
  const cli = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(process.execPath, [cli, "replay", ...args], {
    env: {
      ...bareEnvironment,
      VAULTOPS_DATABASE__URL: database.url,
      VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const done = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, done };
}

/** All rows of the projected tables as text, but for numbers that only tell rows apart. */
async function rows(): Promise<Record<string, string[]>> {
  const tables = await Promise.all(
    Object.keys(PROJECTED).map(async (table) => {
      const own = table === "vault_roles" ? "to_jsonb(t) - 'id'" : "to_jsonb(t)";
      const { rows } = await database.db.pool.query<{ row: string }>(
        `select (${own})::text as row from ${table} t order by 1`,
      );
      return [table, rows.map(({ row }) => row)] as const;
    }),
  );
  return Object.fromEntries(tables);
}

/** Rows that were there before and are not, and the other way round. */
async function changed(): Promise<string[]> {
  const now = await rows();
  return Object.keys(PROJECTED).flatMap((table) => {
    const [was, is] = [new Set(before[table]), new Set(now[table])];
    return [
      ...[...was].filter((row) => !is.has(row)).map((row) => `- ${table} ${row}`),
      ...[...is].filter((row) => !was.has(row)).map((row) => `+ ${table} ${row}`),
      ...(before[table]!.length === now[table]!.length ? [] : [`${table}: another number of rows`]),
    ];
  });
}

async function counts() {
  const { rows } = await database.db.pool.query(
    `select (select count(*) from facts) as facts, (select count(*) from blocks) as blocks, (select max(seq) from audit_entries) as seq,
            (select head_number from chains) as head`,
  );
  return rows[0];
}
