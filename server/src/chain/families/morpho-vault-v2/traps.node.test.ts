// What is easily read wrong in a vault of this kind, each on a node: when a waiting call runs, what stands in its way, who acted.
import type { Hex } from "viem";
import { toFunctionSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, now, passTime } from "../../../../../demo/src/chain.ts";
import { callOf, submit, submitAndRun } from "../../../../../demo/src/families/morpho-vault-v2.ts";
import type { PendingChange } from "../../reading.ts";
import { ALLOCATOR, CURATOR, OWNER, SENTINEL, STRANGER, TestVault } from "./test-vault.ts";

const DAY = 86_400;
const SET_ALLOCATOR = toFunctionSelector("setIsAllocator(address,bool)");
const ADD_ADAPTER = toFunctionSelector("addAdapter(address)");
let at: TestVault;

beforeAll(async () => {
  at = await TestVault.start();
  await at.sync();
  await at.call("setIsSentinel", [SENTINEL, true], OWNER);
  await at.govern("setIsAllocator", [ALLOCATOR, true]);
  await at.govern("addAdapter", [at.adapter]);
  for (const selector of [SET_ALLOCATOR, ADD_ADAPTER])
    await at.govern("increaseTimelock", [selector, BigInt(3 * DAY)]);
  await at.sync();
});
afterAll(() => at?.stop());

async function pending(data: Hex): Promise<PendingChange | undefined> {
  return (await at.read()).pendingChanges.find(({ calldata }) => calldata === data);
}

test("trap 1: a call runs at its own time, and its effect may come earlier where the timelock is about to fall", async () => {
  const data = await at.submit("setIsAllocator", [STRANGER, true]);
  const submittedAt = Number(await now(at.chain));
  const own = submittedAt + 3 * DAY;
  expect(await pending(data)).toEqual({
    kind: "call",
    current: null,
    proposed: { function: "setIsAllocator", arguments: { account: STRANGER, newIsAllocator: true } },
    proposer: CURATOR,
    effectiveAt: own,
    id: expect.stringMatching(/^0x[0-9a-f]{64}:\d+$/),
    target: at.known.address,
    function: "setIsAllocator",
    arguments: { account: STRANGER, newIsAllocator: true },
    calldata: data,
    submittedAt,
    submittedBy: CURATOR,
    executableAt: own,
    earliestEffectAt: own,
    isBlocked: false,
    revocableBy: [CURATOR, SENTINEL],
  });

  // A decrease that comes later than the call itself changes nothing.
  await at.passTime(DAY);
  const decrease = await at.submit("decreaseTimelock", [SET_ALLOCATOR, 60n]);
  const decreasedAt = Number(await now(at.chain)) + 3 * DAY;
  expect(await pending(data)).toMatchObject({ executableAt: own, earliestEffectAt: own });
  // Submitted later, a call is earlier by way of the decrease.
  const later = await at.submit("setIsAllocator", [OWNER, true]);
  const laterOwn = Number(await now(at.chain)) + 3 * DAY;
  expect(laterOwn).toBeLessThan(decreasedAt + 60);
  await at.passTime(3600);
  const last = await at.submit("setIsAllocator", [OWNER, false]);
  const lastOwn = Number(await now(at.chain)) + 3 * DAY;
  expect(await pending(last)).toMatchObject({ executableAt: lastOwn, earliestEffectAt: decreasedAt + 60 });

  // Once it has fallen, revoking and submitting again takes no more than the new time from now.
  await at.passTime(decreasedAt - Number(await now(at.chain)));
  await at.call("decreaseTimelock", [SET_ALLOCATOR, 60n], STRANGER);
  const change = await pending(last);
  expect(change).toMatchObject({ executableAt: lastOwn, earliestEffectAt: Number(await now(at.chain)) + 60 });
  await at.call("revoke", [last], SENTINEL);
  await at.submit("setIsAllocator", [OWNER, false]);
  const again = Number(await now(at.chain)) + 60;
  expect(await pending(last)).toMatchObject({ executableAt: again });
  expect(await pending(decrease)).toBeUndefined();
  for (const each of [data, later, last]) await at.call("revoke", [each], CURATOR);
});

test("trap 2: a decrease of a timelock waits as long as what it is about", async () => {
  const data = await at.submit("decreaseTimelock", [ADD_ADAPTER, 0n]);
  const executableAt = Number(await now(at.chain)) + 3 * DAY;
  expect(await pending(data)).toMatchObject({
    function: "decreaseTimelock",
    arguments: { selector: ADD_ADAPTER, newDuration: "0" },
    executableAt,
  });
  // A shorter one beside it does not make it any earlier: that takes as long itself.
  const other = await at.submit("decreaseTimelock", [ADD_ADAPTER, 5n]);
  const change = await pending(data);
  expect(change!.earliestEffectAt).toBe(change!.executableAt);
  await at.call("revoke", [data], CURATOR);
  await at.call("revoke", [other], CURATOR);
});

test("trap 3: data that calls nothing waits like any other, as it is", async () => {
  for (const data of ["0x", "0x0badc0de00", `${SET_ALLOCATOR}ff`] as const) {
    await submit(at.chain, at.vault, data);
    expect(await pending(data)).toMatchObject({
      function: null,
      arguments: null,
      calldata: data,
      isBlocked: false,
    });
    await at.call("revoke", [data], CURATOR);
    expect(await pending(data)).toBeUndefined();
  }
});

test("trap 4: what was abdicated can never be executed", async () => {
  const data = await at.submit("setSendSharesGate", [STRANGER]);
  expect(await pending(data)).toMatchObject({ isBlocked: false });
  await at.govern("abdicate", [toFunctionSelector("setSendSharesGate(address)")]);
  const change = await pending(data);
  expect(change).toMatchObject({ isBlocked: true, earliestEffectAt: null });
  expect(change!.executableAt).toBe(change!.submittedAt);
  await expect(at.call("setSendSharesGate", [STRANGER], STRANGER)).rejects.toThrow("Abdicated");
  await at.call("revoke", [data], CURATOR);
});

test("trap 5: the same bytes submitted again are another change", async () => {
  const data = await at.submit("setIsAllocator", [STRANGER, true]);
  const first = await pending(data);
  await at.call("revoke", [data], CURATOR);
  await at.passTime(10);
  await at.submit("setIsAllocator", [STRANGER, true]);
  const second = await pending(data);
  expect(second!.calldata).toBe(first!.calldata);
  expect(second!.id).not.toBe(first!.id);
  expect(second!.submittedAt).toBeGreaterThan(first!.submittedAt!);
  await at.passTime(DAY);
  await at.call("setIsAllocator", [STRANGER, true], STRANGER);
  expect(await pending(data)).toBeUndefined();
  await at.submit("setIsAllocator", [STRANGER, true]);
  expect((await pending(data))!.id).not.toBe(second!.id);
  await at.call("revoke", [data], CURATOR);
  await at.sync();
});

test("trap 6: who sends it may be anybody, and its entry carries the bytes that were submitted", async () => {
  const data = await at.submit("setIsAllocator", [STRANGER, false]);
  await at.passTime(60);
  await at.call("setIsAllocator", [STRANGER, false], STRANGER);
  const [submitted, effect, ...more] = await at.sync();
  expect(more).toEqual([]);
  expect(submitted).toMatchObject({ action: "timelock_submit", actor: CURATOR });
  expect(effect).toMatchObject({ action: "role_revoke", actor: STRANGER, accepted: true });
  expect(effect!.call).toEqual(submitted!.call);
  expect(effect!.call!.calldata).toBe(data);
});

test("trap 6: bytes with more behind them are a call of their own, and found again all the same", async () => {
  const data =
    `${at.data("setReceiveSharesGate", ["0x0000000000000000000000000000000000000000"])}c0ffee` as Hex;
  await submit(at.chain, at.vault, data);
  expect(await pending(data)).toMatchObject({ function: "setReceiveSharesGate" });
  await at.chain.client.sendTransaction({
    account: STRANGER,
    to: at.known.address,
    data,
    gas: 500_000n,
    chain: null,
  });
  await at.chain.client.mine({ blocks: 1 });
  expect(await at.sync()).toMatchObject([
    { action: "gate_change", accepted: true, call: { calldata: data } },
  ]);
  expect(await pending(data)).toBeUndefined();
});

test("trap 7: with no timelock it is submitted and sent in one transaction: a pair of entries, and nothing waits", async () => {
  const args = ["0x0000000000000000000000000000000000000000"];
  const data = at.data("setReceiveAssetsGate", args);
  await at.call("multicall", [[at.data("submit", [data]), data]], CURATOR);
  const [submitted, effect, ...more] = await at.sync();
  expect(more).toEqual([]);
  expect(submitted).toMatchObject({ action: "timelock_submit", actor: CURATOR });
  expect(effect).toMatchObject({
    action: "gate_change",
    accepted: true,
    call: submitted!.call,
    actor: CURATOR,
  });
  expect(await pending(data)).toBeUndefined();
  expect([...(at.tracked.get(at.known.address)!.call ?? [])]).toEqual([]);
});

test("trap 11: the shares of both fees are those of the event", async () => {
  const recipients = ["setPerformanceFeeRecipient", "setManagementFeeRecipient"] as const;
  for (const functionName of recipients) await at.govern(functionName, [STRANGER]);
  await at.govern("setManagementFee", [10n ** 9n]);
  await at.deposit(10n ** 12n);
  await at.passTime(DAY);
  await at.call("accrueInterest", [], STRANGER);
  await at.sync();
  const { body } = at.facts.findLast(
    (fact) => fact.body.kind === "governance" && fact.body.event === "AccrueInterest",
  )!;
  const minted = at.facts.findLast((fact) => fact.body.kind === "shares_minted")!.body;
  const args = body.kind === "governance" ? body.args : {};
  expect(args).toMatchObject({
    performanceFeeShares: "0",
    previousTotalAssets: (10n ** 12n).toString(),
    newTotalAssets: (10n ** 12n).toString(),
  });
  expect(minted).toMatchObject({ to: STRANGER, shares: args.managementFeeShares });
});

test("trap 15: taking an allocator away takes as long as making one", async () => {
  const data = await at.submit("increaseTimelock", [SET_ALLOCATOR, BigInt(7 * DAY)]);
  await at.call("increaseTimelock", [SET_ALLOCATOR, BigInt(7 * DAY)], STRANGER);
  const removal = await at.submit("setIsAllocator", [ALLOCATOR, false]);
  const change = await pending(removal);
  expect(change!.executableAt! - change!.submittedAt!).toBe(7 * DAY);
  expect((await at.read()).contractRoles).toContainEqual({ role: "allocator", account: ALLOCATOR });
  expect(await pending(data)).toBeUndefined();
  await at.call("revoke", [removal], SENTINEL);
});

test("what waits in an adapter is a change of the vault, with the adapter as its target", async () => {
  const market: Hex = `0x${"11".repeat(32)}`;
  const increase = [toFunctionSelector("burnShares(bytes32)"), BigInt(DAY)];
  await submitAndRun(at.chain, at.marketAdapter, "increaseTimelock", increase);
  const data = callOf(at.chain, "MorphoMarketAdapter", "burnShares", [market]);
  await submit(at.chain, at.marketAdapter, data);
  expect(await pending(data)).toMatchObject({
    target: at.adapter,
    function: "burnShares",
    arguments: { marketId: market },
    revocableBy: [CURATOR, SENTINEL],
    isBlocked: false,
  });
  const shortest = callOf(at.chain, "MorphoMarketAdapter", "decreaseTimelock", increase.with(1, 0n));
  await submit(at.chain, at.marketAdapter, shortest);
  // The vault's timelocks say nothing of the adapter's.
  const change = await pending(data);
  expect(change!.earliestEffectAt).toBe(change!.executableAt);
});

test("an adapter that was removed is followed on, for it may come back: what is in it, waits in it or burns in it is not the vault's until then", async () => {
  const market: Hex = `0x${"22".repeat(32)}`;
  const data = callOf(at.chain, "MorphoMarketAdapter", "burnShares", [market]);
  await submit(at.chain, at.marketAdapter, data);
  await at.submit("removeAdapter", [at.adapter]);
  await at.call("removeAdapter", [at.adapter], STRANGER);
  expect((await at.read()).allocations).toEqual([]);
  expect(await pending(data)).toBeUndefined();

  await passTime(at.chain, DAY);
  await at.sync();
  await execute(at.chain, {
    ...at.marketAdapter,
    functionName: "burnShares",
    args: [market],
    from: STRANGER,
  });
  await submit(at.chain, at.marketAdapter, data);
  const [burnt, submitted, ...more] = await at.sync();
  expect(burnt).toMatchObject({
    action: "timelock_accept",
    id: market,
    accepted: true,
    call: { target: at.adapter, function: "burnShares" },
  });
  expect(submitted).toMatchObject({ action: "timelock_submit", call: { target: at.adapter } });
  expect(more).toEqual([]);
  expect(await pending(data)).toBeUndefined();

  await at.submit("addAdapter", [at.adapter]);
  await passTime(at.chain, 3 * DAY);
  await at.call("addAdapter", [at.adapter], STRANGER);
  expect(await pending(data)).toMatchObject({ target: at.adapter, function: "burnShares" });
});
