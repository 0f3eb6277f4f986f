// The embedded server's folder: made once and whole, with its roles and its database, or not at all.
//
//   <data_dir>/postgres/credentials.json   0600, the service's user: the passwords of the three roles
//   <data_dir>/postgres/data/              0700, the server's account: what PostgreSQL calls its data directory
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { findProcess } from "./processes.ts";
import { writeSettings } from "./settings.ts";

export interface Cluster {
  /**
   * Stands in the title of every process of the folder's server, so that they are found whatever their numbers. Made of
   * the folder's device and inode: a copy of the folder is another one, the same folder under another path is not.
   */
  mark: string;
  passwords: { superuser: string; owner: string; app: string };
  dataFolder: string;
}

export const SUPERUSER = "vaultops_superuser";
export const OWNER_ROLE = "vaultops_owner";
export const APP_ROLE = "vaultops_app";
export const DATABASE = "vaultops";

/**
 * How the server is told its data directory. It is started inside it and reaches it through this link, so that
 * neither the folders above (a private home that the server's account may not enter) nor the length of the path matter.
 */
export const DATA_DIRECTORY = process.platform === "linux" ? "/proc/self/cwd" : ".";

/** The cluster in `home` (`<data_dir>/postgres`), or null when none has been made yet. */
export async function readCluster(home: string): Promise<Cluster | null> {
  const dataFolder = join(home, "data");
  try {
    const stored = JSON.parse(await readFile(join(home, "credentials.json"), "utf8")) as Pick<
      Cluster,
      "passwords"
    >;
    const { dev, ino } = await stat(dataFolder, { bigint: true });
    return {
      passwords: stored.passwords,
      mark: `vaultops-${dev.toString(36)}-${ino.toString(36)}`,
      dataFolder,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Makes the cluster beside `home` and moves it there in one step; where another service was quicker, its one stands. */
export async function createCluster(
  home: string,
  binaries: Binaries,
  account: Account | null,
  isDurable: boolean,
): Promise<void> {
  await removeUnfinished(home);
  const unfinished = `${home}.new-${process.pid}`;
  const dataFolder = join(unfinished, "data");
  const secret = () => randomBytes(24).toString("base64url");
  const passwords = { superuser: secret(), owner: secret(), app: secret() };
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    if (account !== null) await chown(dataFolder, account.uid, account.gid);
    await run(
      binaries.initdb,
      [...INITDB_OPTIONS, ...(isDurable ? [] : ["--no-sync"])],
      dataFolder,
      account,
      "",
    );
    const single = ["--single", "-D", DATA_DIRECTORY, ...(isDurable ? [] : ["-F"]), "postgres"];
    await run(binaries.postgres, single, dataFolder, account, setUpSql(passwords));
    await writeSettings(dataFolder, isDurable);
    const credentials = JSON.stringify({ passwords }, null, 2);
    await writeFile(join(unfinished, "credentials.json"), credentials, { mode: 0o600, flush: true });
    await rename(unfinished, home);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

const INITDB_OPTIONS = [
  ...["-D", DATA_DIRECTORY],
  ...["--username", SUPERUSER],
  // Nobody can sign in until the passwords are set and the rules for it written.
  ...["--auth", "reject"],
  // The same order of text on every machine, and no dependence on its locales.
  ...["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
  "--no-instructions",
];

/** One statement a line: that is how the single-user server reads. */
function setUpSql(passwords: Cluster["passwords"]): string {
  return [
    `alter role ${SUPERUSER} password '${passwords.superuser}'`,
    `create role ${OWNER_ROLE} login password '${passwords.owner}'`,
    `create role ${APP_ROLE} login password '${passwords.app}'`,
    `create database ${DATABASE} owner ${OWNER_ROLE}`,
    `revoke all on database ${DATABASE} from public`,
    `grant connect on database ${DATABASE} to ${APP_ROLE}`,
    "",
  ].join("\n");
}

/** What a service that was killed while making a cluster has left; those of services that still run stay. */
async function removeUnfinished(home: string): Promise<void> {
  const parent = join(home, "..");
  for (const name of await readdir(parent)) {
    const pid = /^postgres\.new-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || (await findProcess(Number(pid))) !== null) continue;
    // Its initdb may still be writing for a moment. What cannot be removed now is removed at a later start.
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(
      () => {},
    );
  }
}

/** @throws Error with what the program said when it fails, or when the single-user server reports an error and goes on */
async function run(
  program: string,
  args: string[],
  cwd: string,
  account: Account | null,
  input: string,
): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    ...account,
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  // A program that ends without reading is judged by its exit code.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve(exitCode ?? signal ?? "unknown"));
  });
  const said = output.match(/^.*\b(?:ERROR|FATAL|PANIC|error):.*$/gm);
  if (code !== 0 || said !== null) {
    throw new Error(
      `the embedded database could not be created (${code}): ${said?.join("; ") ?? output.trim()}`,
    );
  }
}
