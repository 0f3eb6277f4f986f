// Reports of runs over HTTP, from four engines at once, as the service takes them: checked, known again by their id, counted, their
// services brought up to date. Against bare inserts of the same rows over as many connections, one commit for each batch.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import type { Database } from "../server/src/platform/db/db.ts";
import { createToken } from "../server/src/reports/tokens.ts";
import { addTwoVaults, OTHER_ID, VAULT_ID } from "../server/test/engine.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, interleave } from "./support/figure.ts";

const ENGINES = 4;
const START = Date.UTC(2026, 4, 1);

export const figures: Figure[] = [
  { batch: 100, aim: 0.4, batches: 60, quick: 15 },
  { batch: 1, aim: 0.4, batches: 800, quick: 200 },
].map(({ batch, aim, batches, quick: few }) => ({
  name: batch === 1 ? "engine reports, singly" : `engine reports, batches of ${batch}`,
  against: "bare inserts of the same rows",
  aim,
  async run({ quick }) {
    const databases = await startDatabases();
    const db = await databases.create();
    const peer = await databases.create();
    const [service, url] = await serve(db);
    try {
      const { limit, close } = await prepareBare(peer);
      const ours = await prepareOurs(db, url);
      const each = quick ? few : batches;
      const result = await interleave({
        rounds: quick ? 3 : 7,
        unit: "events/s",
        ours: () => rate(each, batch, ours),
        limit: () => rate(each, batch, limit),
      });
      await close();
      return result;
    } finally {
      service.kill("SIGKILL");
      await databases.drop(db);
      await databases.drop(peer);
      await databases.stop();
    }
  },
}));

interface Run {
  n: number;
  engine: number;
}

let count = 0;

/** Events a second, when each engine sends so many batches, one after the other. */
async function rate(
  batches: number,
  batch: number,
  send: (engine: number, runs: Run[]) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: ENGINES }, async (_, engine) => {
      for (let i = 0; i < batches; i += 1) {
        await send(
          engine,
          Array.from({ length: batch }, () => ({ n: count++, engine })),
        );
      }
    }),
  );
  return (ENGINES * batches * batch) / ((performance.now() - startedAt) / 1000);
}

/** The service, in a process of its own as in production. */
async function serve(db: Database): Promise<[ChildProcess, string]> {
  await addTwoVaults(db);
  const program = join(import.meta.dirname, "../server/test/engine-process.ts");
  const child = spawn(process.execPath, [program, db.url], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  return [child, String(line)];
}

async function prepareOurs(db: Database, url: string) {
  const tokens: string[] = [];
  for (let n = 0; n < ENGINES; n += 1) {
    const made = await createToken(db, { name: "bench", source: `/engine/${n}`, chains: [], vaults: [] });
    tokens.push(made.token);
  }
  return async (engine: number, runs: Run[]): Promise<void> => {
    const response = await fetch(`${url}/api/v1/ingest/events`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens[engine]}`,
        "content-type": "application/cloudevents-batch+json",
      },
      body: JSON.stringify(runs.map(eventOf)),
    });
    const { results } = (await response.json()) as { results: { status: string }[] };
    if (results.some(({ status }) => status !== "accepted")) throw new Error("a report was not accepted");
  };
}

/** The same tables with the same indexes, and one service that all runs are of. */
async function prepareBare(peer: Database) {
  await addTwoVaults(peer);
  const { rows } = await peer.pool.query(
    "insert into services (chain_id, vault_address, name) select 1, '', 's' || n from generate_series(1, 4) n returning id",
  );
  const services = rows.map(({ id }) => id as number);
  const clients = await Promise.all(
    services.map(async () => {
      const client = new pg.Client({ connectionString: peer.url });
      await client.connect();
      return client;
    }),
  );
  const limit = async (engine: number, runs: Run[]): Promise<void> => {
    const client = clients[engine] as pg.Client;
    await client.query("begin");
    await client.query({
      name: "ids",
      text: "insert into engine_report_ids (source, id) select $1, r from unnest($2::text[]) r",
      values: [`/engine/${engine}`, runs.map(idOf)],
    });
    await client.query({
      name: "runs",
      text: `insert into service_runs (service_id, run_id, status, started_at, finished_at)
        select $1, * from unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])`,
      values: [
        services[engine],
        runs.map(idOf),
        runs.map(() => "success"),
        runs.map(({ n }) => timeOf(n)),
        runs.map(({ n }) => timeOf(n + 1)),
      ],
    });
    await client.query("commit");
  };
  return { limit, close: () => Promise.all(clients.map((client) => client.end())) };
}

function eventOf(run: Run) {
  return {
    specversion: "1.0",
    id: idOf(run),
    source: `/engine/${run.engine}`,
    type: "vaultops.service.run",
    time: timeOf(run.n),
    subject: run.engine % 2 === 0 ? VAULT_ID : OTHER_ID,
    data: {
      service: `service_${run.engine}`,
      run_id: idOf(run),
      status: "success",
      started_at: timeOf(run.n),
      finished_at: timeOf(run.n + 1),
      schedule_seconds: 60,
    },
  };
}

function idOf({ n, engine }: Run): string {
  return `0196b0a5-9d00-7000-8000-${String(engine).padStart(2, "0")}${String(n).padStart(10, "0")}`;
}

function timeOf(n: number): string {
  return new Date(START + n * 10).toISOString();
}
