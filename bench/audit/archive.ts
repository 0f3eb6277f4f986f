// The years of a log: archived to files, verified from these alone, its texts taken out of the database and brought back, a partition at a time.
// Against what copying the texts out and packing them takes. Totals, the root and proofs are compared at each step: a figure of a log that came
// back otherwise is none.
import { createWriteStream } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { verifyCheckpoint, verifyInclusion } from "@vaultops/proof";
import { to as copyTo } from "pg-copy-streams";
import { detachArchived } from "../../server/src/audit/archive/detach.ts";
import type { ArchivePage } from "../../server/src/audit/archive/folder.ts";
import { restoreArchive } from "../../server/src/audit/archive/restore.ts";
import { verifyArchive } from "../../server/src/audit/archive/verify.ts";
import { writeArchive } from "../../server/src/audit/archive/write.ts";
import type { AuditFilter } from "../../server/src/audit/read/filter.ts";
import { readPage } from "../../server/src/audit/read/query.ts";
import { createCheckpoints } from "../../server/src/audit/tree/checkpoint.ts";
import { TileReader } from "../../server/src/audit/tree/tiles.ts";
import { type Database, openDatabase } from "../../server/src/platform/db/db.ts";
import { silentLogger } from "../../server/src/platform/log.ts";
import { filledDatabase } from "../support/audit-database.ts";
import { partitionOf } from "../support/audit-fill.ts";
import { KEEPERS, PLACES } from "../support/audit-log.ts";
import type { Figure } from "../support/figure.ts";

/** Entries that the limit is measured over. */
const PACKED = 1_000_000;

export const figure: Figure = {
  name: "audit archive",
  against: "copying the texts out and packing them",
  aim: 0.5,
  async run({ quick }) {
    const { appUrl, ownerUrl, size } = await filledDatabase(quick);
    const folder = await mkdtemp(join(tmpdir(), "vaultops-bench-archive-"));
    const db = await openDatabase({ url: appUrl, statementTimeoutMs: 0 });
    const owner = await openDatabase({ url: ownerUrl, statementTimeoutMs: 0, maxConnections: 2 });
    try {
      const keys = join(folder, "keys");
      const checkpoints = createCheckpoints({ db, folder: keys, origin: "bench/audit", log: silentLogger() });
      const checkpoint = await checkpoints.sign();
      const vkeys = (await checkpoints.keys()).map(({ vkey }) => vkey);
      const packed = Math.min(PACKED, size);
      const limit = packed / (await secondsOf(() => pack(db, packed, join(folder, "packed.gz"))));

      const before = { ...(await stateOf(db, size)), bytes: await bytesOf(owner) };
      const to = join(folder, "archive");
      const signal = new AbortController().signal;
      const rates: Record<string, number> = {};
      /** What is done to the whole archive, as entries a second. */
      const timed = async (done: string, work: () => Promise<number>) => {
        const started = performance.now();
        const entries = await work();
        rates[`${done}, entries/s`] = Math.round(entries / ((performance.now() - started) / 1000));
        process.stderr.write(`${done} ${entries} … `);
        if (entries !== partitionOf(size) * Math.floor(size / partitionOf(size)))
          throw new Error(`${entries} entries were ${done}, of ${size}`);
      };
      let page!: ArchivePage;
      await timed("archived", async () => {
        const asked = { below: size + 1, entriesPerFile: partitionOf(size), checkpoint };
        page = await writeArchive({ db, folder: to, ...asked });
        return page.size;
      });
      await timed("verified", async () => {
        return (await verifyArchive(to, page, (note) => verifyCheckpoint(note, vkeys))).size;
      });
      await timed("detached", async () => {
        return (await detachArchived({ owner, page, signal, onDetached: () => {} })) - 1;
      });
      const detached = { ...(await stateOf(db, size)), bytes: await bytesOf(owner) };
      await timed("restored", () => restoreArchive({ owner, folder: to, page, signal }));
      const after = await stateOf(db, size);
      for (const state of [detached, after])
        if (JSON.stringify({ ...state, bytes: 0 }) !== JSON.stringify({ ...before, bytes: 0 }))
          throw new Error("totals, the root or proofs are not those of before");
      const ours = rates["archived, entries/s"] as number;
      const notes = {
        ...rates,
        "entries archived": page.size,
        "bytes of an archived entry in the folder": Math.round((await bytesIn(to)) / page.size),
        "bytes of an entry in the database": Math.round(before.bytes / size),
        "bytes of an archived entry in the database": Math.round(
          (detached.bytes - (before.bytes / size) * (size - page.size)) / page.size,
        ),
      };
      return { ratio: ours / limit, ours, limit, unit: "entries/s", spread: 0, notes };
    } finally {
      await db.close();
      await owner.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** What no archive can do without: each text read and packed. */
async function pack(db: Database, entries: number, path: string): Promise<void> {
  const client = await db.pool.connect();
  try {
    const text = `copy (select body from audit_entries where seq <= ${entries} order by seq) to stdout (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')`;
    await pipeline(client.query(copyTo(text)), createGzip(), createWriteStream(path));
  } finally {
    client.release();
  }
}

const FILTERS: Partial<AuditFilter>[] = [
  {},
  {
    branches: [
      { places: [{ chainId: PLACES[3]!.chain_id, vaultAddress: PLACES[3]!.vault_address }], actor: null },
    ],
  },
  { branches: [{ places: "all", actor: KEEPERS[1]! }] },
  { actions: ["deposit", "withdraw"] },
];

/** What is to be the same whether entries are archived or not: totals, the root, and proofs that hold. */
async function stateOf(db: Database, size: number): Promise<object> {
  const tiles = new TileReader(db.kysely);
  const root = await tiles.root(size);
  const totals: number[] = [];
  for (const filter of FILTERS) {
    const all: AuditFilter = {
      branches: [{ places: "all", actor: null }],
      actions: null,
      from: null,
      to: null,
      timeField: "timestamp",
    };
    totals.push(
      (await readPage(db.kysely, { filter: { ...all, ...filter }, order: "desc", limit: 10, offset: 0 }))
        .total,
    );
  }
  const proofs: string[] = [];
  for (let n = 0; n < 100; n += 1) {
    const index = Math.floor((n * size) / 100);
    const hashes = await tiles.inclusionProof(index, size);
    const leaf = await tiles.range([index, index + 1]);
    if (!verifyInclusion(leaf, { index, size, hashes }, root))
      throw new Error(`the proof of entry ${index + 1} does not hold`);
    proofs.push(Buffer.concat([leaf, ...hashes]).toString("base64"));
  }
  return { root: root.toString("base64"), totals, proofs };
}

/** Of the entries with all their indexes. */
async function bytesOf({ pool }: Database): Promise<number> {
  const { rows } = await pool.query(
    "select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('audit_entries')",
  );
  return rows[0].bytes;
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
