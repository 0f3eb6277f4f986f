// What no event tells: settlements of an ERC-7540 vault that announces none, a name that changes, shares minted by a token of their own.
import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoAccount } from "../../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, mine } from "../../../../demo/src/chain.ts";
import { type Artifacts, artifactOf } from "../../../../demo/src/compile.ts";
import { deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { compileForeignContracts } from "../../../test/foreign-contracts.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import { deployArtifact } from "../../../test/node.ts";

const CHAIN = 31_337;
const [OWNER, ALICE, BOB, OPERATOR] = [11, 12, 13, 14].map((index) => demoAccount(index).address) as [
  Address,
  Address,
  Address,
  Address,
];

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let ingest: RunningIngest;
let artifacts: Artifacts;
let vault: Address;
let share: Address;

beforeAll(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ chainId: CHAIN });
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  artifacts = await compileForeignContracts();
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 18 });
  vault = await deployArtifact(chain, artifacts, "SilentQueue", [asset]);
  share = (await chain.client.readContract({
    address: vault,
    abi: artifactOf(artifacts, "SilentQueue").abi,
    functionName: "share",
  })) as Address;
  ingest = startIngest(database.db, [
    {
      rpcUrls: [anvil.rpcUrl],
      confirmations: 1,
      sources: [{ family: "erc4626", vaults: [{ address: vault, primary_manager: OWNER }] }],
    },
  ]);
});
afterAll(async () => {
  await ingest?.stop();
  await anvil?.stop();
  await database?.drop();
});

async function send(
  contract: "SilentQueue" | "ShareToken",
  functionName: string,
  args: readonly unknown[],
  from: Address,
): Promise<void> {
  const data = encodeFunctionData({ abi: artifactOf(artifacts, contract).abi, functionName, args });
  const to = contract === "SilentQueue" ? vault : share;
  const hash = await chain.client.sendTransaction({ account: from, to, data, gas: 500_000n, chain: null });
  const { status } = await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  expect(status).toBe("success");
}

/** Until the newest block is stored and confirmed as far as it goes. */
async function settled(): Promise<void> {
  await mine(chain);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(`settled at ${head}`, (status) => status.head === head && status.error === null);
  const behind = "select count(*)::int as n from sources where next_block is not null";
  await expect.poll(async () => (await database.db.pool.query(behind)).rows[0].n).toBe(0);
}

async function queue(controller: Address) {
  const { rows } = await database.db.pool.query(
    `select f.pending_shares::text as pending, v.vault_pending_shares::text as of_vault, v.vault_pending_count as count
     from redeem_flows f, (select * from redeem_flows order by block_number desc, log_index desc limit 1) v
     where f.controller = $1 order by f.block_number desc, f.log_index desc limit 1`,
    [controller],
  );
  const claimables = await database.db.pool.query(
    `select claimable_shares::text as shares, claimable_assets::text as assets from redeem_claimables
     where controller = $1 order by block_number desc, log_index desc limit 1`,
    [controller],
  );
  return { ...rows[0], claimable: claimables.rows[0] ?? null };
}

test("what is pending and claimable is what the contract says, though no event does", async () => {
  await send("SilentQueue", "requestRedeem", [100n], ALICE);
  await send("SilentQueue", "requestRedeem", [40n], ALICE);
  await send("SilentQueue", "requestRedeem", [7n], BOB);
  await settled();
  expect(await queue(ALICE)).toMatchObject({ pending: "140", claimable: null });
  expect(await queue(BOB)).toMatchObject({ pending: "7", of_vault: "147", count: 2 });

  // Settled without a word; somebody else's request is what makes the vault be read again.
  await send("SilentQueue", "settle", [1n, ALICE, 90n], OWNER);
  await send("SilentQueue", "requestRedeem", [3n], BOB);
  await settled();
  expect(await queue(ALICE)).toMatchObject({ pending: "50", claimable: { shares: "90", assets: "180" } });
  expect(await queue(BOB)).toMatchObject({ pending: "10", of_vault: "60", count: 2, claimable: null });

  await send("SilentQueue", "claim", [1n, ALICE], ALICE);
  await settled();
  expect(await queue(ALICE)).toMatchObject({ pending: "50", claimable: { shares: "0", assets: "0" } });
});

test("a name that changes, and shares that a token of their own mints, are read without a word of the vault", async () => {
  const row = async () => {
    const { rows } = await database.db.pool.query(
      `select v.name, v.symbol, v.asset_symbol, v.share_address, s.total_supply::text as supply from vaults v
       join lateral (select total_supply from vault_states s where s.vault_address = v.address order by block_number desc limit 1) s on true`,
    );
    return rows[0];
  };
  expect(await row()).toMatchObject({
    name: "First Name",
    symbol: "SHR",
    asset_symbol: "USD",
    share_address: share,
  });
  await send("ShareToken", "rename", ["Second Name"], OWNER);
  await send("ShareToken", "mint", [OWNER, 500n], OWNER);
  await settled();
  expect(await row()).toMatchObject({ name: "Second Name", supply: "500" });
});

test("who claims an asynchronous deposit is the sender of the transaction, not the controller that the event names", async () => {
  await send("SilentQueue", "claimDeposit", [ALICE, 5n], OPERATOR);
  await settled();
  const { rows } = await database.db.pool.query(
    "select actor_wallet, data->>'sender' as sender from facts where kind = 'deposit'",
  );
  expect(rows).toEqual([{ actor_wallet: OPERATOR, sender: ALICE }]);
});
