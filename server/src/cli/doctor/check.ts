// What a check of `vaultops doctor` is: it looks at one thing, and says in a line how it is and, where it is not as it should be, what to
// mend. It sends nothing to anybody that it is not asked by configuration to reach, and changes nothing.
import type { Config } from "../../config/load.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Egress } from "../../platform/egress/egress.ts";

export interface Finding {
  state: "ok" | "warning" | "fault";
  /** How it is. Holds no secret, and of a URL the host alone. */
  says: string;
  /** What to do about it. */
  mend?: string;
}

/** What the checks look at. */
export interface Ground {
  config: Config;
  /** As the application's role; null where there is no database to ask. */
  db: Database | null;
  /** Why there is none; null where none is expected: the embedded database of a service that does not run. */
  noDatabase: string | null;
  egress: Egress;
  clock: Clock;
}

export interface Check {
  name: string;
  /** What it checks, for the checklist. */
  looksAt: string;
  run(ground: Ground): Promise<Finding[]>;
}

export const ok = (says: string): Finding => ({ state: "ok", says });
export const warning = (says: string, mend: string): Finding => ({ state: "warning", says, mend });
export const fault = (says: string, mend: string): Finding => ({ state: "fault", says, mend });

/** What an error says of itself, without what it may quote. */
export function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return code;
  return error instanceof Error ? error.message.slice(0, 200) : "unknown error";
}
