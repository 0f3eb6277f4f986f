import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { kyselyOver } from "../../platform/db/db.ts";
import { record } from "../append/record.ts";
import type { ActionType } from "../entries/details.ts";
import { type AuditEntryInput, ZERO_ADDRESS } from "../entries/entries.ts";
import { type AuditFilter, type Branch, matches } from "./filter.ts";
import { readById, readPage, readSize, readWalk } from "./query.ts";
import { numbers } from "./test-numbers.ts";

let t: TestDatabase;
let rows: Row[];

interface Row {
  seq: number;
  id: string;
  timestamp: string;
  occurred_at: string;
  action_type: ActionType;
  vault_address: Address;
  chain_id: number;
  actor_wallet: Address;
  body: string;
}

const DAY = 86_400;
const random = numbers(7);

function mixed(n: number): AuditEntryInput {
  if (n % 97 === 0) return apiEntry(ACTORS[random(6)]!, { chain_id: 0, vault_address: ZERO_ADDRESS });
  if (n % 31 === 0) return apiEntry(ACTORS[random(6)]!, VAULTS[random(8)]!);
  const isHistory = random(3) > 0;
  const at = 1_760_000_000 + (isHistory ? random(400) * DAY + random(9) : 410 * DAY + n * 60);
  return chainEntry(n, { at, isHistory, actor: random(2) === 0 ? 0 : random(6) });
}

beforeAll(async () => {
  t = await createTestDatabase();
  await t.db.pool.query("insert into chains (chain_id, name) values (1, 'One'), (8453, 'Base')");
  const entries = Array.from({ length: 4100 }, (_, n) => mixed(n + 1));
  for (let i = 0; i < entries.length; ) {
    const size = 1 + random(i < 500 ? 7 : 900);
    await t.db.transaction((tx) => record(tx, entries.slice(i, i + size)));
    i += size;
  }
  rows = (await t.db.pool.query("select * from audit_entries order by seq")).rows;
});
afterAll(() => t.drop());

function expectedOf(filter: AuditFilter, order: "asc" | "desc"): Row[] {
  const time = (row: Row) => (filter.timeField === "block" ? row.occurred_at : row.timestamp);
  const sorted = rows
    .filter((row) => matches(filter, row))
    .sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : a.seq - b.seq));
  return order === "asc" ? sorted : sorted.reverse();
}

const ALL: AuditFilter = {
  branches: [{ places: "all", actor: null }],
  actions: null,
  from: null,
  to: null,
  timeField: "timestamp",
};
const place = (i: number) => ({ chainId: VAULTS[i]!.chain_id, vaultAddress: VAULTS[i]!.vault_address });

function anyFilter(): AuditFilter {
  const actor = random(3) === 0 ? ACTORS[random(6)]! : null;
  const places: Branch["places"][] = [
    "all",
    { chainId: 8453 },
    [place(random(8))],
    [place(1), place(2), place(5)],
    { vaultAddress: VAULTS[random(8)]!.vault_address },
  ];
  const branches: Branch[] = [{ places: places[random(places.length)]!, actor }];
  if (branches[0]!.places !== "all" && random(3) === 0) {
    branches.push({ places: [{ chainId: 0, vaultAddress: ZERO_ADDRESS }], actor: ACTORS[random(6)]! });
  }
  const actions: (ActionType[] | null)[] = [
    null,
    null,
    ["deposit"],
    ["pps_update", "withdraw"],
    ["alert_rule_update"],
    ["vault_create"],
  ];
  const moments = [rows[random(rows.length)]!, rows[random(rows.length)]!]
    .map((row) => (random(2) === 0 ? row.timestamp : row.occurred_at))
    .sort();
  return {
    branches,
    actions: actions[random(actions.length)]!,
    from: random(2) === 0 ? moments[0]! : null,
    to: random(2) === 0 ? moments[1]! : null,
    timeField: random(3) === 0 ? "block" : "timestamp",
  };
}

async function pageOf(filter: AuditFilter, order: "asc" | "desc", offset: number, limit: number) {
  const page = await readPage(t.db.kysely, { filter, order, offset, limit });
  const logs: { seq: string }[] = JSON.parse(`[${page.entries}]`);
  return { ...page, seqs: logs.map((entry) => Number(entry.seq)) };
}

describe("a page", () => {
  it("holds exactly what the filter means, in order, with the exact total, for any filter and offset", async () => {
    for (let i = 0; i < 400; i++) {
      const filter = anyFilter();
      const order = random(2) === 0 ? "asc" : "desc";
      const expected = expectedOf(filter, order);
      const offset = random(2) === 0 ? random(40) : random(Math.max(1, expected.length + 10));
      const limit = 1 + random(120);
      const page = await pageOf(filter, order, offset, limit);
      const seqs = expected.slice(offset, offset + limit).map((row) => row.seq);
      expect({ filter, order, offset, total: page.total, seqs: page.seqs }).toEqual({
        filter,
        order,
        offset,
        total: expected.length,
        seqs,
      });
      expect(page.length).toBe(seqs.length);
      expect(page.size).toBe(rows.length);
    }
  });

  it("finds deep places of the whole log in either order", async () => {
    for (const order of ["asc", "desc"] as const) {
      for (const timeField of ["timestamp", "block"] as const) {
        const filter: AuditFilter = { ...ALL, timeField };
        const expected = expectedOf(filter, order).map((row) => row.seq);
        for (const offset of [0, 999, 1000, 1001, 2048, 3000, 4000, 4095, 4099, 4100, 5000]) {
          const page = await pageOf(filter, order, offset, 50);
          expect(page.seqs).toEqual(expected.slice(offset, offset + 50));
          expect(page.total).toBe(4100);
        }
      }
    }
  });

  it("returns the bytes that were written", async () => {
    const page = await readPage(t.db.kysely, { filter: ALL, order: "desc", offset: 0, limit: 3 });
    const expected = expectedOf(ALL, "desc").slice(0, 3);
    expect(page.entries.toString()).toBe(expected.map((row) => row.body).join(","));
  });

  it("holds to the first and last moments that a timestamp can say", async () => {
    const first = "0001-01-01T00:00:00.000000Z";
    const last = "9999-12-31T23:59:59.999999Z";
    for (const timeField of ["timestamp", "block"] as const) {
      const totals = await Promise.all(
        [
          { from: first, to: last },
          { from: first, to: null },
          { from: null, to: last },
          { from: last, to: null },
          { from: null, to: first },
          { from: last, to: last },
        ].map(async (times) => (await pageOf({ ...ALL, ...times, timeField }, "desc", 1500, 1)).total),
      );
      expect(totals).toEqual([rows.length, rows.length, rows.length, 0, 0, 0]);
    }
  });

  it("has the exact total on whichever side of a stretch's ends the filter's times lie, and on them", async () => {
    const branches: Branch[] = [
      { places: "all", actor: null },
      { places: { chainId: 8453 }, actor: null },
      { places: [place(1), place(2), place(5)], actor: null },
      { places: "all", actor: ACTORS[0]! },
      { places: { chainId: 8453 }, actor: ACTORS[0]! },
      { places: [place(1), place(2), place(5)], actor: ACTORS[0]! },
      { places: "all", actor: ACTORS[3]! },
    ];
    const known = await t.db.pool.query("select is_counted from audit_actors where actor_wallet = $1", [
      ACTORS[0],
    ]);
    expect(known.rows).toEqual([{ is_counted: true }]);
    const around = (day: number, level: number, seconds: number) => {
      const end = Math.round((1_760_000_000 + day * DAY) / 2 ** level) * 2 ** level;
      return new Date((end + seconds) * 1000).toISOString().replace("Z", "000Z");
    };
    for (const level of [13, 16, 20]) {
      for (const near of [-0.4, -0.001, 0, 0.001, 0.4].map((part) => part * 2 ** level)) {
        for (const branch of branches) {
          const filter: AuditFilter = {
            ...ALL,
            branches: [branch],
            from: random(4) === 0 ? null : around(40 + random(100), level, near),
            to: random(4) === 0 ? null : around(200 + random(150), level, -near),
            actions: random(2) === 0 ? null : ["deposit", "pps_update"],
            timeField: random(2) === 0 ? "block" : "timestamp",
          };
          const { total } = await pageOf(filter, "desc", 0, 1);
          expect({ filter, total }).toEqual({ filter, total: expectedOf(filter, "desc").length });
        }
      }
    }
  });

  it("is empty from a time to the same time, and without a branch", async () => {
    const moment = rows[50]!.timestamp;
    const same = await pageOf({ ...ALL, from: moment, to: moment }, "desc", 0, 10);
    expect([same.total, same.seqs]).toEqual([0, []]);
    const none = await pageOf({ ...ALL, branches: [] }, "desc", 0, 10);
    expect([none.total, none.seqs]).toEqual([0, []]);
  });

  it("keeps microseconds: a bound between two entries of one millisecond parts them", async () => {
    const live = rows.filter((row) => row.timestamp.startsWith("20") && row.timestamp !== row.occurred_at);
    const [a, b] = [live.at(-2)!, live.at(-1)!];
    const upTo = await pageOf({ ...ALL, from: a.timestamp, to: b.timestamp }, "asc", 0, 10);
    expect(upTo.seqs).toContain(a.seq);
    expect(upTo.seqs).not.toContain(b.seq);
  });
});

it("a page and its total are of one snapshot while entries are written, in the newest tile and across tiles", async () => {
  const other = await createTestDatabase();
  try {
    let n = 0;
    let isDone = false;
    const writing = (async () => {
      // Fewer than a vault has to have for its entries to fill more than a page.
      for (let round = 0; !isDone && n < 6000; round += 1) {
        const count = round % 5 === 0 ? 300 : 1 + (round % 3);
        const entries = Array.from({ length: count }, () => chainEntry(n++));
        await other.db.transaction((tx) => record(tx, entries));
      }
    })();
    const vault: AuditFilter = { ...ALL, branches: [{ places: [place(3)], actor: null }] };
    const later: AuditFilter = { ...vault, from: "2026-05-01T00:00:00.000001Z" };
    while (n < 2500) {
      const page = { order: "desc", limit: 1000, offset: 0 } as const;
      const all = await readPage(other.db.kysely, { ...page, filter: ALL });
      expect([all.total, all.length]).toEqual([all.size, Math.min(all.size, 1000)]);
      if (all.size > 0) expect(JSON.parse(`[${all.entries}]`)[0].seq).toBe(String(all.size));
      const deep = await readPage(other.db.kysely, { ...page, filter: ALL, order: "asc", offset: 1000 });
      expect(deep.length).toBe(Math.min(1000, Math.max(0, deep.total - 1000)));
      for (const filter of [vault, later]) {
        const own = await readPage(other.db.kysely, { ...page, filter });
        expect(own.length).toBe(own.total);
      }
    }
    isDone = true;
    await writing;
  } finally {
    await other.drop();
  }
});

describe("a walk", () => {
  it("passes every matching entry once, in the order of seq, and then waits at the end", async () => {
    for (let i = 0; i < 60; i++) {
      const filter = anyFilter();
      const expected = rows.filter((row) => matches(filter, row)).map((row) => row.seq);
      const seen: number[] = [];
      let after = 0;
      for (;;) {
        const limit = 1 + random(900);
        const page = await readWalk(t.db.kysely, { filter, after, limit });
        seen.push(...JSON.parse(`[${page.entries}]`).map((entry: { seq: string }) => Number(entry.seq)));
        expect(page.total).toBe(expected.length);
        expect(page.hasMore).toBe(seen.length < expected.length);
        after = page.next;
        if (!page.hasMore) break;
      }
      expect(seen).toEqual(expected);
      expect(after).toBe(rows.length);
    }
  });

  it("follows an index in the order of seq for every kind of filter: what it reads does not grow with the log", async () => {
    const client = await t.db.pool.connect();
    try {
      await client.query(
        "begin; set local enable_seqscan = off; set local enable_sort = off; set local enable_bitmapscan = off",
      );
      const kinds: [Partial<AuditFilter>, RegExp][] = [
        [{}, /^\(seq > /],
        [{ actions: ["deposit"] }, /^\(\(action_type = .* AND \(seq > /],
        [{ actions: ["deposit", "withdraw"] }, /^\(\(action_type = .* AND \(seq > /],
        [{ branches: [{ places: "all", actor: ACTORS[1]! }] }, /^\(\(actor_wallet = .* AND \(seq > /],
        [{ branches: [{ places: [place(1)], actor: null }] }, /^\(\(vault_address = .* AND \(seq > /],
        [
          { branches: [{ places: [place(1), place(2)], actor: null }] },
          /^\(\(vault_address = .* AND \(seq > /,
        ],
        [{ branches: [{ places: { chainId: 1 }, actor: null }] }, /^\(\(vault_address = .* AND \(seq > /],
      ];
      for (const [part, condition] of kinds) {
        const asked: { text: string; values: unknown[] }[] = [];
        const query = (statement: { text: string }, values: unknown[]) => {
          asked.push({ ...statement, values });
          return t.db.pool.query(statement, values);
        };
        await readWalk(kyselyOver({ query }), { filter: { ...ALL, ...part }, after: 17, limit: 10 });
        const { text, values } = asked[0]!;
        const { rows: lines } = await client.query({ text: `explain ${text}`, values });
        const conditions = lines.map((line) => /Index Cond: (.*)/.exec(line["QUERY PLAN"])?.[1] ?? "");
        expect(conditions.filter((each) => condition.test(each)).length).toBeGreaterThan(1);
      }
    } finally {
      await client.query("rollback");
      client.release();
    }
  });

  it("from now begins after the newest entry", async () => {
    const page = await readWalk(t.db.kysely, { filter: ALL, after: "now", limit: 10 });
    expect([page.length, page.size]).toEqual([0, 4100]);
  });
});

describe("reading by id", () => {
  it("finds every entry, and nothing for another id", async () => {
    for (const row of [rows[0]!, rows[96]!, rows[2000]!, rows.at(-1)!]) {
      const entry = await readById(t.db.kysely, row.id);
      expect(entry?.body).toBe(row.body);
    }
    expect(await readById(t.db.kysely, "019dbb3b-0000-7000-8000-000000000000")).toBe(null);
    expect(await readById(t.db.kysely, "ffffffff-ffff-ffff-ffff-ffffffffffff")).toBe(null);
  });
});

it("the size is the seq of the newest entry", async () => {
  expect(await readSize(t.db.kysely)).toBe(4100);
});
