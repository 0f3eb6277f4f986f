import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "./clock.ts";
import { Readiness } from "./health.ts";
import { startLifecycle } from "./lifecycle.ts";
import { silentLogger } from "./log.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process with a listener, a task and a resource; `said` grows with what it tells. */
async function startProcess(taskMs = 0, resourceMs = 0) {
  const script = join(import.meta.dirname, "../../test/lifecycle-process.ts");
  const child = spawn(process.execPath, [script, String(taskMs), String(resourceMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const said: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => said.push(...chunk.toString().trim().split("\n")));
  await expect.poll(() => said[0], { timeout: 60_000 }).toMatch(/^http:/);
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal, atMs: performance.now() }));
  return { child, said, exited, url: said[0] ?? "" };
}

describe("the end of the process", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "on %s finishes requests and tasks in flight, then closes what they used, and exits 0",
    async (signal) => {
      const { child, said, exited, url } = await startProcess(300);
      const answer = fetch(`${url}/slow?ms=1500`);
      await expect.poll(() => said, { timeout: 30_000 }).toContain("asked");
      child.kill(signal);
      expect(await (await answer).json()).toEqual({ done: true });
      expect(await exited).toMatchObject({ code: 0, signal: null });
      expect(said.slice(2)).toEqual(["task ended", "database closed"]);
    },
  );

  it("takes no new requests meanwhile", async () => {
    const { child, said, exited, url } = await startProcess();
    const answer = fetch(`${url}/slow?ms=1500`);
    await expect.poll(() => said, { timeout: 30_000 }).toContain("asked");
    child.kill("SIGTERM");
    await sleep(300);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    await answer;
    expect(await exited).toMatchObject({ code: 0 });
  });

  it("cuts off what does not end, and exits 0 within 15 s all the same", async () => {
    const { child, said, exited, url } = await startProcess(60_000, 60_000);
    const answer = fetch(`${url}/slow?ms=60000`).then(
      () => "answered",
      () => "cut off",
    );
    await expect.poll(() => said, { timeout: 30_000 }).toContain("asked");
    const askedAtMs = performance.now();
    child.kill("SIGTERM");
    const { code, atMs } = await exited;
    expect(code).toBe(0);
    expect(await answer).toBe("cut off");
    expect(atMs - askedAtMs).toBeLessThan(15_000);
  });

  it("comes at once with a second signal, but not with the same one told twice", async () => {
    const { child, exited } = await startProcess(60_000);
    child.kill("SIGINT");
    child.kill("SIGINT");
    await sleep(1_000);
    expect(child.exitCode).toBeNull();
    child.kill("SIGINT");
    expect(await exited).toMatchObject({ code: 1 });
  });
});

describe("a task", () => {
  const parts = (readiness: Readiness, run: (signal: AbortSignal) => Promise<void>) => ({
    log: silentLogger(),
    clock: systemClock,
    readiness,
    tasks: [{ name: "work", role: "worker" as const, run }],
    listeners: [],
    resources: [],
  });

  it("that throws is started again, and readiness says so until it runs", async () => {
    const readiness = new Readiness(systemClock);
    let runs = 0;
    const lifecycle = startLifecycle(
      parts(readiness, async (signal) => {
        if (++runs === 1) throw new Error("broken");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
    );
    const stateOf = async () => (await readiness.report()).checks[0];
    await expect.poll(stateOf).toMatchObject({
      name: "task work",
      state: "failed",
      detail: expect.stringContaining("failed 1 times"),
    });
    await expect.poll(() => runs, { timeout: 30_000 }).toBe(2);
    await expect.poll(stateOf, { timeout: 30_000 }).toMatchObject({ state: "ok" });
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
