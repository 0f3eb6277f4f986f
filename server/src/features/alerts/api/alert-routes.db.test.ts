// Alerts over HTTP, one block for each status code of each route, with the audit entries that acknowledgements leave.
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

const LIST = "/api/v1/alerts";
const NO_VAULT = testAddress(0);

let t: AlertsApp;
beforeAll(async () => {
  t = await openAlertsApp();
});
afterAll(() => t.close());
beforeEach(() => t.reset());

const idsOf = (answer: { body: { alerts: { id: string }[] } }) => answer.body.alerts.map(({ id }) => id);

describe("GET alerts", () => {
  test("200: an alert of a category that only a newer release knows is listed, shown and acknowledged like any other", async () => {
    const newer = await t.addAlert({ category: "weather" as never, severity: "critical" });
    const known = await t.addAlert({ category: "merkle" });
    expect(idsOf(await t.ask("GET", LIST, VIEWER)).sort()).toEqual([newer, known].sort());
    expect(idsOf(await t.ask("GET", `${LIST}?severity=critical`, VIEWER))).toEqual([newer]);
    expect(idsOf(await t.ask("GET", `${LIST}?category=merkle`, VIEWER))).toEqual([known]);
    const one = await t.ask("GET", `${LIST}/${newer}`, VIEWER);
    expect([one.status, one.body.category]).toEqual([200, "weather"]);
    const taken = await t.ask("POST", `${LIST}/${newer}/acknowledge`, PRIMARY, { body: {} });
    expect([taken.status, taken.body.category]).toEqual([200, "weather"]);
  });

  test("200: the caller's alerts, newest first, in whole; with a total and pages", async () => {
    const first = await t.addAlert({ startedAt: "2026-05-09T09:00:00.000001Z" });
    const second = await t.addAlert({ startedAt: "2026-05-09T09:00:00.000002Z", category: "merkle" });
    await t.addAlert({ vault: FOREIGN });
    await t.addAlert({ chainId: 0, vault: NO_VAULT, category: "system" });
    const answer = await t.ask("GET", LIST, VIEWER);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ total: 2, has_more: false });
    expect(idsOf(answer)).toEqual([second, first]);
    expect(answer.body.alerts[1]).toEqual({
      id: first,
      category: "keeper_run",
      subject: "service 1",
      severity: "warning",
      status: "firing",
      vault_address: VAULT,
      chain_id: CHAIN,
      vault_name: null,
      title: "Title",
      message: "Message.",
      next_step: "Do.",
      details: { a: 1 },
      console_url: `https://vaultops.example/alerts/${first}`,
      transaction_url: null,
      is_unconfirmed: false,
      is_withdrawn: false,
      is_flapping: false,
      started_at: "2026-05-09T09:00:00.000001Z",
      last_seen_at: "2026-05-09T09:00:00.000001Z",
      resolved_at: null,
      acknowledged_at: null,
      acknowledged_by: null,
      last_notice: null,
    });
    const page = await t.ask("GET", `${LIST}?limit=1&offset=0`, PRIMARY);
    expect([idsOf(page), page.body.total, page.body.has_more]).toEqual([[second], 2, true]);
    const beyond = await t.ask("GET", `${LIST}?offset=2`, PRIMARY);
    expect([idsOf(beyond), beyond.body.total, beyond.body.has_more]).toEqual([[], 2, false]);
    expect((await t.ask("GET", LIST, NEWCOMER)).body).toEqual({ alerts: [], total: 0, has_more: false });
  });

  test("200: without those of a vault that the caller has not accepted, unless the vault is named", async () => {
    const id = await t.addAlert();
    const { pool } = t.database.db;
    const set = (isAccepted: boolean) =>
      pool.query("update vault_acceptances set is_accepted = $1 where wallet = $2", [isAccepted, SECONDARY]);
    await set(false);
    for (const query of ["", `?chain_id=${CHAIN}`])
      expect((await t.ask("GET", `${LIST}${query}`, SECONDARY)).body.total).toBe(0);
    for (const query of [`?vault_id=${CHAIN}:${VAULT}`, `?vault_address=${VAULT}`])
      expect(idsOf(await t.ask("GET", `${LIST}${query}`, SECONDARY))).toEqual([id]);
    expect((await t.ask("GET", `${LIST}/${id}`, SECONDARY)).status).toBe(200);
    await set(true);
    expect(idsOf(await t.ask("GET", LIST, SECONDARY))).toEqual([id]);
  });

  test("200: every alert, those of no vault too, for a registry maintainer", async () => {
    await t.addAlert();
    await t.addAlert({ vault: FOREIGN });
    await t.addAlert({ chainId: 0, vault: NO_VAULT, category: "system" });
    expect((await t.ask("GET", LIST, MAINTAINER)).body.total).toBe(3);
    expect((await t.ask("GET", `${LIST}?vault_id=${CHAIN}:${FOREIGN}`, MAINTAINER)).body.total).toBe(1);
  });

  test("200: filtered by vault, category, severity, status and time, several of a kind together", async () => {
    const critical = await t.addAlert({ severity: "critical", category: "upkeep" });
    const resolved = await t.addAlert({ resolvedAt: "2026-05-09T09:30:00Z" });
    const info = await t.addAlert({
      severity: "info",
      category: "merkle",
      startedAt: "2026-05-09T09:10:00Z",
    });
    const found = async (query: string) => new Set(idsOf(await t.ask("GET", `${LIST}?${query}`, PRIMARY)));
    expect(await found("severity=critical")).toEqual(new Set([critical]));
    expect(await found("severity=critical,info")).toEqual(new Set([critical, info]));
    expect(await found("severity=critical&severity=info")).toEqual(new Set([critical, info]));
    expect(await found("status=resolved")).toEqual(new Set([resolved]));
    expect(await found("category=merkle,upkeep&status=firing,acknowledged")).toEqual(
      new Set([critical, info]),
    );
    expect(await found("from_timestamp=2026-05-09T09:10:00Z")).toEqual(new Set([info]));
    expect(await found("to_timestamp=2026-05-09T09:10:00Z")).toEqual(new Set([critical, resolved]));
    expect(await found(`vault_address=${VAULT.toLowerCase()}`)).toEqual(new Set([critical, resolved, info]));
  });

  test("304: until something changes", async () => {
    const id = await t.addAlert();
    const etag = (await t.ask("GET", LIST, PRIMARY)).headers.etag as string;
    const again = () => t.ask("GET", LIST, PRIMARY, { headers: { "if-none-match": etag } });
    expect((await again()).status).toBe(304);
    await t.ask("POST", `${LIST}/${id}/acknowledge`, PRIMARY);
    expect((await again()).status).toBe(200);
  });

  test("400: a filter that does not exist, and values that are none", async () => {
    for (const query of [
      "vault=x",
      "category=pause",
      "severity=high",
      "status=open",
      "limit=0",
      "limit=1001",
      "offset=-1",
    ])
      expect([query, (await t.ask("GET", `${LIST}?${query}`, PRIMARY)).body.code]).toEqual([
        query,
        "invalid_request",
      ]);
    expect((await t.ask("GET", `${LIST}?vault_id=1`, PRIMARY)).body.code).toBe("invalid_vault_id");
    expect((await t.ask("GET", `${LIST}?from_timestamp=now`, PRIMARY)).body.code).toBe("invalid_timestamp");
  });

  test("401: without a token", async () => {
    expect((await t.ask("GET", LIST, null)).status).toBe(401);
  });

  test("403: another's vault, by its id, its place or its address alone", async () => {
    for (const query of [
      `vault_id=${CHAIN}:${FOREIGN}`,
      `chain_id=${CHAIN}&vault_address=${FOREIGN}`,
      `vault_address=${FOREIGN}`,
    ])
      expect((await t.ask("GET", `${LIST}?${query}`, PRIMARY)).body.code).toBe("insufficient_role");
  });

  test("404: a chain or vault that does not exist", async () => {
    expect((await t.ask("GET", `${LIST}?chain_id=5`, PRIMARY)).body.code).toBe("chain_not_found");
    expect((await t.ask("GET", `${LIST}?vault_id=${CHAIN}:${NEWCOMER}`, PRIMARY)).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("GET alerts/{id}", () => {
  test("200: to every member; 304 while it stays the same", async () => {
    const id = await t.addAlert();
    const answer = await t.ask("GET", `${LIST}/${id}`, VIEWER);
    expect([answer.status, answer.body.id]).toEqual([200, id]);
    const headers = { "if-none-match": answer.headers.etag as string };
    expect((await t.ask("GET", `${LIST}/${id}`, VIEWER, { headers })).status).toBe(304);
  });

  test("400: what is no id", async () => {
    expect((await t.ask("GET", `${LIST}/1`, VIEWER)).body.code).toBe("invalid_request");
  });

  test("401: without a token", async () => {
    expect((await t.ask("GET", `${LIST}/${NOBODY_ID}`, null)).status).toBe(401);
  });

  test("404: one that does not exist, and another's, alike", async () => {
    const foreign = await t.addAlert({ vault: FOREIGN });
    const system = await t.addAlert({ chainId: 0, vault: NO_VAULT, category: "system" });
    for (const id of [NOBODY_ID, foreign, system])
      expect((await t.ask("GET", `${LIST}/${id}`, PRIMARY)).body.code).toBe("not_found");
    expect((await t.ask("GET", `${LIST}/${system}`, MAINTAINER)).status).toBe(200);
  });
});

describe("POST alerts/{id}/acknowledge", () => {
  const acknowledge = (id: string, by: `0x${string}` | null, scope: "full" | "read" = "full") =>
    t.ask("POST", `${LIST}/${id}/acknowledge`, by, { scope });

  test("200: says by whom and since when, with one audit entry however often it is said", async () => {
    const id = await t.addAlert();
    const answer = await acknowledge(id, SECONDARY);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      status: "acknowledged",
      acknowledged_by: SECONDARY,
      acknowledged_at: "2026-05-09T10:00:00.000000Z",
    });
    expect(await acknowledge(id, PRIMARY)).toMatchObject({
      status: 200,
      body: { acknowledged_by: SECONDARY },
    });
    expect(await t.entries()).toEqual([
      {
        action_type: "alert_acknowledge",
        vault_address: VAULT,
        chain_id: CHAIN,
        actor_wallet: SECONDARY,
        details: { alert_id: id, category: "keeper_run" },
      },
    ]);
  });

  test("200: what concerns no vault, by a registry maintainer", async () => {
    const id = await t.addAlert({ chainId: 0, vault: NO_VAULT, category: "system" });
    expect((await acknowledge(id, MAINTAINER)).body.status).toBe("acknowledged");
  });

  test("401: without a token", async () => {
    expect((await acknowledge(NOBODY_ID, null)).status).toBe(401);
  });

  test("403: a viewer, a maintainer of another's vault, a manager whose block is not confirmed, a reading token", async () => {
    const id = await t.addAlert();
    for (const by of [VIEWER, MAINTAINER])
      expect((await acknowledge(id, by)).body.code).toBe("insufficient_role");
    await t.database.db.pool.query("update chains set confirmed_number = 1");
    expect((await acknowledge(id, SECONDARY)).body.code).toBe("insufficient_role");
    expect((await acknowledge(id, PRIMARY, "read")).body.code).toBe("insufficient_scope");
  });

  test("404: another's", async () => {
    const id = await t.addAlert();
    expect((await acknowledge(id, STRANGER)).body.code).toBe("not_found");
  });

  test("409: one that has resolved", async () => {
    const id = await t.addAlert({ resolvedAt: "2026-05-09T09:30:00Z" });
    expect((await acknowledge(id, PRIMARY)).body.code).toBe("conflict");
    expect(await t.entries()).toEqual([]);
  });
});
