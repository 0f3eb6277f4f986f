// The demo as it is started: when its node or its database dies it says so, ends with a failure, and leaves no process behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bareEnvironment } from "../../../server/test/bare-environment.ts";
import { freePort } from "../../../server/test/free-port.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const TIMEOUT_MS = 900_000;

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "vaultops-demo-test-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it(
  "ends with a failure when its node is killed, and when its database is, and says which it was",
  async () => {
    const first = await started();
    process.kill(await pidOf("anvil"), "SIGKILL");
    expect(await first.ended).toBe(1);
    expect(first.output()).toMatch(/The chain's node \(process \d+\) has ended\. The demo cannot go on/);
    await nothingLeft();

    const second = await started();
    const postmaster = join(dataDir, "service/postgres/data/postmaster.pid");
    const [pid] = (await readFile(postmaster, "utf8")).split("\n");
    process.kill(Number(pid), "SIGKILL");
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/The service has ended: the embedded database has ended/);
    await nothingLeft();
  },
  TIMEOUT_MS,
);

async function started(): Promise<{ child: ChildProcess; output(): string; ended: Promise<number | null> }> {
  const args = [MAIN, "--port", String(await freePort()), "--data-dir", dataDir];
  const child = spawn(process.execPath, args, { env: bareEnvironment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  const ended = once(child, "exit").then(([code]) => {
    process.off("exit", kill);
    return code as number | null;
  });
  await expect
    .poll(() => child.exitCode === null && !/Ctrl-C/.test(output), { timeout: TIMEOUT_MS, interval: 100 })
    .toBe(false);
  expect(child.exitCode, output).toBeNull();
  return { child, output: () => output, ended };
}

/** Every process whose command line names the data folder. */
async function processes(): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      command: (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " "),
    })),
  );
  return all.filter(({ pid, command }) => command.includes(dataDir) && pid !== process.pid);
}

async function pidOf(program: string): Promise<number> {
  const found = (await processes()).find(({ command }) => command.split(" ")[0]?.endsWith(program));
  if (!found) throw new Error(`no ${program} among ${JSON.stringify(await processes())}`);
  return found.pid;
}

async function nothingLeft(): Promise<void> {
  await expect.poll(processes, { timeout: TIMEOUT_MS, interval: 100 }).toEqual([]);
}
