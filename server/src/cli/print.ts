// What commands of the audit log print with, and what those that sign are given.
import type { Elsewhere } from "../audit/tree/checkpoint.ts";
import type { Database } from "../platform/db/db.ts";
import type { Logger } from "../platform/log.ts";

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
