// An engine that reports at a steady pace, in a process of its own, for engine-reporter.ts to weigh. Arguments: the service's address, the
// folder of the spool, reports a second, how many, the longest wait between attempts in milliseconds. Writes a line of JSON four times a second, and ends when all were taken in.
import { setTimeout as sleep } from "node:timers/promises";
import { createReporter } from "../../sdk/src/report.ts";

const [url = "", spoolDir = "", rate = "", total = "", maxBackoffMs = ""] = process.argv.slice(2);
const WARM_UP = 2000;

const reporter = await createReporter({
  url,
  token: "bench",
  source: "/engine/bench",
  spoolDir,
  maxBackoffMs: Number(maxBackoffMs),
});
let taken = 0;
function report(): void {
  taken += 1;
  reporter.report("vaultops.service.run", {
    vault: "8453:0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    data: {
      service: "fulfill_redeems",
      run_id: `run-${String(taken).padStart(12, "0")}`,
      status: "success",
      started_at: new Date(Date.now() - 1000).toISOString(),
      finished_at: new Date().toISOString(),
      schedule_seconds: 60,
    },
  });
}
const tell = (phase: string) => {
  const { rss, heapUsed, external } = process.memoryUsage();
  console.log(JSON.stringify({ phase, taken, rss, heapUsed, external, ...reporter.stats() }));
};

for (let n = 0; n < WARM_UP; n += 1) {
  report();
  if (n % 20 === 19) await sleep(10);
}
globalThis.gc?.();
tell("before");
const timer = setInterval(() => tell("meanwhile"), 250);
const startedAt = performance.now();
for (let n = 0; n < Number(total); ) {
  const due = Math.min(Number(total), ((performance.now() - startedAt) / 1000) * Number(rate));
  for (; n < due; n += 1) report();
  await sleep(5);
}
tell("all taken");
await reporter.flush(600_000);
clearInterval(timer);
tell("sent");
await reporter.stop();
