// Silences over HTTP, one block for each status code of each route, with their audit entries.
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testAddress } from "../../../../test/chain-rows.ts";
import {
  type AlertsApp,
  CHAIN,
  FOREIGN,
  MAINTAINER,
  NEWCOMER,
  NOBODY_ID,
  openAlertsApp,
  PRIMARY,
  SECONDARY,
  STRANGER,
  VAULT,
  VIEWER,
} from "./test-app.ts";

const PATH = "/api/v1/silences";
const WISH = {
  chain_id: CHAIN,
  vault_address: VAULT,
  ends_at: "2026-05-09T12:00:00Z",
  reason: "planned upgrade",
};

let t: AlertsApp;
beforeAll(async () => {
  t = await openAlertsApp();
});
afterAll(() => t.close());
beforeEach(() => t.reset());

const silence = (by: Address | null, more: object = {}, scope: "full" | "read" = "full") =>
  t.ask("POST", PATH, by, { body: { ...WISH, ...more }, scope });

describe("POST silences", () => {
  test("201: with an audit entry", async () => {
    const { status, body } = await silence(SECONDARY, { category: "upkeep" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      chain_id: CHAIN,
      vault_address: VAULT,
      category: "upkeep",
      reason: "planned upgrade",
      created_by: SECONDARY,
      created_at: "2026-05-09T10:00:00.000000Z",
      ends_at: "2026-05-09T12:00:00.000000Z",
      ended_by: null,
    });
    expect(await t.entries()).toEqual([
      {
        action_type: "alert_silence",
        vault_address: VAULT,
        chain_id: CHAIN,
        actor_wallet: SECONDARY,
        details: {
          silence_id: body.id,
          category: "upkeep",
          ends_at: "2026-05-09T12:00:00.000000Z",
          reason: "planned upgrade",
        },
      },
    ]);
  });

  test("201: of what concerns no vault, by a registry maintainer", async () => {
    const place = { chain_id: 0, vault_address: testAddress(0) };
    expect((await silence(MAINTAINER, place)).status).toBe(201);
  });

  test("400: an end that is not to come, no reason, a category or member that does not exist", async () => {
    for (const more of [
      { ends_at: "2026-05-09T10:00:00Z" },
      { ends_at: "2020-01-01" },
      { reason: "" },
      { reason: undefined },
      { category: "all" },
      { until: 1 },
    ])
      expect([more, (await silence(PRIMARY, more)).body.code]).toEqual([more, "invalid_request"]);
    expect((await silence(PRIMARY, { ends_at: "tomorrow" })).body.code).toBe("invalid_timestamp");
    expect((await silence(PRIMARY, { vault_address: "0x1" })).body.code).toBe("invalid_address");
  });

  test("401: without a token", async () => {
    expect((await silence(null)).status).toBe(401);
  });

  test("403: a viewer, another's manager, a maintainer; a reading token; no vault for anybody else", async () => {
    for (const by of [VIEWER, STRANGER, MAINTAINER, NEWCOMER])
      expect((await silence(by)).body.code).toBe("insufficient_role");
    expect((await silence(PRIMARY, {}, "read")).body.code).toBe("insufficient_scope");
    const noVault = { chain_id: 0, vault_address: testAddress(0) };
    expect((await silence(PRIMARY, noVault)).body.code).toBe("insufficient_role");
    await t.database.db.pool.query("update chains set confirmed_number = 1");
    expect((await silence(SECONDARY)).body.code).toBe("insufficient_role");
  });

  test("404: a chain or vault that does not exist", async () => {
    expect((await silence(PRIMARY, { chain_id: 5 })).body.code).toBe("chain_not_found");
    expect((await silence(PRIMARY, { vault_address: NEWCOMER })).body.code).toBe("vault_not_found");
  });

  test("415: a body that is no JSON", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await t.ask("POST", PATH, PRIMARY, { body: "x", headers })).status).toBe(415);
  });
});

describe("GET silences", () => {
  test("200: those of the caller's vaults, newest first; the active ones or the ended ones where asked for", async () => {
    const first = (await silence(PRIMARY, { ends_at: "2026-05-09T10:30:00Z" })).body.id;
    t.clock.ms += 1000;
    const second = (await silence(PRIMARY)).body.id;
    await silence(STRANGER, { vault_address: FOREIGN });
    t.clock.ms += 3_600_000;
    const ids = async (query: string, by: Address = VIEWER) =>
      (await t.ask("GET", `${PATH}${query}`, by)).body.silences.map(({ id }: { id: string }) => id);
    expect(await ids("")).toEqual([second, first]);
    expect(await ids("?is_active=true")).toEqual([second]);
    expect(await ids("?is_active=false")).toEqual([first]);
    expect(await ids(`?vault_id=${CHAIN}:${VAULT}&limit=1&offset=1`)).toEqual([first]);
    expect((await ids("", MAINTAINER)).length).toBe(3);
    expect(await ids("", NEWCOMER)).toEqual([]);
  });

  test("304: until something changes", async () => {
    const headers = { "if-none-match": (await t.ask("GET", PATH, VIEWER)).headers.etag as string };
    expect((await t.ask("GET", PATH, VIEWER, { headers })).status).toBe(304);
    await silence(PRIMARY);
    expect((await t.ask("GET", PATH, VIEWER, { headers })).status).toBe(200);
  });

  test("400: an unknown filter", async () => {
    expect((await t.ask("GET", `${PATH}?active=1`, VIEWER)).body.code).toBe("invalid_request");
  });

  test("401: without a token", async () => {
    expect((await t.ask("GET", PATH, null)).status).toBe(401);
  });

  test("403: another's vault", async () => {
    expect((await t.ask("GET", `${PATH}?vault_address=${FOREIGN}`, VIEWER)).body.code).toBe(
      "insufficient_role",
    );
  });

  test("404: an unknown chain", async () => {
    expect((await t.ask("GET", `${PATH}?chain_id=5`, VIEWER)).body.code).toBe("chain_not_found");
  });
});

describe("DELETE silences/{id}", () => {
  const end = (id: string, by: Address | null, scope: "full" | "read" = "full") =>
    t.ask("DELETE", `${PATH}/${id}`, by, { scope });

  test("204: it ends now, and the log and the list say by whom", async () => {
    const { id } = (await silence(PRIMARY)).body;
    t.clock.ms += 60_000;
    expect(await end(id, SECONDARY)).toMatchObject({ status: 204, body: null });
    expect((await t.ask("GET", PATH, VIEWER)).body.silences).toMatchObject([
      { id, ends_at: "2026-05-09T10:01:00.000000Z", ended_by: SECONDARY },
    ]);
    expect((await t.entries()).at(-1)).toMatchObject({
      action_type: "alert_silence",
      actor_wallet: SECONDARY,
      details: { silence_id: id, ends_at: "2026-05-09T10:01:00.000000Z", ended: true },
    });
  });

  test("401: without a token", async () => {
    expect((await end(NOBODY_ID, null)).status).toBe(401);
  });

  test("403: a viewer, a reading token", async () => {
    const { id } = (await silence(PRIMARY)).body;
    expect((await end(id, VIEWER)).body.code).toBe("insufficient_role");
    expect((await end(id, PRIMARY, "read")).body.code).toBe("insufficient_scope");
  });

  test("404: one that does not exist, another's, one that has ended", async () => {
    const { id } = (await silence(PRIMARY)).body;
    for (const [which, by] of [
      [NOBODY_ID, PRIMARY],
      [id, STRANGER],
    ] as const)
      expect((await end(which, by)).body.code).toBe("not_found");
    await end(id, PRIMARY);
    expect((await end(id, PRIMARY)).body.code).toBe("not_found");
    expect((await t.entries()).length).toBe(2);
  });
});
