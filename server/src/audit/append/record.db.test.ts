import { canonicalJson } from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, apiEntry, chainEntry, VAULTS } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import { record } from "./record.ts";
import { recordReverts } from "./reverts.ts";

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.drop());

const all = async () => (await t.db.pool.query("select * from audit_entries order by seq")).rows;

describe("record", () => {
  it("numbers entries contiguously and lets time strictly increase, across batches", async () => {
    await t.db.transaction((tx) => record(tx, [chainEntry(1), chainEntry(2)]));
    await t.db.transaction((tx) =>
      record(
        tx,
        Array.from({ length: 700 }, (_, i) => chainEntry(3 + i)),
      ),
    );
    const rows = await all();
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 702 }, (_, i) => i + 1));
    for (const [i, row] of rows.entries()) {
      if (i > 0) expect(row.recorded_at > rows[i - 1].recorded_at).toBe(true);
      const entry = JSON.parse(row.body);
      expect(canonicalJson(entry)).toBe(row.body);
      expect(entry.id).toBe(row.id);
      expect(entry.seq).toBe(String(row.seq));
      expect(entry.timestamp).toBe(row.timestamp);
      expect(entry.details.block_timestamp).toBe(row.occurred_at);
    }
  });
});

describe("an operation that has been recorded", () => {
  it("cannot be recorded again, and the transaction that tries leaves nothing", async () => {
    const before = (await all()).length;
    const again = t.db.transaction((tx) => record(tx, [chainEntry(9000), chainEntry(5)]));
    await expect(again).rejects.toMatchObject({ code: "23505" });
    expect((await all()).length).toBe(before);
  });

  it("that a deep reorganisation undid is named by a revert, once, and may come back once", async () => {
    await t.db.pool.query("insert into chains (chain_id, name) values (8453, 'Base'), (1, 'One')");
    const returning = chainEntry(20_000, { vault: 0 });
    await t.db.transaction((tx) => record(tx, [returning, chainEntry(20_001, { vault: 1 })]));
    const undone = await t.db.transaction((tx) => recordReverts(tx, 8453, 19_999));
    expect(undone).toBe(1);
    expect(await t.db.transaction((tx) => recordReverts(tx, 8453, 19_999))).toBe(0);
    const rows = await all();
    const revert = JSON.parse(rows.at(-1).body);
    const original = rows.find((row) => row.seq === Number(revert.details.reverted_seq));
    expect(revert.action_type).toBe("chain_reorg_revert");
    expect(revert.details).toMatchObject({ reverted_id: original.id, block_number: 20_000 });
    await t.db.transaction((tx) => record(tx, [returning]));
    await expect(t.db.transaction((tx) => record(tx, [returning]))).rejects.toMatchObject({ code: "23505" });
    expect(await t.db.transaction((tx) => recordReverts(tx, 8453, 19_999))).toBe(1);
  });
});

describe("what was submitted before it was done", () => {
  const [{ vault_address: vault }] = VAULTS as [(typeof VAULTS)[number]];
  const named = async (n: number) => {
    const { rows } = await t.db.pool.query("select body from audit_entries order by seq desc limit 1");
    const { id, details } = JSON.parse(rows[0].body);
    return [details.log_index === n % 5, details.submit_entry_id, id];
  };
  const accepted = (n: number, of: AuditEntryInput) => ({
    ...chainEntry(n, { vault: 0 }),
    submission: { blockNumber: of.block!.number, logIndex: of.block!.logIndex },
  });
  const idOf = async ({ block }: AuditEntryInput, age = 0) => {
    const { rows } = await t.db.pool.query(
      "select id from audit_entries where vault_address = $1 and body::jsonb -> 'details' ->> 'block_hash' = $2 and action_type <> 'chain_reorg_revert' order by seq desc offset $3 limit 1",
      [vault, block!.hash, age],
    );
    return rows[0].id;
  };

  it("is named by its entry: of long ago, of the same moment, and the newer where it was undone and came back", async () => {
    const submission = chainEntry(30_000, { vault: 0 });
    const { number, hash, timestamp } = submission.block!;
    await t.db.pool.query(
      "insert into blocks (chain_id, number, hash, block_timestamp) values (8453, $1, $2, to_timestamp($3))",
      [number, hash, timestamp],
    );
    await t.db.transaction((tx) => record(tx, [submission]));
    await t.db.transaction((tx) => record(tx, [accepted(30_001, submission)]));
    expect(await named(30_001)).toEqual([true, await idOf(submission), expect.anything()]);
    await t.db.transaction((tx) => recordReverts(tx, 8453, 29_999));
    await t.db.transaction((tx) => record(tx, [submission, accepted(30_001, submission)]));
    expect(await named(30_001)).toEqual([true, await idOf(submission), expect.anything()]);
    expect(await idOf(submission)).not.toBe(await idOf(submission, 1));
  });

  it("is not named where no entry of it stands in the log, or only one of a block that was undone", async () => {
    const lost = chainEntry(31_000, { vault: 0 });
    await t.db.transaction((tx) => record(tx, [lost]));
    await t.db.transaction((tx) => record(tx, [accepted(31_001, lost)]));
    expect(await named(31_001)).toEqual([true, undefined, expect.anything()]);
    await t.db.transaction((tx) => record(tx, [accepted(31_002, chainEntry(31_500, { vault: 0 }))]));
    expect(await named(31_002)).toEqual([true, undefined, expect.anything()]);
  });
});

describe("the database", () => {
  it("refuses entries that do not continue the log, whoever inserts them", async () => {
    const values = (seq: number, time: string) =>
      `insert into audit_entries values (${seq}, gen_random_uuid(), ${time}, ${time}, ${time}, 'deposit', '0x', 1, '0x', '{}')`;
    const size = (await all()).length;
    for (const [seq, time] of [
      [size + 2, "now()"],
      [size, "now()"],
      [size + 1, "now() - interval '1 day'"],
      [3, "now()"],
      [1, "now()"],
    ] as const) {
      await expect(t.db.pool.query(values(seq, time))).rejects.toMatchObject({ code: "23000" });
      await expect(t.owner.pool.query(values(seq, time))).rejects.toMatchObject({ code: "23000" });
    }
  });

  it.each([
    ["one of them twice and the next left out", [1, 1, 3]],
    ["the last twice", [1, 2, 2]],
    ["a gap between them", [1, 3]],
    ["a gap before them", [2, 3]],
    ["the log's newest with them", [0, 1, 2]],
    ["one of long before with them", [-100, 1, 2]],
  ])("refuses several entries with %s", async (_, steps) => {
    const size = (await all()).length;
    const rows = steps.map((step, i) => {
      const time = `now() + interval '${i} seconds'`;
      return `(${size + step}, gen_random_uuid(), ${time}, ${time}, ${time}, 'deposit', '0x', 1, '0x', '{}')`;
    });
    const insert = t.owner.pool.query(`insert into audit_entries values ${rows.join(", ")}`);
    await expect(insert).rejects.toMatchObject({ code: "23000" });
  });

  it("refuses several entries of which a later one has an earlier time, and takes them in order", async () => {
    const size = (await all()).length;
    const inserted = (seconds: number[]) => {
      const rows = seconds.map((second, i) => {
        const time = `clock_timestamp() + interval '${second} seconds'`;
        return `(${size + i + 1}, gen_random_uuid(), now(), ${time}, now(), 'deposit', '0x', 1, '0x', '{}')`;
      });
      return `begin; insert into audit_entries values ${rows.join(", ")}; rollback`;
    };
    const client = await t.owner.pool.connect();
    try {
      await client.query(inserted([1, 50, 100]));
      await expect(client.query(inserted([1, 100, 50]))).rejects.toMatchObject({ code: "23000" });
    } finally {
      await client.query("rollback");
      client.release();
    }
  });

  it("takes entries under read committed alone, where the end of the log is seen after its lock", async () => {
    const write = t.db.transaction((tx) => record(tx, [chainEntry(30_000)]), {
      isolation: "repeatable read",
    });
    await expect(write).rejects.toThrow(/read committed/);
  });

  it.each(["repeatable read", "serializable"])(
    "refuses the seq of an entry that a snapshot under %s is too old to show",
    async (level) => {
      for (const { pool } of [t.db, t.owner]) {
        const client = await pool.connect();
        try {
          await client.query(`begin isolation level ${level}`);
          const { rows } = await client.query("select max(seq) + 1 as next from audit_entries");
          await t.db.transaction((tx) => record(tx, [apiEntry(ACTORS[0]!, VAULTS[0]!)]));
          const time = "clock_timestamp() + interval '1 second'";
          const insert = `insert into audit_entries values (${rows[0].next}, gen_random_uuid(), ${time}, ${time}, ${time}, 'deposit', '0x', 1, '0x', '{}')`;
          await expect(client.query(insert)).rejects.toMatchObject({ code: "23000" });
        } finally {
          await client.query("rollback");
          client.release();
        }
      }
    },
  );

  const changes = [
    "update audit_entries set body = body",
    "delete from audit_entries",
    "truncate audit_entries",
    "update audit_tiles set root = root",
    "delete from audit_tiles",
    "truncate audit_tiles",
    "truncate audit_entries, audit_tiles",
    "delete from audit_checkpoints",
    "truncate audit_checkpoints",
    "delete from audit_keys",
    "delete from audit_counts",
    "truncate audit_counts",
    "truncate audit_actors",
    "truncate audit_entries_from_1",
  ];

  it.each(changes)("refuses its own owner: %s", async (statement) => {
    await expect(t.owner.pool.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it.each([
    ...changes,
    "update audit_counts set n = n + 1",
    "insert into audit_counts values ('', 63, 1, '*', 0, 0, 'deposit', 1)",
    "insert into audit_tiles select level, index + 1000, hashes, root from audit_tiles limit 1",
    "insert into audit_entries_from_1 select * from audit_entries limit 1",
    "alter table audit_entries disable trigger all",
    "drop trigger audit_entries_keep on audit_entries",
    "create trigger mine before insert on audit_entries for each row execute function audit_refuse()",
    "alter table audit_entries add column note text",
    "drop table audit_entries",
    "create table mine (a int)",
    "select audit_store_tile(0::smallint, 0)",
    "select audit_count(0, 256)",
    "select audit_attach('mine', 1, 2)",
    "select audit_make_partition(1, 2)",
    "update audit_partitions set archived_at = now()",
    "delete from audit_partitions",
  ])("refuses the application's role: %s", async (statement) => {
    await expect(t.db.pool.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("does not let the application's role switch triggers off for its session", async () => {
    await expect(t.db.pool.query("set session_replication_role = replica")).rejects.toMatchObject({
      code: "42501",
    });
  });

  it("keeps the guards in the owner's session with replication settings of its own, too", async () => {
    const { rows } = await t.owner.pool.query(
      "select tgname from pg_trigger where tgname like 'audit\\_%\\_keep%' and tgrelid in (select oid from pg_class where relname like 'audit_entries%' or relname in ('audit_tiles', 'audit_checkpoints', 'audit_keys')) and tgenabled <> 'A'",
    );
    expect(rows).toEqual([]);
  });

  it("appends nothing while the tree cannot be read", async () => {
    const other = await createTestDatabase();
    try {
      const fill = Array.from({ length: 300 }, (_, n) => chainEntry(n));
      await other.db.transaction((tx) => record(tx, fill));
      await other.owner.pool.query(
        "alter table audit_tiles disable trigger all; delete from audit_tiles; alter table audit_tiles enable trigger all",
      );
      const write = other.db.transaction((tx) => record(tx, [chainEntry(400)]));
      await expect(write).rejects.toMatchObject({ code: "XX001" });
      const { rows } = await other.db.pool.query("select count(*) from audit_entries");
      expect(rows[0].count).toBe(300);
      await other.owner.pool.query("alter table audit_tiles rename to hidden");
      await expect(other.db.transaction((tx) => record(tx, [chainEntry(401)]))).rejects.toThrow();
    } finally {
      await other.drop();
    }
  });
});

it("an entry is there exactly when its transaction committed", async () => {
  const before = (await all()).length;
  const broken = t.db.transaction(async (tx) => {
    await record(tx, [chainEntry(40_000), chainEntry(40_001)]);
    throw new Error("the rest of the transaction failed");
  });
  await expect(broken).rejects.toThrow("the rest");
  await t.db.transaction((tx) => record(tx, [chainEntry(40_000)]));
  const rows = await all();
  expect(rows.length).toBe(before + 1);
  expect(rows.at(-1).seq).toBe(before + 1);
});
