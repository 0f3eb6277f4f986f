// What is wrong with a vault, as its record and the lists say it: the open alerts, to whom may see them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { as } from "../../../test/caller.ts";
import { CHAIN, NOBODY, openVaultApp, PRIMARY, RICH, type VaultApp } from "./test-app.ts";

const URL = `/api/v1/vaults/${CHAIN}/${RICH}`;

let app: VaultApp;
beforeAll(async () => {
  app = await openVaultApp();
});
afterAll(() => app.close());

async function alert(given: {
  severity: string;
  title: string;
  startedAt: string;
  quietSince?: string;
  resolvedAt?: string;
}) {
  const { rows } = await app.database.db.pool.query<{ id: string }>(
    `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
       conditions, is_unconfirmed, started_at, last_seen_at, resolved_at, quiet_since)
     values (gen_random_uuid(), $1, $2, 'upkeep', $3, 'engine', $4, $3, 'm', 'n', '{}', '', '{}', false, $5, $5, $6, $7) returning id`,
    [
      CHAIN,
      RICH,
      given.title,
      given.severity,
      given.startedAt,
      given.resolvedAt ?? null,
      given.quietSince ?? null,
    ],
  );
  return rows[0]!.id;
}

async function accept(isAccepted: boolean): Promise<void> {
  await app.database.db.pool.query(
    `insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted) values ($1, $2, $3, $4)
     on conflict (wallet, chain_id, vault_address) do update set is_accepted = excluded.is_accepted`,
    [PRIMARY, CHAIN, RICH, isAccepted],
  );
}

test("a vault without open alerts needs no attention; who holds no role is told nothing", async () => {
  expect((await app.get(URL, as(PRIMARY))).body.attention).toEqual([]);
  expect((await app.get(URL, as(NOBODY))).body.attention).toBeNull();
});

test("the record and the list hold the open critical and warning alerts, the worst and then the oldest first", async () => {
  const before = await app.get(URL, as(PRIMARY));
  const strangersBefore = await app.get(URL, as(NOBODY));
  await alert({ severity: "info", title: "Only to know", startedAt: "2026-05-01T00:00:00Z" });
  await alert({
    severity: "critical",
    title: "Over",
    startedAt: "2026-05-01T00:00:00Z",
    resolvedAt: "2026-05-02T00:00:00Z",
  });
  const warning = await alert({
    severity: "warning",
    title: "Upkeep is short",
    startedAt: "2026-05-03T00:00:00Z",
  });
  const later = await alert({ severity: "critical", title: "Later", startedAt: "2026-05-05T00:00:00Z" });
  const quiet = await alert({
    severity: "critical",
    title: "Paused",
    startedAt: "2026-05-04T00:00:00Z",
    quietSince: "2026-05-04T00:01:00Z",
  });
  const expected = [
    {
      severity: "critical",
      since: "2026-05-04T00:00:00.000000Z",
      text: "Paused (over, held open)",
      id: quiet,
    },
    { severity: "critical", since: "2026-05-05T00:00:00.000000Z", text: "Later", id: later },
    { severity: "warning", since: "2026-05-03T00:00:00.000000Z", text: "Upkeep is short", id: warning },
  ].map(({ id, ...each }) => ({ kind: "upkeep", ...each, link: `https://vaults.example/alerts/${id}` }));

  const after = await app.get(URL, as(PRIMARY));
  expect(after.body.attention).toEqual(expected);
  expect(after.headers.etag).not.toBe(before.headers.etag);
  for (const fields of ["", "?fields=state"]) {
    const { body } = await app.get(`/api/v1/vaults${fields}`, as(PRIMARY));
    const own = body.vaults.find((vault: { vault_address: string }) => vault.vault_address === RICH);
    expect(own.attention).toEqual(expected);
  }
  const stranger = await app.get(URL, as(NOBODY));
  expect(stranger.body.attention).toBeNull();
  expect(stranger.headers.etag).toBe(strangersBefore.headers.etag);

  await app.database.db.pool.query("update alerts set resolved_at = now()");
  const ended = await app.get(URL, as(PRIMARY));
  expect(ended.body.attention).toEqual([]);
  expect(ended.headers.etag).toBe(before.headers.etag);
});

test("a vault that the caller has not accepted: the list tells nothing of it, as the list of alerts does not, its record does", async () => {
  const { pool } = app.database.db;
  await pool.query("update alerts set resolved_at = now()");
  const id = await alert({ severity: "critical", title: "Stuck", startedAt: "2026-05-06T00:00:00Z" });
  const listed = async (query: string) => {
    const { body, headers } = await app.get(`/api/v1/vaults${query}`, as(PRIMARY));
    const own = body.vaults.find((vault: { vault_address: string }) => vault.vault_address === RICH);
    return { attention: own.attention, etag: headers.etag };
  };
  for (const query of ["", "?fields=state"]) {
    await accept(false);
    const untold = await listed(query);
    expect(untold.attention).toBeNull();
    expect((await app.get(URL, as(PRIMARY))).body.attention).toMatchObject([{ text: "Stuck" }]);
    await accept(true);
    const told = await listed(query);
    expect(told.attention).toMatchObject([{ text: "Stuck" }]);
    expect(told.etag).not.toBe(untold.etag);
  }
  await pool.query("update alerts set resolved_at = now() where id = $1", [id]);
});
