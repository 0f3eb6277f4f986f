// The reads of redemptions, one block for each status code of each route.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at } from "../../../test/handled-reports.ts";
import {
  CHAIN,
  FOREIGN,
  MAINTAINER,
  MANAGER,
  NOBODY,
  ONE,
  type ReadsTest,
  STRANGER,
  startReadsTest,
  VIEWER,
} from "../../../test/report-reads.ts";

const EXECUTIONS = "/api/v1/fulfill-redeems/executions";
let reads: ReadsTest;
let ask: ReadsTest["ask"];

beforeAll(async () => {
  reads = await startReadsTest();
  ask = reads.ask;
});
afterAll(() => reads?.end());

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
    await reads.database.db.pool.query(
      `insert into redeem_flows (chain_id, block_number, log_index, vault_address, controller, kind, shares, block_timestamp, requested_shares,
         claimable_shares, claimed_shares, cancelled_shares, cancel_claimed_shares, pending_shares, pending_since, vault_pending_shares, vault_pending_count)
       select 8453, n, 0, $1, $2, 'request', 5, now(), 5, 0, 0, 0, 0, 5 * n, '2026-05-05T00:00:00Z', 5, 1 from generate_series(2, 3) n`,
      [ONE, NOBODY],
    );
    await reads.database.db.pool.query(
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
