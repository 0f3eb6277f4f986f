// Members of a vault, one block for each status code of each route, with the audit entries that the changes leave.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { addBlocks, addChain, addVault, confirm, testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createGrants } from "../grants.ts";
import { createGuard } from "../guard.ts";
import { createVaultAccess } from "../vaults.ts";
import { membersFeature } from "./routes.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const FOREIGN = testAddress(0x200);
const [PRIMARY, SECONDARY, VIEWER, NEWCOMER, STRANGER] = [1, 2, 3, 4, 5].map(testAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const MEMBERS = `/api/v1/vaults/${CHAIN}/${VAULT}/members`;

let database: TestDatabase;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  await addVault(db, CHAIN, VAULT);
  await addVault(db, CHAIN, FOREIGN);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $3, 'primary_manager', null), ($1, $2, $4, 'secondary_manager', 2), ($1, $5, $6, 'primary_manager', 1)`,
    [CHAIN, VAULT, PRIMARY, SECONDARY, FOREIGN, STRANGER],
  );
  // Tokens are verified elsewhere: here one is the wallet itself, after its scope.
  const verifier = {
    cached: (token: string) => ({
      wallet: token.split(":")[1] as Address,
      scope: token.split(":")[0] as "full" | "read",
      expiresAt: 4e9,
      limitedToChainId: null,
    }),
    holds: () => false,
    verify: () => Promise.reject(new Error("every token is known")),
  };
  const grants = createGrants(db);
  const guard = createGuard({
    verifier,
    grants,
    vaults: createVaultAccess(db),
    maintainers: [],
  });
  app = await buildTestApp({ features: [membersFeature({ db, grants })], guard });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});
beforeEach(async () => {
  await database.db.pool.query("delete from members");
  await database.db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by, granted_at) values ($1, $2, $3, $4, '2026-05-01T00:00:00.5Z')",
    [CHAIN, VAULT, VIEWER, SECONDARY],
  );
  await confirm(database.db, CHAIN, 5);
});

async function ask(
  method: "GET" | "PUT" | "DELETE",
  url: string,
  by: Address | null,
  options: { body?: unknown; scope?: string; etag?: string } = {},
) {
  const response = await app.inject({
    method,
    url,
    headers: {
      ...(by === null ? {} : { authorization: `Bearer ${options.scope ?? "full"}:${by}` }),
      ...(options.etag === undefined ? {} : { "if-none-match": options.etag }),
    },
    ...(options.body === undefined ? {} : { payload: options.body as object }),
  });
  return {
    status: response.statusCode,
    body: response.body === "" ? null : response.json(),
    headers: response.headers,
  };
}

const grant = (wallet: string, by: Address | null, body: unknown = { role: "view_only" }, scope = "full") =>
  ask("PUT", `${MEMBERS}/${wallet}`, by, { body, scope });
const revoke = (wallet: string, by: Address | null, scope = "full") =>
  ask("DELETE", `${MEMBERS}/${wallet}`, by, { scope });

/** The audit entries of members, oldest first. */
async function entries(): Promise<{ action_type: string; actor_wallet: string; details: unknown }[]> {
  const { rows } = await database.db.pool.query<{ body: string }>(
    "select body from audit_entries order by seq",
  );
  return rows.map(({ body }) => {
    const { action_type, vault_address, chain_id, actor_wallet, details } = JSON.parse(body);
    expect([vault_address, chain_id]).toEqual([VAULT, CHAIN]);
    return { action_type, actor_wallet, details };
  });
}

describe("GET members", () => {
  test("200: managers as the chain has them, then viewers", async () => {
    const { status, body, headers } = await ask("GET", MEMBERS, VIEWER);
    expect(status).toBe(200);
    expect(body).toEqual([
      { wallet: PRIMARY, role: "primary_manager", granted_by: null, granted_at: null },
      {
        wallet: SECONDARY,
        role: "secondary_manager",
        granted_by: null,
        granted_at: "2026-05-05T16:53:44.000000Z",
      },
      { wallet: VIEWER, role: "view_only", granted_by: SECONDARY, granted_at: "2026-05-01T00:00:00.500000Z" },
    ]);
    expect(headers["cache-control"]).toBe("private, no-cache");
  });

  test("304: until the members change", async () => {
    const etag = (await ask("GET", MEMBERS, VIEWER)).headers.etag as string;
    expect((await ask("GET", MEMBERS, VIEWER, { etag })).status).toBe(304);
    await grant(NEWCOMER, PRIMARY);
    expect((await ask("GET", MEMBERS, VIEWER, { etag })).status).toBe(200);
  });

  test("400: an address of the wrong form", async () => {
    expect((await ask("GET", `/api/v1/vaults/${CHAIN}/0x12/members`, VIEWER)).body.code).toBe(
      "invalid_address",
    );
  });

  test("401: without a token", async () => {
    expect((await ask("GET", MEMBERS, null)).status).toBe(401);
  });

  test("403: without a role on that vault, whatever roles there are on others", async () => {
    for (const wallet of [STRANGER, NEWCOMER])
      expect((await ask("GET", MEMBERS, wallet)).body.code).toBe("insufficient_role");
  });

  test("404: an unknown chain or vault", async () => {
    expect((await ask("GET", `/api/v1/vaults/1/${VAULT}/members`, PRIMARY)).body.code).toBe(
      "chain_not_found",
    );
    expect((await ask("GET", `/api/v1/vaults/${CHAIN}/${NEWCOMER}/members`, PRIMARY)).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("PUT members/{wallet}", () => {
  test("201: the wallet sees the vault with its next request, and the audit log says who let it in; 200: again, without an entry", async () => {
    expect((await ask("GET", MEMBERS, NEWCOMER)).status).toBe(403);
    const before = (await entries()).length;
    const first = await grant(NEWCOMER.toLowerCase(), SECONDARY);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ wallet: NEWCOMER, role: "view_only", granted_by: SECONDARY });
    expect((await ask("GET", MEMBERS, NEWCOMER)).status).toBe(200);
    expect((await entries()).slice(before)).toEqual([
      { action_type: "view_only_add", actor_wallet: SECONDARY, details: { wallet: NEWCOMER } },
    ]);

    const again = await grant(NEWCOMER, PRIMARY);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await entries()).length).toBe(before + 1);
  });

  test("201 for one and 200 for the others of many at once, with one entry", async () => {
    const before = (await entries()).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => grant(NEWCOMER, PRIMARY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect((await entries()).length).toBe(before + 1);
  });

  test("400: another role, an unknown member of the body, the zero address", async () => {
    for (const role of ["primary_manager", "secondary_manager", "admin", null, undefined])
      expect((await grant(NEWCOMER, PRIMARY, { role })).status).toBe(400);
    expect((await grant(NEWCOMER, PRIMARY, { role: "view_only", until: 1 })).status).toBe(400);
    expect((await grant(testAddress(0), PRIMARY)).body.code).toBe("invalid_address");
  });

  test("201 operator: by a primary manager alone; 200: in place of view_only and back, with an entry for each", async () => {
    const before = (await entries()).length;
    expect((await grant(NEWCOMER, SECONDARY, { role: "operator" })).body.code).toBe("insufficient_role");
    const first = await grant(NEWCOMER, PRIMARY, { role: "operator" });
    expect([first.status, first.body]).toMatchObject([201, { role: "operator", granted_by: PRIMARY }]);
    expect((await grant(NEWCOMER, PRIMARY, { role: "operator" })).status).toBe(200);
    expect((await ask("GET", MEMBERS, NEWCOMER)).body).toMatchObject([
      { wallet: PRIMARY },
      { wallet: SECONDARY },
      { wallet: NEWCOMER, role: "operator" },
      { wallet: VIEWER, role: "view_only" },
    ]);

    for (const refused of [await grant(NEWCOMER, SECONDARY), await revoke(NEWCOMER, SECONDARY)])
      expect([refused.status, refused.body.code]).toEqual([403, "insufficient_role"]);
    const down = await grant(NEWCOMER, PRIMARY);
    expect([down.status, down.body.role]).toEqual([200, "view_only"]);
    const up = await grant(NEWCOMER, PRIMARY, { role: "operator" });
    expect([up.status, up.body.role]).toEqual([200, "operator"]);
    expect((await revoke(NEWCOMER, PRIMARY)).status).toBe(204);
    const actions = (await entries()).slice(before);
    expect(actions.map(({ action_type }) => action_type)).toEqual([
      "operator_add",
      "operator_remove",
      "view_only_add",
      "view_only_remove",
      "operator_add",
      "operator_remove",
    ]);
    for (const entry of actions)
      expect(entry).toMatchObject({ actor_wallet: PRIMARY, details: { wallet: NEWCOMER } });
  });

  test("403: an operator lets nobody in and takes nobody out", async () => {
    await grant(NEWCOMER, PRIMARY, { role: "operator" });
    for (const role of ["operator", "view_only"])
      expect((await grant(STRANGER, NEWCOMER, { role })).body.code).toBe("insufficient_role");
    expect((await revoke(VIEWER, NEWCOMER)).body.code).toBe("insufficient_role");
  });

  test("401: without a token", async () => {
    expect((await grant(NEWCOMER, null)).status).toBe(401);
  });

  test("403 insufficient_role: a viewer, a manager of another vault, a manager whose block is not confirmed", async () => {
    for (const wallet of [VIEWER, STRANGER])
      expect((await grant(NEWCOMER, wallet)).body.code).toBe("insufficient_role");
    await confirm(database.db, CHAIN, 1);
    expect((await grant(NEWCOMER, SECONDARY)).body.code).toBe("insufficient_role");
  });

  test("403 insufficient_scope: a manager's reading token", async () => {
    expect((await grant(NEWCOMER, PRIMARY, { role: "view_only" }, "read")).body.code).toBe(
      "insufficient_scope",
    );
  });

  test("404: an unknown vault", async () => {
    expect(
      (
        await ask("PUT", `/api/v1/vaults/${CHAIN}/${NEWCOMER}/members/${VIEWER}`, PRIMARY, {
          body: { role: "view_only" },
        })
      ).body.code,
    ).toBe("vault_not_found");
  });

  test("409: a wallet with an onchain role", async () => {
    for (const wallet of [PRIMARY, SECONDARY])
      expect((await grant(wallet, PRIMARY)).body.code).toBe("conflict");
  });

  test("415: a body that is no JSON", async () => {
    const response = await app.inject({
      method: "PUT",
      url: `${MEMBERS}/${NEWCOMER}`,
      headers: { authorization: `Bearer full:${PRIMARY}`, "content-type": "text/plain" },
      payload: "view_only",
    });
    expect(response.statusCode).toBe(415);
  });
});

describe("DELETE members/{wallet}", () => {
  test("204: the wallet sees the vault no more, and the audit log says who took it out", async () => {
    const before = (await entries()).length;
    const { status, body } = await revoke(VIEWER, PRIMARY);
    expect([status, body]).toEqual([204, null]);
    expect((await ask("GET", MEMBERS, VIEWER)).status).toBe(403);
    expect((await entries()).slice(before)).toEqual([
      { action_type: "view_only_remove", actor_wallet: PRIMARY, details: { wallet: VIEWER } },
    ]);
  });

  test("204: a grant that a manager still has besides the onchain role, which stays", async () => {
    await database.db.pool.query(
      "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
      [CHAIN, VAULT, SECONDARY, PRIMARY],
    );
    expect((await revoke(SECONDARY, PRIMARY)).status).toBe(204);
    expect((await ask("GET", MEMBERS, SECONDARY)).status).toBe(200);
  });

  test("401: without a token", async () => {
    expect((await revoke(VIEWER, null)).status).toBe(401);
  });

  test("403: a viewer, another vault's manager, a reading token", async () => {
    for (const wallet of [VIEWER, STRANGER])
      expect((await revoke(VIEWER, wallet)).body.code).toBe("insufficient_role");
    expect((await revoke(VIEWER, PRIMARY, "read")).body.code).toBe("insufficient_scope");
  });

  test("404: a wallet that is no member", async () => {
    expect((await revoke(NEWCOMER, PRIMARY)).body.code).toBe("not_found");
  });

  test("409: a wallet whose only role is onchain", async () => {
    expect((await revoke(SECONDARY, PRIMARY)).body.code).toBe("conflict");
  });
});

test("a change and its audit entry are there together or not at all", async () => {
  const { owner } = database;
  const before = (await entries()).length;
  await owner.pool.query(
    "create function refuse_entry() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
  );
  await owner.pool.query(
    "create trigger refuse_entry before insert on audit_entries for each statement execute function refuse_entry()",
  );
  expect((await grant(NEWCOMER, PRIMARY)).status).toBe(500);
  expect((await revoke(VIEWER, PRIMARY)).status).toBe(500);
  await owner.pool.query("drop trigger refuse_entry on audit_entries");
  expect((await ask("GET", MEMBERS, PRIMARY)).body.map(({ wallet }: { wallet: Address }) => wallet)).toEqual([
    PRIMARY,
    SECONDARY,
    VIEWER,
  ]);
  expect((await entries()).length).toBe(before);
});
