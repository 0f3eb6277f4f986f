// The log held against a checkpoint that was kept elsewhere: what a database lacks that was brought back from an older copy.
//
// Guarantee: nothing is called whole but a log whose first entries are, byte for byte, those that were signed. Which the lacking ones are is told by
// their numbers: what stood in them only a copy that has them can tell.
import type { Tree } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import { TileReader, TreeUnreadable } from "../tree/tiles.ts";

export type Comparison = {
  /** Entries of the log. */
  size: number;
  /** Entries up to the newest checkpoint that the database has itself. */
  signed: number;
  /** `other`: the first entries are not those that were signed. */
  outcome: "whole" | "lacking" | "other";
};

export async function compareWithCheckpoint(
  { kysely }: Pick<Database, "kysely">,
  checkpoint: Tree,
): Promise<Comparison> {
  const { rows } = await sql<{ size: number; signed: number }>`
    select coalesce((select max(seq) from audit_entries), 0) as size,
      coalesce((select max(size) from audit_checkpoints), 0) as signed`.execute(kysely);
  const found = rows[0]!;
  if (found.size < checkpoint.size) return { ...found, outcome: "lacking" };
  const root = await new TileReader(kysely).root(checkpoint.size).catch((error: unknown) => {
    if (error instanceof TreeUnreadable) return null;
    throw error;
  });
  return { ...found, outcome: root?.equals(checkpoint.root) === true ? "whole" : "other" };
}
