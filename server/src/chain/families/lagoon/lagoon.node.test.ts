import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, mine, now, passTime, read as view } from "../../../../../demo/src/chain.ts";
import { callLagoon, requestLagoonDeposit, settleLagoon } from "../../../../../demo/src/families/lagoon.ts";
import { type ConformanceSubject, describeConformance } from "../../../../test/family-conformance.ts";
import { Follower } from "../../../../test/family-follower.ts";
import { compileForeignContracts } from "../../../../test/foreign-contracts.ts";
import { deployArtifact } from "../../../../test/node.ts";
import type { KnownVault } from "../../directory.ts";
import {
  alice,
  bob,
  chain,
  client,
  council,
  DAY,
  dollar,
  entries,
  feeReceiver,
  follower,
  known,
  lister,
  make,
  owner,
  SHARE,
  safe,
  sources,
  startLagoon,
  stopLagoon,
  stranger,
  system,
  told,
  USD,
  valuer,
  ZERO,
} from "./test-lagoon.ts";
import { adminCandidate, siloCandidates } from "./views.ts";

let subject: ConformanceSubject;

beforeAll(startLagoon);
afterAll(stopLagoon);

describeConformance("lagoon", async () => {
  subject ??= await conformanceSubject();
  return subject;
});

describe("a vault that a factory made", () => {
  test("is discovered with what its block says, of either version, from either factory", async () => {
    for (const options of [
      { version: "0.5.1" },
      { version: "0.6.0" },
      { version: "0.5.1", isBeacon: true },
    ] as const) {
      const made = await make(options);
      await follower.follow();
      expect(follower.vault(made.vault)).toMatchObject({
        asset: dollar,
        share: null,
        assetDecimals: 6,
        shareDecimals: 18,
        capabilities: { erc7540_deposit: true, erc7540_redeem: true, erc7575: true },
      });
      expect((await follower.read(made.vault)).failed).toEqual({});
      expect(
        await view(chain, {
          contract: "LagoonSilo",
          address: siloCandidates(made.vault)[0],
          functionName: "wrappedNativeToken",
        }),
      ).toBeTruthy();
    }
  });

  test("its admin is followed once the proxy names it, and stands where it is looked for", async () => {
    const made = await make();
    await follower.follow();
    const admin = adminCandidate(made.vault);
    expect(follower.directory.contract(admin.toLowerCase())).toMatchObject({
      role: "proxy_admin",
      vault: { address: made.vault },
    });
    expect(follower.tracked().get(made.vault)?.contract?.get(admin)).toEqual({ role: "proxy_admin" });
  });

  test("shares to begin with are a deposit, for which nothing moved", async () => {
    await follower.follow();
    const made = await make({ initialTotalAssets: 500n * USD });
    const flows = (await follower.follow()).filter(({ body }) => body.kind === "deposit");
    expect(flows.map(({ body }) => body)).toEqual([
      { kind: "deposit", sender: system.factory, owner: safe, assets: 500n * USD, shares: 500n * SHARE },
    ]);
    expect(await follower.read(made.vault)).toMatchObject({
      totalAssets: 500n * USD,
      freeAssets: 0n,
      pps: USD,
    });
  });
});

describe("every function of governance is an entry, by who called it", () => {
  test("0.6.0", async () => {
    const made = await make();
    await follower.follow();
    const other = demoAccount(12).address;
    await told(
      made,
      owner,
      "updateSafe",
      [stranger],
      ["role_grant", { role: "safe", account: stranger, old: safe }],
    );
    await told(
      made,
      owner,
      "updateSafe",
      [safe],
      ["role_grant", { role: "safe", account: safe, old: stranger }],
    );
    await told(
      made,
      owner,
      "updateWhitelistManager",
      [other],
      ["role_grant", { role: "whitelist_manager", account: other, old: lister }],
    );
    await told(
      made,
      owner,
      "updateWhitelistManager",
      [lister],
      ["role_grant", { role: "whitelist_manager" }],
    );
    await told(
      made,
      owner,
      "updateValuationManager",
      [other],
      ["role_grant", { role: "valuation_manager", account: other, old: valuer }],
    );
    await told(
      made,
      owner,
      "updateValuationManager",
      [valuer],
      ["role_grant", { role: "valuation_manager" }],
    );
    await told(
      made,
      owner,
      "updateFeeReceiver",
      [other],
      ["fee_recipient_change", { account: other, old: feeReceiver }],
    );
    await told(
      made,
      owner,
      "updateSecurityCouncil",
      [other],
      ["role_grant", { role: "security_council", account: other, old: council }],
    );
    await told(made, owner, "updateSecurityCouncil", [council], ["role_grant", { role: "security_council" }]);
    await told(
      made,
      owner,
      "updateSuperOperator",
      [other],
      ["role_grant", { role: "super_operator", account: other }],
    );
    await told(
      made,
      owner,
      "updateSuperOperator",
      [ZERO],
      ["role_revoke", { role: "super_operator", account: other }],
    );
    const rates = { managementRate: 100, performanceRate: 2000, entryRate: 1, exitRate: 2, haircutRate: 3 };
    await told(
      made,
      owner,
      "updateRates",
      [rates],
      [
        "fee_config_update",
        {
          new: {
            management_bps: "100",
            performance_bps: "2000",
            entry_bps: "1",
            exit_bps: "2",
            haircut_bps: "3",
          },
        },
      ],
    );
    await told(
      made,
      owner,
      "switchAccessMode",
      [1],
      ["access_rule_change", { id: "access_mode", new: "whitelist" }],
    );
    await told(
      made,
      owner,
      "switchAccessMode",
      [0],
      ["access_rule_change", { id: "access_mode", new: "blacklist" }],
    );
    await told(made, owner, "updateName", ["Other"], ["metadata_change", { id: "name", new: "Other" }]);
    await told(made, owner, "updateSymbol", ["OTH"], ["metadata_change", { id: "symbol", new: "OTH" }]);
    await told(
      made,
      lister,
      "addToWhitelist",
      [[alice, bob]],
      ["access_rule_change", { id: "whitelist", account: alice, new: true }],
      ["access_rule_change", { id: "whitelist", account: bob, new: true }],
    );
    await told(
      made,
      lister,
      "revokeFromWhitelist",
      [[alice]],
      ["access_rule_change", { id: "whitelist", account: alice, new: false }],
    );
    await told(
      made,
      lister,
      "addToBlacklist",
      [[alice]],
      ["access_rule_change", { id: "blacklist", account: alice, new: true }],
    );
    await told(
      made,
      lister,
      "revokeFromBlacklist",
      [[alice]],
      ["access_rule_change", { id: "blacklist", account: alice, new: false }],
    );
    await told(
      made,
      lister,
      "setExternalSanctionsList",
      [stranger],
      ["access_rule_change", { id: "external_sanctions_list", new: stranger }],
    );
    await told(
      made,
      safe,
      "updateMaxCap",
      [5n * USD],
      ["cap_change", { cap_kind: "deposit", new: "5000000" }],
    );
    await told(
      made,
      safe,
      "setSyncMode",
      [1],
      ["mode_change", { id: "sync_mode", old: "both", new: "sync_deposit" }],
    );
    await told(
      made,
      safe,
      "updateTotalAssetsLifespan",
      [BigInt(DAY)],
      ["parameter_change", { id: "total_assets_lifespan_seconds", old: "0", new: "86400" }],
    );
    await told(
      made,
      council,
      "updateGuardrails",
      [{ upperRate: 5n, lowerRate: -7n }],
      ["parameter_change", { id: "guardrails", new: { upper_rate: "5", lower_rate: "-7" } }],
    );
    await told(
      made,
      council,
      "updateActivated",
      [true],
      ["parameter_change", { id: "guardrails_activated", new: true }],
    );
    await told(
      made,
      council,
      "securityCouncilUpdateTotalAssets",
      [0n],
      ["nav_propose", { new: { total_assets: "0", pending_shares: "0" } }],
    );
    await told(
      made,
      council,
      "updateActivated",
      [false],
      ["parameter_change", { id: "guardrails_activated", new: false }],
    );
    await told(
      made,
      valuer,
      "updateNewTotalAssets",
      [0n],
      ["nav_propose", { new: { total_assets: "0", pending_shares: "0" } }],
    );
    await told(made, safe, "settleRedeem", [0n], ["parameter_change", { id: "total_assets", new: "0" }]);
    await told(
      made,
      safe,
      "expireTotalAssets",
      [],
      ["parameter_change", { id: "total_assets_expiration", new: "0" }],
    );
    await told(made, safe, "resetHighWaterMark", [], ["high_water_mark_reset", {}]);
    await told(
      made,
      owner,
      "activateAsyncOnly",
      [],
      ["mode_change", { id: "sync_mode", new: "none" }],
      ["mode_change", { id: "async_only", new: true }],
    );
    await told(
      made,
      owner,
      "transferOwnership",
      [other],
      ["owner_change_propose", { role: "owner", account: other, old: owner }],
    );
    await told(
      made,
      other,
      "acceptOwnership",
      [],
      ["owner_change", { role: "owner", account: other, old: owner }],
    );
    await told(made, other, "initiateClosing", [], ["mode_change", { id: "state", new: "closing" }]);
    await callLagoon(chain, made, valuer, "updateNewTotalAssets", 0n);
    await follower.follow();
    await told(
      made,
      safe,
      "close",
      [0n],
      ["parameter_change", { id: "total_assets" }],
      ["mode_change", { id: "state", new: "closed" }],
    );
    await told(made, other, "renounceOwnership", [], ["owner_change", { account: ZERO, old: other }]);
  });

  test("0.5.1: the rest", async () => {
    const made = await make({ version: "0.5.1", isWhitelist: true, rateCooldownSeconds: DAY });
    await follower.follow();
    await told(
      made,
      owner,
      "updateRates",
      [{ managementRate: 50, performanceRate: 1000 }],
      [
        "fee_config_update",
        { new: { management_bps: "50", performance_bps: "1000" }, executable_at: expect.any(String) },
      ],
    );
    await told(
      made,
      owner,
      "disableWhitelist",
      [],
      ["access_rule_change", { id: "access_mode", new: "none" }],
    );
    await told(
      made,
      safe,
      "updateTotalAssetsLifespan",
      [60n],
      ["parameter_change", { id: "total_assets_lifespan_seconds" }],
    );
    await told(made, valuer, "updateNewTotalAssets", [0n], ["nav_propose", {}]);
    await told(made, safe, "settleDeposit", [0n], ["parameter_change", { id: "total_assets" }]);
    // It says nothing.
    await told(made, safe, "expireTotalAssets", []);
    await callLagoon(chain, made, owner, "pause");
    await callLagoon(chain, made, owner, "unpause");
    const facts = await follower.follow();
    expect(facts.map(({ body, actorWallet }) => [body.kind, actorWallet])).toEqual([
      ["vault_paused", owner],
      ["vault_unpaused", owner],
    ]);
  });

  test("the proxy's admin", async () => {
    const made = await make({ version: "0.5.1" });
    await follower.follow();
    const admin = adminCandidate(made.vault);
    const act = (functionName: string, ...args: unknown[]) =>
      execute(chain, { contract: "DelayProxyAdmin", address: admin, functionName, args, from: owner });
    await act("submitImplementation", system.implementations["0.6.0"]);
    const upgradeAt = (await now(chain)) + BigInt(DAY);
    expect(await entries()).toEqual([
      [
        owner,
        {
          action: "upgrade_propose",
          new: system.implementations["0.6.0"],
          executable_at: upgradeAt.toString(),
        },
      ],
    ]);
    const args = { proxy: made.vault, implementation: system.implementations["0.6.0"] };
    expect((await follower.read(made.vault)).pendingChanges).toEqual([
      {
        kind: "call",
        current: null,
        proposed: { function: "upgradeAndCall", arguments: args },
        proposer: owner,
        effectiveAt: Number(upgradeAt),
        id: `${admin}:implementation:${upgradeAt}`,
        target: admin,
        function: "upgradeAndCall",
        arguments: args,
        submittedAt: Number(upgradeAt) - DAY,
        submittedBy: owner,
        executableAt: Number(upgradeAt),
        earliestEffectAt: Number(upgradeAt),
        isBlocked: false,
        revocableBy: [owner],
      },
    ]);
    await act("submitDelay", BigInt(2 * DAY));
    expect(await entries()).toMatchObject([
      [owner, { action: "timelock_submit", old: "86400", new: "172800" }],
    ]);
    expect((await follower.read(made.vault)).pendingChanges).toMatchObject([
      { function: "upgradeAndCall" },
      { function: "updateDelay", arguments: { delay_seconds: "172800" }, submittedBy: owner },
    ]);
    await passTime(chain, DAY + 1);
    await act("updateDelay");
    expect(await entries()).toMatchObject([
      [owner, { action: "timelock_delay_change", old: "86400", new: "172800" }],
    ]);
    await act("upgradeAndCall", made.vault, system.implementations["0.6.0"], "0x");
    expect(await entries()).toEqual([[owner, { action: "upgrade", new: system.implementations["0.6.0"] }]]);
    expect((await follower.read(made.vault)).pendingChanges).toEqual([]);
    await act("transferOwnership", stranger);
    expect(await entries()).toMatchObject([
      [owner, { action: "owner_change", role: "proxy_admin_owner", account: stranger }],
    ]);
  });

  test("a beacon's upgrade is of no vault alone, and concerns every one", async () => {
    await follower.follow();
    await execute(chain, {
      contract: "LagoonBeaconFactory",
      address: system.beaconFactory,
      functionName: "upgradeTo",
      args: [system.implementations["0.6.0"]],
      from: addressOf("deployer"),
    });
    const [fact] = await follower.follow();
    expect(fact).toMatchObject({ vaultAddress: null, body: { contract: "factory", event: "Upgraded" } });
    expect(follower.family.concernsAll!(fact!.body)).toBe(true);
  });
});

async function conformanceSubject(): Promise<ConformanceSubject> {
  const vaults = [await make({ version: "0.6.0" }), await make({ version: "0.5.1" })];
  for (const made of vaults) {
    await requestLagoonDeposit(chain, made, alice, 1000n * USD);
    await settleLagoon(chain, made, 0n);
    await callLagoon(chain, made, alice, "deposit", 1000n * USD, alice);
  }
  const foreign = await compileForeignContracts();
  const hostile: KnownVault[] = [];
  for (const harm of [0n, 1n, 2n, 3n])
    hostile.push(known(vaults[0]!, await deployArtifact(chain, foreign, "HostileVault", [dollar, harm])));
  await chain.client.setBlockGasLimit({ gasLimit: 30_000_000n });
  await mine(chain);
  const block = await chain.client.getBlock();
  const own = new Follower(chain, client, follower.family, sources);
  for (const made of vaults) await own.add(known(made));
  return {
    family: follower.family,
    client,
    vaults: vaults.map((made) => known(made)),
    at: { number: Number(block.number), hash: block.hash },
    hostile,
    notAVault: dollar,
    logs: (await own.logs(0, Number(block.number))).filter(({ address }) =>
      vaults.some(({ vault }) => vault.toLowerCase() === address),
    ),
    change: async () => {
      await settleLagoon(chain, vaults[0]!, 2000n * USD);
    },
  };
}
