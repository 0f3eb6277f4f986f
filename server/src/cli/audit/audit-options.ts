// What the commands of the audit log share: where they print, and what they sign with.
import type { Elsewhere } from "../../audit/tree/checkpoint.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Logger } from "../../platform/log.ts";

/** Prints one line. */
export type Print = (line: string) => void;

export interface KeyOptions {
  db: Database;
  folder: string;
  signingKeys?: () => string | null;
  file?: string | null;
  elsewhere?: Elsewhere;
  origin: string;
  log: Logger;
  print: Print;
}
