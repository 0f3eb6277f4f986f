// What is remembered of a vault from its events: with a family whose deposits give a role to the owner and whose first one names a further
// contract.
import { type Address, getAddress, type Hex, pad } from "viem";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountAddress } from "../../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine, passTime } from "../../../../demo/src/chain.ts";
import { deployErc4626Vault, deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import { depositAssets, mintTokens } from "../../../../demo/src/operate.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import type { StoredFact } from "../../chain/facts.ts";
import type { Families, Family } from "../../chain/families/family/family.ts";
import { createFamilies } from "../../chain/families/registry.ts";
import type { TrackedChange } from "../../chain/governance.ts";
import { silentLogger } from "../../platform/log.ts";
import { replayIn } from "./replay.ts";
import { trackedProjection } from "./tracked.ts";

const [ALICE, BOB] = [accountAddress(10), accountAddress(11)] as [Address, Address];
const SLOT: Hex = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let ingest: RunningIngest | null;
let asset: Address;
let vault: Address;
/** What `read` was handed, newest last. */
let handed: { block: number; roles: string[] }[];
let families: Families;

beforeEach(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ persistedStates: 1_000 });
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  vault = await deployErc4626Vault(chain, { asset, name: "Vault", symbol: "V" });
  handed = [];
  const registered = createFamilies(silentLogger());
  const plain = registered.erc4626;
  const tracking: Family = {
    ...plain,
    track,
    async read(client, vaults, at, requests, tracked) {
      const roles = [...(tracked?.get(vault)?.role?.keys() ?? [])];
      if (at !== "latest") handed.push({ block: at.number, roles });
      const readings = await plain.read(client, vaults, at, requests, tracked);
      return readings.map((each) => ({ ...each, contractRoles: roles.map((key) => roleOf(key)) }));
    },
  };
  families = { ...registered, erc4626: tracking };
});
afterEach(async () => {
  await ingest?.stop();
  await database.drop();
  await anvil.stop();
});

function track({ body }: StoredFact): TrackedChange[] {
  if (body.kind === "withdraw") return [{ list: "role", key: `depositor:${body.owner}`, value: null }];
  if (body.kind !== "deposit") return [];
  return [
    { list: "role", key: `depositor:${body.owner}`, value: { assets: body.assets } },
    { list: "contract", key: asset, value: { role: "adapter" } },
  ];
}

function roleOf(key: string) {
  const [role, account] = key.split(":") as [string, Address];
  return { role, account };
}

async function follow(startBlock = 0) {
  ingest = startIngest(
    database.db,
    [
      {
        rpcUrls: [anvil.rpcUrl],
        confirmations: 1,
        startBlock,
        sources: [{ family: "erc4626", vaults: [{ address: vault, primary_manager: null }] }],
      },
    ],
    { families },
  );
  await settled();
}

async function settled() {
  await mine(chain);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest!.until(`settled at ${head}`, (status) => status.head === head && status.error === null);
  const behind = "select count(*)::int as n from sources where next_block is not null";
  await expect.poll(async () => (await database.db.pool.query(behind)).rows[0].n).toBe(0);
}

async function stored() {
  const { rows } = await database.db.pool.query<{ list: string; key: string; value: object | null }>(
    "select list, key, value from tracked_changes order by block_number, log_index, nth",
  );
  return rows;
}

async function newestState() {
  const { rows } = await database.db.pool.query(
    "select contract_roles, implementation, unread from vault_states order by block_number desc limit 1",
  );
  return rows[0];
}

const deposit = (from: Address, assets = 1_000n) => depositAssets(chain, { vault, asset }, from, assets);
const redeemAll = async (owner: Address) => {
  const call = { contract: "Erc4626Vault", address: vault, functionName: "redeem", from: owner } as const;
  await execute(chain, { ...call, args: [1n, owner, owner] });
};
const roles = (...accounts: Address[]) => accounts.map((account) => `depositor:${account}`);
/** Mints of the asset: facts of the vault only because the asset is followed as its further contract. */
async function foreignMints() {
  const { rows } = await database.db.pool.query<{ n: number }>(
    "select count(*)::int as n from facts where kind = 'shares_minted' and data ->> 'shares' = '777'",
  );
  return rows[0]!.n;
}

test("a reading is handed what held at its block, that block's own facts included; a start knows it again", async () => {
  await follow();
  await deposit(ALICE);
  await deposit(BOB);
  await settled();
  expect(handed.at(-1)!.roles).toEqual(roles(ALICE, BOB));
  expect((await newestState()).contract_roles).toEqual(roles(ALICE, BOB).map(roleOf));
  await redeemAll(ALICE);
  await settled();
  expect(handed.at(-1)!.roles).toEqual(roles(BOB));
  await ingest!.stop();
  await follow();
  expect(handed.at(-1)!.roles).toEqual(roles(BOB));
  // Each reading had what its own block and those before it say, and no more.
  const withAlice = handed.filter((each) => each.roles.includes(roles(ALICE)[0]!));
  expect(withAlice.every(({ block }) => block < handed.at(-1)!.block)).toBe(true);
});

test("a further contract is followed from the block that names it, at the head and where the past is filled in", async () => {
  await mintTokens(chain, asset, BOB, 777n);
  await deposit(ALICE);
  await mintTokens(chain, asset, BOB, 777n);
  await follow();
  expect(await foreignMints()).toBe(1);
  await mintTokens(chain, asset, BOB, 777n);
  await settled();
  expect(await foreignMints()).toBe(2);
  await ingest!.stop();
  await follow();
  await mintTokens(chain, asset, BOB, 777n);
  await settled();
  expect(await foreignMints()).toBe(3);
});

test("a reorganisation undoes what its blocks changed, and what a replay makes anew is the same", async () => {
  await follow();
  await deposit(ALICE);
  await settled();
  const before = await stored();
  await deposit(BOB);
  const depth = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await settled();
  expect(handed.at(-1)!.roles).toEqual(roles(ALICE, BOB));
  const undone = Number(await chain.client.getBlockNumber({ cacheTime: 0 })) - depth + 1;
  await chain.client.request({ method: "anvil_reorg", params: [undone, []] } as never);
  await settled();
  expect(await stored()).toEqual(before);
  expect(handed.at(-1)!.roles).toEqual(roles(ALICE));
  await ingest!.stop();
  ingest = null;
  await database.owner.transaction((tx) =>
    replayIn(tx, {
      chainId: 31_337,
      projections: [trackedProjection(families)],
      signal: AbortSignal.timeout(60_000),
    }),
  );
  expect(await stored()).toEqual(before);
});

test("past readings are handed what held at their own blocks", async () => {
  await passTime(chain, 7_200);
  await deposit(ALICE);
  const first = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await passTime(chain, 7_200);
  await deposit(BOB);
  await passTime(chain, 7_200);
  await redeemAll(ALICE);
  await follow();
  expect(handed.find(({ block }) => block === first)?.roles).toEqual(roles(ALICE));
  expect(handed.at(-1)!.roles).toEqual(roles(BOB));
});

test("the code behind a proxy is read at first and once an hour", async () => {
  const set = (implementation: Address) =>
    chain.client.request({
      method: "anvil_setStorageAt",
      params: [vault, SLOT, pad(implementation, { size: 32 })],
    } as never);
  const [first, second] = [getAddress(`0x${"ab".repeat(20)}`), getAddress(`0x${"cd".repeat(20)}`)];
  await follow();
  expect(await newestState()).toMatchObject({ implementation: null, unread: {} });
  await set(first);
  await passTime(chain, 3_600);
  await settled();
  expect(await newestState()).toMatchObject({ implementation: first, unread: {} });
  await set(second);
  await deposit(ALICE);
  await settled();
  expect((await newestState()).implementation).toBe(first);
  await passTime(chain, 3_600);
  await settled();
  expect((await newestState()).implementation).toBe(second);
});
