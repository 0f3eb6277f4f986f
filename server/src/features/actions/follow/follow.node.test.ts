// Prepared actions followed to their end on a real node: through wallets, the published Safe 1.4.1 with MultiSendCallOnly, and OpenZeppelin's timelock;
// replaced, reverted, reorganised; and whatever others send, it counts for nothing.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Address,
  type Block,
  concat,
  encodeFunctionData,
  type Hash,
  type Hex,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountAddress, addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { MULTICALL3_ADDRESS, read } from "../../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../../demo/src/compile.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../../demo/src/deploy.ts";
import { type Controllers, deployControllers, SAFE_ABI, safeArtifact } from "../../../../test/controllers.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/database.ts";
import { untilJoined } from "../../../../test/followed.ts";
import { type RunningIngest, startIngest } from "../../../../test/ingest.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../../chain/client/client.ts";
import { silentLogger } from "../../../platform/log.ts";
import { findMultiSend } from "../formats/multi-send.ts";
import { type SafeTransaction, safeHashesOf, safeTransactionOf } from "../formats/safe-transaction.ts";
import { progressOf } from "./progress.ts";
import { followOnce } from "./task.ts";

const CONFIRMATIONS = 3;
const MANAGER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const [anne, ben] = [demoAccount(10), demoAccount(11)].map(({ privateKey }) =>
  privateKeyToAccount(privateKey),
) as [Owner, Owner];
type Owner = ReturnType<typeof privateKeyToAccount>;
const MULTICALL = parseAbi([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
]);

let chain: TestChain;
let ground: Controllers;
let database: TestDatabase;
let client: ChainClient;
let ingest: RunningIngest;
let system: VaultSystem;
let safe: Address;
let timelock: Address;
let trios: { wallet: Trio; safe: Trio; timelock: Trio };
let multiSend: Address;

beforeAll(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  ground = await deployControllers(chain);
  await chain.client.setCode({
    address: "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
    bytecode: safeArtifact("libraries/MultiSendCallOnly").deployedBytecode,
  });
  multiSend = (await findMultiSend(
    "1.4.1",
    async (address) => (await chain.client.getCode({ address })) ?? "0x",
  ))!;
  safe = await ground.deploySafe([anne.address, ben.address], 2);
  timelock = await ground.deployTimelock(60, [safe], [safe]);
  await ensureMulticall3(chain);
  system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const trioOf = async (primaryManager: Address) => {
    await chain.client.impersonateAccount({ address: primaryManager });
    await chain.client.setBalance({ address: primaryManager, value: 10n ** 20n });
    return await createTrio(chain, system, { asset, name: "Trio", symbol: "TRI", primaryManager });
  };
  trios = { wallet: await trioOf(MANAGER), safe: await trioOf(safe), timelock: await trioOf(timelock) };
  const { chainId, rpcUrl } = chain;
  client = createChainClient({
    chainId,
    name: "test",
    rpcUrls: [rpcUrl],
    log: silentLogger(),
    settleMs: 500,
  });
  ingest = startIngest(database.db, [
    {
      rpcUrls: [rpcUrl],
      confirmations: CONFIRMATIONS,
      sources: [{ family: "supervault", aggregator: system.aggregator }],
    },
  ]);
  await settle();
  await untilJoined(database);
});
afterAll(async () => {
  await ingest?.stop();
  await client?.close();
  await database?.drop();
  await chain?.stop();
});
afterEach(async () => {
  await chain.client.setAutomine(true);
  // A strategy has room for few.
  for (const [manager, { strategy }] of [
    [MANAGER, trios.wallet],
    [safe, trios.safe],
    [timelock, trios.timelock],
  ] as const)
    for (const added of await read<readonly Address[]>(chain, {
      contract: "SuperVaultAggregator",
      address: system.aggregator,
      functionName: "getSecondaryManagers",
      args: [strategy],
    }))
      await send(manager, call("removeSecondaryManager", [strategy, added]));
});

/** Waits until the head is stored, and does a round. */
async function settle(): Promise<void> {
  await stored();
  await followOnce({ db: database.db, clock: { now: () => nowMs } }, client);
}
async function stored(): Promise<void> {
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  const block = await chain.client.getBlock({ blockNumber: BigInt(head) });
  await ingest.until(
    `at ${head}`,
    (status) =>
      status.head === head &&
      status.confirmed === Math.max(0, head - CONFIRMATIONS) &&
      status.backfill === null &&
      status.error === null,
  );
  const { rows } = await database.db.pool.query("select head_hash from chains");
  if (rows[0].head_hash === block.hash) return;
  await sleep(20);
  await stored();
}
let nowMs = Date.now();

interface Call {
  to: Address;
  value: bigint;
  data: Hex;
}

function call(functionName: string, args: readonly unknown[]): Call {
  const { abi } = artifactOf(chain.artifacts, "SuperVaultAggregator");
  return { to: system.aggregator, value: 0n, data: encodeFunctionData({ abi, functionName, args }) };
}
let managers = 1000;
/** Another each time, so that it can always be done. */
const adding = (trio: Trio, manager = `0x${(managers++).toString(16).padStart(40, "0")}` as Address) =>
  call("addSecondaryManager", [trio.strategy, manager]);

/** Prepares as the routes do: foretold is what the node says that the calls would emit. */
async function prepare(
  trio: Trio,
  from: { address: Address; kind: "eoa" | "safe" | "contract"; nonce?: bigint },
  calls: readonly Call[],
  options: { foretold?: false; at?: Block } = {},
): Promise<string> {
  const id = randomUUID();
  nowMs += 1;
  const now = new Date(nowMs).toISOString();
  const head = options.at ?? (await chain.client.getBlock());
  const [simulated] = (await chain.client.request({
    method: "eth_simulateV1",
    params: [
      { blockStateCalls: [{ calls: calls.map(({ to, data }) => ({ from: from.address, to, data })) }] },
      numberToHex(head.number!),
    ],
  } as never)) as { calls: { status: Hex; logs: { address: Address; topics: Hex[]; data: Hex }[] }[] }[];
  expect(simulated!.calls.every(({ status }) => status === "0x1")).toBe(true);
  const events = options.foretold === false ? [] : simulated!.calls.flatMap(({ logs }) => logs);
  const { pool } = database.db;
  await pool.query(
    `insert into prepared_actions (id, chain_id, vault_address, family, action, parameters, wallet, account, from_address, from_kind,
       from_version, safe_nonce, preconditions, simulation, block_number, block_hash, created_at, expires_at)
     values ($1, $2, $3, 'supervault', 'add_secondary_manager', '{}', $4, $4, $5, $6, null, $7, '[]', null, $8, $9, $10, $10::timestamptz + interval '7 days')`,
    [
      id,
      chain.chainId,
      trio.vault,
      MANAGER,
      from.address,
      from.kind,
      from.nonce?.toString() ?? null,
      Number(head.number),
      head.hash,
      now,
    ],
  );
  for (const [position, { to, value, data }] of calls.entries())
    await pool.query(
      "insert into prepared_action_calls (action_id, position, target, value, data, function, arguments) values ($1, $2, $3, $4, $5, '', '{}')",
      [id, position, to, value.toString(), data.toLowerCase()],
    );
  for (const [position, { address, topics, data }] of events.entries())
    await pool.query(
      "insert into prepared_action_events (action_id, position, emitter, topics, data) values ($1, $2, $3, $4, $5)",
      [
        id,
        position,
        system.aggregator.toLowerCase() === address.toLowerCase() ? system.aggregator : address,
        topics,
        data,
      ],
    );
  return id;
}

const wallet = { address: MANAGER, kind: "eoa" } as const;
const ofSafe = (nonce?: bigint) =>
  ({ address: safe, kind: "safe", ...(nonce !== undefined && { nonce }) }) as const;

async function submit(id: string, told: { transaction_hash?: Hash; safe_tx_hash?: Hash }) {
  await database.db.pool.query(
    `insert into prepared_action_submissions (action_id, position, transaction_hash, safe_tx_hash, submitted_at)
     select $1, count(*), $2, $3, $4 from prepared_action_submissions where action_id = $1`,
    [id, told.transaction_hash ?? null, told.safe_tx_hash ?? null, new Date(nowMs).toISOString()],
  );
}

async function progress(id: string) {
  return (await progressOf(database.db.kysely, [id], nowMs)).get(id)!;
}
const status = async (id: string) => (await progress(id)).status;

const send = (from: Address, { to, data }: Call) => ground.send(from, to, data);
async function mine(blocks: number) {
  await chain.client.mine({ blocks });
  await settle();
}

const nonceOf = (address: Address) =>
  chain.client.readContract({ abi: SAFE_ABI, address, functionName: "nonce" }) as Promise<bigint>;

/** Signed by both owners over the hash that is foretold, sent by anybody. */
async function executeSafe(
  transaction: SafeTransaction,
  relayer = accountAddress(12),
): Promise<TransactionReceipt> {
  return await ground.send(relayer, safe, await executionData(transaction));
}
async function executionData(transaction: SafeTransaction): Promise<Hex> {
  const { safeTxHash } = safeHashesOf({ chainId: chain.chainId, safe }, transaction);
  const sorted = [anne, ben].toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
  const signatures = concat(await Promise.all(sorted.map((owner) => owner.sign({ hash: safeTxHash }))));
  const { to, value, data, operation } = transaction;
  const args = [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures];
  return encodeFunctionData({ abi: SAFE_ABI, functionName: "execTransaction", args });
}

/** What the log says of the managers that a transaction added; that a Safe executed is an entry besides. */
async function entriesOf(hash: Hash): Promise<string[]> {
  const { rows } = await database.db.pool.query<{ id: string; body: string }>(
    "select id, body from audit_entries where action_type = 'secondary_manager_add' order by seq",
  );
  return rows.filter(({ body }) => JSON.parse(body).details.tx_hash === hash).map(({ id }) => id);
}

describe("a wallet's own transaction", () => {
  test("is executed with its block, confirmed with its entries", async () => {
    const added = adding(trios.wallet);
    const id = await prepare(trios.wallet, wallet, [added]);
    await settle();
    expect(await status(id)).toBe("prepared");
    const { transactionHash } = await send(MANAGER, added);
    await settle();
    expect(await progress(id)).toEqual({
      status: "executed",
      submissions: [],
      transaction_hash: transactionHash,
      entry_ids: [],
    });
    await mine(CONFIRMATIONS);
    const entries = await entriesOf(transactionHash);
    expect(entries).toHaveLength(1);
    expect(await progress(id)).toEqual({
      status: "confirmed",
      submissions: [],
      transaction_hash: transactionHash,
      entry_ids: entries,
    });
  });

  test("counts for one of two like actions: for the oldest, and for the one that names it once it is told", async () => {
    const added = adding(trios.wallet);
    const [first, second] = [
      await prepare(trios.wallet, wallet, [added]),
      await prepare(trios.wallet, wallet, [added]),
    ];
    const { transactionHash } = await send(MANAGER, added);
    await settle();
    expect([await status(first), await status(second)]).toEqual(["executed", "prepared"]);
    const other = adding(trios.wallet);
    const third = await prepare(trios.wallet, wallet, [other]);
    const fourth = await prepare(trios.wallet, wallet, [other]);
    const hash = await chain.client.sendTransaction({
      account: MANAGER,
      to: other.to,
      data: other.data,
      gas: 500_000n,
      chain: null,
    });
    await submit(fourth, { transaction_hash: hash });
    await settle();
    expect([await status(third), await status(fourth)]).toEqual(["prepared", "executed"]);
    expect((await progress(first)).transaction_hash).toBe(transactionHash);
  });

  test("that came before the action counts for nothing; one after its block does, though it was stored before", async () => {
    const added = adding(trios.wallet);
    const manager = `0x${(managers - 1).toString(16).padStart(40, "0")}`;
    await send(MANAGER, added);
    await send(MANAGER, call("removeSecondaryManager", [trios.wallet.strategy, manager]));
    const at = await chain.client.getBlock();
    const { transactionHash } = await send(MANAGER, added);
    await mine(CONFIRMATIONS);
    const id = await prepare(trios.wallet, wallet, [added], { at });
    await settle();
    expect(await progress(id)).toMatchObject({ status: "confirmed", transaction_hash: transactionHash });
    await send(MANAGER, call("removeSecondaryManager", [trios.wallet.strategy, manager]));
    const later = await prepare(trios.wallet, wallet, [added]);
    await settle();
    expect(await status(later)).toBe("prepared");
  });

  test("is found by whoever follows next, whatever became of the one before, and once though several do", async () => {
    const calls = [adding(trios.wallet), adding(trios.wallet), adding(trios.wallet)];
    const ids = [];
    for (const each of calls)
      ids.push(await prepare(trios.wallet, wallet, [each]), await prepare(trios.wallet, wallet, [each]));
    await settle();
    const hashes = [];
    for (const each of calls) hashes.push((await send(MANAGER, each)).transactionHash);
    await stored();
    // One that asked the node and died before it wrote, and a node that does not tell.
    const dies = new AbortController();
    const parts = { db: database.db, clock: { now: () => nowMs } };
    const dumb = { ...client, transactions: async () => new Map() };
    await followOnce(
      parts,
      { ...client, logsOfTransaction: () => Promise.reject(new Error("gone")) },
      -1,
      dies.signal,
    ).catch(() => {});
    await followOnce(parts, dumb);
    expect(await status(ids[0]!)).toBe("prepared");
    nowMs += 60_000;
    await Promise.all([followOnce(parts, client), followOnce(parts, client), followOnce(parts, client)]);
    const found = await Promise.all(ids.map(progress));
    expect(found.map(({ transaction_hash }) => transaction_hash)).toEqual(
      hashes.flatMap((hash) => [hash, null]),
    );
  });
});

describe("what is submitted", () => {
  test("and dropped for another transaction of that nonce is replaced; the action done later is done", async () => {
    const added = adding(trios.wallet);
    const id = await prepare(trios.wallet, wallet, [added]);
    await chain.client.setAutomine(false);
    const nonce = await chain.client.getTransactionCount({ address: MANAGER });
    const gas = 500_000n;
    const hash = await chain.client.sendTransaction({
      account: MANAGER,
      to: added.to,
      data: added.data,
      gas,
      nonce,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      chain: null,
    });
    await submit(id, { transaction_hash: hash });
    await settle();
    expect(await status(id)).toBe("submitted");
    await chain.client.sendTransaction({
      account: MANAGER,
      to: MANAGER,
      gas,
      nonce,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 10n,
      chain: null,
    });
    await chain.client.mine({ blocks: 1 });
    await settle();
    // As long as it is not confirmed the first may come back.
    expect(await status(id)).toBe("submitted");
    nowMs += 60_000;
    await mine(CONFIRMATIONS);
    expect(await progress(id)).toMatchObject({
      status: "replaced",
      transaction_hash: null,
      submissions: [{ status: "replaced" }],
    });
    await chain.client.setAutomine(true);
    await send(MANAGER, added);
    await settle();
    expect(await progress(id)).toMatchObject({ status: "executed", submissions: [{ status: "replaced" }] });
  });

  test("and sent again with a higher price is the same action", async () => {
    const added = adding(trios.wallet);
    const id = await prepare(trios.wallet, wallet, [added]);
    await chain.client.setAutomine(false);
    const nonce = await chain.client.getTransactionCount({ address: MANAGER });
    const sent = {
      account: MANAGER,
      to: added.to,
      data: added.data,
      gas: 500_000n,
      nonce,
      chain: null,
    } as const;
    const slow = await chain.client.sendTransaction({
      ...sent,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
    });
    await submit(id, { transaction_hash: slow });
    const fast = await chain.client.sendTransaction({
      ...sent,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 10n,
    });
    await chain.client.mine({ blocks: 1 });
    await settle();
    expect(await progress(id)).toMatchObject({ status: "executed", transaction_hash: fast });
  });

  test("and reverts is failed, until its block is undone", async () => {
    const added = adding(trios.wallet);
    const id = await prepare(trios.wallet, wallet, [added]);
    const snapshot = await chain.client.snapshot();
    const hash = await chain.client.sendTransaction({
      account: MANAGER,
      to: added.to,
      data: added.data,
      gas: 30_000n,
      chain: null,
    });
    await submit(id, { transaction_hash: hash });
    await settle();
    expect(await progress(id)).toMatchObject({ status: "failed", submissions: [{ status: "failed" }] });
    await chain.client.revert({ id: snapshot });
    nowMs += 60_000;
    await mine(2);
    expect(await status(id)).toBe("submitted");
    await send(MANAGER, added);
    await settle();
    expect(await status(id)).toBe("executed");
  });

  test("and names somebody else's transaction confirms nothing", async () => {
    const id = await prepare(trios.wallet, wallet, [adding(trios.wallet)]);
    const { transactionHash } = await send(MANAGER, adding(trios.wallet));
    await submit(id, { transaction_hash: transactionHash });
    await settle();
    expect(await status(id)).toBe("submitted");
    nowMs += 60_000;
    await mine(CONFIRMATIONS);
    expect(await progress(id)).toMatchObject({
      status: "prepared",
      transaction_hash: null,
      submissions: [{ status: "unrelated" }],
    });
  });

  test("is expired after its time; done later it counts", async () => {
    const added = adding(trios.wallet);
    const id = await prepare(trios.wallet, wallet, [added]);
    const before = nowMs;
    nowMs += 8 * 86_400_000;
    expect(await status(id)).toBe("expired");
    await send(MANAGER, added);
    await settle();
    expect(await status(id)).toBe("executed");
    nowMs = before;
  });
});

describe("a reorganisation", () => {
  test("takes an execution back, and gives it again with the block in which it comes back", async () => {
    const added = adding(trios.wallet);
    const [id, told] = [
      await prepare(trios.wallet, wallet, [added]),
      await prepare(trios.safe, ofSafe(), [adding(trios.safe)]),
    ];
    const snapshot = await chain.client.snapshot();
    await submit(told, { safe_tx_hash: zeroHash });
    await send(MANAGER, added);
    await settle();
    expect([await status(id), await status(told)]).toEqual(["executed", "submitted"]);
    await chain.client.revert({ id: snapshot });
    await mine(2);
    expect(await progress(id)).toEqual({
      status: "prepared",
      submissions: [],
      transaction_hash: null,
      entry_ids: [],
    });
    const { transactionHash } = await send(MANAGER, added);
    await mine(CONFIRMATIONS);
    expect(await progress(id)).toMatchObject({
      status: "confirmed",
      transaction_hash: transactionHash,
      entry_ids: await entriesOf(transactionHash),
    });
  });
});

describe("a Safe", () => {
  test("does what its owners signed over the hash that was shown, sent by anybody", async () => {
    const added = adding(trios.safe);
    const nonce = await nonceOf(safe);
    const id = await prepare(trios.safe, ofSafe(nonce), [added]);
    const transaction = safeTransactionOf([added], nonce, null)!;
    await submit(id, {
      safe_tx_hash: safeHashesOf({ chainId: chain.chainId, safe }, transaction).safeTxHash,
    });
    await settle();
    expect(await status(id)).toBe("submitted");
    const { transactionHash } = await executeSafe(transaction);
    await mine(CONFIRMATIONS);
    const entries = await entriesOf(transactionHash);
    expect(await progress(id)).toMatchObject({
      status: "confirmed",
      transaction_hash: transactionHash,
      entry_ids: entries,
    });
    expect(entries).toHaveLength(1);
  });

  test("does several at once by MultiSendCallOnly, with another nonce than was thought, and without what could be foretold", async () => {
    const calls = [adding(trios.safe), adding(trios.safe)];
    const [id, bare] = [
      await prepare(trios.safe, ofSafe(), calls),
      await prepare(trios.safe, ofSafe(), [adding(trios.safe)], { foretold: false }),
    ];
    const { transactionHash } = await executeSafe(safeTransactionOf(calls, await nonceOf(safe), multiSend)!);
    await mine(CONFIRMATIONS);
    expect(await progress(id)).toMatchObject({
      status: "confirmed",
      transaction_hash: transactionHash,
      entry_ids: await entriesOf(transactionHash),
    });
    expect((await progress(id)).entry_ids).toHaveLength(2);
    expect(await status(bare)).toBe("prepared");
  });

  test("whose nonce went to something else has replaced the action", async () => {
    const added = adding(trios.safe);
    const nonce = await nonceOf(safe);
    const id = await prepare(trios.safe, ofSafe(nonce), [added]);
    const other = await prepare(trios.safe, ofSafe(nonce), [adding(trios.safe)]);
    await submit(id, {
      safe_tx_hash: safeHashesOf({ chainId: chain.chainId, safe }, safeTransactionOf([added], nonce, null)!)
        .safeTxHash,
    });
    await executeSafe({ to: accountAddress(13), value: 0n, data: "0x", operation: 0, nonce });
    await settle();
    expect(await status(id)).toBe("submitted");
    await mine(CONFIRMATIONS);
    expect([await status(id), await status(other)]).toEqual(["replaced", "replaced"]);
  });

  test("acts through a timelock, which says itself what it called", async () => {
    const added = adding(trios.timelock);
    const id = await prepare(trios.timelock, { address: timelock, kind: "contract" }, [added]);
    const { abi } = artifactOf(ground.artifacts, "TimelockController");
    const operation = [added.to, 0n, added.data, zeroHash, zeroHash] as const;
    const schedule = encodeFunctionData({ abi, functionName: "schedule", args: [...operation, 60n] });
    const run = encodeFunctionData({ abi, functionName: "execute", args: operation });
    const through = async (data: Hex) =>
      executeSafe(safeTransactionOf([{ to: timelock, value: 0n, data }], await nonceOf(safe), null)!);
    await through(schedule);
    await settle();
    expect(await status(id)).toBe("prepared");
    await chain.client.increaseTime({ seconds: 100 });
    const { transactionHash } = await through(run);
    await settle();
    expect(await progress(id)).toMatchObject({ status: "executed", transaction_hash: transactionHash });
  });
});

describe("another sender", () => {
  test("with the same calls confirms nothing, not even beside what the Safe itself does", async () => {
    const changing = async (trio: Trio) => {
      await send(
        SECOND,
        call("proposeChangePrimaryManager", [trio.strategy, accountAddress(14), accountAddress(14)]),
      );
      return call("executeChangePrimaryManager", [trio.strategy]);
    };
    const { asset } = trios.wallet;
    const [one, two] = [
      await createTrio(chain, system, {
        asset,
        name: "One",
        symbol: "ONE",
        primaryManager: MANAGER,
        secondaryManagers: [SECOND],
      }),
      await createTrio(chain, system, {
        asset,
        name: "Two",
        symbol: "TWO",
        primaryManager: MANAGER,
        secondaryManagers: [SECOND],
      }),
    ];
    const [changeOne, changeTwo] = [await changing(one), await changing(two)];
    await chain.client.increaseTime({ seconds: 8 * 86_400 });
    await chain.client.mine({ blocks: 1 });
    await settle();
    const own = await prepare(one, wallet, [changeOne]);
    const ofTheSafe = await prepare(two, ofSafe(), [changeTwo]);
    // Anybody may execute what was proposed.
    const stranger = accountAddress(15);
    const { transactionHash } = await send(stranger, changeOne);
    await submit(own, { transaction_hash: transactionHash });
    // The same, and a transaction that the Safe's owners did sign, in one: the Safe says that it executed, and the calls are there.
    const signed = await executionData({
      to: accountAddress(13),
      value: 0n,
      data: "0x",
      operation: 0,
      nonce: await nonceOf(safe),
    });
    const data = encodeFunctionData({
      abi: MULTICALL,
      args: [
        [
          { target: changeTwo.to, allowFailure: false, callData: changeTwo.data },
          { target: safe, allowFailure: false, callData: signed },
        ],
      ],
    });
    await ground.send(stranger, MULTICALL3_ADDRESS, data);
    nowMs += 60_000;
    await mine(CONFIRMATIONS);
    expect([await status(own), await status(ofTheSafe)]).toEqual(["prepared", "prepared"]);
  });
});
