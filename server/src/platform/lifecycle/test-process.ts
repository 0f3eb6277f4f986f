// A process to end in lifecycle.test.ts: a listener whose answers take as long as asked, a task in flight, a resource to close. It tells
// what happens on standard output, a word a line. Arguments: how long its task and its resource take to end, in milliseconds.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { startTestApp } from "../../../test/app.ts";
import { systemClock } from "../clock.ts";
import { strictQuery } from "../http/schemas.ts";
import { silentLogger } from "../log.ts";
import { Readiness } from "./health.ts";
import { exitOnSignals, startLifecycle } from "./lifecycle.ts";

const [taskMs = 0, resourceMs = 0] = process.argv.slice(2).map(Number);
const say = (word: string) => writeSync(1, `${word}\n`);
const readiness = new Readiness(systemClock);
const { app, url } = await startTestApp({
  readiness,
  features: [
    {
      name: "slow",
      routes: (instance) =>
        instance.get(
          "/slow",
          { schema: { querystring: strictQuery({ ms: Type.Integer() }) }, config: { permission: "public" } },
          async (request) => {
            say("asked");
            await sleep((request.query as { ms: number }).ms);
            return { done: true };
          },
        ),
    },
  ],
});
const log = silentLogger();
const lifecycle = startLifecycle({
  log,
  clock: systemClock,
  readiness,
  tasks: [
    {
      name: "work",
      role: "worker",
      async run(signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await sleep(taskMs);
        say("task ended");
      },
    },
  ],
  listeners: [{ name: "http", close: () => app.close(), cutOff: () => app.server.closeAllConnections() }],
  resources: [
    {
      name: "database",
      async close() {
        await sleep(resourceMs);
        say("database closed");
      },
    },
  ],
});
exitOnSignals(lifecycle, log);
say(url);
