// The limit of a page: the same entries as a plain table of columns, its page asked for by pgbench, which parses nothing. Where there is
// no pgbench, by as many connections of `pg`, which costs the limit some of its speed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { openDatabase } from "../../server/src/platform/db/db.ts";
import type { AuditDatabase } from "./audit-database.ts";
import type { Place } from "./audit-log.ts";

export interface PlainTable {
  /** What asks: pgbench, or pg. */
  program: "pgbench" | "pg";
  /**
   * Pages of 100 a second over so many connections, of each place in turn or, without places, of the whole table; at any of the first
   * `offsets` offsets.
   */
  measure(places: readonly Place[], connections: number, seconds: number, offsets: number): Promise<number>;
  close(): Promise<void>;
}

const LENGTH = 1_000_000;

/** The newest million entries; as the log does, the table stays for the next figure and the next run. */
export async function createPlainTable({ superuserUrl, size }: AuditDatabase): Promise<PlainTable> {
  const db = await openDatabase({ url: superuserUrl, statementTimeoutMs: 0 });
  // In a schema of its own: the service grants its role what is in schema public again at every start.
  await db.pool.query("create schema if not exists bench");
  const { rows } = await db.pool.query(
    "select obj_description(to_regclass('bench.plain'), 'pg_class') = 'whole' as is_whole",
  );
  if (rows[0].is_whole !== true) {
    // The place is written out, not looked up by the statement: so the planner sees that an index leads to it.
    await db.pool.query(`
      drop table if exists bench.plain;
      create table bench.plain as
        select seq, id, "timestamp", recorded_at, action_type, vault_address, chain_id, actor_wallet, body::jsonb -> 'details' as details
        from audit_entries where seq > ${size - LENGTH};
      create index on bench.plain ("timestamp", seq);
      create index on bench.plain (vault_address, chain_id, "timestamp", seq);`);
    await db.pool.query("vacuum (analyze) bench.plain");
    await db.pool.query("comment on table bench.plain is 'whole'");
  }
  const program = spawnSync("pgbench", ["--version"]).error === undefined ? "pgbench" : "pg";
  return {
    program,
    measure(places, connections, seconds, offsets) {
      const queries = places.length === 0 ? [pageOf("")] : places.map((place) => pageOf(conditionOf(place)));
      const run = program === "pgbench" ? byPgbench : byClients;
      return run(superuserUrl, queries, { connections, seconds, offsets });
    },
    close: () => db.close(),
  };
}

function pageOf(where: string): string {
  return `select seq, id, "timestamp", recorded_at, action_type, vault_address, chain_id, actor_wallet, details
    from bench.plain ${where} order by "timestamp" desc, seq desc limit 100 offset `;
}

function conditionOf({ vault_address, chain_id }: Place): string {
  return `where vault_address = '${vault_address}' and chain_id = ${chain_id}`;
}

interface PlainLoad {
  connections: number;
  seconds: number;
  offsets: number;
}

async function byPgbench(
  url: string,
  queries: readonly string[],
  { connections, seconds, offsets }: PlainLoad,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "vaultops-bench-pgbench-"));
  const files = queries.map((_, i) => join(folder, `${i}.sql`));
  const offset = `\\set skip random(0, ${offsets - 1})\n`;
  const scriptOf = (query: string) => `${offset}${query.replaceAll("\n", " ")}:skip;\n`;
  await Promise.all(queries.map((query, i) => writeFile(files[i]!, scriptOf(query))));
  const scripts = files.flatMap((file) => ["-f", file]);
  const args = ["-n", "-M", "prepared", "-c", String(connections), "-T", String(seconds), ...scripts, url];
  const child = spawn("pgbench", args, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  await rm(folder, { recursive: true });
  const rate = /^tps = ([\d.]+)/m.exec(out)?.[1];
  if (rate === undefined) throw new Error(`pgbench: ${error}`);
  return Number(rate);
}

async function byClients(
  url: string,
  queries: readonly string[],
  { connections, seconds, offsets }: PlainLoad,
): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let count = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        const at = count++ % queries.length;
        const values = [count % offsets];
        await client.query({ name: `page ${at}`, text: `${queries[at]!}$1`, rowMode: "array", values });
      }
    }),
  );
  const rate = (count / (performance.now() - startedAt)) * 1000;
  await Promise.all(clients.map((client) => client.end()));
  return rate;
}
