// Exports of a million entries over HTTP, in each format, against psql's \copy of the same rows into a pipe; and how much the
// service's own memory grows meanwhile, to a client that takes all it can and to one that takes a megabyte a second.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import type { Format } from "../../server/src/audit/export/sql.ts";
import { type AuditDatabase, filledDatabase } from "../support/audit-database.ts";
import { paceOf } from "../support/audit-fill.ts";
import { ask, endProgram, forkProgram } from "../support/audit-process.ts";
import type { AuditServed } from "../support/audit-served.ts";
import { type Figure, type FigureResult, interleave } from "../support/figure.ts";

const ENTRIES = 1_000_000;
const SLOW_BYTES_PER_SECOND = 1_000_000;
const TYPES: Record<Format, string> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};

export const figures: Figure[] = (["json", "ndjson", "csv"] as const).map((format) => ({
  name: `audit export over HTTP, ${format}`,
  against: "psql \\copy of the same rows to a pipe",
  aim: 1,
  run: ({ quick }) => exported(format, quick),
}));

async function exported(format: Format, quick: boolean): Promise<FigureResult> {
  const database = await filledDatabase(quick);
  const from = startOf(database.size);
  const { child, said } = await forkProgram(join(import.meta.dirname, "../support/audit-served.ts"), [
    JSON.stringify(database),
  ]);
  const served = said as AuditServed;
  try {
    // A process that has not exported yet is still growing.
    await entriesPerSecond(served, format, from);
    const fast = await watchMemory(child);
    const result = await interleave({
      rounds: quick ? 3 : 5,
      unit: "entries/s",
      ours: () => entriesPerSecond(served, format, from),
      limit: () => copied(database, format, from),
    });
    const fastGrowth = await fast.stop();
    const slow = await watchMemory(child);
    await readSlowly(served, format, from, quick ? 3 : 60);
    const notes = { fast_growth_mb: fastGrowth, slow_growth_mb: await slow.stop(), limit_by: COPIER };
    return { ...result, notes };
  } finally {
    await endProgram(child);
  }
}

/** The time from which on the log has so many entries. */
function startOf(size: number): string {
  const { firstSecond, secondsPerEntry } = paceOf(size, Math.floor(Date.now() / 1000));
  const first = Math.max(0, size - ENTRIES);
  return new Date((firstSecond + first * secondsPerEntry) * 1000).toISOString().replace("Z", "000Z");
}

/** How far the service's resident memory rises above where it stands now, in MB. */
async function watchMemory(child: ChildProcess): Promise<{ stop(): Promise<number> }> {
  const before = (await ask(child, "rss")) as number;
  let isRunning = true;
  let most = 0;
  const watching = (async () => {
    while (isRunning) {
      most = Math.max(most, ((await ask(child, "rss")) as number) - before);
      await sleep(20);
    }
  })();
  return {
    async stop() {
      isRunning = false;
      await watching;
      return Math.round(most / 1_048_576);
    },
  };
}

async function request(
  { port, maintainer }: AuditServed,
  format: Format,
  from: string,
): Promise<IncomingMessage> {
  const path = `/api/v1/audit/export?from_timestamp=${from}`;
  const headers = { authorization: `Bearer ${maintainer}`, accept: TYPES[format] };
  const [response] = (await once(get({ port, path, headers }), "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the export answered ${response.statusCode}`);
  return response;
}

async function entriesPerSecond(served: AuditServed, format: Format, from: string): Promise<number> {
  const startedAt = performance.now();
  const response = await request(served, format, from);
  response.resume();
  await once(response, "end");
  return Number(response.headers["x-total-count"]) / ((performance.now() - startedAt) / 1000);
}

async function readSlowly(served: AuditServed, format: Format, from: string, seconds: number): Promise<void> {
  const response = await request(served, format, from);
  const until = performance.now() + seconds * 1000;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (performance.now() > until) break;
    await sleep((chunk.length / SLOW_BYTES_PER_SECOND) * 1000);
  }
  response.destroy();
}

const COPIER = spawnSync("psql", ["--version"]).error === undefined ? "psql" : "pg-copy-streams";

/** The same rows, in the same order, as entries a second: the texts, or for CSV the columns. */
async function copied({ appUrl }: AuditDatabase, format: Format, from: string): Promise<number> {
  const columns =
    format === "csv"
      ? `id, seq, "timestamp", recorded_at, action_type, vault_address, chain_id, actor_wallet, body`
      : "body";
  const rows = `select ${columns} from audit_entries where "timestamp" >= '${from}' order by "timestamp" desc, seq desc`;
  const options = format === "csv" ? "(format csv)" : "";
  const startedAt = performance.now();
  const lines = await (COPIER === "psql" ? byPsql : byClient)(appUrl, rows, options);
  return lines / ((performance.now() - startedAt) / 1000);
}

async function byPsql(url: string, rows: string, options: string): Promise<number> {
  const command = `\\copy (${rows}) to stdout ${options}`;
  const child = spawn("psql", ["-X", "-c", command, url], { stdio: ["ignore", "pipe", "inherit"] });
  return countLines(child.stdout);
}

async function byClient(url: string, rows: string, options: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const lines = await countLines(client.query(copyTo(`copy (${rows}) to stdout ${options}`)));
  await client.end();
  return lines;
}

async function countLines(stream: Readable): Promise<number> {
  let lines = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  if (lines === 0) throw new Error("nothing was copied");
  return lines;
}
