/**
 * The service within the demo. It is loaded and its database made while the chain's history is made, which waits for the node most of
 * the time; so nothing that the history needs imports this.
 */
import { existsSync } from "node:fs";
import { pino } from "pino";
import { loadConfig } from "../../../server/src/config/load.ts";
import { createLogger, type Logger } from "../../../server/src/platform/log.ts";
import { openStorage } from "../../../server/src/service/storage.ts";

/** Makes the database where there is none, and resolves with what starts the service from its configuration. */
export async function prepareService(dir: string, logPath: string) {
  const log = createLogger({ destination: pino.destination({ dest: logPath, mkdir: true, sync: false }) });
  const database = prepareDatabase(dir, log);
  const { ROLES, startService } = await import("../../../server/src/service/start.ts");
  await database;
  return (configPath: string, consoleDir: string) =>
    startService(loadConfig({ file: configPath, env: {} }), log, ROLES, consoleDir);
}

// What goes wrong here is left to the start, which finds it again and says what to do.
async function prepareDatabase(dir: string, log: Logger): Promise<void> {
  if (existsSync(dir)) return;
  try {
    const storage = await openStorage(loadConfig({ env: { VAULTOPS_DATA_DIR: dir } }), log);
    await storage.close();
  } catch (error) {
    log.warn({ err: error }, "the database could not be prepared");
  }
}
