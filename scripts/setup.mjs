// Makes sure that what package-lock.json names is installed and that a Node of the right age will run what follows.
// Runs before every npm script, on whatever Node the machine has (18 or newer), and takes no time when nothing is missing.
// `--console`: builds the console too, where it is missing or older than its sources.
//
// Guarantee: however a command was ended in here, the next one takes no longer than one that begins where it was: it waits for nobody who is
// gone, and what was left half done is done again.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./setup-lock.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const LOCK = join(root, ".setup-lock");
/** Made before an install begins, gone when it has succeeded. */
const UNFINISHED = join(LOCK, "installing");
const ATTEMPTS = 3;
const PAUSE_MS = 10_000;
/** What console/build.ts --check ends with when there is something to build. */
const TO_BUILD = 3;

let child = null;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    child?.kill(signal);
    process.exit(130);
  });
}

if (!installed()) await alone(install);
checkRuntime();
if (process.argv.includes("--console")) {
  const build = [localNode() ?? process.execPath, [join(root, "console/build.ts")]];
  const { status } = spawnSync(build[0], [...build[1], "--check"], { cwd: root, stdio: ["ignore", 2, 2] });
  const isBuilt =
    status === 0 || (status === TO_BUILD && (await alone((running) => run(...build, running))) === 0);
  if (!isBuilt) process.exit(1);
}

function alone(work) {
  return withLock(
    LOCK,
    () => console.error("Waiting for another command that is installing or building …"),
    work,
  );
}

async function install(running) {
  if (installed()) return;
  // Over what an interrupted install left, only beginning again is sure: a package may be there in part.
  const fresh = !existsSync(join(root, "node_modules")) || existsSync(UNFINISHED);
  const command = fresh ? "ci" : "install";
  console.error(`Installing dependencies (npm ${command}); this is done once and takes about a minute …`);
  mkdirSync(LOCK, { recursive: true });
  writeFileSync(UNFINISHED, "");
  // The versions are pinned, so an older npm's warnings about its own Node say nothing about this project.
  const args = [command, "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=5"];
  let status;
  for (let attempt = 1; ; attempt += 1) {
    status = await run("npm", args, running);
    const leftOut = status === 0 ? leftOutHere() : [];
    // A registry may be away for a moment, or a connection to it break off; optional packages npm then leaves out without a word.
    if (status === null || attempt === ATTEMPTS || (status === 0 && leftOut.length === 0)) break;
    console.error(
      `npm ${status === 0 ? `left out ${leftOut.join(", ")}` : "failed (its message stands above)"}; trying again in ${PAUSE_MS / 1000} s …`,
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  if (status !== 0) {
    console.error(
      "\nnpm could not install the dependencies (its message stands above). Mend that and run the same command again.",
    );
    process.exit(1);
  }
  rmSync(UNFINISHED, { force: true });
}

/** Runs a program to its end. Its exit code; null when it could not be run or was killed. */
function run(program, args, running) {
  return new Promise((resolve) => {
    child = spawn(program, args, { cwd: root, stdio: ["ignore", 2, 2] });
    child.once("error", () => resolve(null));
    // At once: as long as it runs, nobody else may begin, whatever becomes of this process.
    if (child.pid !== undefined) running(child);
    child.once("exit", (status) => {
      child = null;
      resolve(status);
    });
  });
}

/** True when every package of the lock file that belongs on this machine stands in node_modules at its version. */
function installed() {
  let wanted;
  let present;
  try {
    // npm writes down what is installed when all of it is; before that it stands in there from before.
    const begun = statSync(UNFINISHED, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (statSync(join(root, "node_modules/.package-lock.json")).mtimeMs < begun) return false;
    wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    present = JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8")).packages;
  } catch {
    return false;
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith("node_modules/") || entry.optional || entry.peer) return true;
    if (entry.link) return existsSync(join(root, path));
    return present[path]?.version === entry.version;
  });
}

/** Names of the optional packages made for this machine (programs, mostly) that are not in node_modules, though nobody asked for that. */
function leftOutHere() {
  if (process.env.npm_config_omit?.includes("optional")) return [];
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const libc = process.report?.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  const isFor = (value, own) => value === undefined || [value].flat().includes(own);
  return Object.entries(packages)
    .filter(
      ([path, { optional, os, cpu, libc: libraries }]) =>
        optional &&
        os !== undefined &&
        isFor(os, process.platform) &&
        isFor(cpu, process.arch) &&
        isFor(libraries, libc) &&
        !existsSync(join(root, path)),
    )
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
}

/** npm puts node_modules/.bin first on the path, so what counts is the Node there, else the machine's own. */
function checkRuntime() {
  const local = localNode();
  const version = local
    ? spawnSync(local, ["--version"], { encoding: "utf8" }).stdout?.trim()
    : process.version;
  if (Number(version?.match(/^v(\d+)/)?.[1]) >= 24) return;
  console.error(
    `VaultOps needs Node 24 or newer; this is ${version || "a Node that does not start"}. On Linux (x64, arm64) npm brings it along ` +
      "as an optional dependency: run `npm install --include=optional`. Elsewhere install it from https://nodejs.org.",
  );
  process.exit(1);
}

function localNode() {
  const local = join(root, "node_modules/.bin/node");
  return existsSync(local) ? local : null;
}
