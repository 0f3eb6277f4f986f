// The processes that share a database: each notes itself there. Kept for what must hold between them, such as that all see the same
// checkpoints outside it.
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { sql } from "kysely";
import type { Database } from "../platform/db/db.ts";
import { every } from "../platform/lifecycle/every.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Condition } from "../platform/lifecycle/health.ts";
import type { Logger } from "../platform/log.ts";
import { RELEASE } from "../platform/release.ts";

export interface ProcessParts {
  db: Pick<Database, "kysely">;
  log: Logger;
  roles: readonly Task["role"][];
  /** What it listens on, host and port, once it does. */
  listens(): string[];
  /** Where checkpoints are kept outside the database: the same for processes that see the same ones. */
  checkpointsIn(): Promise<string>;
}

export interface ProcessNote {
  task: Task;
  /** What `/readyz` says of checkpoints that no other process sees. */
  condition(): Promise<Condition>;
  /** Takes the note away at the end. */
  close(): Promise<void>;
}

const NOTE_MS = 10_000;
/** Without a note for so long a process is gone. */
const GONE = sql`interval '60 seconds'`;

export function createProcessNote({ db, log, roles, listens, checkpointsIn }: ProcessParts): ProcessNote {
  const id = randomUUID();
  const note = async () =>
    sql`
      with gone as (delete from processes where seen_at < now() - ${GONE})
      insert into processes (id, roles, release, host, listens, checkpoints, seen_at)
      values (${id}, ${roles}, ${RELEASE}, ${hostname()}, ${listens()}, ${await checkpointsIn()}, now())
      on conflict (id) do update set checkpoints = excluded.checkpoints, seen_at = excluded.seen_at`.execute(
      db.kysely,
    );
  return {
    task: every({ name: "note of this process", role: roles[0] as Task["role"], ms: NOTE_MS, log }, note),
    async condition() {
      if (!roles.includes("worker")) return { state: "ok" };
      const { rows } = await sql<{ n: number }>`
        select count(*)::integer as n from processes
        where id <> ${id} and checkpoints <> ${await checkpointsIn()} and seen_at >= now() - ${GONE}`.execute(
        db.kysely,
      );
      if (rows[0]?.n === 0) return { state: "ok" };
      return { state: "degraded", detail: UNSEEN };
    },
    async close() {
      await sql`delete from processes where id = ${id}`.execute(db.kysely).catch(() => {});
    },
  };
}

const UNSEEN =
  "several processes share the database, and do not see the same checkpoints of the audit log: a database that went back would be signed over. Set audit.checkpoint_file to a file on storage that all share, or a witness, or let them share the folder audit of data_dir.";

/** Names a folder, wherever it is mounted; one that is not there yet by its place. */
export async function folderMark(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  return found === null ? `${hostname()}:${folder}` : `${found.ino}:${Math.round(found.birthtimeMs)}`;
}
