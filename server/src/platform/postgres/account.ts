// As whom the embedded server runs. PostgreSQL refuses root, so a service started by root gives the server an
// account of its own, which can do nothing else; any other user simply runs it.
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import type { Logger } from "../log.ts";

export interface Account {
  uid: number;
  gid: number;
}

const OWN_ACCOUNT = "vaultops-db";

/**
 * Null = the user that the service itself runs as. For root: the owner of the existing data folder, else the account
 * `vaultops-db`, made when missing (a system account without a home, a shell or a password).
 */
export async function serverAccount(dataFolder: string, log: Logger): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(dataFolder).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // Another service on this machine may be making the account at this moment; then making it fails, and finding it works.
  for (let attempt = 1; ; attempt += 1) {
    const found = await findAccount(OWN_ACCOUNT);
    if (found !== null) return found;
    try {
      await promisify(execFile)("useradd", ACCOUNT_OPTIONS);
      log.info({ account: OWN_ACCOUNT }, "created a system account for the embedded database server");
    } catch (error) {
      if (attempt < 20 && (error as NodeJS.ErrnoException).code !== "ENOENT") {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      const nobody = await findAccount("nobody");
      if (nobody === null) throw error;
      log.warn(
        { reason: error instanceof Error ? error.message : String(error) },
        `the account ${OWN_ACCOUNT} could not be created; the embedded database server runs as nobody, which other programs may share`,
      );
      return nobody;
    }
  }
}

const ACCOUNT_OPTIONS = [
  "--system",
  "--user-group",
  "--no-create-home",
  "--home-dir",
  "/nonexistent",
  "--shell",
  "/usr/sbin/nologin",
  "--comment",
  "VaultOps embedded database",
  OWN_ACCOUNT,
];

async function findAccount(name: string): Promise<Account | null> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  const fields = lines.map((line) => line.split(":")).find((entry) => entry[0] === name);
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]) };
}
