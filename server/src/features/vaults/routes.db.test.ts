// The routes of vaults as they are now, one block for each status code of each, over real rows and the real guard.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as } from "../../../test/caller.ts";
import { ACTOR } from "../../../test/synthetic-chain.ts";
import { OwnVaultsSchema, PublicVaultSchema, VaultRecordSchema } from "./schemas.ts";
import {
  CHAIN,
  DAY,
  EMPTY,
  expectShape,
  HOSTILE,
  MAINTAINER,
  NOBODY,
  OTHER_CHAIN,
  openVaultApp,
  POOR,
  PRIMARY,
  RICH,
  T0,
  UNPRICED,
  UNREAD,
  USDC,
  type VaultApp,
  WETH,
} from "./test-app.ts";

let app: VaultApp;
beforeAll(async () => {
  app = await openVaultApp();
});
afterAll(() => app.close());

describe("GET /api/v1/public/vaults", () => {
  const URL = "/api/v1/public/vaults";

  test("200: every deployment, the largest value first, unknown ones last, then by address", async () => {
    const { status, body, headers } = await app.get(URL);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["cache-control"]).toBe("public, max-age=5");
    expect(headers["access-control-allow-origin"]).toBe("*");
    const unknown = [UNPRICED, UNREAD].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    expect(body.map((vault: { vault_address: string }) => vault.vault_address)).toEqual([
      RICH,
      POOR,
      EMPTY,
      ...unknown,
    ]);
    for (const vault of body) expectShape(PublicVaultSchema, vault);
  });

  test("200: an entry holds exact values, and null with a reason for what is not known", async () => {
    const { body } = await app.get(URL);
    const by = (address: string) =>
      body.find((vault: { vault_address: string }) => vault.vault_address === address);
    expect(by(RICH)).toEqual({
      vault_id: `${CHAIN}:${RICH}`,
      vault_address: RICH,
      chain_id: CHAIN,
      family: "supervault",
      name: HOSTILE,
      symbol: "V",
      vault_share_decimals: 18,
      underlying_asset_address: WETH,
      underlying_asset_symbol: "WETH",
      underlying_asset_decimals: 18,
      tvl: "2008000000000000000",
      tvl_usd: 6224.8,
      tvl_usd_unavailable_reason: null,
      apy: 0.0370617,
      apy_1d: 0.03705042,
      apy_7d: 0.0370617,
      apy_30d: 0.03710502,
      apy_inception: 0.03712389,
      pps: "1004000000000000000",
      is_paused: true,
      created_at: "2026-02-02T02:40:00.000000Z",
      updated_at: "2026-03-14T02:40:10.000000Z",
      unavailable_reasons: {},
    });
    expect(by(UNPRICED)).toMatchObject({
      tvl: (2n ** 255n).toString(),
      tvl_usd: null,
      tvl_usd_unavailable_reason: "no price source covers this token",
      apy_7d: null,
      apy_inception: null,
      is_paused: null,
      created_at: null,
      unavailable_reasons: { apy_7d: "history_too_short", apy_inception: "history_too_short" },
    });
    expect(by(EMPTY)).toMatchObject({
      name: null,
      symbol: null,
      tvl: "0",
      tvl_usd: 0,
      pps: null,
      apy: null,
      unavailable_reasons: { pps: "no_supply", apy_1d: "no_pps" },
    });
    expect(by(UNREAD)).toMatchObject({
      tvl: null,
      tvl_usd: null,
      tvl_usd_unavailable_reason: "not_read_yet",
      pps: null,
      is_paused: null,
      updated_at: null,
      unavailable_reasons: { tvl: "not_read_yet", pps: "not_read_yet" },
    });
  });

  test("200: chain_id filters", async () => {
    expect((await app.get(`${URL}?chain_id=${CHAIN}`)).body).toHaveLength(5);
    expect((await app.get(`${URL}?chain_id=${OTHER_CHAIN}`)).body).toEqual([]);
  });

  test("200: a price that was not checked for too long is no price", async () => {
    const before = app.clock.nowMs;
    app.clock.nowMs = (T0 + 100 * DAY) * 1000;
    const { body } = await app.get(URL);
    app.clock.nowMs = before;
    const rich = body.find((vault: { vault_address: string }) => vault.vault_address === RICH);
    expect(rich).toMatchObject({ tvl_usd: null, tvl_usd_unavailable_reason: "price_outdated" });
  });

  test("304: with the entity tag of what the client has", () => app.expectNotModified(URL));

  test("400: an unknown parameter, a chain id that is none", async () => {
    for (const query of ["chainid=1", "chain_id=0", "chain_id=x", "chain_id=", "chain_id=1&chain_id=1"]) {
      expect(await app.get(`${URL}?${query}`)).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
    }
  });

  test("404: a chain that is not followed", async () => {
    expect(await app.get(`${URL}?chain_id=5`)).toMatchObject({
      status: 404,
      body: { code: "chain_not_found" },
    });
  });
});

describe("GET /api/v1/vaults", () => {
  const URL = "/api/v1/vaults";

  test("200: the caller's vaults in short", async () => {
    const { status, body, headers } = await app.get(URL, as(PRIMARY));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expectShape(OwnVaultsSchema, body);
    expect(body.vaults).toHaveLength(2);
    expect(body.vaults).toContainEqual({
      vault_id: `${CHAIN}:${RICH}`,
      vault_address: RICH,
      chain_id: CHAIN,
      role: "primary_manager",
      name: HOSTILE,
      symbol: "V",
      is_paused: true,
      is_pps_stale: false,
      staleness_reason: null,
      remaining_staleness_time: DAY - 10,
      attention: [],
    });
    expect(body.vaults).toContainEqual(
      expect.objectContaining({
        vault_address: POOR,
        role: "secondary_manager",
        is_pps_stale: true,
        remaining_staleness_time: 0,
      }),
    );
  });

  test("200: whole records with fields=state, equal to each vault's own", async () => {
    const { body } = await app.get(`${URL}?fields=state`, as(PRIMARY));
    for (const vault of body.vaults) {
      expectShape(VaultRecordSchema, vault);
      expect(vault).toEqual((await app.get(`${URL}/${CHAIN}/${vault.vault_address}`, as(PRIMARY))).body);
    }
    expect(body.vaults).toHaveLength(2);
  });

  test("200: nothing for a wallet without a role, all for a registry maintainer", async () => {
    expect((await app.get(URL, as(NOBODY))).body).toEqual({ vaults: [] });
    const all = (await app.get(URL, as(MAINTAINER))).body.vaults;
    expect(all).toHaveLength(5);
    expect(all[0].role).toBeNull();
    expect((await app.get(`${URL}?chain_id=${OTHER_CHAIN}`, as(PRIMARY))).body).toEqual({ vaults: [] });
  });

  test("304: while nothing but the countdown has changed", async () => {
    await app.expectNotModified(URL, as(PRIMARY));
    const { etag } = (await app.get(URL, as(PRIMARY))).headers;
    app.clock.nowMs += 60_000;
    const later = await app.get(URL, { ...as(PRIMARY), "if-none-match": String(etag) });
    app.clock.nowMs -= 60_000;
    expect(later.status).toBe(304);
    expect(
      (await app.get(`${URL}?fields=state`, { ...as(PRIMARY), "if-none-match": String(etag) })).status,
    ).toBe(200);
  });

  test("400: an unknown value of fields", async () => {
    expect((await app.get(`${URL}?fields=all`, as(PRIMARY))).status).toBe(400);
  });

  test("401: without a token", async () => {
    const { status, headers, body } = await app.get(URL);
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toContain("Bearer");
    expect(body.code).toBe("invalid_token");
  });

  test("404: a chain that is not followed", async () => {
    expect((await app.get(`${URL}?chain_id=5`, as(PRIMARY))).body.code).toBe("chain_not_found");
  });
});

describe("GET /api/v1/vaults/{chain_id}/{address}", () => {
  const URL = `/api/v1/vaults/${CHAIN}/${RICH}`;

  test("200: every field, exact", async () => {
    const { status, body, headers } = await app.get(URL, as(PRIMARY));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers.etag).toMatch(/^W\/"/);
    expectShape(VaultRecordSchema, body);
    expect(body).toMatchObject({
      strategy_address: null,
      escrow_address: null,
      role: "primary_manager",
      current_pps: "1004000000000000000",
      pps_decimals: 18,
      last_pps_update_timestamp: "2026-03-14T02:40:00.000000Z",
      pps_expires_at: "2026-03-15T02:40:00.000000Z",
      pps_expiration_seconds: 86_400,
      max_staleness_seconds: 300,
      min_update_interval_seconds: 60,
      remaining_staleness_time: 86_390,
      is_pps_stale: false,
      hwm_pps: "1000000000000000000",
      reported_pps: null,
      is_paused: true,
      is_paused_since: "2026-03-14T02:40:10.000000Z",
      emergency_exit: { is_armed: false, since: null, by: null },
      total_assets: "2008000000000000000",
      total_supply: "2000000000000000000",
      escrowed_assets: "5",
      free_assets: (2n ** 200n).toString(),
      fee_config: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: NOBODY },
      managers: { primary: PRIMARY, secondary: [NOBODY] },
      upkeep_info: { balance: "3", token: USDC, threshold: { required_balance: "10", shortfall: "7" } },
      activation: { is_active: false, status: "insufficient_upkeep" },
      merkle: {
        root: "0x01",
        proposed_root: "0x02",
        effective_at: "2026-02-02T02:40:00.000000Z",
        is_vetoed: false,
      },
      yield_sources: [
        { address: NOBODY, oracle: ACTOR, added_at: "2026-03-14T02:40:10.000000Z", allocation_assets: "7" },
      ],
      pending_changes: [
        {
          kind: "pps_expiration",
          current: "86400",
          proposed: "3600",
          proposer: ACTOR,
          effective_at: "2026-02-02T02:40:00.000000Z",
        },
        {
          kind: "fee_config",
          current: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: NOBODY },
          proposed: { performance_fee_bps: 1500, management_fee_bps: 10, recipient: NOBODY },
          proposer: ACTOR,
          effective_at: "2026-03-24T02:40:00.000000Z",
        },
      ],
      pending_redeems: { count: 1, shares: "9" },
      as_of: { block_number: 60, block_timestamp: "2026-03-14T02:40:10.000000Z", confirmed: false },
    });
  });

  test("200: for a wallet without a role on it, with role null, and for a vault of which nothing was read", async () => {
    expect((await app.get(URL, as(NOBODY))).body.role).toBeNull();
    const { body } = await app.get(`/api/v1/vaults/${CHAIN}/${UNREAD.toLowerCase()}`, as(NOBODY));
    expectShape(VaultRecordSchema, body);
    expect(body).toMatchObject({
      vault_address: UNREAD,
      current_pps: null,
      pps_decimals: 6,
      remaining_staleness_time: null,
      is_pps_stale: false,
      managers: { primary: null, secondary: [] },
      upkeep_info: null,
      activation: null,
      fee_config: null,
      merkle: null,
      yield_sources: [],
      pending_changes: [],
      pending_redeems: { count: 0, shares: "0" },
      as_of: null,
    });
  });

  test("200: without a staleness rule the countdown is null; paid upkeep is an active vault", async () => {
    const plain = (await app.get(`/api/v1/vaults/${CHAIN}/${UNPRICED}`, as(NOBODY))).body;
    expect(plain).toMatchObject({
      remaining_staleness_time: null,
      is_pps_stale: false,
      pps_expires_at: null,
    });
    const paid = (await app.get(`/api/v1/vaults/${CHAIN}/${POOR}`, as(NOBODY))).body;
    expect(paid.activation).toEqual({ is_active: true, status: "active", reason: null });
    expect(paid.upkeep_info.threshold.shortfall).toBe("0");
  });

  test("200: the engine's reports are shown where there are any", async () => {
    const place = [CHAIN, POOR];
    await app.database.db.pool.query(
      `insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values
        ($1, $2, 'pps', '{"value": "1000001", "at": "2026-03-14T00:00:00.000000Z"}', now()),
        ($1, $2, 'emergency_exit', '{"is_armed": true, "since": "2026-03-14T00:00:00.000000Z", "by": null}', now())`,
      place,
    );
    expect((await app.get(`/api/v1/vaults/${CHAIN}/${POOR}`, as(NOBODY))).body).toMatchObject({
      reported_pps: { value: "1000001", at: "2026-03-14T00:00:00.000000Z" },
      emergency_exit: { is_armed: true, since: "2026-03-14T00:00:00.000000Z", by: null },
    });
    await app.database.owner.pool.query(
      "delete from vault_reports where chain_id = $1 and vault_address = $2",
      place,
    );
  });

  test("200: as_of turns confirmed, and the entity tag with it", async () => {
    const before = await app.get(URL, as(PRIMARY));
    await app.chain.confirm(60);
    const after = await app.get(URL, { ...as(PRIMARY), "if-none-match": String(before.headers.etag) });
    await app.chain.confirm(55);
    expect(after.body.as_of.confirmed).toBe(true);
  });

  test("304: while only the countdown moves, for the same role", async () => {
    await app.expectNotModified(URL, as(PRIMARY));
    const { etag } = (await app.get(URL, as(PRIMARY))).headers;
    app.clock.nowMs += 3_600_000;
    const later = await app.get(URL, { ...as(PRIMARY), "if-none-match": String(etag) });
    const whole = await app.get(URL, as(PRIMARY));
    app.clock.nowMs -= 3_600_000;
    expect(later.status).toBe(304);
    expect(whole.body.remaining_staleness_time).toBe(DAY - 3600);
    expect((await app.get(URL, { ...as(NOBODY), "if-none-match": String(etag) })).status).toBe(200);
  });

  test("304 never across a change of is_pps_stale, at the very second", async () => {
    const start = app.clock.nowMs;
    // At that second the contract still takes the price.
    app.clock.nowMs = (T0 + 41 * DAY + 1) * 1000 - 1;
    const fresh = await app.get(URL, as(PRIMARY));
    expect(fresh.body).toMatchObject({
      remaining_staleness_time: 0,
      is_pps_stale: false,
      staleness_reason: null,
    });
    app.clock.nowMs += 1;
    const stale = await app.get(URL, { ...as(PRIMARY), "if-none-match": String(fresh.headers.etag) });
    expect(stale.status).toBe(200);
    expect(stale.body).toMatchObject({
      remaining_staleness_time: 0,
      is_pps_stale: true,
      staleness_reason: "expired",
    });
    app.clock.nowMs -= 1;
    const back = await app.get(URL, { ...as(PRIMARY), "if-none-match": String(stale.headers.etag) });
    app.clock.nowMs = start;
    expect(back.status).toBe(200);
  });

  test("a pending change is ready from its very moment on, and the entity tag tells, though no block came", async () => {
    const start = app.clock.nowMs;
    const due = Date.parse("2026-03-24T02:40:00Z");
    const statusOf = ({ body }: { body: { pending_changes: { kind: string; status: string }[] } }) =>
      body.pending_changes.find(({ kind }) => kind === "fee_config")?.status;
    app.clock.nowMs = due - 1;
    const pending = await app.get(URL, as(PRIMARY));
    expect(statusOf(pending as never)).toBe("pending");
    app.clock.nowMs = due;
    const ready = await app.get(URL, { ...as(PRIMARY), "if-none-match": String(pending.headers.etag) });
    expect(ready.status).toBe(200);
    expect(statusOf(ready as never)).toBe("ready");
    expect(ready.body.as_of).toEqual(pending.body.as_of);
    expect(ready.headers.etag).not.toBe(pending.headers.etag);
    app.clock.nowMs = start;
  });

  test("400: an address with a wrong checksum, a chain id that is none, a query parameter", async () => {
    const wrong = RICH.replace(/[a-f]/, (digit) => digit.toUpperCase());
    const mixed = wrong === RICH ? RICH.replace(/[A-F]/, (digit) => digit.toLowerCase()) : wrong;
    expect((await app.get(`/api/v1/vaults/${CHAIN}/${mixed}`, as(PRIMARY))).body.code).toBe(
      "invalid_address",
    );
    expect((await app.get(`/api/v1/vaults/0/${RICH}`, as(PRIMARY))).status).toBe(400);
    expect((await app.get(`${URL}?fields=state`, as(PRIMARY))).status).toBe(400);
  });

  test("401: without a token", async () => expect((await app.get(URL)).status).toBe(401));

  test("404: an unknown chain, an unknown vault", async () => {
    expect((await app.get(`/api/v1/vaults/5/${RICH}`, as(PRIMARY))).body.code).toBe("chain_not_found");
    expect((await app.get(`/api/v1/vaults/${OTHER_CHAIN}/${RICH}`, as(PRIMARY))).body.code).toBe(
      "vault_not_found",
    );
  });
});
