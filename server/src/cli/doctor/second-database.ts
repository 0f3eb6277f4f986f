// A database, or another way to the same one, that is named beside the first: opened for one look.
import { type Database, type DatabaseOptions, openDatabase } from "../../platform/db/db.ts";
import { withoutUrls } from "../../platform/log.ts";
import { reasonOf } from "./check.ts";

export async function asked<T>(
  options: Pick<DatabaseOptions, "url" | "directUrl" | "isReplica">,
  look: (db: Database) => Promise<T>,
): Promise<{ answer: T } | { reason: string }> {
  try {
    const db = await openDatabase({
      ...options,
      maxConnections: 1,
      applicationName: "vaultops doctor",
      connectTimeoutMs: 5_000,
    });
    try {
      return { answer: await look(db) };
    } finally {
      await db.close();
    }
  } catch (error) {
    return { reason: withoutUrls(reasonOf(error)) };
  }
}
