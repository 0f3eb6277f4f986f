// Every event of a Lagoon vault, its admin and its factories has the topic that is published, and says what it says.
import { type Address, type Hex, toEventHash } from "viem";
import { describe, expect, test } from "vitest";
import { encodeEvent } from "../../../../../demo/src/events.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { rawLog } from "../../../../test/event-log.ts";
import { Directory, type KnownVault, type Source } from "../../directory.ts";
import type { StoredBody } from "../../facts.ts";
import { toStored } from "../../facts.ts";
import { RULES } from "./decode.ts";
import { lagoonFamily } from "./family.ts";

/** By hand, from the published sources of 0.5.1 and 0.6.0. */
const VAULT: [Hex, string][] = [
  ["0x23ad33ab6a13a00aa7d06cd167b2abd03dec86af3cf3cc91759dcd3ae8411887", "StateUpdated(uint8 state)"],
  [
    "0x26be8b1af887e484fec2868840869fd162e136268c24803bede886ab91aa29bc",
    "SettleDeposit(uint40 indexed epochId, uint40 indexed settledId, uint256 totalAssets, uint256 totalSupply, uint256 assetsDeposited, uint256 sharesMinted)",
  ],
  [
    "0xa8fe241e26fead168e608ab85aa4e059a34552bad0fc6d98961122cb5a0abefd",
    "SettleRedeem(uint40 indexed epochId, uint40 indexed settledId, uint256 totalAssets, uint256 totalSupply, uint256 assetsWithdrawed, uint256 sharesBurned)",
  ],
  [
    "0x3809c8827d04fcf6537fe5af7a5e42a8ec939c3556096ca7107842a2d44efca5",
    "NewTotalAssetsUpdated(uint256 totalAssets)",
  ],
  [
    "0xf306601d1bd9ff6895ca817f568f68463b269e4b0cf4710e5f1003592ad29f5c",
    "TotalAssetsUpdated(uint256 totalAssets)",
  ],
  [
    "0x2bc73e9b849f667d30dc57236e1deed6d5368da53fe4367a550d7309ae219d77",
    "TotalAssetsLifespanUpdated(uint128 oldLifespan, uint128 newLifespan)",
  ],
  [
    "0x00c230e5f166dc28eddc77994f6caba4a594357e6e2c0fcf823283a1f9505a99",
    "TotalAssetsExpirationUpdated(uint128 oldExpiration, uint128 newExpiration)",
  ],
  [
    "0xc7fa05bbaa7a6c46527c364d2da9fbafe81091552e9cfa35b7fd69c27878afbc",
    "DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  ],
  [
    "0xd17e062511cadeb30fc2e7fa0db6f76c15c474af86d39edfdea4f79dd9effb5a",
    "WithdrawSync(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ],
  [
    "0xf3df774413906479e4aa6d20ad2ad938e10990d517dc9d29909f6eaa4981ad43",
    "DepositRequestCanceled(uint256 indexed requestId, address indexed controller)",
  ],
  [
    "0x12e3d44ed24a4a32b9dc1baff08b5cccac3d5ba0508e634f789c3302f59de73a",
    "RedeemRequestCanceled(uint256 indexed requestId, address indexed controller, uint256 requestedAmount)",
  ],
  [
    "0x90f46099733ed637df811df4fcc5cae4961192ca04f36da9ab64b4dd8dc9b7f5",
    "Referral(address indexed referral, address indexed owner, uint256 indexed requestId, uint256 assets)",
  ],
  [
    "0x7076f0ff66203d6a06df134b802913240d38711a613c24b51c6c256b5a0df328",
    "RatesUpdated((uint16,uint16,uint16,uint16,uint16) oldRates, (uint16,uint16,uint16,uint16,uint16) newRate, uint256 timestamp)",
  ],
  [
    "0x9eb7e8ec6516c29bbbd60a1c51902c46787a4ce63ef22701759b0b4e9dd34fe0",
    "RatesUpdated((uint16,uint16) oldRates, (uint16,uint16) newRate, uint256 timestamp)",
  ],
  [
    "0x03f8f938dbe4475565f0cf1c3dcf09728208c2c6065e1f717102058c51e94d06",
    "HighWaterMarkUpdated(uint256 oldHighWaterMark, uint256 newHighWaterMark)",
  ],
  [
    "0x48985d7a9338a2d6e9d0118ba6f193fef8bb67972b2afe5b06a70f18d4fb872a",
    "FeeTaken(uint8 indexed feeType, uint256 shares, uint16 rate, uint40 contextId, uint256 managerShares, uint256 protocolShares)",
  ],
  [
    "0xbc2282c7e9006047e4823ab3ba526b0eb347e026acd37bc3585c8338b78b9fb9",
    "HaircutTaken(address indexed owner, uint256 shares, uint16 rate)",
  ],
  [
    "0x27e018912099274c84ffbb1a48209e91c5b25727666d86b88a9d27c5abf4aa67",
    "ValuationManagerUpdated(address oldManager, address newManager)",
  ],
  [
    "0x1eee17fbeb6d1c008ca140cc7d787451b233547ba63af138cea3470a1faf33a5",
    "WhitelistManagerUpdated(address oldManager, address newManager)",
  ],
  [
    "0xa92ff4390fe6943f0b30e8fe715dde86f85ab79b2b2c640a10fc094cc4036cc8",
    "FeeReceiverUpdated(address oldReceiver, address newReceiver)",
  ],
  [
    "0xd985accb6cfdb092cc434f7772495b303081d86bbf22637402146c9ba1977d48",
    "SafeUpdated(address oldSafe, address newSafe)",
  ],
  [
    "0x505d9b5b645971d6c3d60fc8a43abab349ef9933bc68691d6feb9f1d6b27226a",
    "SecurityCouncilUpdated(address oldSecurityCouncil, address newSecurityCouncil)",
  ],
  [
    "0xa54ed2c79346f09f07a1eca5171ee4aaa02f18a4eb359995c0e529940259f9bf",
    "SuperOperatorUpdated(address oldSuperOperator, address newSuperOperator)",
  ],
  [
    "0xd0a7ce537945b3faffb57aca33f3bb6db3806ac323dd92e09f650a244bbe8eb3",
    "GuardrailsUpdated((uint256,int256) oldGuardrails, (uint256,int256) newGuardrails)",
  ],
  [
    "0xc1405c550a59a361f8c79cb8baaabdecc4e99b52d1e644f3d540edb175ee1d87",
    "GuardrailsStatusUpdated(bool activated)",
  ],
  [
    "0xe754715377956a2402e1e54c17c7a319aaeb49d83b55e51b464df81c8b096c13",
    "MaxCapUpdated(uint256 previousMaxCap, uint256 maxCap)",
  ],
  [
    "0x6be96c21fb5d6c802596bbd2794a443a2d4026d2c512499764a14ec6d6aef218",
    "SyncModeUpdated(uint8 oldMode, uint8 newMode)",
  ],
  ["0xfd5cdc42bae811dee131f609e8baa96f36aff411392111457b2113ea36bf9cc4", "AccessModeUpdated(uint8 newMode)"],
  ["0x359486824d7fceb2cd29a15d9cce7c7923ab1c3acabf092a53b738048acc7597", "AsyncOnlyActivated()"],
  [
    "0xf93f9a76c1bf3444d22400a00cb9fe990e6abe9dbb333fda48859cfee864543d",
    "WhitelistUpdated(address indexed account, bool authorized)",
  ],
  [
    "0x6a12b3df6cba4203bd7fd06b816789f87de8c594299aed5717ae070fac781bac",
    "BlacklistUpdated(address indexed account, bool blacklisted)",
  ],
  ["0x212c6e1d3045c9581ef0adf2504dbb1d137f52f38162ccf77a16c69d14eba5c3", "WhitelistDisabled()"],
  [
    "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b",
    "Upgraded(address indexed implementation)",
  ],
];

const ADMIN: [Hex, string][] = [
  [
    "0xb995d606597d17deae0e0b28f4668c00c67c22d7bed7b95db2a5ac7f1b96aa2b",
    "ImplementationUpdateSubmited(address indexed newImplementation, uint256 implementationUpdateTime)",
  ],
  [
    "0xab7d3921ca5710b1f874b995128f2d434b8b28080cc90e5b7ae542d01a41dd6e",
    "DelayUpdateSubmited(uint256 currentDelay, uint256 newDelay, uint256 delayUpdateTime)",
  ],
  [
    "0xa580b4a9812995ffed1b336481c3f3bfeb3414df9f587a9d73856bab25aa4eee",
    "DelayUpdated(uint256 newDelay, uint256 oldDelay)",
  ],
];

const FACTORY: [Hex, string][] = [
  [
    "0x3d2489efb661e8b1c3679865db649ca1de61d76a71184a1234de2e55786a6aad",
    "ProxyDeployed(address proxy, address deployer)",
  ],
  [
    "0xfa8e336138457120a1572efbe25f72698abd5cca1c9be0bce42ad406ff350a2b",
    "BeaconProxyDeployed(address proxy, address deployer)",
  ],
];

const place = (digit: string): Address => `0x${digit.repeat(40)}`;
const [VAULT_AT, ADMIN_AT, FACTORY_AT] = [place("1"), place("2"), place("3")];
const [OLD, NEW] = [place("4"), place("5")];
const NOBODY = place("0");

const family = lagoonFamily(silentLog);

const source: Source = {
  family: "lagoon",
  address: FACTORY_AT,
  isFactory: true,
  governor: null,
  oracles: [],
};
const vault: KnownVault = {
  family: "lagoon",
  address: VAULT_AT,
  source,
  strategy: null,
  escrow: null,
  asset: place("6"),
  share: null,
  assetDecimals: 6,
  shareDecimals: 18,
  configuredPrimary: null,
  capabilities: { erc7540_deposit: true, erc7540_redeem: true, erc7575: true },
};
const directory = new Directory();
directory.addSource(source);
directory.addVault(vault);
directory.addContract(vault, ADMIN_AT, "proxy_admin");

function say(at: Address, signature: string, args: readonly unknown[]) {
  return family.decode(rawLog(encodeEvent(signature, args), { address: at }), directory);
}

function signatureOf(role: "vault" | "proxy_admin" | "factory", name: string, nth = 0): string {
  return [...RULES[role]!.values()].filter((rule) => rule.name === name)[nth]!.signature;
}

function effectsOf(
  role: "vault" | "proxy_admin" | "factory",
  name: string,
  args: readonly unknown[],
  nth = 0,
) {
  const at = { vault: VAULT_AT, proxy_admin: ADMIN_AT, factory: FACTORY_AT }[role];
  const body = say(at, signatureOf(role, name, nth), args)?.body;
  if (body?.kind !== "governance") throw new Error(`${name} is ${body?.kind}`);
  return body.effects;
}

describe("topics", () => {
  test.each([
    ...VAULT.map(([topic, signature]) => ["vault", topic, signature] as const),
    ...ADMIN.map(([topic, signature]) => ["proxy_admin", topic, signature] as const),
    ...FACTORY.map(([topic, signature]) => ["factory", topic, signature] as const),
  ])("of a %s: %s %s", (role, topic, signature) => {
    const rule = RULES[role]!.get(topic);
    expect(rule?.signature.replace(/ (indexed )?[A-Za-z]+(?=[,)])/g, " $1")).toBe(
      signature.replace(/ (indexed )?[A-Za-z]+(?=[,)])/g, " $1"),
    );
    expect(toEventHash(`event ${rule!.signature}`)).toBe(topic);
  });

  test("rates have two, by the number of fees that the version knows", () => {
    const two = effectsOf("vault", "RatesUpdated", [[200, 1000], [100, 2000], 77n]);
    expect(two).toEqual([
      {
        action: "fee_config_update",
        old: { management_bps: "200", performance_bps: "1000" },
        new: { management_bps: "100", performance_bps: "2000" },
        executable_at: "77",
      },
    ]);
    const five = effectsOf("vault", "RatesUpdated", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], 77n], 1);
    expect(five).toEqual([
      {
        action: "fee_config_update",
        old: {
          management_bps: "1",
          performance_bps: "2",
          entry_bps: "3",
          exit_bps: "4",
          haircut_bps: "5",
        },
        new: {
          management_bps: "5",
          performance_bps: "4",
          entry_bps: "3",
          exit_bps: "2",
          haircut_bps: "1",
        },
      },
    ]);
  });
});

describe("money", () => {
  test("synchronous flows are deposits and withdrawals", () => {
    expect(say(VAULT_AT, signatureOf("vault", "DepositSync"), [OLD, NEW, 5n, 6n])).toMatchObject({
      actor: OLD,
      body: { kind: "deposit", sender: OLD, owner: NEW, assets: 5n, shares: 6n },
    });
    expect(say(VAULT_AT, signatureOf("vault", "WithdrawSync"), [OLD, NEW, OLD, 5n, 6n])).toMatchObject({
      actor: OLD,
      body: { kind: "withdraw", receiver: NEW, owner: OLD, assets: 5n, shares: 6n, isSynchronous: true },
    });
  });

  test("a claim of a deposit names the controller: who called is not said", () => {
    const claim = say(VAULT_AT, signatureOf("vault", "Deposit"), [OLD, NEW, 5n, 6n]);
    expect(claim).toMatchObject({ actor: null, body: { kind: "deposit", sender: OLD } });
  });

  test("cancelled requests come back at once; how many assets, the contract is asked", () => {
    expect(say(VAULT_AT, signatureOf("vault", "RedeemRequestCanceled"), [4n, OLD, 6n])).toMatchObject({
      needs: null,
      body: { kind: "redeem_cancel_claimed", requestId: 4n, controller: OLD, shares: 6n },
    });
    expect(say(VAULT_AT, signatureOf("vault", "DepositRequestCanceled"), [3n, OLD])).toMatchObject({
      needs: "state",
      body: { kind: "deposit_cancel_claimed", requestId: 3n, controller: OLD },
    });
  });

  test("SettleRedeem names no controllers: its epoch says whose requests are settled", () => {
    const body = say(VAULT_AT, signatureOf("vault", "SettleRedeem"), [6n, 4n, 1n, 2n, 3n, 4n])?.body;
    expect(body).toMatchObject({ effects: [{ action: "settle", id: "6" }], settledThrough: "6" });
    const deposits = say(VAULT_AT, signatureOf("vault", "SettleDeposit"), [5n, 3n, 1n, 2n, 3n, 4n])?.body;
    expect(deposits).toMatchObject({ effects: [{ action: "settle", id: "5" }] });
    expect(deposits).not.toHaveProperty("settledThrough");
  });
});

describe("governance", () => {
  test.each([
    ["ValuationManagerUpdated", "valuation_manager"],
    ["WhitelistManagerUpdated", "whitelist_manager"],
    ["SafeUpdated", "safe"],
    ["SecurityCouncilUpdated", "security_council"],
    ["SuperOperatorUpdated", "super_operator"],
  ])("%s gives the seat, and takes it where nobody follows", (event, role) => {
    expect(effectsOf("vault", event, [OLD, NEW])).toEqual([
      { action: "role_grant", role, account: NEW, old: OLD },
    ]);
    expect(effectsOf("vault", event, [OLD, NOBODY])).toEqual([{ action: "role_revoke", role, account: OLD }]);
  });

  test.each([
    ["NewTotalAssetsUpdated", [7n], { action: "nav_propose", new: { total_assets: "7" } }],
    ["TotalAssetsUpdated", [7n], { action: "parameter_change", id: "total_assets", new: "7" }],
    ["TotalAssetsExpirationUpdated", [9n, 0n], { id: "total_assets_expiration", old: "9", new: "0" }],
    ["StateUpdated", [1], { action: "mode_change", id: "state", new: "closing" }],
    ["SyncModeUpdated", [0, 3], { action: "mode_change", id: "sync_mode", old: "both", new: "none" }],
    ["AsyncOnlyActivated", [], { action: "mode_change", id: "async_only", new: true }],
    ["MaxCapUpdated", [1n, 2n], { action: "cap_change", cap_kind: "deposit", old: "1", new: "2" }],
    ["HighWaterMarkUpdated", [9n, 8n], { action: "high_water_mark_reset", old: "9", new: "8" }],
    ["AccessModeUpdated", [1], { action: "access_rule_change", id: "access_mode", new: "whitelist" }],
    ["WhitelistUpdated", [OLD, true], { action: "access_rule_change", id: "whitelist", account: OLD }],
    ["BlacklistUpdated", [OLD, false], { id: "blacklist", account: OLD, new: false }],
    ["WhitelistDisabled", [], { id: "access_mode", new: "none" }],
    ["GuardrailsStatusUpdated", [true], { id: "guardrails_activated", new: true }],
    ["FeeReceiverUpdated", [OLD, NEW], { action: "fee_recipient_change", account: NEW, old: OLD }],
    ["NameUpdated", ["A", "B"], { action: "metadata_change", id: "name", old: "A", new: "B" }],
    ["Upgraded", [NEW], { action: "upgrade", new: NEW }],
    [
      "GuardrailsUpdated",
      [
        [1n, -2n],
        [3n, -(2n ** 200n)],
      ],
      { new: { upper_rate: "3", lower_rate: (-(2n ** 200n)).toString() } },
    ],
  ] as const)("%s", (event, args, effect) => {
    expect(effectsOf("vault", event, args)).toMatchObject([effect]);
  });

  test.each([
    ["a vault begins open", "StateUpdated", [0]],
    ["a settlement raises the mark", "HighWaterMarkUpdated", [8n, 9n]],
    ["each settlement moves the expiration on", "TotalAssetsExpirationUpdated", [8n, 9n]],
    ["the first owner replaces nobody", "OwnershipTransferred", [NOBODY, NEW]],
    ["the mode that a vault begins with", "SyncModeUpdated", [0, 0]],
    ["fees that are taken", "FeeTaken", [0, 5n, 100, 1n, 4n, 1n]],
    ["a cut", "HaircutTaken", [OLD, 5n, 100]],
    ["the first admin", "AdminChanged", [NOBODY, NEW]],
  ] as const)("no entry: %s", (_why, event, args) => {
    expect(effectsOf("vault", event, args)).toEqual([]);
  });

  test("an upgrade and a delay are submitted to the admin, whose own events tell", () => {
    expect(effectsOf("proxy_admin", "ImplementationUpdateSubmited", [NEW, 9n])).toEqual([
      { action: "upgrade_propose", new: NEW, executable_at: "9" },
    ]);
    expect(effectsOf("proxy_admin", "DelayUpdateSubmited", [1n, 2n, 9n])).toEqual([
      { action: "timelock_submit", id: "delay_seconds", old: "1", new: "2", executable_at: "9" },
    ]);
    expect(effectsOf("proxy_admin", "DelayUpdated", [2n, 1n])).toEqual([
      { action: "timelock_delay_change", old: "1", new: "2" },
    ]);
    const moved = signatureOf("proxy_admin", "OwnershipTransferred");
    expect(say(ADMIN_AT, moved, [OLD, NEW])).toMatchObject({
      actor: OLD,
      vaultAddress: VAULT_AT,
      body: { contract: "proxy_admin", effects: [{ role: "proxy_admin_owner", account: NEW, old: OLD }] },
    });
  });

  test("whom ownership was offered to took it; who gave it up is not said", () => {
    const transferred = signatureOf("vault", "OwnershipTransferred");
    expect(say(VAULT_AT, transferred, [OLD, NEW])).toMatchObject({
      actor: NEW,
      body: { effects: [{ action: "owner_change", role: "owner", account: NEW, old: OLD }] },
    });
    expect(say(VAULT_AT, transferred, [OLD, NOBODY])).toMatchObject({
      actor: null,
      body: { effects: [{ action: "owner_change", account: NOBODY, old: OLD }] },
    });
  });

  test("a factory of either kind announces; a beacon's upgrade is that of every vault", () => {
    for (const event of ["ProxyDeployed", "BeaconProxyDeployed"]) {
      const log = rawLog(encodeEvent(signatureOf("factory", event), [NEW, OLD]), { address: FACTORY_AT });
      expect(family.discover(log, directory)).toMatchObject({ family: "lagoon", address: NEW, source });
      expect(family.decode(log, directory)).toMatchObject({ vaultAddress: NEW, actor: OLD });
    }
    const upgraded = say(FACTORY_AT, signatureOf("factory", "Upgraded"), [NEW]);
    expect(upgraded).toMatchObject({ vaultAddress: null, body: { effects: [{ action: "upgrade" }] } });
    expect(family.concernsAll!(upgraded!.body)).toBe(true);
  });
});

describe("what is remembered", () => {
  test.each([
    ["a proposal", "NewTotalAssetsUpdated", [7n], ["nav"]],
    ["its end", "TotalAssetsUpdated", [7n], ["nav", "valued"]],
    ["what was owed is paid", "SettleRedeem", [6n, 4n, 1n, 2n, 3n, 4n], ["due"]],
    ["a lifespan", "TotalAssetsLifespanUpdated", [0n, 60n], ["lifespan"]],
    ["an expiration", "TotalAssetsExpirationUpdated", [0n, 60n], ["expiration"]],
    ["a mark", "HighWaterMarkUpdated", [1n, 2n], ["high_water_mark"]],
    ["a state", "StateUpdated", [2], ["state"]],
    ["an admin", "AdminChanged", [NOBODY, NEW], [NEW]],
    ["nothing of money", "DepositSync", [OLD, NEW, 1n, 1n], []],
  ] as const)("%s", (_what, event, args, keys) => {
    const decoded = say(VAULT_AT, signatureOf("vault", event), args)!;
    const changes = family.track!({
      chainId: 1,
      blockNumber: 7,
      blockHash: `0x${"77".repeat(32)}`,
      blockTimestamp: 1_700_000_000,
      txHash: `0x${"88".repeat(32)}`,
      txIndex: 0,
      logIndex: 0,
      vaultAddress: VAULT_AT,
      actorWallet: OLD,
      txFrom: OLD,
      body: toStored(decoded.body) as StoredBody,
    });
    expect(changes.map(({ key }) => key)).toEqual(keys);
  });
});
