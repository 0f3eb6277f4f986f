// Makes sure that what package-lock.json names is installed and that a Node of the right age will run what follows.
// Runs before every npm script, on whatever Node the machine has (18 or newer), and takes no time when nothing is missing.
// `--console`: builds the console too, where it is missing or older than its sources.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const LOCK = join(root, ".setup-lock");
const LOCK_STALE_MS = 15 * 60_000;
const ATTEMPTS = 3;
const PAUSE_MS = 10_000;

if (!installed()) {
  await withLock(() => {
    if (installed()) return;
    const fresh = !existsSync(join(root, "node_modules"));
    const command = fresh ? "ci" : "install";
    console.error(`Installing dependencies (npm ${command}); this is done once and takes about a minute …`);
    // The versions are pinned, so an older npm's warnings about its own Node say nothing about this project.
    const args = [command, "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=5"];
    let status;
    for (let attempt = 1; ; attempt += 1) {
      status = spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2] }).status;
      const leftOut = status === 0 ? leftOutHere() : [];
      // A registry may be away for a moment, or a connection to it break off; optional packages npm then leaves out without a word.
      if (status === null || attempt === ATTEMPTS || (status === 0 && leftOut.length === 0)) break;
      console.error(
        `npm ${status === 0 ? `left out ${leftOut.join(", ")}` : "failed (its message stands above)"}; trying again in ${PAUSE_MS / 1000} s …`,
      );
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
    if (status !== 0) {
      console.error(
        "\nnpm could not install the dependencies (its message stands above). Mend that and run the same command again.",
      );
      process.exit(1);
    }
  });
}
checkRuntime();
if (process.argv.includes("--console")) {
  await withLock(() => {
    const built = spawnSync(localNode() ?? process.execPath, [join(root, "console/build.ts")], {
      cwd: root,
      stdio: ["ignore", 2, 2],
    });
    if (built.status !== 0) process.exit(1);
  });
}

/** True when every package of the lock file that belongs on this machine stands in node_modules at its version. */
function installed() {
  let wanted;
  let present;
  try {
    wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    present = JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8")).packages;
  } catch {
    return false;
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith("node_modules/") || entry.link || entry.optional || entry.peer) return true;
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

/** Two commands started at once in a fresh clone: the second waits for the first one's install. */
async function withLock(work) {
  for (let waited = 0; ; waited += 500) {
    try {
      mkdirSync(LOCK);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (Date.now() - statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs > LOCK_STALE_MS)
        rmSync(LOCK, { recursive: true, force: true });
      else if (waited === 0) console.error("Waiting for another command that is installing or building …");
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  const release = () => rmSync(LOCK, { recursive: true, force: true });
  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  work();
  release();
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
