// An embedded server in a process of its own, for figures that share one: it ends, with its folder, when the process that
// forked it does. Sends its superuser's URL.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../../server/src/platform/postgres/postgres.ts";

/** What it says when it is ready. */
export type SuperuserUrl = string;

if (process.send) {
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-audit-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLogger() });
  process.send(postgres.superuserUrl);
  process.once("disconnect", async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
}
