// One intent with its events and fills, one block for each status code of each route.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, txHash } from "../../../test/handled-reports.ts";
import { MAINTAINER, MANAGER, type ReadsTest, startReadsTest, VIEWER } from "../../../test/report-reads.ts";

const INTENTS = "/api/v1/intents";
let reads: ReadsTest;
let ask: ReadsTest["ask"];

beforeAll(async () => {
  reads = await startReadsTest();
  ask = reads.ask;
});
afterAll(() => reads?.end());

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
