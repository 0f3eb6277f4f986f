// Backfill against Ponder, a public indexer, on the same node, contracts, events and database server. Ponder writes a row an event; this service
// its facts, what is projected from them, and the audit log with its tree and counts.
//
// The peer is installed apart from the product: npm ci --prefix bench/peers/ponder
//
//   VAULTOPS_BENCH_BACKFILL_EVENTS   how many events the past holds, in place of 1,000,000; quick, always 20,000
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { fillIn, fullSize } from "../backfill.ts";
import { type Figure, interleave } from "../figure.ts";
import { type BusyChain, startBusyChain } from "../support/busy-chain.ts";
import { type Databases, startDatabases } from "../support/databases.ts";
import { peakMemoryMb } from "../support/process-cost.ts";

const FOLDER = fileURLToPath(new URL("./ponder/", import.meta.url));
const PROGRAM = `${FOLDER}node_modules/ponder/dist/esm/bin/ponder.js`;

export const figure: Figure = {
  name: "backfill from an empty database, against Ponder",
  against: "Ponder filling in the same from the same node",
  aim: 5,
  async run({ quick }) {
    if (!existsSync(PROGRAM))
      throw new Error("the peer is not installed: npm ci --prefix bench/peers/ponder");
    const events = quick ? 20_000 : fullSize();
    const databases = await startDatabases();
    const busy = await startBusyChain(events);
    let [ourBytes, itsMb] = [0, 0];
    try {
      const result = await interleave({
        rounds: 1,
        unit: "events/s",
        ours: async () => {
          const { rate, peakRssBytes } = await fillIn(busy, databases);
          ourBytes = Math.max(ourBytes, peakRssBytes);
          return rate;
        },
        limit: async () => {
          const { rate, peakMb } = await fillWithPonder(busy, databases);
          itsMb = Math.max(itsMb, peakMb);
          return rate;
        },
      });
      return {
        ...result,
        notes: { events, our_peak_rss_mb: Math.round(ourBytes / 2 ** 20), its_peak_rss_mb: itsMb },
      };
    } finally {
      await busy.anvil.stop();
      await databases.stop();
    }
  },
};

/** From Ponder's own word that it begins to its own word that it is through: its start is not counted. */
async function fillWithPonder(
  { anvil, aggregator }: BusyChain,
  databases: Databases,
): Promise<{ rate: number; peakMb: number }> {
  const database = await databases.createBare();
  const port = String(await freePort());
  const ponder = spawn(
    process.execPath,
    [PROGRAM, "start", "--root", FOLDER, "--schema", "peer", "--port", port, "--log-format", "json"],
    {
      cwd: FOLDER,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        AGGREGATOR: aggregator,
        RPC_URL: anvil.rpcUrl,
        CHAIN_ID: String(anvil.chainId),
        DATABASE_URL: database.url,
        PONDER_TELEMETRY_DISABLED: "1",
      },
    },
  );
  const ended = once(ponder, "exit");
  try {
    let events = 0;
    for await (const line of createInterface({ input: ponder.stdout })) {
      const { msg, event_count, duration } = parsed(line);
      if (msg === "Indexed block range") events += event_count ?? 0;
      if (msg?.startsWith("Completed backfill indexing"))
        return {
          rate: (events * 1_000) / (duration as number),
          peakMb: await peakMemoryMb(ponder.pid),
        };
    }
    throw new Error("Ponder ended before it was through");
  } finally {
    ponder.kill("SIGKILL");
    await ended;
    await database.drop();
  }
}

function parsed(line: string): { msg?: string; event_count?: number; duration?: number } {
  try {
    return JSON.parse(line) as object;
  } catch {
    return {};
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
