// The reads of intents and redemptions, one block for each status code of each route.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { as, plainTokenGuard } from "../../../test/caller.ts";
import { addBlocks, addChain, addVault, testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createVaultAccess } from "../../auth/vaults.ts";
import { systemClock } from "../../platform/clock.ts";
import { silentLogger } from "../../platform/log.ts";
import { intentFillHandler } from "./fill-reports.ts";
import { intentEventHandler } from "./intent-reports.ts";
import { intentsFeature } from "./intents-feature.ts";
import { redemptionHandler } from "./redemption-reports.ts";
import { applyReports, at, execution, fill, type Place, report, txHash } from "./test-reports.ts";

const CHAIN = 8453;
const [ONE, TWO, FOREIGN] = [0x100, 0x200, 0x300].map(testAddress) as [Address, Address, Address];
const [MANAGER, VIEWER, STRANGER, NOBODY, MAINTAINER] = [1, 2, 3, 4, 5].map(testAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const placeOf = (vaultAddress: Address): Place => ({ chainId: CHAIN, vaultAddress });

let database: TestDatabase;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  for (const vault of [ONE, TWO, FOREIGN]) await addVault(db, CHAIN, vault);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $3, 'primary_manager', 1), ($1, $4, $3, 'secondary_manager', 1), ($1, $5, $6, 'primary_manager', 1)`,
    [CHAIN, ONE, MANAGER, TWO, FOREIGN, STRANGER],
  );
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, ONE, VIEWER, MANAGER],
  );
  await seed();
  app = await buildTestApp({
    features: [
      intentsFeature({
        db,
        clock: systemClock,
        log: silentLogger(),
        clients: new Map(),
        findVisible: createVaultAccess(db).visible,
      }),
    ],
    guard: plainTokenGuard(db, [MAINTAINER]),
  });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

/**
 * Intents i0 … i5 of the first vault, i6 … i8 of the second, f0 of a foreign one, a second apart; two executions of the first vault and one
 * of the foreign one.
 */
async function seed(): Promise<void> {
  const { db } = database;
  const intent = (vault: Address, id: string, seconds: number, index: number) => [
    report("vaultops.intent.event", placeOf(vault), `${id}-1`, seconds, {
      intent_id: id,
      seq: 1,
      state: "RECEIVED",
      ...(index % 2 === 0 ? { strategy_id: "stables" } : {}),
      action: index % 3 === 0 ? "rebalance" : "harvest",
    }),
    ...(index % 2 === 1
      ? [
          report("vaultops.intent.event", placeOf(vault), `${id}-2`, seconds + 60, {
            intent_id: id,
            seq: 2,
            state: "FAILED",
            error_code: "SLIPPAGE",
            tx_hash: txHash(0xaa),
          }),
        ]
      : []),
  ];
  await applyReports(
    db,
    intentEventHandler,
    [0, 1, 2, 3, 4, 5].flatMap((index) => intent(ONE, `i${index}`, index, index)),
  );
  await applyReports(
    db,
    intentEventHandler,
    [6, 7, 8].flatMap((index) => intent(TWO, `i${index}`, index, index)),
  );
  await applyReports(db, intentEventHandler, intent(FOREIGN, "f0", 100, 1));
  for (const [vault, name, hash] of [
    [ONE, "i0", txHash(0xbb)],
    [FOREIGN, "f0", txHash(0xbb)],
  ] as const) {
    await applyReports(db, intentFillHandler, [
      report(
        "vaultops.intent.fill",
        placeOf(vault),
        `fill-${name}-1`,
        5,
        fill(name, "fill-1", { tx_hash: hash }),
      ),
      report(
        "vaultops.intent.fill",
        placeOf(vault),
        `fill-${name}-2`,
        6,
        fill(name, "fill-2", { fill_time: at(9), gas_used: "21000", venue: "curve" }),
      ),
    ]);
  }
  for (const [vault, id, status, seconds] of [
    [ONE, "e1", "success", 1],
    [ONE, "e2", "failed", 2],
    [FOREIGN, "e3", "success", 3],
  ] as const) {
    await applyReports(db, redemptionHandler, [
      report(
        "vaultops.redemption.execution",
        placeOf(vault),
        id,
        seconds,
        execution(id, { status, created_at: at(seconds) }),
      ),
    ]);
  }
}

async function ask(url: string, by: Address | null = MANAGER, headers: Record<string, string> = {}) {
  const response = await app.inject({ url, headers: { ...as(by), ...headers } });
  return {
    status: response.statusCode,
    body: response.body === "" ? null : response.json(),
    headers: response.headers,
  };
}

const idsOf = (body: { intents: { intent_id: string }[] }) => body.intents.map((each) => each.intent_id);
const INTENTS = "/api/v1/intents";
const EXECUTIONS = "/api/v1/fulfill-redeems/executions";

describe("GET intents", () => {
  test("200: the caller's own, newest first, whole", async () => {
    const { status, body, headers } = await ask(INTENTS);
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual(["i8", "i7", "i6", "i5", "i4", "i3", "i2", "i1", "i0"]);
    expect(body).toMatchObject({ total: 9, has_more: false, next_cursor: null });
    expect(body.intents[7]).toEqual({
      intent_id: "i1",
      execution_id: null,
      correlation_id: null,
      strategy_id: null,
      vault_id: `${CHAIN}:${ONE}`,
      chain_id: CHAIN,
      vault_address: ONE,
      action: "harvest",
      state: "FAILED",
      error_code: "SLIPPAGE",
      error_message: null,
      total_amount_in: null,
      total_amount_out: null,
      gas_used_total: null,
      fills_count: 0,
      last_event_seq: 2,
      created_at: at(1),
      acked_at: null,
      executing_at: null,
      completed_at: null,
      terminal_at: at(61),
    });
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(idsOf((await ask(INTENTS, VIEWER)).body)).toEqual(["i5", "i4", "i3", "i2", "i1", "i0"]);
    expect((await ask(INTENTS, NOBODY)).body).toEqual({
      intents: [],
      total: 0,
      has_more: false,
      next_cursor: null,
    });
    expect((await ask(INTENTS, MAINTAINER)).body.total).toBe(10);
  });

  test("200: every filter leaves what it says, and total and facets agree with the list", async () => {
    for (const [query, expected] of [
      [`vault_id=${CHAIN}:${TWO.toLowerCase()}`, ["i8", "i7", "i6"]],
      [`vault_id=${CHAIN}%3A${TWO}`, ["i8", "i7", "i6"]],
      [`vault_address=${TWO}`, ["i8", "i7", "i6"]],
      [`chain_id=${CHAIN}&vault_address=${ONE}&state=FAILED`, ["i5", "i3", "i1"]],
      ["strategy_id=stables", ["i8", "i6", "i4", "i2", "i0"]],
      ["action=rebalance", ["i6", "i3", "i0"]],
      ["action=rebalance&state=FAILED", ["i3"]],
      ["error_code=SLIPPAGE&action=harvest", ["i7", "i5", "i1"]],
      [`tx_hash=${txHash(0xaa)}`, ["i7", "i5", "i3", "i1"]],
      [`tx_hash=${txHash(0xbb).toUpperCase().replace("0X", "0x")}`, ["i0"]],
      [`created_from=${at(3)}&created_to=${at(6)}`, ["i5", "i4", "i3"]],
      [`created_from=${at(3)}&created_to=${at(3)}`, []],
      ["strategy_id=unknown", []],
    ] as const) {
      const { body } = await ask(`${INTENTS}?${query}`);
      expect([query, idsOf(body)]).toEqual([query, expected]);
      expect(body.total).toBe(expected.length);
      const facets = (await ask(`${INTENTS}/facets?${query}`)).body;
      expect(facets.total).toBe(expected.length);
      for (const name of ["state", "action", "chain", "vault", "strategy"]) {
        const sum = facets[name].reduce((all: number, each: { count: number }) => all + each.count, 0);
        expect([query, name, sum]).toEqual([query, name, expected.length]);
      }
      const whole = (await ask(`${INTENTS}?${query}`, MAINTAINER)).body;
      expect(idsOf(whole).filter((id) => id !== "f0")).toEqual(expected);
    }
  });

  test("200: pages by offset and by cursor are the same list, and a cursor goes on through what comes meanwhile", async () => {
    const all = idsOf((await ask(INTENTS)).body);
    const byOffset: string[] = [];
    for (let offset = 0; ; offset += 4) {
      const { body } = await ask(`${INTENTS}?limit=4&offset=${offset}`);
      byOffset.push(...idsOf(body));
      expect(body.total).toBe(9);
      if (!body.has_more) break;
    }
    expect(byOffset).toEqual(all);
    for (const who of [MANAGER, MAINTAINER]) {
      const byCursor: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await ask(`${INTENTS}?limit=2${cursor}`, who);
        byCursor.push(...idsOf(body));
        expect(body.has_more).toBe(body.next_cursor !== null);
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(byCursor.filter((id) => id !== "f0")).toEqual(all);
    }
    expect((await ask(`${INTENTS}?offset=100`)).body).toMatchObject({
      intents: [],
      total: 9,
      has_more: false,
    });
  });

  test("304: until an intent changes", async () => {
    const url = `${INTENTS}?vault_address=${FOREIGN}`;
    const etag = (await ask(url, STRANGER)).headers.etag as string;
    expect((await ask(url, STRANGER, { "if-none-match": etag })).status).toBe(304);
    await applyReports(database.db, intentEventHandler, [
      report("vaultops.intent.event", placeOf(FOREIGN), "f0-0", 99, {
        intent_id: "f0",
        seq: 0,
        state: "RECEIVED",
      }),
    ]);
    expect((await ask(url, STRANGER, { "if-none-match": etag })).status).toBe(200);
  });

  test("400: what is not understood is named", async () => {
    for (const [query, code] of [
      ["limit=0", "invalid_request"],
      ["limit=1001", "invalid_request"],
      ["offset=-1", "invalid_request"],
      ["status=FAILED", "invalid_request"],
      ["state=failed", "invalid_request"],
      ["state=FAILED&state=ACKED", "invalid_request"],
      ["action=", "invalid_request"],
      ["tx_hash=0x12", "invalid_request"],
      ["cursor=nonsense", "invalid_request"],
      [`cursor=${Buffer.from(`${at(1)} i1`).toString("base64url")}&offset=2`, "invalid_request"],
      ["created_from=yesterday", "invalid_timestamp"],
      [`created_from=${at(9)}&created_to=${at(8)}`, "invalid_timestamp"],
      ["vault_address=0x12", "invalid_address"],
      ["vault_id=12", "invalid_vault_id"],
      [`vault_id=${CHAIN}:${ONE}&vault_address=${TWO}`, "invalid_request"],
    ] as const) {
      const { status, body } = await ask(`${INTENTS}?${query}`);
      expect([query, status, body.code]).toEqual([query, 400, code]);
    }
  });

  test("401: without a token", async () => {
    expect((await ask(INTENTS, null)).status).toBe(401);
  });

  test("403: another's vault, named in whatever way", async () => {
    for (const query of [
      `vault_id=${CHAIN}:${FOREIGN}`,
      `vault_address=${FOREIGN}`,
      `chain_id=${CHAIN}&vault_address=${FOREIGN}`,
    ])
      expect((await ask(`${INTENTS}?${query}`)).body.code).toBe("insufficient_role");
  });

  test("404: an unknown chain or vault", async () => {
    expect((await ask(`${INTENTS}?chain_id=1`)).body.code).toBe("chain_not_found");
    expect((await ask(`${INTENTS}?vault_id=${CHAIN}:${NOBODY}`)).body.code).toBe("vault_not_found");
  });
});

describe("GET intents/facets", () => {
  test("200: counts of each kind, the most frequent first, of the caller's own alone", async () => {
    const { status, body } = await ask(`${INTENTS}/facets`);
    expect(status).toBe(200);
    expect(body).toEqual({
      total: 9,
      state: [
        { value: "RECEIVED", count: 5 },
        { value: "FAILED", count: 4 },
      ],
      action: [
        { value: "harvest", count: 6 },
        { value: "rebalance", count: 3 },
      ],
      chain: [{ value: CHAIN, count: 9 }],
      vault: [
        { value: `${CHAIN}:${ONE}`, count: 6 },
        { value: `${CHAIN}:${TWO}`, count: 3 },
      ],
      strategy: [
        { value: "stables", count: 5 },
        { value: null, count: 4 },
      ],
    });
    expect((await ask(`${INTENTS}/facets`, NOBODY)).body).toEqual({
      total: 0,
      state: [],
      action: [],
      chain: [],
      vault: [],
      strategy: [],
    });
  });

  test("304: while nothing has changed", async () => {
    const etag = (await ask(`${INTENTS}/facets`)).headers.etag as string;
    expect((await ask(`${INTENTS}/facets`, MANAGER, { "if-none-match": etag })).status).toBe(304);
  });

  test("400: paging, which facets have none of", async () => {
    expect((await ask(`${INTENTS}/facets?limit=5`)).body.code).toBe("invalid_request");
  });

  test("401: without a token", async () => {
    expect((await ask(`${INTENTS}/facets`, null)).status).toBe(401);
  });

  test("403: another's vault", async () => {
    expect((await ask(`${INTENTS}/facets?vault_address=${FOREIGN}`)).body.code).toBe("insufficient_role");
  });

  test("404: an unknown chain", async () => {
    expect((await ask(`${INTENTS}/facets?chain_id=1`)).body.code).toBe("chain_not_found");
  });
});

describe("GET intents/{intent_id}", () => {
  test("200: as in the list", async () => {
    const { status, body } = await ask(`${INTENTS}/i3`);
    expect(status).toBe(200);
    expect(body).toEqual((await ask(`${INTENTS}?action=rebalance&state=FAILED`)).body.intents[0]);
    expect((await ask(`${INTENTS}/f0`, MAINTAINER)).status).toBe(200);
  });

  test("304: while it has not changed", async () => {
    const etag = (await ask(`${INTENTS}/i3`)).headers.etag as string;
    expect((await ask(`${INTENTS}/i3`, MANAGER, { "if-none-match": etag })).status).toBe(304);
  });

  test("400: an id that is too long", async () => {
    expect((await ask(`${INTENTS}/${"x".repeat(201)}`)).status).toBe(400);
  });

  test("401: without a token", async () => {
    expect((await ask(`${INTENTS}/i3`, null)).status).toBe(401);
  });

  test("404: one that does not exist and one of another's vault, not told apart", async () => {
    const [unknown, foreign] = [await ask(`${INTENTS}/nothing`), await ask(`${INTENTS}/f0`)];
    expect([unknown.status, foreign.status]).toEqual([404, 404]);
    expect({ ...unknown.body, request_id: "" }).toEqual({ ...foreign.body, request_id: "" });
    expect((await ask(`${INTENTS}/i6`, VIEWER)).status).toBe(404);
  });
});

describe("GET intents/{intent_id}/events", () => {
  test("200: in the order of seq, in pages", async () => {
    const { status, body } = await ask(`${INTENTS}/i1/events`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      events: [
        { intent_id: "i1", seq: 1, state: "RECEIVED", time: at(1), action: "harvest", tx_hash: null },
        {
          intent_id: "i1",
          seq: 2,
          state: "FAILED",
          time: at(61),
          error_code: "SLIPPAGE",
          tx_hash: txHash(0xaa),
        },
      ],
      total: 2,
      has_more: false,
    });
    expect((await ask(`${INTENTS}/i1/events?limit=1`)).body).toMatchObject({
      events: [{ seq: 1 }],
      has_more: true,
    });
    expect((await ask(`${INTENTS}/i1/events?offset=2`)).body).toEqual({
      events: [],
      total: 2,
      has_more: false,
    });
  });

  test("304: while nothing came", async () => {
    const etag = (await ask(`${INTENTS}/i1/events`)).headers.etag as string;
    expect((await ask(`${INTENTS}/i1/events`, MANAGER, { "if-none-match": etag })).status).toBe(304);
  });

  test("400: a parameter that is not known", async () => {
    expect((await ask(`${INTENTS}/i1/events?order=desc`)).body.code).toBe("invalid_request");
  });

  test("401: without a token", async () => {
    expect((await ask(`${INTENTS}/i1/events`, null)).status).toBe(401);
  });

  test("404: an intent of another's vault", async () => {
    expect((await ask(`${INTENTS}/f0/events`)).body.code).toBe("not_found");
  });
});

describe("GET intents/{intent_id}/fills", () => {
  test("200: by time, with what the chain knows", async () => {
    const { status, body } = await ask(`${INTENTS}/i0/fills`);
    expect(status).toBe(200);
    expect(body).toEqual({
      fills: [
        {
          fill_id: "fill-1",
          intent_id: "i0",
          chain_id: 31337,
          tx_hash: txHash(0xbb),
          token_in: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          token_out: "0x4200000000000000000000000000000000000006",
          amount_in: "1000000",
          amount_out: "280000000000000",
          gas_used: null,
          venue: null,
          fill_time: at(0),
          onchain: "pending",
          block_number: null,
          is_reverted: null,
        },
        expect.objectContaining({ fill_id: "fill-2", fill_time: at(9), gas_used: "21000", venue: "curve" }),
      ],
      total: 2,
      has_more: false,
    });
    expect((await ask(`${INTENTS}/i2/fills`)).body).toEqual({ fills: [], total: 0, has_more: false });
    expect((await ask(`${INTENTS}/i0`)).body.fills_count).toBe(2);
  });

  test("304: while nothing came", async () => {
    const etag = (await ask(`${INTENTS}/i0/fills`)).headers.etag as string;
    expect((await ask(`${INTENTS}/i0/fills`, MANAGER, { "if-none-match": etag })).status).toBe(304);
  });

  test("400: a limit out of range", async () => {
    expect((await ask(`${INTENTS}/i0/fills?limit=5000`)).body.code).toBe("invalid_request");
  });

  test("401: without a token", async () => {
    expect((await ask(`${INTENTS}/i0/fills`, null)).status).toBe(401);
  });

  test("404: an intent of another's vault", async () => {
    expect((await ask(`${INTENTS}/f0/fills`)).body.code).toBe("not_found");
  });
});

describe("GET fulfill-redeems/executions", () => {
  test("200: the caller's own, newest first, filtered and paged; the older path answers the same and says so", async () => {
    const { status, body, headers } = await ask(EXECUTIONS);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      executions: [
        { execution_id: "e2", source: "reported", status: "failed", created_at: at(2) },
        {
          execution_id: "e1",
          source: "reported",
          created_at: at(1),
          status: "success",
          tx_hash: null,
          chain_id: CHAIN,
          vault_address: ONE,
          controllers_count: 2,
          total_shares_fulfilled: "500000",
          total_assets_out: "525000",
          pps_at_fulfillment: "1050000",
        },
      ],
      total: 2,
      has_more: false,
    });
    expect(headers.deprecation).toBeUndefined();
    const older = await ask("/fulfill-redeems/executions");
    expect(older.body).toEqual(body);
    expect(older.headers).toMatchObject({
      deprecation: expect.stringMatching(/^@\d+$/),
      link: `<${EXECUTIONS}>; rel="successor-version"`,
    });
    const only = async (query: string, who = MANAGER) =>
      (await ask(`${EXECUTIONS}?${query}`, who)).body.executions.map(
        (each: { execution_id: string }) => each.execution_id,
      );
    expect(await only("status=success")).toEqual(["e1"]);
    expect(await only(`chain_id=${CHAIN}&vault_address=${ONE}&limit=1`)).toEqual(["e2"]);
    expect(await only("limit=1&offset=1")).toEqual(["e1"]);
    expect(await only("limit=1&page=2")).toEqual(["e1"]);
    expect(await only("page=3&limit=1")).toEqual([]);
    expect(await only("limit=10", MAINTAINER)).toEqual(["e3", "e2", "e1"]);
    expect(await only(`vault_address=${ONE}`, MAINTAINER)).toEqual(["e2", "e1"]);
    expect(await only("limit=10", NOBODY)).toEqual([]);
    expect((await ask(`${EXECUTIONS}?limit=1&page=1`)).body.has_more).toBe(true);
  });

  test("304: while nothing has changed", async () => {
    const etag = (await ask(EXECUTIONS)).headers.etag as string;
    expect((await ask(EXECUTIONS, MANAGER, { "if-none-match": etag })).status).toBe(304);
  });

  test("400: page and offset together, and what is out of range", async () => {
    for (const query of ["page=1&offset=0", "page=0", "limit=0", "status=done", "vault=1"])
      expect([query, (await ask(`${EXECUTIONS}?${query}`)).body.code]).toEqual([query, "invalid_request"]);
  });

  test("401: without a token", async () => {
    for (const url of [EXECUTIONS, "/fulfill-redeems/executions"])
      expect((await ask(url, null)).status).toBe(401);
  });

  test("403: another's vault", async () => {
    expect((await ask(`${EXECUTIONS}?vault_address=${FOREIGN}`)).body.code).toBe("insufficient_role");
  });

  test("404: an unknown chain or vault", async () => {
    expect((await ask(`${EXECUTIONS}?chain_id=1`)).body.code).toBe("chain_not_found");
    expect((await ask(`${EXECUTIONS}?chain_id=${CHAIN}&vault_address=${NOBODY}`)).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("GET vaults/{chain_id}/{vault}/redeems", () => {
  const REDEEMS = `/api/v1/vaults/${CHAIN}/${ONE}/redeems`;

  test("200: empty where nothing waits, without a price no estimate", async () => {
    expect((await ask(REDEEMS, VIEWER)).body).toEqual({
      redeems: [],
      total: 0,
      has_more: false,
      total_pending_shares: "0",
      total_claimable_assets: "0",
      as_of: null,
    });
    await database.db.pool.query(
      `insert into redeem_flows (chain_id, block_number, log_index, vault_address, controller, kind, shares, block_timestamp, requested_shares,
         claimable_shares, claimed_shares, cancelled_shares, cancel_claimed_shares, pending_shares, pending_since, vault_pending_shares, vault_pending_count)
       select 8453, n, 0, $1, $2, 'request', 5, now(), 5, 0, 0, 0, 0, 5 * n, '2026-05-05T00:00:00Z', 5, 1 from generate_series(2, 3) n`,
      [ONE, NOBODY],
    );
    await database.db.pool.query(
      "update chains set head_number = 9, head_timestamp = '2026-05-05T00:01:00Z' where chain_id = 8453",
    );
    const { body } = await ask(REDEEMS, VIEWER);
    expect(body).toMatchObject({
      redeems: [
        {
          controller: NOBODY,
          pending_shares: "15",
          pending_assets_estimate: null,
          requested_at: "2026-05-05T00:00:00.000000Z",
          age_seconds: 60,
          claimable_shares: "0",
          claimable_assets: "0",
        },
      ],
      total: 1,
      total_pending_shares: "15",
      as_of: { block_number: 9, block_timestamp: "2026-05-05T00:01:00.000000Z" },
    });
    expect((await ask(`${REDEEMS}?offset=1`, VIEWER)).body).toMatchObject({
      redeems: [],
      total: 1,
      has_more: false,
    });
  });

  test("304: while nothing has changed", async () => {
    const etag = (await ask(REDEEMS)).headers.etag as string;
    expect((await ask(REDEEMS, MANAGER, { "if-none-match": etag })).status).toBe(304);
  });

  test("400: an address of the wrong form, an unknown parameter", async () => {
    expect((await ask(`/api/v1/vaults/${CHAIN}/0x12/redeems`)).body.code).toBe("invalid_address");
    expect((await ask(`${REDEEMS}?status=pending`)).body.code).toBe("invalid_request");
  });

  test("401: without a token", async () => {
    expect((await ask(REDEEMS, null)).status).toBe(401);
  });

  test("403: another's vault", async () => {
    expect((await ask(REDEEMS, STRANGER)).body.code).toBe("insufficient_role");
  });

  test("404: an unknown vault", async () => {
    expect((await ask(`/api/v1/vaults/${CHAIN}/${NOBODY}/redeems`)).body.code).toBe("vault_not_found");
  });
});
