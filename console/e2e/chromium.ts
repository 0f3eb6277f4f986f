// The browser that the tests drive: Debian's Chromium, or the one that VAULTOPS_CHROMIUM names; installed with apt where there is none.
import { execFile, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const HOW =
  "Install it (Debian: apt-get install chromium) or name one by VAULTOPS_CHROMIUM=/path/to/chromium.";

/** The path of a Chromium. Throws, with what to do, where there is none and none can be installed. */
export async function chromiumPath(): Promise<string> {
  const named = process.env.VAULTOPS_CHROMIUM;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Error(`VAULTOPS_CHROMIUM names ${named}, which cannot be run.`);
  }
  const found = onPath();
  if (found) return found;
  await install();
  const installed = onPath();
  if (installed) return installed;
  throw new Error(`The console's tests need a Chromium, and apt has not brought one. ${HOW}`);
}

/** A mirror may be away for a moment, its lists between two states, or apt at work for somebody else. */
const ATTEMPTS = 4;
const PAUSE_MS = 10_000;
const APT = ["apt-get", "-q", "-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"];

async function install(): Promise<void> {
  const isThere = spawnSync("apt-get", ["--version"]).status === 0;
  if (!isThere)
    throw new Error(`The console's tests need a Chromium; there is none, and no apt to install it. ${HOW}`);
  process.stderr.write("Installing Chromium for the console's tests (apt-get); this is done once …\n");
  for (let attempt = 1; ; attempt += 1) {
    // A stale list of packages may still do; what cannot be installed may not.
    await apt("update").catch(() => {});
    try {
      return await apt("install", "-y", "--no-install-recommends", "chromium");
    } catch (error) {
      if (attempt < ATTEMPTS) {
        await sleep(PAUSE_MS);
        continue;
      }
      const words = String((error as { stderr?: string }).stderr || error)
        .trim()
        .split("\n")
        .slice(-3)
        .join("\n");
      throw new Error(`Chromium for the console's tests could not be installed:\n${words}\n${HOW}`);
    }
  }
}

async function apt(...args: string[]): Promise<void> {
  const [command = "", ...rest] = [...(process.getuid?.() === 0 ? [] : ["sudo", "-n"]), ...APT, ...args];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await promisify(execFile)(command, rest, { env, timeout: 900_000, maxBuffer: 64 * 2 ** 20 });
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin", "/usr/local/bin");
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
