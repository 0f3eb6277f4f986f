// A fresh, migrated database for a test file: a clone of the run's template, so that it costs tens of milliseconds and
// no test sees another's rows.
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type Database, openDatabase } from "../src/platform/db/db.ts";
import { asSuperuser, urlOf } from "./test-server.ts";

export interface TestDatabase {
  /** As the application's role, with the privileges of grants.sql and no more. */
  db: Database;
  /** As the role that owns the tables. */
  owner: Database;
  url: string;
  ownerUrl: string;
  /** Closes both pools and removes the database. */
  drop(): Promise<void>;
}

/** Call it in `beforeAll` and `drop()` in `afterAll`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(inject("testServer").template);
}

/** One without tables, for tests of the migrations themselves. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return create("template0");
}

/** Longer than a busy machine stands still: a session that is given up meanwhile would fail the test. */
const CONNECT_TIMEOUT_MS = 120_000;

async function create(template: string): Promise<TestDatabase> {
  const server = inject("testServer");
  const name = `${server.template}_${randomBytes(6).toString("hex")}`;
  await asSuperuser(server, async (client) => {
    // By file: half the time of the default where nothing waits for a disk.
    await client.query(
      `create database ${name} template ${template} owner ${server.owner.role} strategy file_copy`,
    );
    // As on the embedded server: no temporary tables, no connection for others.
    await client.query(`revoke all on database ${name} from public`);
    await client.query(`grant connect on database ${name} to ${server.app.role}`);
  });
  const url = urlOf(server, server.app, name);
  const ownerUrl = urlOf(server, server.owner, name);
  const patient = { connectTimeoutMs: CONNECT_TIMEOUT_MS };
  const db = await openDatabase({ ...patient, url, applicationName: "test" });
  const owner = await openDatabase({
    ...patient,
    url: ownerUrl,
    maxConnections: 3,
    applicationName: "test owner",
  });
  return {
    db,
    owner,
    url,
    ownerUrl,
    async drop() {
      await Promise.all([db.close(), owner.close()]);
      await asSuperuser(server, async (client) => {
        await client.query(`drop database ${name} with (force)`);
      });
    },
  };
}
