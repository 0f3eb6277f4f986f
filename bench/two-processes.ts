// Polls through two API processes behind a balancer against the same through one: what a second process costs or saves those who poll. Where client,
// database and both processes share few cores it can save nothing; then the figure says what several processes cost.
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startBalancer } from "../server/test/balancer.ts";
import { startServiceProcess } from "../server/test/service-process.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, median } from "./support/figure.ts";
import { fillServed } from "./support/served-fill.ts";

const [CLIENTS, POLLS_PER_SECOND] = [64, 400];

export const figure: Figure = {
  name: `two API processes: ${POLLS_PER_SECOND} polls a second, p99`,
  against: "one API process, p99",
  aim: 1,
  async run({ quick }) {
    const [rounds, seconds] = quick ? [3, 3] : [9, 10];
    const databases = await startDatabases();
    const db = await databases.create();
    await fillServed(db);
    const processes = [1, 2].map(() =>
      startServiceProcess(["--role", "api"], {
        VAULTOPS_DATABASE__URL: db.url,
        VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ per_wallet: 1e12, per_ip: 1e12 }),
      }),
    );
    const balancer = await startBalancer();
    try {
      const lines = await Promise.all(processes.map((each) => each.line(({ msg }) => msg === "serving")));
      const ports = lines.map(({ url }) => Number(new URL(url as string).port));
      const through = async (some: number[]) => {
        balancer.ports = some;
        return await poll(`${balancer.url}/api/v1/public/vaults`, seconds);
      };
      await through(ports);
      const measured: { one: Polled; two: Polled }[] = [];
      for (let round = 0; round < rounds; round += 1)
        measured.push({ one: await through(ports.slice(0, 1)), two: await through(ports) });
      const ratios = measured.map(({ one, two }) => one.p99Ms / two.p99Ms);
      return {
        ratio: median(ratios),
        ours: median(measured.map(({ two }) => two.p99Ms)),
        limit: median(measured.map(({ one }) => one.p99Ms)),
        unit: "ms",
        spread: (Math.max(...ratios) - Math.min(...ratios)) / median(ratios),
        notes: {
          two_p50_ms: median(measured.map(({ two }) => two.p50Ms)),
          one_p50_ms: median(measured.map(({ one }) => one.p50Ms)),
        },
      };
    } finally {
      await Promise.all(processes.map((each) => each.end()));
      await balancer.close();
      await databases.drop(db);
      await databases.stop();
    }
  },
};

interface Polled {
  p50Ms: number;
  p99Ms: number;
}

/** At the moments when polls are due, whatever became of those before, over connections of its own. */
async function poll(url: string, seconds: number): Promise<Polled> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const latenciesMs: number[] = [];
  const asking: Promise<void>[] = [];
  const ask = async () => {
    const askedAt = performance.now();
    const [answer] = (await once(get(url, { agent }), "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    if (answer.statusCode !== 200) throw new Error(`a poll was answered with ${answer.statusCode}`);
    latenciesMs.push(performance.now() - askedAt);
  };
  const begunAt = performance.now();
  for (let count = 0; count < seconds * POLLS_PER_SECOND; count += 1) {
    const dueAt = begunAt + (count * 1_000) / POLLS_PER_SECOND;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    asking.push(ask());
  }
  await Promise.all(asking);
  agent.destroy();
  latenciesMs.sort((a, b) => a - b);
  return {
    p50Ms: median(latenciesMs),
    p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] as number,
  };
}
