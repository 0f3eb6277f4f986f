// The book under a crowd: how few queries it takes, and that no answer is older than promised.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp, openGuard } from "../../../test/app.ts";
import { as } from "../../../test/caller.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { readingOf, SyntheticChain, syntheticAddress } from "../../../test/synthetic-chain.ts";
import { systemClock } from "../../platform/clock.ts";
import { type Database, kyselyOver } from "../../platform/db/db.ts";
import { createNotifier } from "../../platform/db/notifier.ts";
import { silentLogger } from "../../platform/log.ts";
import { Book } from "./book.ts";
import { vaultsFeature } from "./feature.ts";
import { vaultsProjection } from "./project.ts";
import { CHAIN, DAY, openVaultApp, PRIMARY, RICH, T0 as START } from "./test-app.ts";

const T0 = 1_770_000_000;
const VAULT = syntheticAddress(1);

let database: TestDatabase;
let queries: string[] = [];
/** The database, with the names of the statements that go through it. */
let counted: Pick<Database, "kysely">;

beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database.db;
  const query = (statement: { name: string }, values: unknown[]) => {
    queries.push(statement.name);
    return pool.query(statement as never, values);
  };
  counted = { kysely: kyselyOver({ query }) };
});
afterAll(() => database.drop());

async function chainOf(chainId: number): Promise<SyntheticChain> {
  const chain = new SyntheticChain(database.db, vaultsProjection, chainId);
  await chain.start();
  return chain;
}

const state = (chain: SyntheticChain, number: number, pps: bigint, vault = VAULT) =>
  chain.apply([
    chain.block(number, T0 + number, [], [[vault, readingOf({ pps, totalAssets: pps, totalSupply: 1n })]]),
  ]);

describe("a book", () => {
  test("asks once for a crowd, and builds again only the vault that changed", async () => {
    const chain = await chainOf(1);
    const others = Array.from({ length: 5 }, (_, n) => syntheticAddress(10 + n));
    for (const address of [VAULT, ...others]) {
      await chain.addVault({ address, family: "erc4626" });
    }
    await state(chain, 1, 5n);
    const book = new Book({
      publicUrl: "https://vaults.example",
      db: counted,
      clock: systemClock,
      maxAgeMs: 60_000,
    });
    queries = [];
    const shelves = await Promise.all(Array.from({ length: 50 }, () => book.shelf(1)));
    expect(new Set(shelves).size).toBe(1);
    expect(queries).toEqual(["vaults_chains", "vaults_stamps", "vaults_rows"]);
    expect(book.shelf(1)).toBe(shelves[0]);

    book.invalidate(1);
    queries = [];
    expect(await book.shelf(1)).toBe(shelves[0]);
    expect(queries).toEqual(["vaults_stamps"]);

    await state(chain, 2, 6n);
    book.invalidate(1);
    const after = (await book.shelf(1))!;
    for (const address of others) expect(after.entries.get(address)).toBe(shelves[0]!.entries.get(address));
    expect(JSON.parse(after.entries.get(VAULT)!.publicJson).pps).toBe("6");
  });

  test("follows the head's time without building anything, forgets an undone vault, and knows no foreign chain", async () => {
    const chain = await chainOf(2);
    await chain.apply([chain.block(1, T0 + 1), chain.block(2, T0 + 2)]);
    await chain.addVault({ address: VAULT, createdBlock: 2 });
    const book = new Book({
      publicUrl: "https://vaults.example",
      db: counted,
      clock: systemClock,
      maxAgeMs: 0,
    });
    const before = (await book.shelf(2))!;
    expect([before.headSeconds, before.entries.size]).toEqual([T0 + 2, 1]);
    await chain.apply([chain.block(3, T0 + 30)]);
    const later = (await book.shelf(2))!;
    expect([later.headSeconds, later.version]).toEqual([T0 + 30, before.version]);
    await chain.undoAbove(1);
    expect((await book.shelf(2))!.entries.size).toBe(0);
    expect(await book.shelf(999)).toBeNull();
  });

  test("gives what was committed, to every answer that was asked for after the notice", async () => {
    const chain = await chainOf(3);
    await chain.addVault({ address: VAULT, family: "erc4626" });
    const book = new Book({
      publicUrl: "https://vaults.example",
      db: database.db,
      clock: systemClock,
      maxAgeMs: 60_000,
    });
    const ppsNow = async () => JSON.parse((await book.shelf(3))!.entries.get(VAULT)!.publicJson).pps;
    for (let n = 1; n <= 30; n += 1) {
      const early = ppsNow();
      await state(chain, n, BigInt(n));
      book.invalidate(3);
      expect(await Promise.all([ppsNow(), ppsNow()])).toEqual([`${n}`, `${n}`]);
      await early;
    }
  });
});

test("a commit's notice is in the next answer long before the second is over, and without one the second is kept", async () => {
  const chain = await chainOf(4);
  await chain.addVault({ address: VAULT, family: "erc4626" });
  await state(chain, 1, 1n);
  const notifier = createNotifier(database.db);
  const stop = new AbortController();
  const feature = vaultsFeature({
    publicUrl: "https://vaults.example",
    db: database.db,
    clock: systemClock,
    log: silentLogger(),
    notifier,
    maxAgeMs: 3_600_000,
  });
  const app = await buildTestApp({ features: [feature], guard: openGuard() });
  const running = feature.tasks!.find(({ role }) => role === "api")!.run(stop.signal);
  const pps = async () =>
    (await app.inject({ method: "GET", url: `/api/v1/vaults/4/${VAULT}` })).json().current_pps as string;
  try {
    expect(await pps()).toBe("1");
    const seen: (string | null)[] = [];
    notifier.listen("head", (payload) => void seen.push(payload), stop.signal);
    const tell = (payload: string) => database.db.pool.query("select pg_notify('head', $1)", [payload]);
    await state(chain, 2, 2n);
    // Over and over, as the connection begins to listen in its own time.
    const told = async () => {
      await tell(JSON.stringify({ chain_id: 4, number: 2 }));
      return await pps();
    };
    await expect.poll(told).toBe("2");
    // What is still on its way would be heard after the next commit.
    await tell("the last of them");
    await expect.poll(() => seen.at(-1)).toBe("the last of them");
    expect(await pps()).toBe("2");
    await state(chain, 3, 3n);
    expect(await pps()).not.toBe("3");
    await tell("not json");
    await expect.poll(pps).toBe("3");
  } finally {
    stop.abort();
    await running;
    await notifier.close();
    await app.close();
  }
});

test("states that a newer confirmed one has replaced for a day are pruned, and nothing that is still needed", async () => {
  const chain = await chainOf(5);
  await chain.addVault({ address: VAULT, family: "erc4626" });
  const DAY = 86_400;
  const at = (number: number, seconds: number) =>
    chain.apply([chain.block(number, seconds, [], [[VAULT, readingOf({ pps: 1n, totalSupply: 1n })]])]);
  await at(1, T0);
  await at(2, T0 + 10);
  await at(3, T0 + 20);
  await at(4, T0 + DAY + 100);
  await chain.confirm(2);
  const feature = vaultsFeature({
    publicUrl: "https://vaults.example",
    db: database.db,
    clock: systemClock,
    log: silentLogger(),
    notifier: { listen() {} },
  });
  const stop = new AbortController();
  const running = feature.tasks!.find(({ role }) => role === "indexer")!.run(stop.signal);
  const left = async () => {
    const { rows } = await database.db.pool.query<{ block_number: number }>(
      "select block_number from vault_states where chain_id = 5 order by block_number",
    );
    return rows.map((row) => row.block_number);
  };
  await expect.poll(left).toHaveLength(3);
  stop.abort();
  await running;
  expect(await left()).toEqual([2, 3, 4]);
});

test("a reorganisation takes back what its blocks had changed, in the next answer", async () => {
  const app = await openVaultApp();
  const url = `/api/v1/vaults/${CHAIN}/${RICH}`;
  const before = await app.get(url, as(PRIMARY));
  await app.chain.apply([
    app.chain.block(
      61,
      START + 41 * DAY,
      [{ vault: RICH, body: { kind: "vault_unpaused", account: null } }],
      [[RICH, readingOf({ pps: 5n, totalAssets: 1n, totalSupply: 1n, isPaused: false })]],
    ),
  ]);
  const changed = (await app.get(url, as(PRIMARY))).body;
  expect(changed).toMatchObject({
    current_pps: "5",
    is_paused: false,
    is_paused_since: null,
    as_of: { block_number: 61 },
  });
  await app.chain.undoAbove(60);
  await app.chain.apply([app.chain.block(61, START + 40 * DAY + 12)]);
  const { remaining_staleness_time: _, ...after } = (await app.get(url, as(PRIMARY))).body;
  const { remaining_staleness_time: __, ...expected } = before.body;
  expect(after).toEqual(expected);
  await app.close();
});
