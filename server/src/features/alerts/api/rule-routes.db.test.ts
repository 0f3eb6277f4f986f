// Alert rules over HTTP, one block for each status code of each route, with their audit entries.
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testAddress } from "../../../../test/chain-rows.ts";
import {
  type AlertsApp,
  CHAIN,
  MAINTAINER,
  NEWCOMER,
  openAlertsApp,
  PRIMARY,
  SECONDARY,
  STRANGER,
  VAULT,
  VIEWER,
} from "./test-app.ts";

const PATH = `/api/v1/vaults/${CHAIN}/${VAULT}/alert-rules`;
const DEFAULTS = {
  upkeep: { is_enabled: true, reserve: "0" },
  pps_staleness: {
    is_enabled: true,
    warning_seconds: 3600,
    warning_fraction: 0.25,
    critical_seconds: 600,
    critical_fraction: 0.1,
  },
  keeper_run: {
    is_enabled: true,
    consecutive_failures: 3,
    warning_success_rate: 0.95,
    critical_success_rate: 0.8,
    warning_schedules: 2,
    critical_schedules: 3,
  },
  session_key: { is_enabled: true, expires_within_seconds: 86_400 },
  emergency_pause: { is_enabled: true },
  emergency_exit: { is_enabled: true },
  merkle: { is_enabled: true },
  execution: { is_enabled: true, failures: 3, window_seconds: 900 },
  price: {
    is_enabled: true,
    window_seconds: 86_400,
    warning_drop_fraction: 0.0005,
    critical_drop_fraction: 0.005,
    jump_fraction: 0.02,
  },
  losses: { is_enabled: true, loss_fraction: 0.00001, resolve_after_seconds: 86_400 },
  liquidity: {
    is_enabled: true,
    warning_min_withdrawable_fraction: 0.02,
    critical_min_withdrawable_fraction: 0.005,
    max_utilisation_fraction: null,
    max_pending_fraction: null,
    max_request_age_seconds: 86_400,
  },
  flows: {
    is_enabled: true,
    single_usd: 500_000,
    single_fraction: 0.1,
    supply_fraction: 0.05,
    resolve_after_seconds: 86_400,
  },
  tvl: { is_enabled: true, window_seconds: 3600, change_fraction: 0.15 },
  governance: {
    is_enabled: true,
    notice_seconds: 86_400,
    known_actors: [],
    resolve_after_seconds: 86_400,
  },
  allocation: {
    is_enabled: true,
    max_idle_fraction: null,
    idle_seconds: 86_400,
    targets: {},
    drift_fraction: null,
    cap_fraction: null,
  },
};

const NO_DISPATCH = {
  dispatch: [],
  dispatch_updated_by: null,
  dispatch_updated_at: null,
  is_dispatch_in_force: false,
};

let t: AlertsApp;
beforeAll(async () => {
  t = await openAlertsApp();
});
afterAll(() => t.close());
beforeEach(() => t.reset());

const put = (rules: unknown, by: Address | null = PRIMARY, scope: "full" | "read" = "full") =>
  t.ask("PUT", PATH, by, { body: { rules }, scope });

describe("GET alert-rules", () => {
  test("200: the configuration's, where the vault has none of its own", async () => {
    const { status, body } = await t.ask("GET", PATH, VIEWER);
    expect(status).toBe(200);
    expect(body).toEqual({
      chain_id: CHAIN,
      vault_address: VAULT,
      rules: DEFAULTS,
      own_rules: {},
      updated_by: null,
      updated_at: null,
      ...NO_DISPATCH,
    });
  });

  test("304: until they change", async () => {
    const headers = { "if-none-match": (await t.ask("GET", PATH, VIEWER)).headers.etag as string };
    expect((await t.ask("GET", PATH, VIEWER, { headers })).status).toBe(304);
    await put({ merkle: { is_enabled: false } });
    expect((await t.ask("GET", PATH, VIEWER, { headers })).status).toBe(200);
  });

  test("401: without a token", async () => {
    expect((await t.ask("GET", PATH, null)).status).toBe(401);
  });

  test("403: without a role on the vault", async () => {
    expect((await t.ask("GET", PATH, STRANGER)).body.code).toBe("insufficient_role");
    expect((await t.ask("GET", PATH, MAINTAINER)).status).toBe(200);
  });

  test("404: an unknown vault", async () => {
    expect((await t.ask("GET", `/api/v1/vaults/${CHAIN}/${NEWCOMER}/alert-rules`, PRIMARY)).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("PUT alert-rules", () => {
  test("200: what is named is the vault's own, the rest follows the configuration; with an audit entry", async () => {
    const own = { pps_staleness: { warning_seconds: 7200 }, merkle: { is_enabled: false } };
    const { status, body } = await put(own, SECONDARY);
    expect(status).toBe(200);
    expect(body).toEqual({
      chain_id: CHAIN,
      vault_address: VAULT,
      rules: {
        ...DEFAULTS,
        pps_staleness: { ...DEFAULTS.pps_staleness, warning_seconds: 7200 },
        merkle: { is_enabled: false },
      },
      own_rules: own,
      updated_by: SECONDARY,
      updated_at: "2026-05-09T10:00:00.000000Z",
      ...NO_DISPATCH,
    });
    expect((await t.ask("GET", PATH, VIEWER)).body).toEqual(body);
    expect(await t.entries()).toEqual([
      {
        action_type: "alert_rule_update",
        vault_address: VAULT,
        chain_id: CHAIN,
        actor_wallet: SECONDARY,
        details: { rules: own },
      },
    ]);
  });

  test("200: what GET answered may be put back; {} makes all of it follow the configuration again", async () => {
    const { rules } = (await t.ask("GET", PATH, PRIMARY)).body;
    rules.upkeep.reserve = "1000000000000000000000";
    expect((await put(rules)).body.rules).toEqual(rules);
    expect((await put({})).body).toMatchObject({ rules: DEFAULTS, own_rules: {} });
  });

  test("200: rules of a category that only another release knows stay", async () => {
    await put({});
    await t.database.db.pool.query(`update alert_rules set rules = '{"tomorrow": {"change_fraction": 0.2}}'`);
    await put({ upkeep: { reserve: "1" } });
    const { rows } = await t.database.db.pool.query("select rules from alert_rules");
    expect(rows).toEqual([{ rules: { tomorrow: { change_fraction: 0.2 }, upkeep: { reserve: "1" } } }]);
    await put({});
  });

  test.each([
    ["a category that does not exist", { pause: {} }, "/rules"],
    ["a key that does not exist", { upkeep: { min: "1" } }, "/rules/upkeep"],
    ["a number where a decimal string is due", { upkeep: { reserve: 1 } }, "/rules/upkeep/reserve"],
    [
      "a time of no seconds",
      { pps_staleness: { warning_seconds: 0 } },
      "/rules/pps_staleness/warning_seconds",
    ],
    [
      "a rate above 1",
      { keeper_run: { warning_success_rate: 1.5 } },
      "/rules/keeper_run/warning_success_rate",
    ],
    [
      "more failures in a row than are counted",
      { keeper_run: { consecutive_failures: 21 } },
      "/rules/keeper_run/consecutive_failures",
    ],
    [
      "critical before warning, against what the configuration says",
      { pps_staleness: { critical_seconds: 4000 } },
      "/rules/pps_staleness/critical_seconds",
    ],
    [
      "silence that is critical before it is a warning",
      { keeper_run: { warning_schedules: 5 } },
      "/rules/keeper_run/critical_schedules",
    ],
    ["nothing at all", null, "/rules"],
  ])("400: %s", async (_, rules, path) => {
    const { status, body } = await put(rules);
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.errors[0].path.startsWith(path)).toBe(true);
    expect(await t.entries()).toEqual([]);
  });

  test("401: without a token", async () => {
    expect((await put({}, null)).status).toBe(401);
  });

  test("403: a viewer, another's manager, a maintainer, a reading token", async () => {
    for (const by of [VIEWER, STRANGER, MAINTAINER])
      expect((await put({}, by)).body.code).toBe("insufficient_role");
    expect((await put({}, PRIMARY, "read")).body.code).toBe("insufficient_scope");
  });

  test("404: an unknown vault", async () => {
    const url = `/api/v1/vaults/${CHAIN}/${NEWCOMER}/alert-rules`;
    expect((await t.ask("PUT", url, PRIMARY, { body: { rules: {} } })).body.code).toBe("vault_not_found");
  });

  test("415: a body that is no JSON", async () => {
    const headers = { "content-type": "text/plain" };
    expect((await t.ask("PUT", PATH, PRIMARY, { body: "x", headers })).status).toBe(415);
  });
});

describe("PUT alert-rules with dispatch", () => {
  const PAUSE = { category: "price", action: "pause" };
  const KEPT = { ...PAUSE, parameters: {}, from: null };
  const set = (dispatch: unknown, by: Address | null = PRIMARY, more: object = {}) =>
    t.ask("PUT", PATH, by, { body: { rules: {}, dispatch }, ...more });
  const shown = async () => {
    const { dispatch, dispatch_updated_by, is_dispatch_in_force } = (await t.ask("GET", PATH, VIEWER)).body;
    return { dispatch, dispatch_updated_by, is_dispatch_in_force };
  };

  test("200: what a primary manager sets is kept in one form, is in force, and stands in the audit log", async () => {
    const { status, body } = await set([
      PAUSE,
      {
        category: "merkle",
        action: "veto_hooks_root",
        parameters: { vetoed: true },
        from: STRANGER.toLowerCase(),
      },
    ]);
    const dispatch = [
      KEPT,
      { category: "merkle", action: "veto_hooks_root", parameters: { vetoed: true }, from: STRANGER },
    ];
    expect([status, body.code]).toEqual([200, undefined]);
    expect(body).toMatchObject({
      dispatch,
      dispatch_updated_by: PRIMARY,
      dispatch_updated_at: "2026-05-09T10:00:00.000000Z",
      is_dispatch_in_force: true,
    });
    expect((await t.ask("GET", PATH, VIEWER)).body).toEqual(body);
    expect(await t.entries()).toMatchObject([
      { action_type: "alert_rule_update", actor_wallet: PRIMARY, details: { rules: {}, dispatch } },
    ]);
  });

  test("200: left out it stays, whoever changes the thresholds; [] takes it away", async () => {
    await set([PAUSE]);
    expect((await put({ merkle: { is_enabled: false } }, SECONDARY)).body).toMatchObject({
      dispatch: [KEPT],
      dispatch_updated_by: PRIMARY,
      updated_by: SECONDARY,
    });
    expect((await t.entries()).at(-1)?.details).toEqual({ rules: { merkle: { is_enabled: false } } });
    expect((await set([])).body).toMatchObject({ dispatch: [], is_dispatch_in_force: false });
  });

  test("200: who is no primary manager may send back what stands, which changes nothing of it", async () => {
    await set([PAUSE]);
    expect((await set([KEPT], SECONDARY)).status).toBe(200);
    expect(await shown()).toEqual({
      dispatch: [KEPT],
      dispatch_updated_by: PRIMARY,
      is_dispatch_in_force: true,
    });
    expect((await t.entries()).map(({ details }) => "dispatch" in (details as object))).toEqual([
      true,
      false,
    ]);
  });

  test("200: a primary manager who sends back what is in force sets nothing; what is not in force is set anew", async () => {
    await set([PAUSE]);
    const at = "update alert_rules set dispatch_updated_by = $1, dispatch_updated_at = '2026-01-01'";
    await t.database.db.pool.query(at, [PRIMARY]);
    const back = await set([PAUSE]);
    expect(back.body).toMatchObject({ dispatch: [KEPT], dispatch_updated_at: "2026-01-01T00:00:00.000000Z" });
    expect((await t.ask("GET", PATH, VIEWER)).body).toEqual(back.body);
    expect((await t.entries()).at(-1)?.details).toEqual({ rules: {} });
    await t.database.db.pool.query(at, [STRANGER]);
    expect((await set([PAUSE])).body).toMatchObject({
      dispatch_updated_by: PRIMARY,
      dispatch_updated_at: "2026-05-09T10:00:00.000000Z",
      is_dispatch_in_force: true,
    });
  });

  test("200: what a former primary manager set is shown, and not in force until one of now sets it", async () => {
    await set([PAUSE]);
    const role = "update vault_roles set to_block = $1 where wallet = $2 and vault_address = $3";
    await t.database.owner.pool.query(role, [6, PRIMARY, VAULT]);
    try {
      expect(await shown()).toEqual({
        dispatch: [KEPT],
        dispatch_updated_by: PRIMARY,
        is_dispatch_in_force: false,
      });
    } finally {
      await t.database.owner.pool.query(role, [null, PRIMARY, VAULT]);
    }
    expect((await shown()).is_dispatch_in_force).toBe(true);
  });

  test.each<[string, unknown, string, string?]>([
    ["a category that there is not", [{ ...PAUSE, category: "weather" }], "/dispatch/0/category"],
    ["a category of the service itself", [{ ...PAUSE, category: "system" }], "/dispatch/0/category"],
    ["an action that there is not", [{ ...PAUSE, action: "explode" }], "/dispatch/0/action"],
    ["an action that takes no risk away", [PAUSE, { ...PAUSE, action: "unpause" }], "/dispatch/1/action"],
    ["parameters that it has not", [{ ...PAUSE, parameters: { now: true } }], "/dispatch/0/parameters/now"],
    [
      "parameters with which it takes none away",
      [{ ...PAUSE, action: "veto_hooks_root", parameters: { vetoed: false } }],
      "/dispatch/0/parameters/vetoed",
    ],
    ["an account that is none", [{ ...PAUSE, from: "0x12" }], "/dispatch/0/from", "invalid_address"],
    ["a member that there is not", [{ ...PAUSE, to: PRIMARY }], "/dispatch/0"],
    ["the same twice", [PAUSE, { ...PAUSE, parameters: {} }], "/dispatch/1"],
    [
      "more than four of a category",
      [0, 1, 2, 3, 4].map((n) => ({ ...PAUSE, from: testAddress(0x500 + n) })),
      "/dispatch/4",
    ],
    ["no list", PAUSE, "/dispatch"],
  ])("400: %s", async (_, dispatch, path, code = "invalid_request") => {
    const { status, body } = await set(dispatch);
    expect([status, body.code]).toEqual([400, code]);
    expect(body.errors[0].path.startsWith(path), JSON.stringify(body.errors)).toBe(true);
    expect(await t.entries()).toEqual([]);
    expect((await shown()).dispatch).toEqual([]);
  });

  test("400: an action that cannot be set, with those that can", async () => {
    const { body } = await set([{ ...PAUSE, action: "unpause" }]);
    expect(body.detail).toContain("possible are pause, cancel_primary_manager, veto_hooks_root");
  });

  test("403: another manager, an operator, a viewer, another's manager, a maintainer, a reading token", async () => {
    await t.database.db.pool.query(
      "insert into members (chain_id, vault_address, wallet, granted_by, role) values ($1, $2, $3, $4, 'operator')",
      [CHAIN, VAULT, NEWCOMER, PRIMARY],
    );
    for (const by of [SECONDARY, NEWCOMER, VIEWER, STRANGER, MAINTAINER])
      expect([(await set([PAUSE], by)).body.code, by]).toEqual(["insufficient_role", by]);
    expect((await set([PAUSE], PRIMARY, { scope: "read" })).body.code).toBe("insufficient_scope");
    expect((await shown()).dispatch).toEqual([]);
    expect(await t.entries()).toEqual([]);
    await t.database.db.pool.query("delete from members where wallet = $1", [NEWCOMER]);
  });

  test("403: a secondary manager who would take it away", async () => {
    await set([PAUSE]);
    expect((await set([], SECONDARY)).body.code).toBe("insufficient_role");
    expect((await shown()).dispatch).toEqual([KEPT]);
  });

  test("403: who is no primary manager changes no rule of a category whose alerts bring calls; others may be", async () => {
    const low = { critical_drop_fraction: 0.0006 };
    await t.ask("PUT", PATH, PRIMARY, { body: { rules: { price: low }, dispatch: [PAUSE] } });
    for (const price of [{ critical_drop_fraction: 0.0007 }, { ...low, is_enabled: false }, undefined]) {
      const { status, body } = await put(
        { ...(price && { price }), merkle: { is_enabled: false } },
        SECONDARY,
      );
      expect([status, body.code, body.detail]).toEqual([
        403,
        "insufficient_role",
        "Calls are handed to bots with alerts of that category: only a primary manager may change its rules.",
      ]);
    }
    expect((await t.ask("GET", PATH, VIEWER)).body.own_rules).toEqual({ price: low });
    expect((await put({ merkle: { is_enabled: false }, price: low }, SECONDARY)).status).toBe(200);
    expect((await put({})).status).toBe(200);
  });

  test("403: a primary manager whose block is not confirmed yet", async () => {
    await t.database.owner.pool.query("update vault_roles set from_block = 9 where wallet = $1", [PRIMARY]);
    try {
      expect((await set([PAUSE])).body.code).toBe("insufficient_role");
    } finally {
      await t.database.owner.pool.query("update vault_roles set from_block = null where wallet = $1", [
        PRIMARY,
      ]);
    }
  });
});

describe("POST alert-rules/preview", () => {
  const preview = (rules: unknown, by: Address | null = VIEWER, url = PATH) =>
    t.ask("POST", `${url}/preview`, by, { body: { rules } });

  test("200: how much would have been told of what is stored, and nothing is", async () => {
    const { status, body } = await preview({ price: { window_seconds: 60 } });
    expect(status).toBe(200);
    expect(body).toEqual({
      from_timestamp: "2026-04-09T10:00:00.000000Z",
      to_timestamp: "2026-05-09T10:00:00.000000Z",
      categories: ["price", "tvl", "flows", "governance"].map((category) => ({
        category,
        critical: 0,
        warning: 0,
        info: 0,
      })),
      alerts: [],
    });
    expect(await t.entries()).toEqual([]);
    expect((await t.ask("GET", PATH, VIEWER)).body.own_rules).toEqual({});
  });

  test("400: rules that contradict one another", async () => {
    const { status, body } = await preview({ price: { critical_drop_fraction: 0.0001 } });
    expect([status, body.errors[0].path]).toEqual([400, "/rules/price/critical_drop_fraction"]);
  });

  test("401, 403 and 404: as for the rules themselves", async () => {
    expect((await preview({}, null)).status).toBe(401);
    expect((await preview({}, STRANGER)).body.code).toBe("insufficient_role");
    const unknown = `/api/v1/vaults/${CHAIN}/${NEWCOMER}/alert-rules`;
    expect((await preview({}, PRIMARY, unknown)).body.code).toBe("vault_not_found");
  });
});
