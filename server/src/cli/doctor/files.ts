// Folders and files: the data folder with its disk, and the checkpoints that are kept outside the database.
import { constants, existsSync } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { sql } from "kysely";
import { type Check, type Finding, fault, type Ground, ok, reasonOf, warning } from "./check.ts";

const MIB = 1024 * 1024;
/** Of the embedded database; keys alone need next to nothing. */
const LEAST_BYTES = { fault: 512 * MIB, warning: 5 * 1024 * MIB };
const LEAST_FOR_KEYS_BYTES = 16 * MIB;

export const disk: Check = {
  name: "disk",
  looksAt: "the data folder can be written to, and its disk has room",
  async run({ config }) {
    const folder = resolve(config.data_dir);
    const there = nearest(folder);
    try {
      await access(there, constants.R_OK | constants.W_OK | constants.X_OK);
      if (!(await stat(there)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    } catch (error) {
      return [
        fault(
          `${there} cannot be written to (${reasonOf(error)})`,
          "let data_dir name a folder of the service's user, or mount it writable",
        ),
      ];
    }
    const { bavail, bsize } = await statfs(there);
    const free = bavail * bsize;
    const says = `${Math.round(free / MIB)} MiB are free under ${there}`;
    const isEmbedded = config.database.url === null;
    if (free < (isEmbedded ? LEAST_BYTES.fault : LEAST_FOR_KEYS_BYTES))
      return [fault(says, "make room, or move data_dir to a larger disk")];
    if (isEmbedded && free < LEAST_BYTES.warning)
      return [warning(says, "plan for more: docs/operations/sizing.md")];
    return [ok(says)];
  },
};

export const checkpoints: Check = {
  name: "checkpoints",
  looksAt:
    "signed checkpoints of the audit log are kept where a database that goes back takes them not with it; with several processes, where all see them",
  async run({ config, db, egress }) {
    const { checkpoint_file: file, witnesses } = config.audit;
    if (file === null && witnesses.length === 0) {
      const { n, places } = await checkpointPlaces(db);
      if (places > 1)
        return [
          fault(
            `${n} processes share the database, and do not see the same checkpoints`,
            "set audit.checkpoint_file to a file on storage that all share, or a witness, or let them share the folder audit of data_dir",
          ),
        ];
      return [ok("in the data folder; keep a copy elsewhere (audit.checkpoint_file)")];
    }
    const asked = await Promise.all(witnesses.map((each) => witnessFinding(each, egress)));
    return file === null ? asked : [await fileFinding(file), ...asked];
  },
};

/** How many processes run, and in how many places they see checkpoints. */
async function checkpointPlaces(db: Ground["db"]): Promise<{ n: number; places: number }> {
  if (db === null) return { n: 0, places: 0 };
  const { rows } = await sql<{ n: number; places: number }>`
    select count(*)::integer as n, count(distinct checkpoints)::integer as places
    from processes where seen_at > now() - interval '60 seconds'`.execute(db.kysely);
  return rows[0]!;
}

async function fileFinding(file: string): Promise<Finding> {
  const target = existsSync(file) ? file : dirname(resolve(file));
  try {
    await access(target, constants.W_OK);
    if (target === file && !(await stat(file)).isFile())
      return warning(`${file} is no regular file, so nothing is read back from it`, "name a file");
  } catch (error) {
    return fault(
      `${file} cannot be appended to (${reasonOf(error)})`,
      "mend audit.checkpoint_file, or the rights of its folder",
    );
  }
  return ok(`appended to ${file}`);
}

/** Any answer will do: of a log that nobody has it holds nothing. */
async function witnessFinding(
  { name, url, monitoring_url }: { name: string; url: string; monitoring_url: string | null },
  egress: Ground["egress"],
): Promise<Finding> {
  try {
    await egress.request({
      url: `${monitoring_url ?? url}/${"0".repeat(64)}/checkpoint`,
      timeoutMs: 5_000,
      maxBytes: 1_024,
      trusted: true,
    });
    return ok(`the witness ${name} answers`);
  } catch (error) {
    return warning(
      `the witness ${name} does not answer (${reasonOf(error)})`,
      "look at its address in audit.witnesses, or ask whoever runs it",
    );
  }
}

/** The folder itself, or that in which it would be made. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}
