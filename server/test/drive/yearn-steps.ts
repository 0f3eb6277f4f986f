// Every function of the governance of a Yearn V3 vault, to its shutdown.
import { type Address, zeroAddress } from "viem";
import { ALL_YEARN_ROLES } from "../../../demo/src/families/yearn-v3.ts";
import { type EveryFamily, KEEPER, OWNER } from "../simulation/every-family.ts";
import { ALLOCATOR, DEPOSITOR, type Drive, ERC20, ERC4626, STRANGER, Steps, TREASURY } from "./steps.ts";

const VAULT = "YearnVault";
const MAX = 2n ** 256n - 1n;

export function yearnDrive(world: EveryFamily, accountant: Address): Drive {
  const { safe, asset } = world;
  const [one, two] = world.yearnStrategies as [Address, Address];
  const on = new Steps(VAULT, world.vaults.yearn_v3);
  const onStrategy = on.on("YearnStrategy", one);

  on.do(
    OWNER,
    ["set_role", ALLOCATOR, 65n],
    ["role_grant", { account: ALLOCATOR, old: [], new: ["add_strategy_manager", "debt_manager"] }],
  );
  on.do(
    OWNER,
    ["add_role", ALLOCATOR, 2n],
    [
      "role_grant",
      {
        account: ALLOCATOR,
        role: "revoke_strategy_manager",
        new: ["add_strategy_manager", "revoke_strategy_manager", "debt_manager"],
      },
    ],
  );
  on.do(
    OWNER,
    ["remove_role", ALLOCATOR, 65n],
    [
      "role_revoke",
      { account: ALLOCATOR, role: "add_strategy_manager, debt_manager", new: ["revoke_strategy_manager"] },
    ],
  );
  // Names change without an event.
  on.do(OWNER, ["setName", "Driven"]);
  on.do(OWNER, ["setSymbol", "DRV"]);

  on.do(KEEPER, ["add_strategy", one], ["strategy_add", { id: one, account: one }]);
  on.do(KEEPER, ["add_strategy", two, false], ["strategy_add", { id: two, account: two }]);
  on.do(
    KEEPER,
    ["set_default_queue", [two, one]],
    ["queue_change", { id: "default_queue", new: [two, one] }],
  );
  on.do(KEEPER, ["set_use_default_queue", true], ["queue_change", { id: "use_default_queue", new: true }]);
  on.do(KEEPER, ["set_auto_allocate", false], ["parameter_change", { id: "auto_allocate", new: false }]);
  on.do(KEEPER, ["set_accountant", accountant], ["parameter_change", { id: "accountant", new: accountant }]);
  on.do(
    KEEPER,
    ["setProfitMaxUnlockTime", 3_600n],
    ["parameter_change", { id: "profit_max_unlock_seconds", new: "3600" }],
  );
  on.do(
    KEEPER,
    ["set_minimum_total_idle", 1_000n],
    ["parameter_change", { id: "minimum_total_idle", new: "1000" }],
  );

  // A module and a limit rule each other out, unless that is overridden.
  on.do(
    KEEPER,
    ["set_deposit_limit_module", STRANGER, true],
    ["cap_change", { cap_kind: "deposit", new: MAX.toString() }],
    ["gate_change", { id: "deposit_limit_module", new: STRANGER }],
  );
  on.do(
    KEEPER,
    ["set_deposit_limit", 2n ** 100n, true],
    ["gate_change", { id: "deposit_limit_module" }],
    ["cap_change", { cap_kind: "deposit", new: (2n ** 100n).toString() }],
  );
  on.do(
    KEEPER,
    ["set_deposit_limit", MAX],
    ["cap_change", { cap_kind: "deposit", old: (2n ** 100n).toString(), new: MAX.toString() }],
  );
  on.do(KEEPER, ["set_deposit_limit_module", zeroAddress], ["gate_change", { id: "deposit_limit_module" }]);
  on.do(
    KEEPER,
    ["set_withdraw_limit_module", STRANGER],
    ["gate_change", { id: "withdraw_limit_module", new: STRANGER }],
  );
  on.do(KEEPER, ["set_withdraw_limit_module", zeroAddress], ["gate_change", { id: "withdraw_limit_module" }]);

  on.do(
    KEEPER,
    ["update_max_debt_for_strategy", one, 500_000n],
    ["cap_change", { id: one, cap_kind: "debt", old: "0", new: "500000" }],
  );
  on.do(
    KEEPER,
    ["update_max_debt_for_strategy", two, MAX],
    ["cap_change", { id: two, cap_kind: "debt", old: "0", new: MAX.toString() }],
  );
  on.do(DEPOSITOR, ["deposit", 1_000_000n, DEPOSITOR], ["deposit", {}]);
  on.do(KEEPER, ["update_debt", one, 400_000n], ["allocation_change", { id: one, old: "0", new: "400000" }]);
  on.do(
    KEEPER,
    ["update_debt", two, 100_000n, 10_000n],
    ["allocation_change", { id: two, old: "0", new: "100000" }],
  );

  // A gain, and what a strategy pays no more at once.
  on.on("Token", asset).do(TREASURY, ["mint", one, 10_000n]);
  onStrategy.do(STRANGER, ["setLimit", 1_000n]);
  on.do(KEEPER, ["process_report", one], ["strategy_report", { id: one }]);
  onStrategy.do(STRANGER, ["setLimit", MAX]);
  on.do(
    KEEPER,
    ["buy_debt", two, 50_000n],
    ["allocation_change", { id: two, old: "100000", new: "50000" }],
    ["allocation_change", { id: two, new: { debt_bought: "50000" } }],
  );
  on.do(
    KEEPER,
    ["force_revoke_strategy", two],
    ["strategy_report", { id: two }],
    ["loss", { id: two, new: "50000" }],
    ["strategy_revoke", { id: two, account: two }],
  );
  on.do(KEEPER, ["update_debt", one, 0n], ["allocation_change", { id: one, new: "0" }]);
  on.do(ALLOCATOR, ["revoke_strategy", one], ["strategy_revoke", { id: one }]);

  on.do(
    OWNER,
    ["transfer_role_manager", safe],
    ["owner_change_propose", { role: "role_manager", account: safe }],
  );
  on.do(safe, ["accept_role_manager"], ["owner_change", { role: "role_manager", account: safe, old: OWNER }]);
  on.do(safe, ["transfer_role_manager", OWNER], ["owner_change_propose", { account: OWNER }]);
  on.do(OWNER, ["accept_role_manager"], ["owner_change", { account: OWNER, old: safe }]);
  on.do(
    OWNER,
    ["set_role", KEEPER, ALL_YEARN_ROLES & ~64n],
    ["role_revoke", { account: KEEPER, role: "debt_manager" }],
  );
  // Whoever shuts it down may move debt from then on.
  on.do(
    KEEPER,
    ["shutdown_vault"],
    ["cap_change", { cap_kind: "deposit", new: "0" }],
    ["role_grant", { account: KEEPER, role: "debt_manager" }],
    ["shutdown", {}],
  );
  const holders = {
    [VAULT]: [...ERC20, ...ERC4626, "initialize/5"],
    YearnStrategy: [...ERC20, "deposit/2", "redeem/3"],
    Token: [...ERC20, "burn/2"],
  };
  return { steps: on.steps, holders };
}
