// Programs that tests need and Debian has: used where they are, else installed by apt, once.
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A mirror may be away for a moment, its lists between two states, or apt at work for somebody else. */
const ATTEMPTS = 4;
const PAUSE_MS = 10_000;
const APT = ["apt-get", "-q", "-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"];

/** The program's path, under the first of its names that is found. Throws, with apt's words, where there is none and none can be installed. */
export async function debianProgram(names: string | string[], packageName?: string): Promise<string> {
  const programs = [names].flat();
  const [name = ""] = programs;
  const found = await onPath(programs);
  if (found !== null) return found;
  await install(packageName ?? name);
  const installed = await onPath(programs);
  if (installed === null) throw new Error(`Debian's ${packageName ?? name} has brought no ${name}.`);
  return installed;
}

async function install(packageName: string): Promise<void> {
  if ((await onPath(["apt-get"])) === null)
    throw new Error(`There is no ${packageName}, and no apt-get to install it.`);
  process.stderr.write(`Installing Debian's ${packageName} for the tests (apt-get); this is done once …\n`);
  for (let attempt = 1; ; attempt += 1) {
    // A stale list of packages may still do; what cannot be installed may not.
    await apt("update").catch(() => {});
    try {
      return await apt("install", "-y", "--no-install-recommends", packageName);
    } catch (error) {
      if (attempt === ATTEMPTS) throw new Error(`${packageName} could not be installed`, { cause: error });
      await sleep(PAUSE_MS);
    }
  }
}

async function apt(...args: string[]): Promise<void> {
  const [command = "", ...rest] = [...(process.getuid?.() === 0 ? [] : ["sudo", "-n"]), ...APT, ...args];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run(command, rest, { env, timeout: 900_000, maxBuffer: 64 * 2 ** 20 });
}

async function onPath(programs: string[]): Promise<string | null> {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/sbin"];
  for (const path of folders.flatMap((folder) => programs.map((program) => join(folder, program)))) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}
