// Whatever kills the service, a prepared action is there whole or not at all, and what it became is written once: killed with -9 while it foretells,
// while it stores, between a submission and its receipt, and between a block and the action that it executed. What it does at that moment is
// held by a lock, so that it dies in the midst of it; with VAULTOPS_FULL at twenty random instants besides.
import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Address, Hash, Hex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute } from "../../../../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../../demo/src/deploy.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/database.ts";
import { freePort } from "../../../../test/free-port.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ServiceProcess, startServiceProcess } from "../../../../test/service-process.ts";
import { tokenCommand } from "../../../cli/sign-in.ts";

const RANDOM_KILLS = process.env.VAULTOPS_FULL === "1" ? 20 : 0;
const MANAGER = addressOf("primaryManager");

let chain: TestChain;
let system: VaultSystem;
let trio: Trio;
let database: TestDatabase;
let folder: string;
let port: number;
let service: ServiceProcess;
let token: string;
/** Of the tables' owner, who may lock them. */
let holder: pg.Client;

beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  trio = await createTrio(chain, system, { asset, name: "Prime", symbol: "P" });
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "vaultops-killed-actions-"));
  port = await freePort();
  holder = new pg.Client({ connectionString: database.ownerUrl });
  await holder.connect();
  await start();
  token = await tokenCommand({
    baseUrl: `http://127.0.0.1:${port}`,
    privateKey: demoAccount(0).privateKey,
  });
});
afterAll(async () => {
  await service?.end();
  await holder?.end();
  await database?.drop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

let manager = 1000;
beforeEach(() => {
  manager += 1;
});
afterEach(() => chain.client.setAutomine(true));

const added = (): Address => `0x${manager.toString(16).padStart(40, "0")}`;
/** A strategy has room for few. */
const remove = () =>
  execute(chain, {
    ...{ contract: "SuperVaultAggregator", address: system.aggregator, from: MANAGER },
    ...{ functionName: "removeSecondaryManager", args: [trio.strategy, added()] },
  });

async function start(): Promise<void> {
  service = startServiceProcess([], {
    VAULTOPS_HTTP__PORT: String(port),
    VAULTOPS_DATA_DIR: folder,
    VAULTOPS_DATABASE__URL: database.url,
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
    VAULTOPS_CHAINS: JSON.stringify([
      {
        chain_id: chain.chainId,
        name: "Test chain",
        rpc_urls: [chain.rpcUrl],
        confirmations: 1,
        sources: [{ family: "supervault", aggregator: system.aggregator }],
      },
    ]),
  });
  await service.adminUrl();
}

async function kill(): Promise<void> {
  service.kill("SIGKILL");
  expect(await service.ended).toBeNull();
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
async function ask(of: string, body?: object): Promise<any> {
  const url = `http://127.0.0.1:${port}/api/v1/vaults/${chain.chainId}/${trio.vault}/prepared-actions${of}`;
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBeLessThan(300);
  return answer;
}

const adding = () => ask("", { action: "add_secondary_manager", parameters: { manager: added() } });

/** The vault is known, and whoever manages it: what is asked for before is not found. */
const prepared = async (): Promise<{ id: string; calls: { to: Address; data: Hex }[] }> => {
  await expect.poll(() => adding().catch(() => null)).not.toBeNull();
  const { prepared_actions: list } = await ask("?limit=1");
  return list[0];
};

const send = ({ calls: [call] }: { calls: { to: Address; data: Hex }[] }): Promise<Hash> =>
  chain.client.sendTransaction({ account: MANAGER, ...call!, gas: 500_000n, chain: null });

/** Holds a table against whoever writes to it, until somebody waits for it; then the service is killed and the table let go. */
async function killedWhileWriting(table: string, begin: () => Promise<unknown>): Promise<void> {
  await holder.query("begin");
  await holder.query(`lock table ${table} in exclusive mode`);
  const begun = begin().catch(() => {});
  await expect
    .poll(async () => {
      // As the service, whose statements are shown to itself alone.
      const { rows } = await database.db.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
        [`%insert into ${table}%`],
      );
      return rows.length;
    })
    .toBeGreaterThan(0);
  await kill();
  await holder.query("rollback");
  await begun;
  await start();
}

/** What was written of actions that added the manager: each with its calls, and the transactions that it is linked with. */
async function linked(): Promise<{ calls: number; hashes: Hash[] }[]> {
  const { rows } = await database.db.pool.query(
    `select (select count(*)::integer from prepared_action_calls c where c.action_id = p.id) as calls,
            array(select x.transaction_hash from prepared_action_executions x where x.action_id = p.id) as hashes
       from prepared_actions p where lower(p.parameters ->> 'manager') = $1`,
    [added()],
  );
  return rows;
}

/** The action, its transaction and the entry of the log are one each. The states that it is seen in until then. */
async function isLinkedOnce(id: string, hash: Hash): Promise<string[]> {
  const seen: string[] = [];
  await expect
    .poll(async () => {
      await chain.client.mine({ blocks: 1 });
      await sleep(200);
      const { status } = await ask(`/${id}`);
      if (seen.at(-1) !== status) seen.push(status);
      return status;
    })
    .toBe("confirmed");
  const { transaction_hash: transaction, entry_ids: ids } = await ask(`/${id}`);
  expect(transaction).toBe(hash);
  const { rows } = await database.db.pool.query(
    "select id, body from audit_entries where action_type = 'secondary_manager_add'",
  );
  expect(rows.filter(({ body }) => JSON.parse(body).details.tx_hash === hash).map((row) => row.id)).toEqual(
    ids,
  );
  expect(ids).toHaveLength(1);
  return seen;
}

test("killed while it foretells and while it stores, it has prepared nothing, and nothing foretold has come", async () => {
  await prepared();
  manager += 1;
  const facts = async () => {
    const { rows } = await database.db.pool.query(
      "select (select count(*) from facts) as facts, (select count(*) from audit_entries) as entries",
    );
    return rows[0];
  };
  const before = await facts();
  await killedWhileWriting("facts", adding);
  await killedWhileWriting("prepared_action_calls", adding);
  expect(await linked()).toEqual([]);
  expect(await facts()).toEqual(before);
  const { id } = await prepared();
  expect(await linked()).toEqual([{ calls: 1, hashes: [] }]);
  expect((await ask(`/${id}`)).status).toBe("prepared");
});

test("killed between a submission and its receipt, it finds what was mined while it was away, however long", async () => {
  const action = await prepared();
  await chain.client.setAutomine(false);
  const hash = await send(action);
  const told = await ask(`/${action.id}/submissions`, { transaction_hash: hash });
  expect(told.status).toBe("submitted");
  await kill();
  // So many that they are filled in as the past is, beside the head.
  await chain.client.mine({ blocks: 600 });
  await chain.client.setAutomine(true);
  await start();
  const seen = await isLinkedOnce(action.id, hash);
  expect(["submitted", "executed", "confirmed"]).toEqual(expect.arrayContaining(seen));
});

test("killed between the block and the link, it links what it had looked into already, once", async () => {
  const action = await prepared();
  let hash: Hash = "0x";
  await killedWhileWriting("prepared_action_executions", async () => {
    hash = await send(action);
  });
  await isLinkedOnce(action.id, hash);
  expect(await linked()).toEqual([{ calls: 1, hashes: [hash] }]);
});

test.skipIf(RANDOM_KILLS === 0)(
  `killed ${RANDOM_KILLS} times at random instants, it loses nothing and doubles nothing`,
  async () => {
    const done: { id: string; hash: Hash }[] = [];
    for (let nth = 0; nth < RANDOM_KILLS; nth += 1) {
      manager += 1;
      const action = await prepared();
      const hash = await send(action);
      done.push({ id: action.id, hash });
      const told = ask(`/${action.id}/submissions`, { transaction_hash: hash }).catch(() => {});
      const again = adding().catch(() => {});
      await sleep(randomInt(1_500));
      await kill();
      await Promise.all([told, again]);
      await remove();
      await start();
    }
    for (const { id, hash } of done) await isLinkedOnce(id, hash);
    const { rows } = await database.db.pool.query(
      `select from prepared_actions p where not exists (select from prepared_action_calls c where c.action_id = p.id)`,
    );
    expect(rows).toEqual([]);
  },
);
