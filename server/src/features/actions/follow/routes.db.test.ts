// What is told of a prepared action, one block for each status code, and what state follows from it.
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Address, Hash } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../../test/app.ts";
import { as, plainTokenGuard } from "../../../../test/caller.ts";
import {
  addBlocks,
  addChain,
  addVault,
  confirm,
  testAddress,
  testHash,
  undoBlocks,
} from "../../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/database.ts";
import type { Sent } from "../../../chain/client/sent.ts";
import { silentLogger } from "../../../platform/log.ts";
import { prunePrepared } from "../prepare/prune.ts";
import { countWaiting } from "../prepare/store.ts";
import { progressOf } from "./progress.ts";
import { addSubmissionRoute } from "./routes.ts";
import { type LookingClient, lookAfter } from "./submissions.ts";

const CHAIN = 8453;
const DAY_MS = 86_400_000;
const [VAULT, OTHER, MANAGER, VIEWER, STRANGER] = [0x100, 0x200, 1, 2, 3].map(testAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const hash = (digit: string): Hash => `0x${digit.repeat(64)}`;

let database: TestDatabase;
let app: FastifyInstance;
let nowMs = Date.UTC(2026, 0, 1);
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  for (const vault of [VAULT, OTHER]) await addVault(db, CHAIN, vault);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
       ($1, $2, $3, 'primary_manager', 1), ($1, $2, $4, 'secondary_manager', 1)`,
    [CHAIN, VAULT, MANAGER, VIEWER],
  );
  app = await buildTestApp({
    features: [
      {
        name: "actions",
        routes: (server) =>
          addSubmissionRoute(server, {
            db,
            clock: { now: () => nowMs },
            view: (_caller, _place, id) => view(id),
          }),
      },
    ],
    guard: plainTokenGuard(db),
  });
});
afterAll(async () => {
  await app?.close();
  await database?.drop();
});

let id: string;
beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  id = await prepared();
});

async function prepared(more: { kind?: string; account?: Address; vault?: Address } = {}): Promise<string> {
  const { kind = "eoa", account = MANAGER, vault = VAULT } = more;
  const own = randomUUID();
  await database.db.pool.query(
    `insert into prepared_actions (id, chain_id, vault_address, family, action, parameters, wallet, account, from_address, from_kind,
       preconditions, block_number, block_hash, created_at, expires_at)
     values ($1, $2, $3, 'supervault', 'pause', '{}', $4, $4, $4, $5, '[]', 5, $6, $7, $7::timestamptz + interval '7 days')`,
    [own, CHAIN, vault, account, kind, testHash(CHAIN, 5), new Date(nowMs).toISOString()],
  );
  return own;
}

async function view(own: string) {
  const progress = await progressOf(database.db.kysely, [own], nowMs);
  return {
    ...{
      id: own,
      chain_id: CHAIN,
      vault_address: VAULT,
      action: "pause",
      title: "Pause",
      parameters: {},
      from: MANAGER,
    },
    ...{ calls: [], preconditions: [], simulation: null, simulation_unavailable_reason: "none" },
    ...{ formats: { eip5792: {}, safe_transaction_builder: {} }, created_at: TIME, expires_at: TIME },
    ...progress.get(own)!,
  };
}
const TIME = "2026-01-01T00:00:00.000000Z";

async function tell(body: object, options: { id?: string; by?: Address | null; vault?: Address } = {}) {
  const response = await app.inject({
    method: "POST",
    url: `/api/v1/vaults/${CHAIN}/${options.vault ?? VAULT}/prepared-actions/${options.id ?? id}/submissions`,
    headers: as(options.by === undefined ? MANAGER : options.by),
    payload: body,
  });
  return { status: response.statusCode, body: response.json() };
}
const execute = (own: string, block: number, transaction: Hash) =>
  database.db.pool.query(
    `insert into prepared_action_executions (action_id, chain_id, block_number, transaction_hash, log_indexes, executed_at)
     values ($1, $2, $3, $4, '{0}', now())`,
    [own, CHAIN, block, transaction],
  );
const status = async () => (await progressOf(database.db.kysely, [id], nowMs)).get(id)!.status;

describe("POST …/submissions", () => {
  test("200: the action is submitted; told again, in whatever case, it is the same", async () => {
    const first = await tell({ transaction_hash: hash("a") });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      id,
      status: "submitted",
      submissions: [{ transaction_hash: hash("a"), safe_tx_hash: null, status: "pending" }],
    });
    expect((await tell({ transaction_hash: `0x${"A".repeat(64)}` })).body.submissions).toHaveLength(1);
    expect((await tell({ transaction_hash: hash("b") })).body.submissions).toHaveLength(2);
  });
  test("400: neither hash, both, another form", async () => {
    for (const body of [
      {},
      { transaction_hash: hash("a"), safe_tx_hash: hash("b") },
      { transaction_hash: "0x12" },
      { hash: hash("a") },
    ])
      expect(await tell(body)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });
  test("401: nobody", async () => {
    expect((await tell({ transaction_hash: hash("a") }, { by: null })).status).toBe(401);
  });
  test("403: no role on the vault", async () => {
    expect((await tell({ transaction_hash: hash("a") }, { by: STRANGER })).status).toBe(403);
  });
  test("404: no such action, another's, another vault's", async () => {
    const elsewhere = await prepared({ vault: OTHER });
    for (const options of [{ id: randomUUID() }, { by: VIEWER }, { id: elsewhere }])
      expect(await tell({ transaction_hash: hash("a") }, options)).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
  });
  test("409: executed by another transaction; a Safe's hash of an action of none; too many", async () => {
    expect(await tell({ safe_tx_hash: hash("a") })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    for (let index = 0; index < 20; index += 1)
      expect((await tell({ transaction_hash: `0x${index.toString(16).padStart(64, "0")}` })).status).toBe(
        200,
      );
    expect((await tell({ transaction_hash: hash("c") })).status).toBe(409);
    const own = await prepared();
    await execute(own, 6, hash("d"));
    expect((await tell({ transaction_hash: hash("c") }, { id: own })).status).toBe(409);
    expect((await tell({ transaction_hash: hash("d") }, { id: own })).body).toMatchObject({
      status: "executed",
      submissions: [{ status: "executed" }],
    });
  });
  test("a like action that was given the transaction by its age alone gives it back to be looked into", async () => {
    const older = await prepared();
    await execute(older, 6, hash("e"));
    expect((await tell({ transaction_hash: hash("e") })).body.status).toBe("submitted");
    const { rows } = await database.db.pool.query("select block_number from prepared_action_candidates");
    expect(rows).toEqual([{ block_number: 6 }]);
    const { rows: left } = await database.db.pool.query(
      "select from prepared_action_executions where action_id = $1",
      [older],
    );
    expect(left).toEqual([]);
  });
});

test("one that no node has known for a day is given up, and may be submitted again", async () => {
  const answers = (told: Sent | null | undefined): LookingClient => ({
    chainId: CHAIN,
    receipts: async (hashes) => new Map(hashes.map((each) => [each, null])),
    sent: async (hashes) => new Map(told === undefined ? [] : hashes.map((each) => [each, told])),
    nonceAt: async () => 0,
    call: () => Promise.reject(new Error("nothing is called")),
  });
  const look = (client: LookingClient) =>
    lookAfter({ db: database.db, clock: { now: () => nowMs }, log: silentLogger() }, client, 9);
  await tell({ transaction_hash: hash("f") });
  nowMs += DAY_MS - 1;
  await look(answers(null));
  expect(await status()).toBe("submitted");
  // A node that gives no answer has not said that it does not know it.
  nowMs += DAY_MS;
  await look(answers(undefined));
  expect(await status()).toBe("submitted");
  nowMs += DAY_MS;
  await look(answers(null));
  expect(await status()).toBe("prepared");
  const again = await tell({ transaction_hash: hash("f") });
  expect(again.body).toMatchObject({ status: "submitted", submissions: [{ status: "pending" }] });
  // Known once, it waits for its nonce.
  await look(answers({ from: MANAGER, nonce: 0 }));
  nowMs += DAY_MS;
  await look(answers(null));
  expect(await status()).toBe("submitted");
});

test("429: at most 60 submissions a minute, over all of a wallet's actions", async () => {
  await database.db.pool.query("delete from stored_quotas");
  const statuses: number[] = [];
  for (let nth = 0; nth < 61; nth += 1) {
    if (nth % 20 === 0) id = await prepared();
    statuses.push((await tell({ transaction_hash: `0x${nth.toString(16).padStart(64, "0")}` })).status);
  }
  expect(statuses.filter((each) => each === 200)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
  await database.db.pool.query("delete from stored_quotas");
});

test("those of an account wait that were neither executed nor have expired", async () => {
  const waiting = (days: number) =>
    database.db.transaction((tx) =>
      countWaiting(tx, STRANGER, new Date(nowMs + days * DAY_MS).toISOString(), 2),
    );
  const [done] = await Promise.all([1, 2, 3].map(() => prepared({ account: STRANGER })));
  await execute(done!, 6, hash("7"));
  expect(await waiting(0)).toBe(2);
  expect(await waiting(7)).toBe(0);
});

test("what expired more than 30 days ago is forgotten, but for what was executed or submitted since", async () => {
  const [executed, submitted, mine] = [await prepared(), await prepared(), id];
  await execute(executed, 6, hash("9"));
  const forget = async (days: number) => {
    await prunePrepared(database.db, nowMs + (7 + days) * DAY_MS + 1);
    const { rows } = await database.db.pool.query("select id from prepared_actions where id = any($1)", [
      [executed, submitted, mine],
    ]);
    return rows.map((row) => row.id).sort();
  };
  expect(await forget(29)).toEqual([executed, submitted, mine].sort());
  const preparedAtMs = nowMs;
  nowMs += 20 * DAY_MS;
  id = submitted;
  expect((await tell({ transaction_hash: hash("8") })).status).toBe(200);
  nowMs = preparedAtMs;
  expect(await forget(30)).toEqual([executed, submitted].sort());
  expect(await forget(60)).toEqual([executed]);
});

test("the state goes forward with the confirmed block and back with a block that is undone", async () => {
  expect(await status()).toBe("prepared");
  nowMs += 7 * DAY_MS;
  expect(await status()).toBe("expired");
  await execute(id, 9, hash("f"));
  expect(await status()).toBe("executed");
  await confirm(database.db, CHAIN, 9);
  expect(await status()).toBe("confirmed");
  await confirm(database.db, CHAIN, 5);
  await undoBlocks(database.db, CHAIN, 8);
  expect(await status()).toBe("expired");
  nowMs -= DAY_MS;
  expect(await status()).toBe("prepared");
});
