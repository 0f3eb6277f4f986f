// The browser that the tests drive: Debian's Chromium, or the one that VAULTOPS_CHROMIUM names; installed with apt where there is none.
import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const HOW =
  "Install it (Debian: apt-get install chromium) or name one by VAULTOPS_CHROMIUM=/path/to/chromium.";

/** The path of a Chromium. Throws, with what to do, where there is none and none can be installed. */
export function chromiumPath(): string {
  const named = process.env.VAULTOPS_CHROMIUM;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Error(`VAULTOPS_CHROMIUM names ${named}, which cannot be run.`);
  }
  const found = onPath();
  if (found) return found;
  install();
  const installed = onPath();
  if (installed) return installed;
  throw new Error(`The console's tests need a Chromium, and apt has not brought one. ${HOW}`);
}

function install(): void {
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const isThere = spawnSync("apt-get", ["--version"]).status === 0;
  if (!isThere)
    throw new Error(`The console's tests need a Chromium; there is none, and no apt to install it. ${HOW}`);
  process.stderr.write("Installing Chromium for the console's tests (apt-get); this is done once …\n");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const [command = "", ...rest] = [...asRoot, "apt-get", "-q", ...args];
    try {
      execFileSync(command, rest, { env, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
    } catch (error) {
      // A stale list of packages may still do; what cannot be installed may not.
      if (args[0] === "update") continue;
      const words = String((error as { stderr?: Buffer }).stderr ?? error)
        .trim()
        .split("\n")
        .slice(-3)
        .join("\n");
      throw new Error(`Chromium for the console's tests could not be installed:\n${words}\n${HOW}`);
    }
  }
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
