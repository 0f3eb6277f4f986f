// The server that the tests' databases are on: two roles and a migrated template of this run's own, so that several
// runs may share a server.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { migrate } from "../src/platform/db/migrate.ts";
import type { Logger } from "../src/platform/log.ts";

export interface TestServer {
  superuserUrl: string;
  template: string;
  owner: { role: string; password: string };
  app: { role: string; password: string };
}

export interface Template {
  server: TestServer;
  /** Drops everything of this run. A run that is killed leaves it to the next run on the same server. */
  remove(): Promise<void>;
}

export async function prepareTemplate(superuserUrl: string, log: Logger): Promise<Template> {
  const run = randomBytes(4).toString("hex");
  const login = (kind: string) => ({
    role: `vaultops_test_${run}_${kind}`,
    password: randomBytes(18).toString("hex"),
  });
  const server: TestServer = {
    superuserUrl,
    template: `vaultops_test_${run}`,
    owner: login("owner"),
    app: login("app"),
  };
  // Tells other runs, for as long as this one lives, that what bears its name is in use.
  const presence = new pg.Client({ connectionString: superuserUrl, application_name: server.template });
  presence.on("error", () => {});
  await presence.connect();
  await asSuperuser(server, async (client) => {
    await removeLeftOvers(client);
    for (const { role, password } of [server.owner, server.app]) {
      await client.query(`create role ${role} login password '${password}'`);
    }
    await client.query(`create database ${server.template} owner ${server.owner.role} template template0`);
  });
  const [ownerUrl, appUrl] = [server.owner, server.app].map((user) => urlOf(server, user, server.template));
  await migrate({ ownerUrl: ownerUrl!, appUrl: appUrl!, log });
  return {
    server,
    async remove() {
      await presence.end();
      await asSuperuser(server, (client) => removeRun(client, server.template));
    },
  };
}

/** The URL of a database on the test server for one of its roles. */
export function urlOf(
  server: TestServer,
  user: { role: string; password: string },
  database: string,
): string {
  const url = new URL(server.superuserUrl);
  url.username = user.role;
  url.password = user.password;
  url.pathname = `/${database}`;
  return url.toString();
}

export async function asSuperuser<T>(server: TestServer, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.superuserUrl });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

async function removeLeftOvers(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select distinct run from (select substring(datname from '^vaultops_test_[0-9a-f]{8}') as run from pg_database
       union all select substring(rolname from '^vaultops_test_[0-9a-f]{8}') from pg_roles) found
     where run not in (select application_name from pg_stat_activity)`,
  );
  for (const { run } of rows) await removeRun(client, run);
}

async function removeRun(client: pg.Client, template: string): Promise<void> {
  const databases = await client.query("select datname from pg_database where starts_with(datname, $1)", [
    template,
  ]);
  for (const { datname } of databases.rows) {
    await client.query(`drop database if exists ${pg.escapeIdentifier(datname)} with (force)`);
  }
  for (const kind of ["owner", "app"]) await client.query(`drop role if exists ${template}_${kind}`);
}
