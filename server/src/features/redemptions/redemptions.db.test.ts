// Redemptions on a real node, followed by the real indexer: executions that are reported and seen become one, whichever comes first; a
// reorganisation takes back what the chain said and nothing else; the queue is what the contracts hold.
import type { FastifyInstance } from "fastify";
import type { Address, Hash } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { demoAccounts } from "../../../../demo/src/accounts.ts";
import { read } from "../../../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../demo/src/deploy.ts";
import {
  claimRedeem,
  depositAssets,
  fulfillRedeems,
  mintTokens,
  pushPps,
  requestRedeem,
} from "../../../../demo/src/operate.ts";
import { buildTestApp, openGuard } from "../../../test/app.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { applyReports, execution, report } from "../../../test/handled-reports.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import { startTestChain, type TestChain } from "../../../test/node.ts";
import { createVaultAccess } from "../../auth/vaults.ts";
import type { VaultRef } from "../../vault.ts";
import { redemptionsFeature } from "./feature.ts";
import { redemptionHandler } from "./reports.ts";

const [ALICE, BOB, CAROL, DAVE] = demoAccounts()
  .slice(10, 14)
  .map(({ address }) => address) as [Address, Address, Address, Address];

let chain: TestChain;
let system: VaultSystem;
let trio: Trio;
let database: TestDatabase;
let ingest: RunningIngest;
let app: FastifyInstance;
let place: VaultRef;

beforeAll(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  await ensureMulticall3(chain);
  system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  trio = await createTrio(chain, system, { asset, name: "Vault", symbol: "V", minUpdateIntervalSeconds: 1 });
  await pushPps(chain, system, [{ strategy: trio.strategy, pps: 1_000_000n }]);
  for (const owner of [ALICE, BOB, CAROL, DAVE]) await depositAssets(chain, trio, owner, 1_000_000_000n);
  place = { chainId: chain.chainId, vaultAddress: trio.vault };
  const sources = [{ family: "supervault" as const, aggregator: system.aggregator }];
  ingest = startIngest(database.db, [
    { chainId: chain.chainId, rpcUrls: [chain.rpcUrl], confirmations: 2, sources },
  ]);
  app = await buildTestApp({
    features: [redemptionsFeature({ db: database.db, findVisible: createVaultAccess(database.db).visible })],
    guard: openGuard({ grants: [{ ...place, role: "view_only", canWrite: false, isAccepted: true }] }),
  });
  await followed();
}, 300_000);
afterAll(async () => {
  await app?.close();
  await ingest?.stop();
  await database?.drop();
  await chain?.stop();
});

/** Waits until the indexer stands at the node's head, on the node's branch, and everything below is filled in and confirmed. */
async function followed(): Promise<void> {
  const block = await chain.client.getBlock({ blockTag: "latest" });
  await ingest.until(
    `at ${block.number}`,
    ({ head, confirmed, backfill }) =>
      head === Number(block.number) && confirmed === head - 2 && backfill === null,
  );
  await vi.waitFor(
    async () => {
      const { rows } = await database.db.pool.query(
        "select head_hash, (select count(*) from sources where next_block is not null) as behind from chains where chain_id = $1",
        [chain.chainId],
      );
      expect(rows[0]).toEqual({ head_hash: block.hash, behind: 0 });
    },
    { timeout: 240_000 },
  );
}

async function get(path: string) {
  const response = await app.inject({ url: path });
  expect(response.statusCode).toBe(200);
  return response.json();
}

const executions = async () => (await get("/api/v1/fulfill-redeems/executions")).executions;
const queue = () => get(`/api/v1/vaults/${chain.chainId}/${trio.vault}/redeems`);

let ids = 0;
const tell = (executionId: string, more: Parameters<typeof execution>[1] = {}, seconds = ids) => {
  ids += 1;
  const data = execution(executionId, more);
  return applyReports(database.db, redemptionHandler, [
    report("vaultops.redemption.execution", place, `r${ids}`, seconds, data),
  ]);
};

/** A redemption asked for and fulfilled; the transaction that fulfilled it. */
async function fulfil(owners: readonly Address[], shares: bigint): Promise<Hash> {
  for (const owner of owners) await requestRedeem(chain, trio, owner, shares);
  await mintTokens(chain, trio.asset, trio.strategy, shares * BigInt(owners.length));
  return (await fulfillRedeems(chain, trio, owners)).transactionHash;
}

test("one that was seen first and one that was reported first are each one execution with one id, undone and brought back by reorganisations", async () => {
  const seen = await fulfil([ALICE, BOB], 1_000_000n);
  await followed();
  expect(await executions()).toMatchObject([
    {
      execution_id: null,
      source: "onchain",
      status: "success",
      tx_hash: seen,
      vault_address: trio.vault,
      controllers_count: 2,
      total_shares_fulfilled: "2000000",
      total_assets_out: "2000000",
      pps_at_fulfillment: "1000000",
      is_confirmed: false,
    },
  ]);
  const [{ id }] = await executions();
  await tell("exec-seen", {
    tx_hash: seen.toUpperCase().replace("0X", "0x") as Hash,
    status: "pending",
    total_assets_out: "1",
  });
  expect(await executions()).toMatchObject([
    { id, execution_id: "exec-seen", source: "both", status: "success", total_assets_out: "2000000" },
  ]);

  await tell("exec-reported", { status: "pending", controllers_count: 1 });
  const [reported] = (await executions()).filter(
    (each: { execution_id: string }) => each.execution_id === "exec-reported",
  );
  expect(reported).toMatchObject({
    source: "reported",
    status: "pending",
    tx_hash: null,
    block_number: null,
    is_confirmed: null,
  });
  await requestRedeem(chain, trio, CAROL, 500_000n);
  await mintTokens(chain, trio.asset, trio.strategy, 500_000n);
  await chain.client.mine({ blocks: 2 });
  const snapshot = await chain.client.snapshot();
  const done = (await fulfillRedeems(chain, trio, [CAROL])).transactionHash;
  await tell("exec-reported", { status: "success", tx_hash: done });
  await followed();
  const find = async (key: "id" | "tx_hash", value: string) =>
    (await executions()).filter((each: Record<string, unknown>) => each[key] === value);
  expect(await find("tx_hash", done)).toMatchObject([
    { id: reported.id, source: "both", status: "success", controllers_count: 1 },
  ]);

  await chain.client.revert({ id: snapshot });
  await chain.client.mine({ blocks: 3 });
  await followed();
  expect(await find("id", reported.id)).toMatchObject([
    { source: "reported", status: "success", tx_hash: done, block_number: null },
  ]);
  expect(await executions()).toHaveLength(2);
});

test("one that was only seen goes with its block, and has its id again when its transaction comes back in another", async () => {
  await requestRedeem(chain, trio, ALICE, 100_000n);
  await mintTokens(chain, trio.asset, trio.strategy, 100_000n);
  await chain.client.mine({ blocks: 2 });
  const before = (await get("/api/v1/fulfill-redeems/executions")).total;
  const snapshot = await chain.client.snapshot();
  const { transactionHash: hash } = await fulfillRedeems(chain, trio, [ALICE]);
  const raw = (await chain.client.request({
    method: "eth_getRawTransactionByHash",
    params: [hash],
  } as never)) as Hash;
  await followed();
  const [first] = (await executions()).filter((each: { tx_hash: string }) => each.tx_hash === hash);
  expect(first).toMatchObject({ source: "onchain" });

  await chain.client.revert({ id: snapshot });
  await chain.client.mine({ blocks: 2 });
  await followed();
  const gone = await get("/api/v1/fulfill-redeems/executions");
  expect([gone.total, gone.executions.some((each: { tx_hash: string }) => each.tx_hash === hash)]).toEqual([
    before,
    false,
  ]);

  await chain.client.sendRawTransaction({ serializedTransaction: raw });
  await chain.client.mine({ blocks: 1 });
  await followed();
  const [again] = (await executions()).filter((each: { tx_hash: string }) => each.tx_hash === hash);
  expect(again).toMatchObject({ id: first.id, source: "onchain" });
  expect(again.block_number).not.toBe(first.block_number);
});

test("an execution and a transaction that each were there before become one by the report that names both, under the older id", async () => {
  await tell("exec-late", { status: "pending" });
  const [pending] = (await executions()).filter(
    (each: { execution_id: string }) => each.execution_id === "exec-late",
  );
  const hash = await fulfil([BOB], 200_000n);
  await followed();
  const { total } = await get("/api/v1/fulfill-redeems/executions");
  await tell("exec-late", { tx_hash: hash });
  const joined = await get("/api/v1/fulfill-redeems/executions");
  expect(joined.total).toBe(total - 1);
  expect(joined.executions.filter((each: { tx_hash: string }) => each.tx_hash === hash)).toMatchObject([
    { id: pending.id, execution_id: "exec-late", source: "both" },
  ]);

  // A report that was made before, and comes now, changes nothing; another execution or transaction is refused.
  await tell("exec-late", { status: "failed", tx_hash: hash }, -5);
  expect((await tell("exec-other", { tx_hash: hash }))[0]?.code).toBe("execution_conflict");
  expect((await tell("exec-late", { tx_hash: `0x${"9".repeat(64)}` }))[0]?.code).toBe("execution_conflict");
  expect(await get("/api/v1/fulfill-redeems/executions")).toEqual(joined);
});

test("reports of an execution in any order leave the one that was made latest, and the transaction last named", async () => {
  const steps: { status: "pending" | "success" | "failed"; tx?: string }[] = [
    { status: "pending" },
    { status: "pending", tx: `0x${"1".repeat(63)}` },
    { status: "success", tx: `0x${"2".repeat(63)}` },
    { status: "failed" },
  ];
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [3, 1, 2, 0],
    [2, 0, 3, 1],
  ];
  for (const [round, order] of orders.entries()) {
    const name = `exec-order-${round}`;
    for (const step of order) {
      const { status, tx } = steps[step] as (typeof steps)[number];
      // Transactions of their own, or the rounds would be one execution.
      const more = { status, ...(tx === undefined ? {} : { tx_hash: `${tx}${round}` as Hash }) };
      expect(await tell(name, more, step)).toEqual([null]);
    }
    const [row] = (await executions()).filter((each: { execution_id: string }) => each.execution_id === name);
    expect(row).toMatchObject({ status: "failed", tx_hash: `0x${"2".repeat(63)}${round}` });
  }
});

test("the queue is what the contracts hold: who waits since when, what it is worth, what may be claimed", async () => {
  const view = (functionName: string, ...args: unknown[]) =>
    read<bigint>(chain, { contract: "SuperVault", address: trio.vault, functionName, args });
  const { blockNumber } = await requestRedeem(chain, trio, DAVE, 300_000n);
  const asked = await chain.client.getBlock({ blockNumber });
  await chain.client.mine({ blocks: 2, interval: 60 });
  await followed();
  const head = await chain.client.getBlock({ blockTag: "latest" });
  const body = await queue();
  const entry = (controller: Address) =>
    body.redeems.find((each: { controller: Address }) => each.controller === controller);
  expect(entry(DAVE)).toMatchObject({
    pending_shares: `${await view("pendingRedeemRequest", 0n, DAVE)}`,
    requested_at: `${new Date(Number(asked.timestamp) * 1000).toISOString().slice(0, 19)}.000000Z`,
    age_seconds: Number(head.timestamp - asked.timestamp),
  });
  expect(entry(DAVE).pending_assets_estimate).toBe(
    `${(BigInt(entry(DAVE).pending_shares) * 1_000_000n) / 1_000_000n}`,
  );
  for (const owner of [ALICE, BOB]) {
    expect(entry(owner).claimable_assets).toBe(`${await view("maxWithdraw", owner)}`);
    expect(entry(owner).pending_shares).toBe(`${await view("pendingRedeemRequest", 0n, owner)}`);
  }
  // Carol's fulfilment was undone by a reorganisation, so that she has waited longest.
  expect(body.redeems[0]).toMatchObject({ controller: CAROL, pending_shares: "500000" });
  expect(body.as_of).toMatchObject({ block_number: Number(head.number) });

  await claimRedeem(chain, trio.vault, BOB);
  await followed();
  expect((await queue()).redeems.some((each: { controller: Address }) => each.controller === BOB)).toBe(
    false,
  );
  expect((await queue()).total_pending_shares).toBe("800000");
});
