// The server that the tests' databases are on: two roles and a migrated template of this run's own, so that several
// runs may share a server.
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Logger } from "../src/platform/log.ts";
import { migrate } from "../src/platform/migrate.ts";

export interface TestServer {
  superuserUrl: string;
  template: string;
  owner: { role: string; password: string };
  app: { role: string; password: string };
}

export interface Template {
  server: TestServer;
  /** Drops everything of this run; needed on a server that outlives it. */
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
  await asSuperuser(server, async (client) => {
    for (const { role, password } of [server.owner, server.app]) {
      await client.query(`create role ${role} login password '${password}'`);
    }
    await client.query(`create database ${server.template} owner ${server.owner.role} template template0`);
  });
  const [ownerUrl, appUrl] = [server.owner, server.app].map((user) => urlOf(server, user, server.template));
  await migrate({ ownerUrl: ownerUrl!, appUrl: appUrl!, log });
  return { server, remove: () => removeRun(server) };
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

async function removeRun(server: TestServer): Promise<void> {
  await asSuperuser(server, async (client) => {
    const { rows } = await client.query("select datname from pg_database where datname like $1", [
      `${server.template}%`,
    ]);
    for (const { datname } of rows)
      await client.query(`drop database ${pg.escapeIdentifier(datname)} with (force)`);
    await client.query(`drop role ${server.owner.role}, ${server.app.role}`);
  });
}
