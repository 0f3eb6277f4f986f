// What is installed and built before every command, in a small project of its own whose npm and build leave marks: killed at any moment, the
// next command neither waits for who is gone nor trusts what is half done.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";

const IS_FULL = process.env.VAULTOPS_FULL === "1";
const ROUNDS = IS_FULL ? 40 : 8;

let root: string;
const started: ChildProcess[] = [];

/** Installs one package in steps, and notes when two run at once. */
const NPM = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const note = (line) => appendFileSync("npm.log", line + "\\n");
if (existsSync("npm.running")) note("two at once");
writeFileSync("npm.running", "");
writeFileSync("npm.pid", String(process.pid));
note(process.argv[2]);
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
if (process.argv[2] === "ci") rmSync("node_modules", { recursive: true, force: true });
pause();
mkdirSync("node_modules/one", { recursive: true });
if (!existsSync("node_modules/one/package.json")) {
  writeFileSync("node_modules/one/package.json", "{}");
  pause();
  writeFileSync("node_modules/one/index.js", "whole");
}
pause();
writeFileSync("node_modules/.package-lock.json", readFileSync("package-lock.json"));
pause();
rmSync("npm.running");
note("done");
`;

/** Builds one file in steps. */
const BUILD = `
import { appendFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
if (existsSync("built")) process.exit(0);
if (process.argv.includes("--check")) process.exit(3);
appendFileSync("build.log", "build\\n");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
writeFileSync("built.new", "whole");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
renameSync("built.new", "built");
`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "vaultops-setup-"));
  for (const folder of ["scripts", "console", "bin"]) mkdirSync(join(root, folder));
  for (const name of ["setup.mjs", "setup-lock.mjs"])
    cpSync(join(import.meta.dirname, name), join(root, "scripts", name));
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(
    join(root, "package-lock.json"),
    JSON.stringify({ packages: { "node_modules/one": { version: "1.0.0" } } }),
  );
  writeFileSync(join(root, "console/build.ts"), BUILD);
  writeFileSync(join(root, "bin/npm"), NPM);
  chmodSync(join(root, "bin/npm"), 0o755);
});

afterEach(async () => {
  for (const child of started.splice(0)) killGroup(child);
  // An npm whose own group was not killed ends by itself soon.
  await until(() => !lives("npm.pid"));
  rmSync(root, { recursive: true, force: true });
});

/** In a group of its own, as a shell starts it. */
function start(): ChildProcess {
  const child = spawn(process.execPath, [join(root, "scripts/setup.mjs"), "--console"], {
    cwd: root,
    env: { PATH: `${join(root, "bin")}:/usr/bin:/bin` },
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  started.push(child);
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), "SIGKILL");
  } catch {
    // It has ended.
  }
}

function lives(file: string): boolean {
  try {
    const pid = Number(readFileSync(join(root, file), "utf8"));
    process.kill(pid, 0);
    // One that has ended and waits for its parent does nothing any more.
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}

const lines = (file: string) =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8").trim().split("\n") : [];
const text = (file: string) => readFileSync(join(root, file), "utf8");

it("installs and builds once, and takes no lock when nothing is missing", async () => {
  expect(await ended(start())).toBe(0);
  expect([text("node_modules/one/index.js"), text("built")]).toEqual(["whole", "whole"]);
  rmSync(join(root, ".setup-lock"), { recursive: true });
  expect(await ended(start())).toBe(0);
  expect(existsSync(join(root, ".setup-lock"))).toBe(false);
  expect([lines("npm.log"), lines("build.log")]).toEqual([["ci", "done"], ["build"]]);
});

it("several at once: one installs and builds, the others wait for it", async () => {
  const all = [start(), start(), start(), start()];
  expect(await Promise.all(all.map(ended))).toEqual([0, 0, 0, 0]);
  expect([lines("npm.log"), lines("build.log")]).toEqual([["ci", "done"], ["build"]]);
});

it(`killed at ${ROUNDS} moments with all that it had started, the next begins anew and ends whole`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = start();
    await sleep((round * 700) / ROUNDS);
    killGroup(child);
    await ended(child);
    await until(() => !lives("npm.pid"));
    rmSync(join(root, "npm.running"), { force: true });
    expect(await ended(start())).toBe(0);
    expect([text("node_modules/one/index.js"), text("built")]).toEqual(["whole", "whole"]);
    for (const path of ["node_modules", "built", "built.new"])
      rmSync(join(root, path), { recursive: true, force: true });
  }
  expect(lines("npm.log")).not.toContain("two at once");
}, 300_000);

it("killed alone, the next waits for the npm that goes on without it, and has no second one beside it", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = start();
    const before = lines("npm.log").length;
    await until(() => lines("npm.log").length > before && lives("npm.pid"));
    await sleep((round * 200) / ROUNDS);
    child.kill("SIGKILL");
    await ended(child);
    expect(await ended(start())).toBe(0);
    expect(text("node_modules/one/index.js")).toBe("whole");
    rmSync(join(root, "node_modules"), { recursive: true, force: true });
  }
  expect(lines("npm.log")).not.toContain("two at once");
}, 300_000);

it("an update over what was installed before is not trusted when it was interrupted", async () => {
  expect(await ended(start())).toBe(0);
  const older = text("package-lock.json");
  writeFileSync(join(root, "package-lock.json"), older.replace("1.0.0", "2.0.0"));
  const child = start();
  await until(() => lines("npm.log").includes("install"));
  killGroup(child);
  await ended(child);
  rmSync(join(root, "npm.running"), { force: true });
  // Back to what npm wrote down of the install before.
  writeFileSync(join(root, "package-lock.json"), older);
  expect(await ended(start())).toBe(0);
  expect(lines("npm.log").at(-2)).toBe("ci");
});

it("what an earlier release has left of its lock holds nobody up, nor does a holder whose number another process has now", async () => {
  const lock = join(root, ".setup-lock");
  mkdirSync(lock);
  expect(await ended(start())).toBe(0);
  rmSync(join(root, "built"));
  const held = lines(".setup-lock/2");
  expect(held).toEqual(['{"holders":[]}']);
  const where = `a machine of before ${process.pid}`;
  writeFileSync(join(lock, "3"), JSON.stringify({ holders: [{ pid: process.pid, where, startedAt: "1" }] }));
  expect(await ended(start())).toBe(0);
  rmSync(join(root, "built"));
  writeFileSync(join(lock, "9"), '{"holders":[{"pi');
  expect(await ended(start())).toBe(0);
}, 60_000);
