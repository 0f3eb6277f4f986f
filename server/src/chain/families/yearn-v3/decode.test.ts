// Every event of a Yearn V3 vault and its factory has the topic that is published, and says what it says.
import { type Address, type Hex, toEventHash } from "viem";
import { describe, expect, test } from "vitest";
import { encodeEvent } from "../../../../../demo/src/events.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { rawLog } from "../../../../test/event-log.ts";
import { Directory, type KnownVault, type Source } from "../../directory.ts";
import { RULES, rolesChanged } from "./decode.ts";
import { yearnV3Family } from "./family.ts";
import { ROLE_BITS, rolesIn } from "./roles.ts";

/** By hand, from the published sources. */
const TABLE: [Hex, string][] = [
  [
    "0x4241302c393c713e690702c4a45a57e93cef59aa8c6e2358495853b3420551d8",
    "NewVault(address indexed vault_address, address indexed asset)",
  ],
  [
    "0xde8ff765a5c5dad48d27bc9faa99836fb81f3b07c9dc62cfe005475d6b83a2ca",
    "StrategyChanged(address indexed strategy, uint256 indexed change_type)",
  ],
  [
    "0x7f2ad1d3ba35276f35ef140f83e3e0f17b23064fd710113d3f7a5ab30d267811",
    "StrategyReported(address indexed strategy, uint256 gain, uint256 loss, uint256 current_debt, uint256 protocol_fees, uint256 total_fees, uint256 total_refunds)",
  ],
  [
    "0x5e2b8821ad6e0e26207e0cb4d242d07eeb1cbb1cfd853e645bdcd27cc5484f95",
    "DebtUpdated(address indexed strategy, uint256 current_debt, uint256 new_debt)",
  ],
  [
    "0x78557646b1d8efa2cd49740d66df5aca39eb610ca8ca0e1ccac08979b6b2c46e",
    "RoleSet(address indexed account, uint256 indexed role)",
  ],
  [
    "0x364d2f5fdafcc5778c92c031ccf715352535731482158c029793bd034198f571",
    "UpdateFutureRoleManager(address indexed future_role_manager)",
  ],
  [
    "0xce93baa0b608a7d420822b6b90cfcccb70574363ba4fd26ef5ac17dd465016c4",
    "UpdateRoleManager(address indexed role_manager)",
  ],
  [
    "0x28709a2dab2a5d5e8688e96159011151c51644ab21839a8a45b449634d7c8b2b",
    "UpdateAccountant(address indexed accountant)",
  ],
  [
    "0x777d215db24fb9fee4ded85c66b422abd7162a1caa6ed3ec4c031f6cd29ada52",
    "UpdateDepositLimitModule(address indexed deposit_limit_module)",
  ],
  [
    "0xce6e3f8beda82a13c441d76efd4a6335760f219f38c60502e6680060874e109d",
    "UpdateWithdrawLimitModule(address indexed withdraw_limit_module)",
  ],
  [
    "0x0bc0cb8c5ccee13e6a2fd26a699f57ad7ff6e454e6aae97ec41cd2eb9ebd63a5",
    "UpdateDefaultQueue(address[] new_default_queue)",
  ],
  [
    "0x1f88e73ebc721f227812938fe07a069ec1f7136aafacb397ed460bd15dee13f1",
    "UpdateUseDefaultQueue(bool use_default_queue)",
  ],
  [
    "0x68d2a9e78bb2679fce38ced936827f483b51ff64f0776fc33fc39b2881f237f8",
    "UpdateAutoAllocate(bool auto_allocate)",
  ],
  [
    "0xb3eef2123fec1523a6bbc90aceb203000154c1a4974335fe06b544c7534d4b89",
    "UpdatedMaxDebtForStrategy(address indexed sender, address indexed strategy, uint256 new_debt)",
  ],
  [
    "0xae565aab888bca5e19e25a13db7b0c9144305bf55cb0f3f4d724f730e5acdd62",
    "UpdateDepositLimit(uint256 deposit_limit)",
  ],
  [
    "0x01a4494beed88920b88742cc58f2744e198f55ff192635a1fbabc6be8ffade81",
    "UpdateMinimumTotalIdle(uint256 minimum_total_idle)",
  ],
  [
    "0xf361aed463da6fa20358e45c6209f1d3e16d4eca706e6eab0b0aeb338729c77a",
    "UpdateProfitMaxUnlockTime(uint256 profit_max_unlock_time)",
  ],
  [
    "0xe94e7f88819f66c19b097748cb754149f63b1a176ed425dee1f1ee933e6d09b0",
    "DebtPurchased(address indexed strategy, uint256 amount)",
  ],
  ["0x4426aa1fb73e391071491fcfe21a88b5c38a0a0333a1f6e77161470439704cf8", "Shutdown()"],
];

const place = (digit: string): Address => `0x${digit.repeat(40)}`;
const [VAULT_AT, FACTORY_AT, STRATEGY, ALICE] = [place("1"), place("2"), place("3"), place("4")];

const family = yearnV3Family(silentLog);
const source: Source = {
  family: "yearn_v3",
  address: FACTORY_AT,
  isFactory: true,
  governor: null,
  oracles: [],
};
const vault: KnownVault = {
  family: "yearn_v3",
  address: VAULT_AT,
  source,
  strategy: null,
  escrow: null,
  asset: place("6"),
  share: null,
  assetDecimals: 6,
  shareDecimals: 6,
  configuredPrimary: null,
  capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
};
const directory = new Directory();
directory.addSource(source);
directory.addVault(vault);

function say(at: Address, name: string, args: readonly unknown[]) {
  const rules = [...RULES[at === VAULT_AT ? "vault" : "factory"]!.values()];
  const { signature } = rules.find((rule) => rule.name === name)!;
  return family.decode(rawLog(encodeEvent(signature, args), { address: at }), directory);
}

test.each(TABLE)("%s %s", (topic, signature) => {
  const rule = RULES.vault!.get(topic) ?? RULES.factory!.get(topic);
  expect(rule?.signature).toBe(signature);
  expect(toEventHash(`event ${signature}`)).toBe(topic);
});

describe("roles", () => {
  test("are the bits of a mask, from 1 to 8192", () => {
    expect(ROLE_BITS).toHaveLength(14);
    expect(rolesIn(1n)).toEqual(["add_strategy_manager"]);
    expect(rolesIn(64n)).toEqual(["debt_manager"]);
    expect(rolesIn(8192n)).toEqual(["emergency_manager"]);
    expect(rolesIn(2n ** 14n - 1n)).toEqual(ROLE_BITS);
    expect(rolesIn(2n ** 14n + 2n)).toEqual(["revoke_strategy_manager", "role_14"]);
  });

  test("are given and taken by one event, which is an entry for each", () => {
    expect(rolesChanged(ALICE, 3n, 6n)).toEqual([
      {
        action: "role_grant",
        role: "force_revoke_manager",
        account: ALICE,
        old: ["add_strategy_manager", "revoke_strategy_manager"],
        new: ["revoke_strategy_manager", "force_revoke_manager"],
      },
      {
        action: "role_revoke",
        role: "add_strategy_manager",
        account: ALICE,
        old: ["add_strategy_manager", "revoke_strategy_manager"],
        new: ["revoke_strategy_manager", "force_revoke_manager"],
      },
    ]);
    expect(rolesChanged(ALICE, 3n, 3n)).toEqual([]);
    expect(say(VAULT_AT, "RoleSet", [ALICE, 0n])).toMatchObject({
      needs: "state",
      body: { effects: [{ action: "role_revoke", account: ALICE }] },
    });
  });
});

test.each([
  [
    "UpdateFutureRoleManager",
    [ALICE],
    { action: "owner_change_propose", role: "role_manager", account: ALICE },
  ],
  ["UpdateRoleManager", [ALICE], { action: "owner_change", role: "role_manager", account: ALICE }],
  ["StrategyChanged", [STRATEGY, 1n], { action: "strategy_add", id: STRATEGY }],
  ["StrategyChanged", [STRATEGY, 2n], { action: "strategy_revoke", id: STRATEGY }],
  ["DebtUpdated", [STRATEGY, 1n, 2n], { action: "allocation_change", id: STRATEGY, old: "1", new: "2" }],
  ["DebtPurchased", [STRATEGY, 5n], { action: "allocation_change", new: { debt_bought: "5" } }],
  ["UpdatedMaxDebtForStrategy", [ALICE, STRATEGY, 9n], { action: "cap_change", cap_kind: "debt", new: "9" }],
  ["UpdateDepositLimit", [9n], { action: "cap_change", cap_kind: "deposit", new: "9" }],
  ["UpdateDepositLimitModule", [ALICE], { action: "gate_change", id: "deposit_limit_module", new: ALICE }],
  ["UpdateWithdrawLimitModule", [ALICE], { action: "gate_change", id: "withdraw_limit_module" }],
  ["UpdateAccountant", [ALICE], { action: "parameter_change", id: "accountant", new: ALICE }],
  ["UpdateDefaultQueue", [[STRATEGY]], { action: "queue_change", id: "default_queue", new: [STRATEGY] }],
  ["UpdateUseDefaultQueue", [true], { action: "queue_change", id: "use_default_queue", new: true }],
  ["UpdateAutoAllocate", [true], { action: "parameter_change", id: "auto_allocate", new: true }],
  ["UpdateMinimumTotalIdle", [4n], { action: "parameter_change", id: "minimum_total_idle", new: "4" }],
  ["UpdateProfitMaxUnlockTime", [4n], { id: "profit_max_unlock_seconds", new: "4" }],
  ["Shutdown", [], { action: "shutdown" }],
] as const)("%s", (event, args, effect) => {
  expect(say(VAULT_AT, event, args)?.body).toMatchObject({ kind: "governance", effects: [effect] });
});

test("who sets a cap, and who takes the role manager's place, is named", () => {
  expect(say(VAULT_AT, "UpdatedMaxDebtForStrategy", [ALICE, STRATEGY, 9n])?.actor).toBe(ALICE);
  expect(say(VAULT_AT, "UpdateRoleManager", [ALICE])?.actor).toBe(ALICE);
});

test("a report tells gain and fees, and a loss besides where there is one", () => {
  const gain = say(VAULT_AT, "StrategyReported", [STRATEGY, 10n, 0n, 110n, 0n, 1n, 0n]);
  const result = { gain: "10", loss: "0", current_debt: "110", total_fees: "1", total_refunds: "0" };
  expect(gain?.body).toMatchObject({ effects: [{ action: "strategy_report", id: STRATEGY, new: result }] });
  const loss = say(VAULT_AT, "StrategyReported", [STRATEGY, 0n, 7n, 93n, 0n, 0n, 0n]);
  expect(loss?.body).toMatchObject({
    effects: [{ action: "strategy_report" }, { action: "loss", id: STRATEGY, new: "7" }],
  });
});

test("a factory announces", () => {
  const { signature } = [...RULES.factory!.values()][0]!;
  const log = rawLog(encodeEvent(signature, [ALICE, STRATEGY]), { address: FACTORY_AT });
  expect(family.discover(log, directory)).toMatchObject({
    family: "yearn_v3",
    address: ALICE,
    asset: STRATEGY,
  });
  expect(family.decode(log, directory)).toMatchObject({ vaultAddress: ALICE, body: { effects: [] } });
});
