// Vaults of a factory: found by its event, described, read, and managed by whom their contracts name.
import { type Address, getAddress, type Hex, padHex, slice } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountAddress, addressOf } from "../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine } from "../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../demo/src/deploy.ts";
import { createLagoonVault, deployLagoon } from "../../../demo/src/families/lagoon.ts";
import { createMetaMorpho, deployMorpho, type MorphoSystem } from "../../../demo/src/families/metamorpho.ts";
import {
  createMarketAdapter,
  createMorphoVault,
  deployMorphoSystem,
  submitAndRun,
} from "../../../demo/src/families/morpho-vault-v2.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { type RunningIngest, startIngest } from "../../test/ingest.ts";

const owner = addressOf("primaryManager");
const [curator, successor] = [accountAddress(10), accountAddress(11)] as [Address, Address];

/** EIP-1967: where a proxy keeps its admin. */
const ADMIN_SLOT: Hex = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let ingest: RunningIngest;
let system: MorphoSystem;
let asset: Address;

beforeAll(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ persistedStates: 1_000 });
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  system = await deployMorpho(chain);
});
afterAll(async () => {
  await ingest?.stop();
  await database.drop();
  await anvil.stop();
});

async function settled(running = ingest, { db } = database) {
  await mine(chain);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await running.until(`settled at ${head}`, (status) => status.head === head && status.error === null);
  const behind = "select count(*)::int as n from sources where next_block is not null";
  await expect.poll(async () => (await db.pool.query(behind)).rows[0].n).toBe(0);
}

const made = (symbol: string) => createMetaMorpho(chain, system, { asset, name: symbol, symbol });
const appoint = (vault: Address, to: Address) =>
  execute(chain, {
    contract: "MetaMorphoV1_1",
    address: vault,
    functionName: "setCurator",
    args: [to],
    from: owner,
  });

async function managersOf(vault: Address) {
  const { rows } = await database.db.pool.query<{ wallet: Address; role: string }>(
    "select wallet, role from vault_roles where vault_address = $1 and to_block is null",
    [vault],
  );
  return Object.fromEntries(rows.map(({ wallet, role }) => [wallet, role]));
}

test("are followed from their creation, at the head and in the past, and their owner and curator both manage", async () => {
  const first = await made("ONE");
  await appoint(first, curator);
  ingest = startIngest(database.db, [
    {
      rpcUrls: [anvil.rpcUrl],
      confirmations: 1,
      sources: [{ family: "metamorpho", factory: system.factory, vaults: [] }],
    },
  ]);
  await settled();
  const second = await made("TWO");
  await settled();
  const { rows } = await database.db.pool.query(
    "select address, family, symbol from vaults order by created_block",
  );
  expect(rows).toEqual([
    { address: first, family: "metamorpho", symbol: "ONE" },
    { address: second, family: "metamorpho", symbol: "TWO" },
  ]);
  expect(await managersOf(first)).toEqual({ [owner]: "primary_manager", [curator]: "primary_manager" });
  expect(await managersOf(second)).toEqual({ [owner]: "primary_manager" });

  await appoint(first, successor);
  await settled();
  expect(await managersOf(first)).toEqual({ [owner]: "primary_manager", [successor]: "primary_manager" });
  const entries = await database.db.pool.query(
    "select count(*)::int as n from audit_entries where vault_address = $1 and action_type = 'curator_change'",
    [first],
  );
  expect(entries.rows[0].n).toBeGreaterThan(0);
});

test("of listed managers alone: the others leave nothing until one comes to a role, and then come with their whole past", async () => {
  const morpho = await deployMorphoSystem(chain);
  const options = { asset, name: "Listed", symbol: "L" };
  const own = await createMorphoVault(chain, morpho, { ...options, owner: curator });
  const foreign = await createMorphoVault(chain, morpho, options);
  const adapter = await createMarketAdapter(chain, morpho, foreign.vault);
  const governed = { contract: "MorphoVaultV2", address: foreign.vault, curator: owner } as const;
  await submitAndRun(chain, governed, "addAdapter", [adapter]);
  const source = { family: "morpho_vault_v2" as const, factory: morpho.factory, vaults: [] };
  const follow = (db: TestDatabase, managers: Address[]) =>
    startIngest(db.db, [
      { rpcUrls: [anvil.rpcUrl], confirmations: 1, sampleSeconds: 1, sources: [{ ...source, managers }] },
    ]);
  const [listed, all] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const running = [follow(listed, [curator]), follow(all, [])];
  const followed = async () =>
    (await listed.db.pool.query("select address from vaults order by created_block")).rows.map(
      ({ address }) => address,
    );
  try {
    await settled(running[0], listed);
    const unfollowed = await createMorphoVault(chain, morpho, { ...options, salt: padHex("0x2") });
    await submitAndRun(
      chain,
      { ...governed, contract: "MorphoMarketAdapter", address: adapter },
      "setSkimRecipient",
      [successor],
    );
    await settled(running[0], listed);
    expect(await followed()).toEqual([own.vault]);
    const traces = "select count(*)::int as n from facts where facts::text ~* $1 or facts::text ~* $2";
    const told = await listed.db.pool.query(traces, [foreign.vault, unfollowed.vault]);
    expect(told.rows).toEqual([{ n: 0 }]);

    await execute(chain, {
      contract: governed.contract,
      address: foreign.vault,
      functionName: "setCurator",
      args: [curator],
      from: owner,
    });
    await expect
      .poll(async () => {
        await settled(running[0], listed);
        return await followed();
      })
      .toEqual([own.vault, foreign.vault]);
    await settled(running[0], listed);
    await settled(running[1], all);
    const facts = async ({ db }: TestDatabase) =>
      (
        await db.pool.query(
          "select block_number, log_index, kind, actor_wallet, data from facts where vault_address = $1 order by 1, 2",
          [foreign.vault],
        )
      ).rows;
    const whole = await facts(all);
    expect(whole.map(({ data }) => data.event)).toContain("SetSkimRecipient");
    await expect.poll(() => facts(listed)).toEqual(whole);
  } finally {
    for (const each of running) await each.stop();
    await Promise.all([listed.drop(), all.drop()]);
  }
});

test("with what their first transaction names: the admin of a proxy, at the head as in the past", async () => {
  const lagoon = await deployLagoon(chain);
  const follow = (db: TestDatabase) =>
    startIngest(db.db, [
      {
        rpcUrls: [anvil.rpcUrl],
        confirmations: 1,
        sources: [{ family: "lagoon", factory: lagoon.factory, vaults: [] }],
      },
    ]);
  const [head, past] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const atHead = follow(head);
  const running = [atHead];
  const told = async ({ db }: TestDatabase) =>
    (
      await db.pool.query(
        "select data->>'event' as event from facts where data->>'contract' = 'proxy_admin' order by block_number, log_index",
      )
    ).rows.map(({ event }) => event);
  try {
    await settled(atHead, head);
    const { vault } = await createLagoonVault(chain, lagoon, { asset, name: "Lagoon", symbol: "L", owner });
    const stored = (await chain.client.getStorageAt({ address: vault, slot: ADMIN_SLOT })) as Hex;
    await execute(chain, {
      contract: "DelayProxyAdmin",
      address: getAddress(slice(stored, 12)),
      functionName: "submitDelay",
      args: [172_800n],
      from: owner,
    });
    await settled(atHead, head);
    const afterwards = follow(past);
    running.push(afterwards);
    await settled(afterwards, past);
    expect(await told(head)).toEqual(["OwnershipTransferred", "DelayUpdated", "DelayUpdateSubmited"]);
    expect(await told(past)).toEqual(await told(head));
  } finally {
    await Promise.all(running.map((each) => each.stop()));
    await Promise.all([head, past].map((each) => each.drop()));
  }
});
