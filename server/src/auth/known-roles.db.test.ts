// Roles in memory, in services as they are run: what a commit anywhere changes is in the next answers of each, whatever becomes of the
// connection that tells of it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { addBlocks, addChain, addVault, testAddress, undoBlocks } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { startTestIssuer, TEST_AUDIENCE, type TestIssuer } from "../../test/issuer.ts";
import { openLine } from "../../test/line.ts";
import { added, applyRoles, deployed, removed } from "../../test/role-facts.ts";
import { type ServiceProcess, startServiceProcess } from "../../test/service-process.ts";
import { asSuperuser } from "../../test/test-server.ts";
import { createNotifier } from "../platform/db/notifier.ts";
import { createGrants, ROLES_CHANNEL } from "./grants.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const [PRIMARY, SECONDARY] = [testAddress(1), testAddress(2)];
const MEMBERS = `/api/v1/vaults/${CHAIN}/${VAULT}/members`;

let database: TestDatabase;
let issuer: TestIssuer;
let folder: string;
let token: string;
let services: ServiceProcess[];
let urls: string[];

beforeAll(async () => {
  [database, issuer, folder] = await Promise.all([
    createTestDatabase(),
    startTestIssuer(),
    mkdtemp(join(tmpdir(), "vaultops-known-roles-")),
  ]);
  await addChain(database.db, CHAIN, 0);
  await addBlocks(database.db, CHAIN, 1, 1);
  await addVault(database.db, CHAIN, VAULT);
  const jwksFile = join(folder, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.document));
  token = await issuer.token({ wallet: SECONDARY, expiresInSeconds: 86_400 });
  services = ["one", "two"].map((name) =>
    startServiceProcess(["--role", "api"], {
      VAULTOPS_DATA_DIR: join(folder, name),
      VAULTOPS_DATABASE__URL: database.url,
      VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
      VAULTOPS_AUTH__ISSUERS: JSON.stringify([
        { issuer: issuer.issuer, audience: [TEST_AUDIENCE], jwks_file: jwksFile, profile: "generic" },
      ]),
      VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ per_wallet: 1e9, per_ip: 1e9 }),
    }),
  );
  urls = await Promise.all(
    services.map(async ({ line }) => (await line(({ msg }) => msg === "serving")).url as string),
  );
});
afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service.end()));
  await issuer?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await undoBlocks(database.db, CHAIN, 0);
  await addBlocks(database.db, CHAIN, 1, 20);
  await apply(1, deployed(PRIMARY, SECONDARY));
});

const apply = (block: number, ...facts: Parameters<typeof applyRoles>[3]) =>
  applyRoles(database.db, { chainId: CHAIN, vaultAddress: VAULT }, block, facts);

const statusAt = async (url: string) => {
  const answer = await fetch(url + MEMBERS, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
};
const statuses = () => Promise.all(urls.map(statusAt));
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 240_000 });

describe("of two services on one database, both", () => {
  test("refuse whose role a block takes, and let in whom its reorganisation lets in again", async () => {
    await soon(statuses).toEqual([200, 200]);
    await apply(10, removed(SECONDARY));
    await soon(statuses).toEqual([403, 403]);
    await undoBlocks(database.db, CHAIN, 9);
    await soon(statuses).toEqual([200, 200]);
  });

  test("refuse for good: nobody is let in again by an answer that comes late", async () => {
    await soon(statuses).toEqual([200, 200]);
    for (let block = 2; block < 12; block += 2) {
      const reading = Promise.all(Array.from({ length: 20 }, statuses));
      await apply(block, removed(SECONDARY));
      await reading;
      await soon(statuses).toEqual([403, 403]);
      for (let i = 0; i < 20; i++) expect(await statuses()).toEqual([403, 403]);
      await apply(block + 1, added(SECONDARY));
      await soon(statuses).toEqual([200, 200]);
    }
  });

  test("are right after their listening connections are ended while a role changes", async () => {
    await soon(statuses).toEqual([200, 200]);
    for (let block = 2; block < 8; block += 2) {
      await endListeners();
      await apply(block, removed(SECONDARY));
      await endListeners();
      await soon(statuses).toEqual([403, 403]);
      await apply(block + 1, added(SECONDARY));
      await soon(statuses).toEqual([200, 200]);
    }
  });
});

test("over a connection that has fallen silent nothing is known any more, and the database is asked", async () => {
  const line = await openLine(database.url);
  const notifier = createNotifier({ ...database.db, directUrl: line.url });
  const grants = createGrants(database.db, notifier.watch(ROLES_CHANNEL));
  const known = async () => {
    await grants.of(SECONDARY);
    return grants.known(SECONDARY)?.length ?? null;
  };
  await soon(known).toBe(1);
  line.hold(true);
  await apply(10, removed(SECONDARY));
  await soon(() => grants.known(SECONDARY)).toBeNull();
  expect(await grants.of(SECONDARY)).toEqual([]);
  line.hold(false);
  await soon(known).toBe(0);
  await Promise.all([notifier.close(), line.close()]);
});

async function endListeners(): Promise<void> {
  await asSuperuser(inject("testServer"), (client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'vaultops notifications'",
      [new URL(database.url).pathname.slice(1)],
    ),
  );
}
