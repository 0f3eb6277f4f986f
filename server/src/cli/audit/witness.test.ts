// The witness as a process of its own: killed in the middle of its work, again and again, it never cosigns a fork.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, it } from "vitest";
import { cosignaturesIn, testLog } from "../../../test/witness-log.ts";
import { originHash } from "../../audit/cosigner/kept.ts";

const home = await mkdtemp(join(tmpdir(), "vaultops-witness-"));
const running = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await rm(home, { recursive: true, force: true });
});
const log = testLog();
const logs = join(home, "logs.txt");
await writeFile(logs, `${log.vkey}\n`);

async function start() {
  const args = [
    "witness",
    "--name",
    "witness.test/w",
    "--logs",
    logs,
    "--dir",
    join(home, "state"),
    "--listen",
    "127.0.0.1:0",
  ];
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith("Listens")) break;
  }
  const url = lines.at(-1)!.split(" ").at(-1)!;
  const vkey = lines
    .find((line) => line.includes("public key"))!
    .split(" ")
    .at(-1)!;
  return { child, url, vkey };
}

async function end({ child }: { child: ChildProcess }, signal: "SIGKILL" | "SIGTERM") {
  const ended = once(child, "exit");
  child.kill(signal);
  const [code] = await ended;
  running.delete(child);
  return code;
}

it("what it cosigned stands after kill -9 at any moment, and a fork of it is refused", async () => {
  const fork = testLog(log.origin, { fork: 2 });
  let known = 0;
  let vkey: string | null = null;
  for (let round = 1; round <= 3; round++) {
    const witness = await start();
    vkey ??= witness.vkey;
    expect(witness.vkey).toBe(vkey);
    const post = (body: Buffer) =>
      fetch(`${witness.url}/add-checkpoint`, { method: "POST", body: new Uint8Array(body) });
    // Whatever was answered before it was killed is there; what was not may be.
    const told = await post(log.submission(0, 64));
    if (round > 1) {
      expect(told.status).toBe(409);
      const size = Number(await told.text());
      expect(size).toBeGreaterThanOrEqual(known);
      known = size;
      expect((await post(fork.submission(known, known + 7))).status).toBe(422);
    } else {
      expect(told.status).toBe(200);
      known = 64;
    }
    let isKilled = false;
    const work = (async () => {
      for (let size = known + 1; !isKilled; size++) {
        const answer = await post(log.submission(size - 1, size)).catch(() => null);
        if (answer === null) return;
        const line = await answer.text().catch(() => null);
        if (line === null) return;
        expect(await cosignaturesIn(log.note(size), line, witness.vkey)).toHaveLength(1);
        known = size;
      }
    })();
    const target = known + 3;
    while (known < target) await new Promise((resolve) => setImmediate(resolve));
    await end(witness, "SIGKILL");
    isKilled = true;
    await work;
  }
  const witness = await start();
  const hash = originHash(log.origin);
  const note = await (await fetch(`${witness.url}/${hash}/checkpoint`)).text();
  expect(Number(note.split("\n")[1])).toBeGreaterThanOrEqual(known);
  for (const [method, path, status] of [
    ["GET", "/", 404],
    ["GET", "/add-checkpoint", 405],
    ["POST", `/${hash}/checkpoint`, 405],
  ] as const)
    expect((await fetch(witness.url + path, { method })).status).toBe(status);
  expect(
    (await fetch(`${witness.url}/add-checkpoint`, { method: "POST", body: "x".repeat(70_000) })).status,
  ).toBe(413);
  expect(await end(witness, "SIGTERM")).toBe(0);
});
