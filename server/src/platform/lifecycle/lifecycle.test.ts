import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, type TestContext } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../log.ts";
import { Readiness } from "./health.ts";
import { END_MS, startLifecycle } from "./lifecycle.ts";

/** A process with a listener, a task and a resource; `said` grows with what it tells. */
async function startProcess({ onTestFinished, expect }: TestContext, taskMs = 0, resourceMs = 0) {
  const script = join(import.meta.dirname, "test-process.ts");
  const child = spawn(process.execPath, [script, String(taskMs), String(resourceMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => said.push(...chunk.toString().trim().split("\n")));
  await expect.poll(() => said[0]).toMatch(/^http:/);
  // Not its exit, after which some of what it said may still be on its way.
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  return { child, said, ended, url: said[0] ?? "" };
}

const LONG_MS = 600_000;

describe.concurrent("the end of the process", () => {
  it.for(["SIGTERM", "SIGINT"] as const)(
    "on %s finishes requests and tasks in flight, then closes what they used, and exits 0",
    async (signal, context) => {
      const { expect } = context;
      const { child, said, ended, url } = await startProcess(context, 300);
      const answer = fetch(`${url}/slow?ms=1500`);
      await expect.poll(() => said).toContain("asked");
      child.kill(signal);
      expect(await (await answer).json()).toEqual({ done: true });
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(said.slice(2)).toEqual(["task ended", "database closed"]);
    },
  );

  it("takes no new requests meanwhile", async (context) => {
    const { expect } = context;
    const { child, said, url } = await startProcess(context);
    fetch(`${url}/slow?ms=${LONG_MS}`).catch(() => {});
    await expect.poll(() => said).toContain("asked");
    child.kill("SIGTERM");
    const isServed = () =>
      fetch(`${url}/livez`).then(
        () => true,
        () => false,
      );
    await expect.poll(isServed).toBe(false);
    expect(child.exitCode).toBeNull();
  });

  it("cuts off what does not end, and exits 0 within 15 s all the same", async (context) => {
    const { expect } = context;
    const { child, said, ended, url } = await startProcess(context, LONG_MS, LONG_MS);
    const answer = fetch(`${url}/slow?ms=${LONG_MS}`).then(
      () => "answered",
      () => "cut off",
    );
    await expect.poll(() => said).toContain("asked");
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await answer).toBe("cut off");
    expect(END_MS).toBeLessThan(15_000);
  });

  it("comes at once with a second signal, but not with the same one told twice", async (context) => {
    const { expect } = context;
    const { child, ended } = await startProcess(context, LONG_MS);
    // While it is halted, so that on however slow a machine it finds both at once; by two names, as one name twice would count as one.
    for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"] as const) child.kill(signal);
    await sleep(1_000);
    expect(child.exitCode).toBeNull();
    // Again and again, as the process may have got to the first only now.
    const impatient = setInterval(() => child.kill("SIGINT"), 1_000);
    expect(await ended).toEqual({ code: 1, signal: null });
    clearInterval(impatient);
  });
});

describe("a task", () => {
  const parts = (readiness: Readiness, run: (signal: AbortSignal) => Promise<void>, clock = systemClock) => ({
    log: silentLogger(),
    clock,
    readiness,
    tasks: [{ name: "work", role: "worker" as const, run }],
    listeners: [],
    resources: [],
  });

  it("that throws is started again, and readiness says so until it runs", async () => {
    // Held, so that the run after the failure counts as one that lasts when the test says so and not before.
    let nowMs = 0;
    const clock = { now: () => nowMs };
    const readiness = new Readiness(systemClock);
    let runs = 0;
    const work = async (signal: AbortSignal) => {
      if (++runs === 1) throw new Error("broken");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const lifecycle = startLifecycle(parts(readiness, work, clock));
    const stateOf = async () => (await readiness.report()).checks[0];
    await expect.poll(stateOf).toMatchObject({
      name: "task work",
      state: "failed",
      detail: expect.stringContaining("failed 1 times"),
    });
    await expect.poll(() => runs).toBe(2);
    expect(await stateOf()).toMatchObject({ state: "failed" });
    nowMs += 1_000;
    await expect.poll(stateOf).toMatchObject({ state: "ok" });
    await lifecycle.stop("test");
    expect(runs).toBe(2);
  });

  it("that waits to be started again ends at once when the process does", async () => {
    const lifecycle = startLifecycle(
      parts(new Readiness(systemClock), () => Promise.reject(new Error("broken"))),
    );
    await sleep(50);
    await lifecycle.stop("test");
  });

  it("is told to end, once, however often the end is asked for", async () => {
    let aborted = 0;
    const readiness = new Readiness(systemClock);
    const lifecycle = startLifecycle(
      parts(
        readiness,
        (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(void aborted++))),
      ),
    );
    await Promise.all([lifecycle.stop("one"), lifecycle.stop("two")]);
    expect(aborted).toBe(1);
    expect((await readiness.report()).checks[0]).toMatchObject({ name: "process", state: "failed" });
  });
});
