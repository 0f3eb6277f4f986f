// The routes of actions over a SuperVault on a node: who is offered what, what is refused and why, and who sees what was prepared.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../../../../demo/src/accounts.ts";
import { execute } from "../../../../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
} from "../../../../../demo/src/deploy.ts";
import { Ground } from "../../../../test/actions.ts";
import { as } from "../../../../test/caller.ts";
import { testClientFor } from "../../../../test/chain-client.ts";
import { deployControllers, SAFE_ABI } from "../../../../test/controllers.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type NodeProxy, startBreakingNode, startOlderNode } from "../../../../test/node-proxy.ts";

const PRIMARY = addressOf("primaryManager");
const SECONDARY = addressOf("secondaryManager");
const SIGNER = addressOf("otherManager");
const OUTER_SIGNER = addressOf("formerManager");
const STRANGER = addressOf("stranger");
const OTHER: Address = "0x00000000000000000000000000000000000000a1";

let chain: TestChain;
let ground: Ground;
let app: FastifyInstance;
let vault: Address;
let safe: Address;
/** Owns the Safe. */
let outer: Address;
let base: string;
beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  const system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const trio = await createTrio(chain, system, {
    asset,
    name: "Prime",
    symbol: "P",
    secondaryManagers: [SECONDARY],
  });
  vault = trio.vault;
  const { deploySafe } = await deployControllers(chain);
  outer = await deploySafe([OUTER_SIGNER]);
  safe = await deploySafe([SIGNER, outer]);
  const aggregator = { contract: "SuperVaultAggregator", address: system.aggregator, from: PRIMARY };
  await execute(chain, { ...aggregator, functionName: "addSecondaryManager", args: [trio.strategy, safe] });
  ground = await Ground.start(chain, [{ family: "supervault", aggregator: system.aggregator }]);
  await ground.until(async () => {
    const { controllers } = await ground.record(vault);
    const known = (controllers as { address: string; owners: string[] }[]).filter(
      ({ owners }) => owners.length > 0,
    );
    return [safe, outer].every((each) => known.some(({ address }) => address === each));
  });
  app = await ground.app();
  base = `/api/v1/vaults/${chain.chainId}/${vault}`;
});
afterAll(async () => {
  await app?.close();
  await ground?.stop();
  await chain?.stop();
});

const get = async (wallet: Address | null, path: string, own = app) =>
  await own.inject({ method: "GET", url: `${base}${path}`, headers: as(wallet) });
const post = async (wallet: Address | null, body: object, own = app) =>
  await own.inject({ method: "POST", url: `${base}/prepared-actions`, headers: as(wallet), payload: body });

describe("GET …/actions", () => {
  const offers = async (wallet: Address) =>
    new Map(
      (await get(wallet, "/actions")).json().actions.map((each: { action: string }) => [each.action, each]),
    ) as Map<
      string,
      { can_do: boolean; why_not: string | null; delay_seconds: number | null; parameters: object }
    >;

  test("200: tells what each caller can do, and why not", async () => {
    const can = async (wallet: Address, action: string) => (await offers(wallet)).get(action)!.can_do;
    expect(await can(PRIMARY, "add_secondary_manager")).toBe(true);
    expect(await can(SECONDARY, "add_secondary_manager")).toBe(false);
    expect(await can(SECONDARY, "pause")).toBe(true);
    expect(await can(SIGNER, "pause")).toBe(true);
    // By the Safe that owns the Safe.
    expect(await can(OUTER_SIGNER, "pause")).toBe(true);
    expect(await can(SIGNER, "propose_fee_config")).toBe(false);
    expect(await can(SIGNER, "execute_hooks_root")).toBe(true);
    expect((await offers(SECONDARY)).get("add_secondary_manager")!.why_not).toContain("primary_manager");
  });

  test("200: tells how long an action waits, and the schema of its parameters", async () => {
    const offer = (await offers(PRIMARY)).get("propose_fee_config")!;
    expect(offer.delay_seconds).toBe(604_800);
    expect(offer.parameters).toMatchObject({
      required: ["performance_fee_bps", "management_fee_bps", "recipient"],
      properties: { recipient: { type: "string", "x-kind": "address" } },
    });
  });
});

describe("POST …/prepared-actions", () => {
  test("201: the calls, what holds for them, what they would do, and in which formats", async () => {
    const answer = await post(PRIMARY, { action: "pause" });
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.json()).toMatchObject({
      action: "pause",
      from: PRIMARY,
      status: "prepared",
      submissions: [],
      transaction_hash: null,
      entry_ids: [],
      calls: [{ function: "pauseStrategy", value: "0" }],
      simulation: {
        method: "eth_simulateV1",
        ok: true,
        error: null,
        entries: [
          { action_type: "vault_pause", actor_wallet: PRIMARY, details: { tx_hash: null, tx_from: PRIMARY } },
        ],
        at_execution: null,
      },
      formats: { eip5792: { from: PRIMARY }, safe_transaction_builder: { version: "1.0" } },
    });
    const { changes, alerts } = answer.json().simulation;
    expect(changes).toContainEqual({
      field: "is_paused",
      before: false,
      after: true,
      moves_with_time: false,
    });
    expect(alerts.map(({ category }: { category: string }) => category)).toContain("emergency_pause");
  });

  test("201: for the one Safe for which the caller signs, whose sender is not known", async () => {
    const answer = await post(SIGNER, { action: "pause", safe_nonce: "0" });
    expect(answer.statusCode, answer.body).toBe(201);
    const { from, simulation, formats } = answer.json();
    expect(from).toBe(safe);
    expect(simulation.entries[0]).toMatchObject({ actor_wallet: safe, details: { tx_from: null } });
    expect(formats.safe).toMatchObject({
      transaction: { to: formats.eip5792.calls[0].to, data: formats.eip5792.calls[0].data, nonce: "0" },
      safe_tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
  });

  test("201: with how a Safe that owns the Safe agrees: by its own transaction, with its nonce, or by a message", async () => {
    const { id, formats } = (await post(SIGNER, { action: "pause", safe_nonce: "0" })).json();
    expect(formats.safe.owner_safes).toMatchObject([
      { safe: outer, approval: null, signature: { safe_message_hash: expect.stringMatching(/^0x/) } },
    ]);
    const told = await get(SIGNER, `/prepared-actions/${id}?owner_nonce=0`);
    const [{ approval }] = told.json().formats.safe.owner_safes;
    const { to, value, data, operation, ...others } = approval.transaction;
    const terms = [others.safeTxGas, others.baseGas, others.gasPrice, others.gasToken, others.refundReceiver];
    expect(approval.safe_tx_hash).toBe(
      await chain.client.readContract({
        ...{ abi: SAFE_ABI, address: outer, functionName: "getTransactionHash" },
        args: [to, value, data, operation, ...terms, others.nonce],
      }),
    );
    const refused = await get(SIGNER, `/prepared-actions/${id}?owner_nonce=-1`);
    expect(refused.json().code).toBe("invalid_request");
  });

  test("201: at the moment at which a proposal can be carried out", async () => {
    const parameters = { performance_fee_bps: "1200", management_fee_bps: "10", recipient: OTHER };
    const { at_execution, changes } = (
      await post(PRIMARY, { action: "propose_fee_config", parameters })
    ).json().simulation;
    expect(at_execution).toMatchObject({ ok: true, entries: [{ action_type: "fee_config_update" }] });
    expect(at_execution.changes).toContainEqual(
      expect.objectContaining({ field: "fee_config.performance_fee_bps", after: 1200 }),
    );
    expect(changes).toContainEqual(
      expect.objectContaining({ field: "pending_changes.0.executable_at", moves_with_time: true }),
    );
  });

  test.each([
    ["an action of no such name", { action: "rob" }, "action"],
    ["a parameter that is missing", { action: "add_secondary_manager" }, "parameters.manager"],
    [
      "one of another form",
      { action: "add_secondary_manager", parameters: { manager: "0x12" } },
      "parameters.manager",
    ],
    ["one that there is not", { action: "pause", parameters: { now: true } }, "parameters.now"],
    ["a nonce that is none", { action: "pause", safe_nonce: "-1" }, null],
    ["a nonce that no Safe comes to", { action: "pause", safe_nonce: "9".repeat(78) }, null],
    ["a member that there is not", { action: "pause", key: "0x12" }, null],
  ])("400 invalid_request: %s", async (_, body, path) => {
    const answer = await post(PRIMARY, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().code).toBe("invalid_request");
    if (path !== null)
      expect(answer.json().errors.map((each: { path: string }) => each.path)).toEqual([path]);
  });

  test("400 from_required: names who may", async () => {
    const parameters = { new_manager: OTHER, fee_recipient: OTHER };
    const answer = await post(PRIMARY, { action: "propose_primary_manager", parameters });
    expect(answer.json()).toMatchObject({ code: "from_required", candidates: [SECONDARY, safe] });
  });

  test.each([
    ["unpause", {}, PRIMARY, "not paused"],
    ["pause", {}, OTHER, "is not primary_manager or secondary_manager"],
    ["add_secondary_manager", { manager: SECONDARY }, PRIMARY, "manages the vault already"],
    ["remove_secondary_manager", { manager: OTHER }, PRIMARY, "no secondary manager"],
    ["execute_primary_manager", {}, PRIMARY, "Nothing of the kind is proposed"],
    [
      "propose_fee_config",
      { performance_fee_bps: "5101", management_fee_bps: "0", recipient: OTHER },
      PRIMARY,
      "at most 5100",
    ],
    ["propose_pps_expiration", { pps_expiration_seconds: "59" }, PRIMARY, "from 60"],
    ["deposit_upkeep", { amount: "1" }, PRIMARY, "less than that"],
    ["remove_yield_source", { source: OTHER }, PRIMARY, "no yield source"],
  ])("409 action_not_possible: %s", async (action, parameters, from, reason) => {
    const answer = await post(PRIMARY, { action, parameters, from });
    expect(answer.json()).toMatchObject({
      code: "action_not_possible",
      detail: expect.stringContaining(reason),
    });
    expect(answer.json().preconditions.some(({ ok }: { ok: boolean }) => !ok)).toBe(true);
  });

  test("401, 404 and 403 come before anything of the body is looked at", async () => {
    const nonsense = { action: 5, parameters: "x" };
    expect((await post(null, nonsense)).statusCode).toBe(401);
    expect((await post(STRANGER, nonsense)).statusCode).toBe(403);
    const elsewhere = { url: `/api/v1/vaults/${chain.chainId}/${OTHER}/prepared-actions`, payload: nonsense };
    expect((await app.inject({ method: "POST", headers: as(PRIMARY), ...elsewhere })).statusCode).toBe(404);
  });

  test("201: a node that does not simulate is asked for the first call alone", async () => {
    const { simulation } = (await postBy(await startOlderNode(chain.rpcUrl))).json();
    expect(simulation).toMatchObject({
      method: "eth_call",
      ok: true,
      changes: null,
      entries: null,
      alerts: null,
    });
    expect(simulation.unavailable_reason).toContain("eth_simulateV1");
  });

  test("201: where the node breaks off until its time is over, what the calls would do is not known, and why", async () => {
    const answer = await postBy(await startBreakingNode(chain.rpcUrl), 5_000);
    expect(answer.statusCode).toBe(201);
    const { calls, simulation, simulation_unavailable_reason: reason } = answer.json();
    expect(calls).toHaveLength(1);
    expect(simulation).toBeNull();
    expect(reason).toContain("not simulate");
  });

  test("503: nothing is prepared without the node", async () => {
    const node = await startOlderNode(chain.rpcUrl);
    await node.stop();
    const answer = await postBy(node, 100);
    expect(answer.json()).toMatchObject({ code: "service_unavailable" });
  });

  /** Prepared by what another node says. */
  async function postBy(node: NodeProxy, nodeMs?: number) {
    const client = testClientFor({ chainId: chain.chainId, rpcUrl: node.url });
    const other = await ground.app(client, nodeMs);
    try {
      return await post(PRIMARY, { action: "pause" }, other);
    } finally {
      await other.close();
      await client.close();
      await node.stop();
    }
  }
});

describe("what was prepared", () => {
  test("200: is shown to whoever prepared it, the newest first", async () => {
    const { id } = (await post(SECONDARY, { action: "pause" })).json();
    expect((await get(SECONDARY, `/prepared-actions/${id}`)).json()).toMatchObject({ id, action: "pause" });
    expect((await get(SECONDARY, "/prepared-actions")).json().prepared_actions[0].id).toBe(id);
  });

  test("404: is shown to nobody else, whatever role they hold", async () => {
    const { id } = (await post(SECONDARY, { action: "pause" })).json();
    expect((await get(PRIMARY, `/prepared-actions/${id}`)).statusCode).toBe(404);
    const listed = (await get(PRIMARY, "/prepared-actions")).json().prepared_actions;
    expect(listed.map((each: { id: string }) => each.id)).not.toContain(id);
    const told = {
      url: `${base}/prepared-actions/${id}/submissions`,
      payload: { transaction_hash: `0x${"ab".repeat(32)}` },
    };
    expect((await app.inject({ method: "POST", headers: as(PRIMARY), ...told })).statusCode).toBe(404);
  });

  test("leaves nothing behind of what was foretold", async () => {
    const count = async () => {
      const { rows } = await ground.database.db.pool.query(
        "select (select count(*) from facts) as facts, (select count(*) from blocks) as blocks, (select count(*) from vault_states) as states, (select head_number from chains) as head",
      );
      return rows[0];
    };
    const before = await count();
    await post(SECONDARY, { action: "pause" });
    expect(await count()).toEqual(before);
  });

  test("429: at most 30 a minute", async () => {
    await ground.database.db.pool.query("delete from stored_quotas");
    const statuses: number[] = [];
    for (let nth = 0; nth < 31; nth += 1)
      statuses.push((await post(SECONDARY, { action: "unpause" })).statusCode);
    expect(statuses.filter((status) => status === 409)).toHaveLength(30);
    expect(statuses.at(-1)).toBe(429);
  });

  test("429: at most 4 at once", async () => {
    await ground.database.db.pool.query("delete from stored_quotas");
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(SECONDARY, { action: "pause" })));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([201, 201, 201, 201, 429, 429]);
  });

  test("429: at most 1,000 that wait", async () => {
    const { pool } = ground.database.db;
    await pool.query("delete from stored_quotas");
    await post(SECONDARY, { action: "pause" });
    await pool.query(
      `insert into prepared_actions
         select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
           from prepared_actions p, generate_series(1, 1000)
          where p.id = (select id from prepared_actions where account = $1 limit 1)`,
      [SECONDARY],
    );
    expect((await post(SECONDARY, { action: "pause" })).statusCode).toBe(429);
    expect((await post(PRIMARY, { action: "pause" })).statusCode).toBe(201);
  });
});
