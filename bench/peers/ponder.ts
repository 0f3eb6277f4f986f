// Backfill against Ponder, a public indexer, on the same node, contracts, events and database server. Ponder writes a row an event; this service
// its facts, what is projected from them, and the audit log with its tree and counts.
//
// Measured with blocks as full as in this service's own backfill figure, and with blocks of eight events, which is nearer to what deployments
// make: Ponder asks for its blocks one by one, so its speed follows their number. The start of either process is not counted; ours counts from the
// start of ingestion, the peer's from its own word that it begins.
//
// The peer is installed apart from the product: npm ci --prefix bench/peers/ponder
//
//   VAULTOPS_BENCH_BACKFILL_EVENTS   how many events the past holds, in place of 100,000; quick, always 20,000
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { fillIn } from "../backfill.ts";
import { type BusyChain, startBusyChain } from "../support/busy-chain.ts";
import { type Databases, startDatabases } from "../support/databases.ts";
import { type Figure, interleave } from "../support/figure.ts";
import { peakMemoryMb } from "../support/process-cost.ts";

const FOLDER = fileURLToPath(new URL("./ponder/", import.meta.url));
const PROGRAM = `${FOLDER}node_modules/ponder/dist/esm/bin/ponder.js`;

/** Of one filling in; then it is given up. */
const LIMIT_SECONDS = 900;

export const figures: Figure[] = [40, 8].map((logsPerBlock) => ({
  name: `backfill of ${logsPerBlock} events a block, against Ponder`,
  against: "Ponder filling in the same from the same node",
  aim: 5,
  async run({ quick }) {
    if (!existsSync(PROGRAM))
      throw new Error("the peer is not installed: npm ci --prefix bench/peers/ponder");
    const events = quick ? 20_000 : Number(process.env.VAULTOPS_BENCH_BACKFILL_EVENTS ?? 100_000);
    const databases = await startDatabases();
    const busy = await startBusyChain(events, { logsPerBlock });
    let [ourBytes, itsMb, itsEvents] = [0, 0, 0];
    try {
      const result = await interleave({
        rounds: events > 100_000 ? 1 : 2,
        unit: "events/s",
        ours: async () => {
          const { rate, peakRssBytes } = await fillIn(busy, databases);
          ourBytes = Math.max(ourBytes, peakRssBytes);
          return rate;
        },
        limit: async () => {
          const filled = await fillWithPonder(busy, databases);
          itsMb = Math.max(itsMb, filled.peakMb);
          itsEvents = filled.events;
          return filled.rate;
        },
      });
      return {
        ...result,
        notes: {
          events,
          // It leaves the newest thirty blocks to its following of the head.
          its_events: itsEvents,
          our_peak_rss_mb: Math.round(ourBytes / 2 ** 20),
          its_peak_rss_mb: itsMb,
          chain_built_s: Math.round(busy.seconds),
        },
      };
    } finally {
      await busy.anvil.stop();
      await databases.stop();
    }
  },
}));

/**
 * From Ponder's own word that it begins to its own word that it is through.
 * @throws when it is not through after `LIMIT_SECONDS`
 */
async function fillWithPonder(
  { anvil, aggregator }: BusyChain,
  databases: Databases,
): Promise<{ rate: number; events: number; peakMb: number }> {
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
  let events = 0;
  let gaveUp = false;
  const giveUp = setTimeout(() => {
    gaveUp = true;
    ponder.kill("SIGKILL");
  }, LIMIT_SECONDS * 1_000);
  try {
    for await (const line of createInterface({ input: ponder.stdout })) {
      const { msg, event_count, duration } = parsed(line);
      if (msg === "Indexed block range") events += event_count ?? 0;
      if (msg?.startsWith("Completed backfill indexing"))
        return {
          rate: (events * 1_000) / (duration as number),
          events,
          peakMb: await peakMemoryMb(ponder.pid),
        };
    }
    throw new Error(
      gaveUp
        ? `Ponder was given up after ${LIMIT_SECONDS} s, when it had stored ${events} events`
        : `Ponder ended before it was through, when it had stored ${events} events`,
    );
  } finally {
    clearTimeout(giveUp);
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
