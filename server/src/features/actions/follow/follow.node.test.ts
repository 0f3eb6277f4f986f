// Prepared actions followed to their end on a real node: through wallets and the published Safe 1.4.1 with MultiSendCallOnly; replaced, reverted,
// reorganised. Other accounts, and other senders, are in accounts.node.test.ts.
import { type Hash, zeroHash } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountAddress } from "../../../../../demo/src/accounts.ts";
import { expectTold } from "../../../../test/actions.ts";
import { ChainFault } from "../../../chain/rpc/fault.ts";
import { safeTransactionOf } from "../formats/safe-transaction.ts";
import { followOnce } from "./task.ts";
import { CONFIRMATIONS, MANAGER, owners } from "./test-follow-chain.ts";
import { FollowGround, WALLET } from "./test-follow-ground.ts";

const DEARER = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 10n };

let on: FollowGround;
beforeAll(async () => {
  on = await FollowGround.start();
});
afterAll(() => on?.stop());
afterEach(() => on.clear());

describe("a wallet's own transaction", () => {
  test("is executed with its block, confirmed with its entries", async () => {
    const added = on.adding(on.trios.wallet);
    const id = await on.prepare(on.trios.wallet, WALLET, [added]);
    await on.settle();
    expect(await on.status(id)).toBe("prepared");
    const { transactionHash } = await on.send(MANAGER, added);
    await on.settle();
    expect(await on.progress(id)).toEqual({
      status: "executed",
      submissions: [],
      transaction_hash: transactionHash,
      entry_ids: [],
    });
    await on.mine(CONFIRMATIONS);
    const entries = await on.entriesOf(transactionHash);
    expect(entries).toHaveLength(1);
    expect(await on.progress(id)).toEqual({
      status: "confirmed",
      submissions: [],
      transaction_hash: transactionHash,
      entry_ids: entries,
    });
  });

  test("counts for one of two like actions: for the oldest, and for the one that names it once it is told", async () => {
    const added = on.adding(on.trios.wallet);
    const [first, second] = [
      await on.prepare(on.trios.wallet, WALLET, [added]),
      await on.prepare(on.trios.wallet, WALLET, [added]),
    ];
    const { transactionHash } = await on.send(MANAGER, added);
    await on.settle();
    expect([await on.status(first), await on.status(second)]).toEqual(["executed", "prepared"]);
    const other = on.adding(on.trios.wallet);
    const third = await on.prepare(on.trios.wallet, WALLET, [other]);
    const fourth = await on.prepare(on.trios.wallet, WALLET, [other]);
    const hash = await on.submitted(other);
    await on.submit(fourth, { transaction_hash: hash });
    await on.settle();
    expect([await on.status(third), await on.status(fourth)]).toEqual(["prepared", "executed"]);
    expect((await on.progress(first)).transaction_hash).toBe(transactionHash);
  });

  test("is each account's own: a like action of somebody else takes nothing, older or naming the transaction", async () => {
    const added = on.adding(on.trios.wallet);
    const theirs = await on.prepare(on.trios.wallet, WALLET, [added], { account: accountAddress(14) });
    const own = await on.prepare(on.trios.wallet, WALLET, [added]);
    const hash = await on.submitted(added);
    await on.submit(theirs, { transaction_hash: hash });
    await on.settle();
    expect([await on.status(theirs), await on.status(own)]).toEqual(["executed", "executed"]);
  });

  test("that came before the action counts for nothing; one after its block does, though it was stored before", async () => {
    const added = on.adding(on.trios.wallet);
    const manager = on.lastManager;
    await on.send(MANAGER, added);
    await on.send(MANAGER, on.call("removeSecondaryManager", [on.trios.wallet.strategy, manager]));
    const at = await on.chain.client.getBlock();
    const { transactionHash } = await on.send(MANAGER, added);
    await on.mine(CONFIRMATIONS);
    const id = await on.prepare(on.trios.wallet, WALLET, [added], { at });
    await on.settle();
    expect(await on.progress(id)).toMatchObject({ status: "confirmed", transaction_hash: transactionHash });
    await on.send(MANAGER, on.call("removeSecondaryManager", [on.trios.wallet.strategy, manager]));
    const later = await on.prepare(on.trios.wallet, WALLET, [added]);
    await on.settle();
    expect(await on.status(later)).toBe("prepared");
  });

  test("is found by whoever follows next, whatever became of the one before, and once though several do", async () => {
    const calls = [on.adding(on.trios.wallet), on.adding(on.trios.wallet), on.adding(on.trios.wallet)];
    const ids = [];
    for (const each of calls)
      ids.push(
        await on.prepare(on.trios.wallet, WALLET, [each]),
        await on.prepare(on.trios.wallet, WALLET, [each]),
      );
    await on.settle();
    const hashes = [];
    for (const each of calls) hashes.push((await on.send(MANAGER, each)).transactionHash);
    await on.stored();
    // One that asked the node and died before it wrote, and a node that does not tell.
    const dies = new AbortController();
    const { client, parts } = on;
    const dumb = { ...client, transactions: async () => new Map() };
    await followOnce(
      parts,
      { ...client, logsOfTransaction: () => Promise.reject(new Error("gone")) },
      -1,
      dies.signal,
    ).catch(() => {});
    await followOnce(parts, dumb);
    expect(await on.status(ids[0]!)).toBe("prepared");
    on.nowMs += 60_000;
    await Promise.all([followOnce(parts, client), followOnce(parts, client), followOnce(parts, client)]);
    const found = await Promise.all(ids.map((id) => on.progress(id)));
    expect(found.map(({ transaction_hash }) => transaction_hash)).toEqual(
      hashes.flatMap((hash) => [hash, null]),
    );
  });
});

describe("many at once", () => {
  test("the right one is found however many are open, and it alone", async () => {
    const ids = [];
    for (let nth = 0; nth < 120; nth += 1) {
      const added = on.adding(on.trios.wallet);
      ids.push({ id: await on.prepare(on.trios.wallet, WALLET, [added]), added });
    }
    const { id, added } = ids[110]!;
    const { transactionHash } = await on.send(MANAGER, added);
    await on.settle();
    const found = [];
    for (const each of ids)
      if ((await on.progress(each.id)).transaction_hash === transactionHash) found.push(each.id);
    expect(found).toEqual([id]);
  });

  test("one that cannot be looked into holds up no other, and has its turn later", async () => {
    const calls = [on.adding(on.trios.wallet), on.adding(on.trios.wallet)];
    const [bad, good] = [
      await on.prepare(on.trios.wallet, WALLET, [calls[0]!]),
      await on.prepare(on.trios.wallet, WALLET, [calls[1]!]),
    ];
    await on.settle();
    const { transactionHash } = await on.send(MANAGER, calls[0]!);
    await on.send(MANAGER, calls[1]!);
    await on.stored();
    const { client, parts } = on;
    const logsOf = (error: Error) => ({
      ...client,
      logsOfTransaction: (hash: Hash) =>
        hash === transactionHash ? Promise.reject(error) : client.logsOfTransaction(hash),
    });
    // A node that is out says nothing of the one that was asked for.
    const out = new ChainFault("unavailable", "no URL answers");
    await expect(followOnce(parts, logsOf(out))).rejects.toBe(out);
    expect([await on.status(bad), await on.status(good)]).toEqual(["prepared", "prepared"]);
    await followOnce(parts, logsOf(new ChainFault("refused", "too much")));
    expect([await on.status(bad), await on.status(good)]).toEqual(["prepared", "executed"]);
    on.nowMs += 30_000;
    await followOnce(parts, client);
    expect(await on.status(bad)).toBe("executed");
  });
});

describe("what is submitted", () => {
  test("and dropped for another transaction of that nonce is replaced; the action done later is done", async () => {
    const added = on.adding(on.trios.wallet);
    const id = await on.prepare(on.trios.wallet, WALLET, [added]);
    await on.chain.client.setAutomine(false);
    const nonce = await on.chain.client.getTransactionCount({ address: MANAGER });
    const hash = await on.submitted(added, { nonce, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n });
    await on.submit(id, { transaction_hash: hash });
    await on.settle();
    expect(await on.status(id)).toBe("submitted");
    await on.submitted({ to: MANAGER, data: "0x" }, { nonce, ...DEARER });
    await on.chain.client.mine({ blocks: 1 });
    await on.settle();
    // As long as it is not confirmed the first may come back.
    expect(await on.status(id)).toBe("submitted");
    on.nowMs += 60_000;
    await on.mine(CONFIRMATIONS);
    expect(await on.progress(id)).toMatchObject({
      status: "replaced",
      transaction_hash: null,
      submissions: [{ status: "replaced" }],
    });
    await on.chain.client.setAutomine(true);
    await on.send(MANAGER, added);
    await on.settle();
    expect(await on.progress(id)).toMatchObject({
      status: "executed",
      submissions: [{ status: "replaced" }],
    });
  });

  test("and sent again with a higher price is the same action", async () => {
    const added = on.adding(on.trios.wallet);
    const id = await on.prepare(on.trios.wallet, WALLET, [added]);
    await on.chain.client.setAutomine(false);
    const nonce = await on.chain.client.getTransactionCount({ address: MANAGER });
    const slow = await on.submitted(added, { nonce, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n });
    await on.submit(id, { transaction_hash: slow });
    const fast = await on.submitted(added, { nonce, ...DEARER });
    await on.chain.client.mine({ blocks: 1 });
    await on.settle();
    expect(await on.progress(id)).toMatchObject({ status: "executed", transaction_hash: fast });
  });

  test("and reverts is failed, until its block is undone", async () => {
    const added = on.adding(on.trios.wallet);
    const id = await on.prepare(on.trios.wallet, WALLET, [added]);
    const snapshot = await on.chain.client.snapshot();
    const hash = await on.submitted(added, { gas: 30_000n });
    await on.submit(id, { transaction_hash: hash });
    await on.settle();
    expect(await on.progress(id)).toMatchObject({ status: "failed", submissions: [{ status: "failed" }] });
    await on.chain.client.revert({ id: snapshot });
    on.nowMs += 60_000;
    await on.mine(2);
    expect(await on.status(id)).toBe("submitted");
    await on.send(MANAGER, added);
    await on.settle();
    expect(await on.status(id)).toBe("executed");
  });

  test("and names somebody else's transaction confirms nothing", async () => {
    const id = await on.prepare(on.trios.wallet, WALLET, [on.adding(on.trios.wallet)]);
    const { transactionHash } = await on.send(MANAGER, on.adding(on.trios.wallet));
    await on.submit(id, { transaction_hash: transactionHash });
    await on.settle();
    expect(await on.status(id)).toBe("submitted");
    on.nowMs += 60_000;
    await on.chain.client.mine({ blocks: CONFIRMATIONS });
    await on.stored();
    // Nothing is concluded from blocks whose facts are still to be filled in.
    const { pool } = on.database.db;
    await pool.query("update sources set next_block = 1");
    await followOnce(on.parts, on.client);
    expect(await on.status(id)).toBe("submitted");
    await pool.query("update sources set next_block = null");
    on.nowMs += 60_000;
    await on.settle();
    expect(await on.progress(id)).toMatchObject({
      status: "prepared",
      transaction_hash: null,
      submissions: [{ status: "unrelated" }],
    });
  });

  test("is expired after its time; done later it counts", async () => {
    const added = on.adding(on.trios.wallet);
    const id = await on.prepare(on.trios.wallet, WALLET, [added]);
    const before = on.nowMs;
    on.nowMs += 8 * 86_400_000;
    expect(await on.status(id)).toBe("expired");
    await on.send(MANAGER, added);
    await on.settle();
    expect(await on.status(id)).toBe("executed");
    on.nowMs = before;
  });
});

describe("a reorganisation", () => {
  test("takes an execution back, and gives it again with the block in which it comes back", async () => {
    const added = on.adding(on.trios.wallet);
    const [id, told] = [
      await on.prepare(on.trios.wallet, WALLET, [added]),
      await on.prepare(on.trios.safe, on.ofSafe(), [on.adding(on.trios.safe)]),
    ];
    const snapshot = await on.chain.client.snapshot();
    await on.submit(told, { safe_tx_hash: zeroHash });
    await on.send(MANAGER, added);
    await on.settle();
    expect([await on.status(id), await on.status(told)]).toEqual(["executed", "submitted"]);
    await on.chain.client.revert({ id: snapshot });
    await on.mine(2);
    expect(await on.progress(id)).toEqual({
      status: "prepared",
      submissions: [],
      transaction_hash: null,
      entry_ids: [],
    });
    const { transactionHash } = await on.send(MANAGER, added);
    await on.mine(CONFIRMATIONS);
    expect(await on.progress(id)).toMatchObject({
      status: "confirmed",
      transaction_hash: transactionHash,
      entry_ids: await on.entriesOf(transactionHash),
    });
  });
});

/** Each entry has all that was foretold of it, and there is no other. */
function expectForetold(
  came: readonly unknown[],
  { simulation }: { simulation: { entries: unknown[] } },
): void {
  expect(came).toHaveLength(simulation.entries.length);
  for (const [index, foretold] of simulation.entries.entries())
    expectTold(foretold, came[index], `entry ${index}`);
}

describe("through the routes", () => {
  test("what a wallet prepares becomes the entries that were foretold, with the details that were foretold", async () => {
    const trio = on.trios.wallet;
    const { data } = on.adding(trio);
    const asked = { action: "add_secondary_manager", parameters: { manager: on.lastManager } };
    await on.stored();
    const action = await on.ask(trio, MANAGER, "", asked);
    expect(action).toMatchObject({ status: "prepared", from: MANAGER, calls: [{ data }] });
    const hash = await on.submitted(action.calls[0]);
    const told = await on.ask(trio, MANAGER, `/${action.id}/submissions`, { transaction_hash: hash });
    expect(told).toMatchObject({ status: "submitted", submissions: [{ status: "pending" }] });
    await on.settle();
    expect(await on.ask(trio, MANAGER, `/${action.id}`)).toMatchObject({ status: "executed" });
    await on.mine(CONFIRMATIONS);
    const done = await on.ask(trio, MANAGER, `/${action.id}`);
    expect(done).toMatchObject({ status: "confirmed", transaction_hash: hash });
    const entries = await on.entries(done.entry_ids);
    expectForetold(entries, action);
  });

  test("what is prepared for a Safe has the hash that its owners sign, and goes back with its block", async () => {
    const trio = on.trios.safe;
    const { address } = owners[0]!;
    const added = on.adding(trio);
    const nonce = await on.nonce();
    await on.stored();
    const action = await on.ask(trio, address, "", {
      action: "add_secondary_manager",
      parameters: { manager: on.lastManager },
      safe_nonce: nonce.toString(),
    });
    expect(action.from).toBe(on.safe);
    const transaction = safeTransactionOf([added], nonce, null)!;
    expect(action.formats.safe.safe_tx_hash).toBe(on.safeTxHash(transaction));
    const { safe_tx_hash } = action.formats.safe;
    await on.ask(trio, address, `/${action.id}/submissions`, { safe_tx_hash });
    const snapshot = await on.chain.client.snapshot();
    await on.executeSafe(transaction);
    await on.settle();
    const state = async () => (await on.ask(trio, address, `/${action.id}`)).status;
    expect(await state()).toBe("executed");
    await on.chain.client.revert({ id: snapshot });
    await on.mine(2);
    expect(await state()).toBe("submitted");
    const { transactionHash } = await on.executeSafe(transaction);
    await on.mine(CONFIRMATIONS);
    expect(await state()).toBe("confirmed");
    // That the Safe executed is an entry as well.
    const told = await on.told(transactionHash);
    expect(told.map(({ action_type: type }) => type)).toEqual(["secondary_manager_add", "safe_execute"]);
    expectForetold(told, action);
  });
});

describe("a Safe", () => {
  test("does several at once by MultiSendCallOnly, with another nonce than was thought, and without what could be foretold", async () => {
    const calls = [on.adding(on.trios.safe), on.adding(on.trios.safe)];
    const [id, bare] = [
      await on.prepare(on.trios.safe, on.ofSafe(), calls),
      await on.prepare(on.trios.safe, on.ofSafe(), [on.adding(on.trios.safe)], { foretold: false }),
    ];
    const { transactionHash } = await on.executeSafe(
      safeTransactionOf(calls, await on.nonce(), on.multiSend)!,
    );
    await on.mine(CONFIRMATIONS);
    expect(await on.progress(id)).toMatchObject({
      status: "confirmed",
      transaction_hash: transactionHash,
      entry_ids: await on.entriesOf(transactionHash),
    });
    expect((await on.progress(id)).entry_ids).toHaveLength(2);
    expect(await on.status(bare)).toBe("prepared");
  });

  test("whose nonce went to something else has replaced the action", async () => {
    const added = on.adding(on.trios.safe);
    const nonce = await on.nonce();
    const id = await on.prepare(on.trios.safe, on.ofSafe(nonce), [added]);
    const other = await on.prepare(on.trios.safe, on.ofSafe(nonce), [on.adding(on.trios.safe)]);
    await on.submit(id, {
      safe_tx_hash: on.safeTxHash(safeTransactionOf([added], nonce, null)!),
    });
    await on.executeSafe({ to: accountAddress(13), value: 0n, data: "0x", operation: 0, nonce });
    await on.settle();
    expect(await on.status(id)).toBe("submitted");
    await on.mine(CONFIRMATIONS);
    expect([await on.status(id), await on.status(other)]).toEqual(["replaced", "replaced"]);
  });
});
