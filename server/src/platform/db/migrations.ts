// The two histories that must agree: the migration files of this release and what a database says was applied to it. What a newer release
// applied is left alone: processes of both work on one database while it is rolled out. Each migration says in a line of its own which release is
// the oldest that works with it, `-- compatible-from: 1.2.0`; an older one does not start on it.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { RELEASE } from "../release.ts";

export interface MigrationFile {
  version: number;
  name: string;
  sql: string;
  checksum: string;
  /** The oldest release that works with it; null: it says nothing, as those did up to 000080, which every release works with. */
  compatibleFrom: string | null;
}

export interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
  /** As its file said. */
  compatible_from?: string | null;
}

/** Why a database cannot be used, with what to do about it. */
export class MigrationError extends Error {
  readonly code:
    | "edited_migration"
    | "unknown_migration"
    | "newer_database"
    | "late_migration"
    | "owner_needed"
    | "not_there"
    | "unsupported_server";

  constructor(code: MigrationError["code"], message: string) {
    super(message);
    this.name = "MigrationError";
    this.code = code;
  }
}

/** Where this release has its migrations and grants.sql. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL("../../../migrations/", import.meta.url));

/** The migrations of this release, by version. */
export async function readMigrations(directory = MIGRATIONS_DIRECTORY): Promise<MigrationFile[]> {
  const files: MigrationFile[] = [];
  for (const name of (await readdir(directory)).toSorted()) {
    const version = /^(\d{6})_[a-z0-9_]+\.sql$/.exec(name)?.[1];
    if (version === undefined) continue;
    const sql = (await readFile(`${directory}/${name}`, "utf8")).replaceAll("\r\n", "\n");
    if (files.at(-1)?.version === Number(version))
      throw new Error(`two migrations have the number ${version}`);
    const compatibleFrom = /^-- compatible-from: (\d+\.\d+\.\d+)$/m.exec(sql)?.[1] ?? null;
    files.push({
      version: Number(version),
      name: name.slice(0, -4),
      sql,
      checksum: sha256(sql),
      compatibleFrom,
    });
  }
  return files;
}

/** What is still to be applied, in order. @throws MigrationError when the two histories differ */
export function missingFrom(files: MigrationFile[], applied: AppliedMigration[]): MigrationFile[] {
  const newest = files.at(-1)?.version ?? 0;
  const known = new Map(files.map((file) => [file.version, file]));
  for (const { version, name, checksum, compatible_from: from = null } of applied) {
    const file = known.get(version);
    if (version > newest) {
      if (from === null || !isOlder(RELEASE, from)) continue;
      throw new MigrationError(
        "newer_database",
        `the database has migration ${name}, which needs release ${from} or newer; this is ${RELEASE}: run the newer release`,
      );
    }
    if (file === undefined) {
      throw new MigrationError(
        "unknown_migration",
        `the database has migration ${name}, which this release does not know`,
      );
    }
    if (file.checksum !== checksum) {
      throw new MigrationError(
        "edited_migration",
        `migration ${file.name} was edited after it was applied: restore the file and write a new migration`,
      );
    }
  }
  const last = applied.at(-1)?.version ?? 0;
  const done = new Set(applied.map((entry) => entry.version));
  const missing = files.filter((file) => !done.has(file.version));
  const late = missing.find((file) => file.version < last);
  if (late !== undefined) {
    throw new MigrationError(
      "late_migration",
      `migration ${late.name} comes before ${last}, which is applied already: give it a number of its own at the end`,
    );
  }
  return missing;
}

/** Whether a newer release has been at work on the database. */
export function isNewer(files: readonly MigrationFile[], applied: readonly AppliedMigration[]): boolean {
  return (applied.at(-1)?.version ?? 0) > (files.at(-1)?.version ?? 0);
}

function isOlder(release: string, than: string): boolean {
  const [own, other] = [release, than].map((each) => each.split(".").map(Number)) as [number[], number[]];
  const at = own.findIndex((number, index) => number !== other[index]);
  return at !== -1 && own[at]! < other[at]!;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
