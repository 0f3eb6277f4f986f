// A worker that judges, to be killed in takeover.db.test.ts. Arguments: the database's URL, the chains' ids by comma. Says `told` after each
// evaluation that told something.
import { randomUUID } from "node:crypto";
import { loadConfig } from "../../../config/load.ts";
import { systemClock } from "../../../platform/clock.ts";
import { openDatabase } from "../../../platform/db/db.ts";
import { createNotifier } from "../../../platform/db/notifier.ts";
import { silentLogger } from "../../../platform/log.ts";
import { evaluationTask } from "./worker.ts";

const [url, chains] = process.argv.slice(2) as [string, string];
const db = await openDatabase({ url, maxConnections: 3, applicationName: "alert worker" });
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const notifier = createNotifier(db);
await evaluationTask({
  db,
  clock: systemClock,
  log: silentLogger(),
  notifier,
  defaults: loadConfig({ env: {} }).alerts.rules,
  chains: chains.split(",").map((chainId) => ({ chainId: Number(chainId), maxLagSeconds: 1e9 })),
  publicUrl: "https://vaultops.example",
  holder: randomUUID(),
  leaseMs: 300,
  observe: (_area, _seconds, notices) => {
    if (notices > 0) process.stdout.write("told\n");
  },
}).run(stop.signal);
await notifier.close();
await db.close();
