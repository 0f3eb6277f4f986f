// What the client library of engines holds in memory while the service is away: ten minutes at 200 reports a second, then the service is
// back and takes all of them. Against the size of the reports themselves, which is the least that a queue in memory would hold.
// --quick: as many reports in a quarter of a minute.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Figure, FigureResult } from "./support/figure.ts";

const REPORTS = 120_000;
const MIB = 2 ** 20;

export const figure: Figure = {
  name: "memory of the reporter, service away for 10 minutes at 200 reports a second",
  against: "the reports' own bytes",
  aim: 1,
  run: ({ quick }) => weigh(quick ? 15 : 600, quick ? 1000 : 30_000),
};

interface Sample {
  phase: string;
  rss: number;
  heapUsed: number;
  external: number;
  sent: number;
  dropped: number;
  waitingBytes: number;
}

async function weigh(seconds: number, maxBackoffMs: number): Promise<FigureResult> {
  const dir = await mkdtemp(join(tmpdir(), "vaultops-bench-reporter-"));
  const service = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const events = JSON.parse(Buffer.concat(chunks).toString()) as { source: string; id: string }[];
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ results: events.map(({ source, id }) => ({ source, id, status: "accepted" })) }),
    );
  });
  // The port is free from here until the service is back.
  await once(service.listen(0, "127.0.0.1"), "listening");
  const { port } = service.address() as AddressInfo;
  service.close();
  await once(service, "close");

  const program = fileURLToPath(new URL("./support/reporting-engine.ts", import.meta.url));
  const rate = REPORTS / seconds;
  const engine = spawn(
    process.execPath,
    ["--expose-gc", program, `http://127.0.0.1:${port}`, dir, `${rate}`, `${REPORTS}`, `${maxBackoffMs}`],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const samples: Sample[] = [];
  try {
    for await (const line of createInterface({ input: engine.stdout })) {
      const sample = JSON.parse(line) as Sample;
      samples.push(sample);
      if (sample.phase === "all taken") service.listen(port, "127.0.0.1");
    }
  } finally {
    engine.kill("SIGKILL");
    service.close();
    service.closeAllConnections();
    await rm(dir, { recursive: true, force: true });
  }
  const before = samples[0] as Sample;
  const away = samples.findIndex(({ phase }) => phase === "all taken");
  const last = samples.at(-1) as Sample;
  if (last.phase !== "sent" || last.dropped > 0 || last.waitingBytes > 0)
    throw new Error(`not all reports came through: ${JSON.stringify(last)}`);
  const growth = (some: Sample[]) => Math.max(...some.map(({ rss }) => rss - before.rss), 0.1 * MIB) / MIB;
  const [ours, catchingUp] = [growth(samples.slice(0, away + 1)), growth(samples.slice(away))];
  const limit = (samples[away] as Sample).waitingBytes / MIB;
  return {
    ratio: limit / ours,
    ours,
    limit,
    unit: "MiB",
    spread: 0,
    notes: {
      rss_before_mib: Math.round(before.rss / MIB),
      rss_peak_mib: Math.round(Math.max(...samples.map(({ rss }) => rss)) / MIB),
      growth_catching_up_mib: Math.round(catchingUp * 10) / 10,
      heap_peak_mib: Math.round(Math.max(...samples.map(({ heapUsed }) => heapUsed)) / MIB),
      sent: last.sent,
    },
  };
}
