// Lists of intents and what they count, one block for each status code of each route.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyReports, at, report, txHash } from "../../../test/handled-reports.ts";
import {
  CHAIN,
  FOREIGN,
  MAINTAINER,
  MANAGER,
  NOBODY,
  ONE,
  placeOf,
  type ReadsTest,
  STRANGER,
  startReadsTest,
  TWO,
  VIEWER,
} from "../../../test/report-reads.ts";
import { intentEventHandler } from "./reports.ts";

const idsOf = (body: { intents: { intent_id: string }[] }) => body.intents.map((each) => each.intent_id);
const INTENTS = "/api/v1/intents";
let reads: ReadsTest;
let ask: ReadsTest["ask"];

beforeAll(async () => {
  reads = await startReadsTest();
  ask = reads.ask;
});
afterAll(() => reads?.end());

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
    await applyReports(reads.database.db, intentEventHandler, [
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
