// What is read of a Lagoon vault equals what the contract says, and each of its traps is known.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { execute, mine, now, passTime } from "../../../../../demo/src/chain.ts";
import {
  callLagoon,
  giveAssets,
  readLagoon,
  requestLagoonDeposit,
  settleLagoon,
} from "../../../../../demo/src/families/lagoon.ts";
import { mintTokens } from "../../../../../demo/src/operate.ts";
import { Follower } from "../../../../test/family-follower.ts";
import type { Source } from "../../directory.ts";
import {
  alice,
  bob,
  chain,
  client,
  council,
  DAY,
  dollar,
  feeReceiver,
  follower,
  giveShares,
  known,
  lister,
  make,
  owner,
  rolesOf,
  SHARE,
  safe,
  startLagoon,
  stopLagoon,
  stranger,
  USD,
  valuer,
  ZERO,
} from "./test-lagoon.ts";
import { adminCandidate } from "./views.ts";

beforeAll(startLagoon);
afterAll(stopLagoon);

describe("what a reading says is what the contract says", () => {
  test("price, totals, fees, roles and where the assets are, of either version", async () => {
    for (const version of ["0.5.1", "0.6.0"] as const) {
      const made = await make({ version, managementFeeBps: 200, performanceFeeBps: 1000 });
      await requestLagoonDeposit(chain, made, alice, 1000n * USD);
      await settleLagoon(chain, made, 0n);
      await follower.follow();
      const block = await chain.client.getBlock();
      await settleLagoon(chain, made, 1100n * USD);
      const at = { number: Number(block.number), hash: block.hash };
      const reading = await follower.read(made.vault, at);
      const ask = <T>(name: string, args: readonly unknown[] = []) =>
        readLagoon<T>(chain, made, name, args, block.number);
      expect(reading).toMatchObject({
        pps: await ask("convertToAssets", [SHARE]),
        ppsE18: await ask("convertToAssets", [SHARE * SHARE]),
        totalAssets: await ask("totalAssets"),
        totalSupply: await ask("totalSupply"),
        isPaused: await ask("paused"),
        escrowedAssets: 0n,
        freeAssets: 1000n * USD,
        fees: { performanceFeeBps: 1000n, managementFeeBps: 200n, recipient: feeReceiver },
        feeRates: {
          performanceFeeE18: 10n ** 17n,
          performanceFeeRecipient: feeReceiver,
          managementFeeE18: 2n * 10n ** 16n,
          managementFeeRecipient: feeReceiver,
        },
        liquidity: { idleAssets: 1000n * USD, withdrawableAssets: null, isExitImmediate: false },
        allocations: [],
        lostAssets: null,
        failed: expect.anything(),
        unread: [],
      });
      expect(Object.keys(reading.failed)).toEqual([]);
      expect(rolesOf(reading)).toEqual([
        `owner ${owner}`,
        `safe ${safe}`,
        `valuation_manager ${valuer}`,
        `whitelist_manager ${lister}`,
        `fee_receiver ${feeReceiver}`,
        ...(version === "0.6.0" ? [`security_council ${council}`] : []),
      ]);
    }
  });

  test("roles follow within a block", async () => {
    const made = await make();
    await follower.follow();
    await callLagoon(chain, made, owner, "updateSuperOperator", stranger);
    await callLagoon(chain, made, owner, "transferOwnership", stranger);
    expect((await follower.read(made.vault)).pendingChanges).toMatchObject([
      { kind: "primary_manager", current: owner, proposed: stranger, effectiveAt: null },
    ]);
    await callLagoon(chain, made, stranger, "acceptOwnership");
    const reading = await follower.read(made.vault);
    expect(rolesOf(reading)).toEqual(
      expect.arrayContaining([`owner ${stranger}`, `super_operator ${stranger}`]),
    );
    expect(reading.pendingChanges).toEqual([]);
    expect(reading.managers.primary).toBe(stranger);
  });
});

describe("traps", () => {
  test("ids of requests are epochs: deposits odd from 1, redemptions even from 2, a step of two", async () => {
    const made = await make();
    await follower.follow();
    const ids: (bigint | string)[] = [];
    for (let round = 0; round < 2; round += 1) {
      await requestLagoonDeposit(chain, made, alice, 100n * USD);
      await settleLagoon(chain, made, 100n * USD * BigInt(round));
      await callLagoon(chain, made, alice, "deposit", 100n * USD, alice);
    }
    await callLagoon(chain, made, alice, "requestRedeem", 10n * SHARE, alice, alice);
    await settleLagoon(chain, made, 200n * USD);
    await callLagoon(chain, made, bob, "setOperator", alice, true);
    await callLagoon(chain, made, alice, "requestRedeem", 10n * SHARE, alice, alice);
    for (const { body } of await follower.follow()) {
      if (body.kind === "deposit_requested" || body.kind === "redeem_requested") ids.push(body.requestId);
      if (body.kind === "governance" && body.event.startsWith("Settle"))
        ids.push(`settled ${String(body.args.epochId)}`);
    }
    expect(ids).toEqual([1n, "settled 1", 3n, "settled 3", 2n, "settled 2", 4n]);
  });

  test("a settlement that the Safe cannot pay says nothing; the reading says what is owed and what there is", async () => {
    const made = await make();
    await requestLagoonDeposit(chain, made, alice, 1000n * USD);
    await settleLagoon(chain, made, 0n);
    await callLagoon(chain, made, alice, "deposit", 1000n * USD, alice);
    await callLagoon(chain, made, alice, "requestRedeem", 400n * SHARE, alice, alice);
    // The Safe invests: the assets are elsewhere.
    await execute(chain, {
      contract: "Token",
      address: dollar,
      functionName: "transfer",
      args: [stranger, 700n * USD],
      from: safe,
    });
    expect((await follower.read(made.vault).catch(() => null))?.nav?.owedAssets ?? null).toBeNull();
    await callLagoon(chain, made, valuer, "updateNewTotalAssets", 1100n * USD);
    const proposedAt = Number(await now(chain));
    await follower.follow();
    const proposed = await follower.read(made.vault);
    expect(proposed.nav).toEqual({
      proposedTotalAssets: 1100n * USD,
      proposedAt,
      validUntil: null,
      owedAssets: 440n * USD - 1n,
    });
    expect(proposed.liquidity).toEqual({
      idleAssets: 300n * USD,
      withdrawableAssets: null,
      isExitImmediate: false,
    });
    // Requests that come after the proposal wait for the next one.
    await giveShares(made, bob, 100n);
    await callLagoon(chain, made, bob, "requestRedeem", 100n * SHARE, bob, bob);
    expect((await follower.read(made.vault)).nav?.owedAssets).toBe(440n * USD - 1n);

    await callLagoon(chain, made, safe, "settleRedeem", 1100n * USD);
    const facts = await follower.governance();
    expect(facts.map(({ body }) => body.event)).not.toContain("SettleRedeem");
    expect(facts.map(({ body }) => body.event)).toContain("TotalAssetsUpdated");
    expect((await follower.read(made.vault)).nav).toEqual({
      proposedTotalAssets: null,
      proposedAt: null,
      validUntil: null,
      owedAssets: 440n * USD - 1n,
    });

    // With the assets back, the next proposal takes in everybody who waits.
    await mintTokens(chain, dollar, safe, 700n * USD);
    await callLagoon(chain, made, valuer, "updateNewTotalAssets", 1100n * USD);
    await follower.follow();
    expect((await follower.read(made.vault)).nav?.owedAssets).toBe(550n * USD - 1n);
    await callLagoon(chain, made, safe, "settleRedeem", 1100n * USD);
    const [settled] = (await follower.governance()).filter(({ body }) => body.event === "SettleRedeem");
    expect(settled!.body.args).toMatchObject({
      epochId: "4",
      assetsWithdrawed: (550n * USD - 1n).toString(),
    });
    expect((await follower.read(made.vault)).nav?.owedAssets).toBeNull();
  });

  test("what is settled can be claimed and waits no more, though no event names the controller", async () => {
    const made = await make();
    await requestLagoonDeposit(chain, made, alice, 100n * USD);
    await settleLagoon(chain, made, 0n);
    await callLagoon(chain, made, alice, "claimSharesAndRequestRedeem", 40n * SHARE);
    await follower.follow();
    const requests = new Map([[made.vault, [{ controller: alice, requestId: 2n }]]]);
    const waiting = await follower.read(made.vault, "latest", requests);
    expect(waiting.redeemRequests).toEqual([
      { controller: alice, pendingShares: 40n * SHARE, claimableShares: 0n, claimableAssets: 0n },
    ]);
    await settleLagoon(chain, made, 100n * USD);
    const settled = await follower.read(made.vault, "latest", requests);
    expect(settled.redeemRequests).toEqual([
      {
        controller: alice,
        pendingShares: 0n,
        claimableShares: 40n * SHARE,
        claimableAssets: await readLagoon(chain, made, "maxWithdraw", [alice]),
      },
    ]);
    expect(settled.escrowedAssets).toBe(40n * USD);
  });

  test("total assets that are proposed are not those that the price is made of", async () => {
    const made = await make({ initialTotalAssets: 100n * USD });
    await callLagoon(chain, made, valuer, "updateNewTotalAssets", 150n * USD);
    await follower.follow();
    const reading = await follower.read(made.vault);
    expect(reading).toMatchObject({
      totalAssets: 100n * USD,
      pps: USD,
      nav: { proposedTotalAssets: 150n * USD },
    });
    await callLagoon(chain, made, safe, "settleDeposit", 150n * USD);
    await follower.follow();
    expect(await follower.read(made.vault)).toMatchObject({
      totalAssets: 150n * USD,
      nav: { proposedTotalAssets: null, proposedAt: null },
      hwmPps: 1_500_000n - 1n,
    });
  });

  test("until when a valuation counts: 0.6.0 says it, 0.5.1 leaves it to be counted, and ends it without a word", async () => {
    for (const version of ["0.5.1", "0.6.0"] as const) {
      const made = await make({ version });
      await callLagoon(chain, made, safe, "updateTotalAssetsLifespan", BigInt(DAY));
      await settleLagoon(chain, made, 0n);
      const until = Number(await now(chain)) + DAY;
      await follower.follow();
      expect((await follower.read(made.vault)).nav?.validUntil).toBe(until);
      await callLagoon(chain, made, safe, "expireTotalAssets");
      await follower.follow();
      expect((await follower.read(made.vault)).nav?.validUntil).toBeNull();
    }
  });

  test("synchronous flows are money in and out, with a cut where there is one", async () => {
    const made = await make({ haircutBps: 1000 });
    await callLagoon(chain, made, safe, "updateTotalAssetsLifespan", BigInt(DAY));
    await settleLagoon(chain, made, 0n);
    await giveAssets(chain, made, alice, 100n * USD);
    await follower.follow();
    await callLagoon(chain, made, alice, "syncDeposit", 100n * USD, alice, ZERO);
    expect((await follower.read(made.vault)).liquidity).toEqual({
      idleAssets: 100n * USD,
      withdrawableAssets: 100n * USD,
      isExitImmediate: true,
    });
    await callLagoon(chain, made, alice, "syncRedeem", 10n * SHARE, bob, 0n);
    const flows = (await follower.follow()).flatMap(({ body, actorWallet }) =>
      body.kind === "deposit" || body.kind === "withdraw" ? [{ ...body, by: actorWallet }] : [],
    );
    expect(flows).toEqual([
      { kind: "deposit", sender: alice, owner: alice, assets: 100n * USD, shares: 100n * SHARE, by: alice },
      {
        kind: "withdraw",
        sender: alice,
        receiver: bob,
        owner: alice,
        assets: 9n * USD,
        shares: 10n * SHARE,
        isSynchronous: true,
        by: alice,
      },
    ]);
    await callLagoon(chain, made, safe, "setSyncMode", 1);
    expect((await follower.read(made.vault)).liquidity).toMatchObject({ isExitImmediate: false });
  });

  test("a cancelled deposit gives back what was requested, which its event does not say", async () => {
    const made = await make();
    await requestLagoonDeposit(chain, made, alice, 30n * USD);
    await requestLagoonDeposit(chain, made, alice, 12n * USD);
    await follower.follow();
    await callLagoon(chain, made, alice, "cancelRequestDeposit");
    const [fact] = (await follower.follow()).filter(({ body }) => body.kind === "deposit_cancel_claimed");
    expect(fact).toMatchObject({
      actorWallet: alice,
      body: { requestId: 1n, controller: alice, receiver: alice, assets: 42n * USD },
    });
  });

  test("a cancelled redemption gives its shares back at once", async () => {
    const made = await make();
    await giveShares(made, alice, 10n);
    await callLagoon(chain, made, alice, "requestRedeem", 4n * SHARE, alice, alice);
    await follower.follow();
    await callLagoon(chain, made, alice, "cancelRequestRedeem", alice);
    const bodies = (await follower.follow()).map(({ body }) => body);
    expect(bodies).toEqual([
      expect.objectContaining({ kind: "redeem_cancel_claimed", requestId: 2n, shares: 4n * SHARE }),
    ]);
  });

  test("rates with a cooldown count from its end; until then they are pending", async () => {
    const made = await make({ version: "0.5.1", managementFeeBps: 100, rateCooldownSeconds: DAY });
    await callLagoon(chain, made, owner, "updateRates", { managementRate: 200, performanceRate: 1000 });
    const from = Number(await now(chain)) + DAY;
    await follower.follow();
    const reading = await follower.read(made.vault);
    expect(reading.fees).toMatchObject({ managementFeeBps: 100n, performanceFeeBps: 0n });
    expect(reading.pendingChanges).toEqual([
      {
        kind: "fee_config",
        current: { management_fee_bps: "100", performance_fee_bps: "0" },
        proposed: { management_fee_bps: "200", performance_fee_bps: "1000" },
        proposer: owner,
        effectiveAt: from,
      },
    ]);
    await passTime(chain, DAY + 1);
    const later = await follower.read(made.vault);
    expect(later.fees).toMatchObject({ managementFeeBps: 200n, performanceFeeBps: 1000n });
    expect(later.pendingChanges).toEqual([]);
  });

  test("of a closed vault everybody is paid at once, from what it holds", async () => {
    const made = await make({ initialTotalAssets: 100n * USD });
    await mintTokens(chain, dollar, safe, 100n * USD);
    await callLagoon(chain, made, owner, "initiateClosing");
    await callLagoon(chain, made, valuer, "updateNewTotalAssets", 100n * USD);
    await callLagoon(chain, made, safe, "close", 100n * USD);
    await follower.follow();
    expect((await follower.read(made.vault)).liquidity).toEqual({
      idleAssets: 100n * USD,
      withdrawableAssets: 100n * USD,
      isExitImmediate: true,
    });
    await callLagoon(chain, made, safe, "redeem", 10n * SHARE, safe, safe);
    expect((await follower.read(made.vault)).liquidity).toMatchObject({ withdrawableAssets: 90n * USD });
  });

  test("a vault that is followed from late on says null for what no view tells", async () => {
    const made = await make({ initialTotalAssets: 100n * USD });
    await callLagoon(chain, made, valuer, "updateNewTotalAssets", 150n * USD);
    const source: Source = { family: "lagoon", address: made.vault, governor: null, oracles: [] };
    const late = new Follower(
      chain,
      client,
      follower.family,
      [source],
      Number(await chain.client.getBlockNumber()) + 1,
    );
    await late.add({ ...known(made), source });
    await mine(chain);
    await late.follow();
    expect(await late.read(made.vault)).toMatchObject({
      hwmPps: null,
      nav: { proposedTotalAssets: null, proposedAt: null, validUntil: null, owedAssets: null },
      totalAssets: 100n * USD,
    });
    // What its admin holds back, the views tell.
    await execute(chain, {
      contract: "DelayProxyAdmin",
      address: adminCandidate(made.vault),
      functionName: "submitImplementation",
      args: [stranger],
      from: owner,
    });
    expect((await late.read(made.vault)).pendingChanges).toMatchObject([
      { function: "upgradeAndCall", submittedAt: null, submittedBy: null, revocableBy: [owner] },
    ]);
  });
});
