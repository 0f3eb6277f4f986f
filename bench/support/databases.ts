// Fresh, migrated databases on an embedded server of the run's own, as durable as in production.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../../server/src/platform/db/db.ts";
import { silentLogger } from "../../server/src/platform/log.ts";
import { startEmbeddedPostgres } from "../../server/src/platform/postgres/postgres.ts";
import { asSuperuser, prepareTemplate, urlOf } from "../../server/test/test-server.ts";

export interface Databases {
  create(): Promise<Database>;
  /** An empty one without this project's tables, for a peer. */
  createBare(): Promise<{ url: string; drop(): Promise<void> }>;
  /** Closes and drops it. */
  drop(database: Database): Promise<void>;
  stop(): Promise<void>;
}

export async function startDatabases(): Promise<Databases> {
  const log = silentLogger();
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const template = await prepareTemplate(postgres.superuserUrl, log);
  const { server } = template;
  let count = 0;
  return {
    async create() {
      const name = `${server.template}_${count++}`;
      await asSuperuser(server, async (client) => {
        await client.query(`create database ${name} template ${server.template} owner ${server.owner.role}`);
      });
      return openDatabase({ url: urlOf(server, server.app, name) });
    },
    async createBare() {
      const name = `${server.template}_bare_${count++}`;
      await asSuperuser(server, async (client) => {
        await client.query(`create database ${name} template template0 owner ${server.owner.role}`);
      });
      return {
        url: urlOf(server, server.owner, name),
        drop: () =>
          asSuperuser(server, async (client) => {
            await client.query(`drop database ${name} with (force)`);
          }),
      };
    },
    async drop(database) {
      const name = new URL(database.url).pathname.slice(1);
      await database.close();
      await asSuperuser(server, async (client) => {
        await client.query(`drop database ${name} with (force)`);
      });
    },
    async stop() {
      await template.remove();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
