// Every function of the governance of a Lagoon vault of 0.6.0 and of its proxy's admin, from the first deposit to the closing.
import { zeroAddress } from "viem";
import { addressOf } from "../../../demo/src/accounts.ts";
import { type EveryFamily, KEEPER, OWNER } from "../simulation/every-family.ts";
import {
  ALLOCATOR,
  COUNCIL,
  DAY,
  DEPOSITOR,
  type Drive,
  ERC20,
  RECIPIENT,
  STRANGER,
  Steps,
  VALUER,
  WHITELISTER,
} from "./steps.ts";

const VAULT = "LagoonVaultV6";
const ADMIN = "DelayProxyAdmin";
/** Who holds the seat of the Safe at first. */
const SAFE = KEEPER;
const FEES = addressOf("feeRecipient");

export function lagoonDrive(world: EveryFamily): Drive {
  const { safe, implementation } = world;
  const { vault } = world.lagoon;
  const on = new Steps(VAULT, vault);
  const onAdmin = on.on(ADMIN, world.admin);

  const seat = (call: string, role: string, holder: typeof vault) => {
    on.do(OWNER, [call, STRANGER], ["role_grant", { role, account: STRANGER, old: holder }]);
    on.do(OWNER, [call, holder], ["role_grant", { role, account: holder, old: STRANGER }]);
  };
  seat("updateValuationManager", "valuation_manager", VALUER);
  seat("updateWhitelistManager", "whitelist_manager", WHITELISTER);
  seat("updateSecurityCouncil", "security_council", COUNCIL);
  seat("updateSafe", "safe", SAFE);
  on.do(
    OWNER,
    ["updateSuperOperator", ALLOCATOR],
    ["role_grant", { role: "super_operator", account: ALLOCATOR }],
  );
  on.do(
    OWNER,
    ["updateSuperOperator", zeroAddress],
    ["role_revoke", { role: "super_operator", account: ALLOCATOR }],
  );
  on.do(OWNER, ["updateFeeReceiver", RECIPIENT], ["fee_recipient_change", { account: RECIPIENT, old: FEES }]);
  on.do(OWNER, ["updateName", "Driven"], ["metadata_change", { id: "name", old: "Lagoon", new: "Driven" }]);
  on.do(OWNER, ["updateSymbol", "DRV"], ["metadata_change", { id: "symbol", old: "LGN", new: "DRV" }]);
  const rates = { managementRate: 100, performanceRate: 1_000, entryRate: 0, exitRate: 10, haircutRate: 0 };
  on.do(
    OWNER,
    ["updateRates", rates],
    [
      "fee_config_update",
      {
        new: {
          management_bps: "100",
          performance_bps: "1000",
          entry_bps: "0",
          exit_bps: "10",
          haircut_bps: "0",
        },
      },
    ],
  );

  // The first settlement: a deposit comes in.
  on.do(DEPOSITOR, ["requestDeposit", 1_000_000n, DEPOSITOR, DEPOSITOR], ["deposit_request", {}]);
  on.do(
    VALUER,
    ["updateNewTotalAssets", 0n],
    ["nav_propose", { new: { total_assets: "0", pending_shares: "0" } }],
  );
  on.do(
    SAFE,
    ["settleDeposit", 0n],
    ["parameter_change", { id: "total_assets", new: "0" }],
    ["settle", { id: "1" }],
  );
  on.do(SAFE, ["claimSharesOnBehalf", [DEPOSITOR]], ["deposit", {}]);

  // The second one: shares go out.
  on.do(DEPOSITOR, ["requestRedeem", 200_000n * 10n ** 12n, DEPOSITOR, DEPOSITOR], ["redeem_request", {}]);
  on.do(
    COUNCIL,
    ["securityCouncilUpdateTotalAssets", 1_000_000n],
    [
      "nav_propose",
      {
        new: {
          total_assets: "1000000",

          pending_shares: (200_000n * 10n ** 12n).toString(),
        },
      },
    ],
  );
  on.do(
    SAFE,
    ["settleRedeem", 1_000_000n],
    ["parameter_change", { id: "total_assets" }],
    ["settle", { id: "2" }],
  );
  on.do(SAFE, ["claimAssetsOnBehalf", [DEPOSITOR]], ["withdraw", {}]);
  on.do(SAFE, ["resetHighWaterMark"], ["high_water_mark_reset", {}]);

  // A valuation that counts for a while, in which others come in and go out at once.
  on.do(
    SAFE,
    ["updateTotalAssetsLifespan", 3_600n],
    ["parameter_change", { id: "total_assets_lifespan_seconds", old: "0", new: "3600" }],
  );
  on.do(
    SAFE,
    ["updateMaxCap", 10n ** 12n],
    ["cap_change", { cap_kind: "deposit", new: (10n ** 12n).toString() }],
  );
  on.do(SAFE, ["setSyncMode", 1], ["mode_change", { id: "sync_mode", old: "both", new: "sync_deposit" }]);
  on.do(
    VALUER,
    ["updateNewTotalAssets", 800_000n],
    ["nav_propose", { new: { total_assets: "800000", pending_shares: "0" } }],
  );
  on.do(SAFE, ["settleDeposit", 800_000n], ["parameter_change", { id: "total_assets" }]);
  on.do(SAFE, ["setSyncMode", 0], ["mode_change", { id: "sync_mode", old: "sync_deposit", new: "both" }]);
  on.do(SAFE, ["expireTotalAssets"], ["parameter_change", { id: "total_assets_expiration", new: "0" }]);

  // Who may.
  on.do(
    COUNCIL,
    ["updateGuardrails", { upperRate: 10n ** 30n, lowerRate: -(10n ** 30n) }],
    [
      "parameter_change",
      {
        id: "guardrails",
        new: { upper_rate: (10n ** 30n).toString(), lower_rate: (-(10n ** 30n)).toString() },
      },
    ],
  );
  on.do(COUNCIL, ["updateActivated", true], ["parameter_change", { id: "guardrails_activated", new: true }]);
  on.do(
    WHITELISTER,
    ["addToWhitelist", [DEPOSITOR, STRANGER]],
    ["access_rule_change", { id: "whitelist", account: DEPOSITOR, new: true }],
    ["access_rule_change", { id: "whitelist", account: STRANGER, new: true }],
  );
  on.do(OWNER, ["switchAccessMode", 1], ["access_rule_change", { id: "access_mode", new: "whitelist" }]);
  on.do(
    WHITELISTER,
    ["revokeFromWhitelist", [STRANGER]],
    ["access_rule_change", { account: STRANGER, new: false }],
  );
  on.do(OWNER, ["switchAccessMode", 0], ["access_rule_change", { id: "access_mode", new: "blacklist" }]);
  on.do(
    WHITELISTER,
    ["addToBlacklist", [STRANGER]],
    ["access_rule_change", { id: "blacklist", account: STRANGER, new: true }],
  );
  on.do(
    WHITELISTER,
    ["revokeFromBlacklist", [STRANGER]],
    ["access_rule_change", { id: "blacklist", account: STRANGER, new: false }],
  );
  on.do(
    WHITELISTER,
    ["setExternalSanctionsList", STRANGER],
    ["access_rule_change", { id: "external_sanctions_list", old: zeroAddress, new: STRANGER }],
  );
  on.do(OWNER, ["pause"], ["vault_pause", { account: OWNER }]);
  on.do(OWNER, ["unpause"], ["vault_unpause", { account: OWNER }]);

  // The proxy's admin.
  onAdmin.do(OWNER, ["submitImplementation", implementation], ["upgrade_propose", { new: implementation }]);
  onAdmin.do(
    OWNER,
    ["submitDelay", BigInt(2 * DAY)],
    ["timelock_submit", { id: "delay_seconds", old: "86400", new: "172800" }],
  );
  onAdmin.after(DAY);
  onAdmin.do(OWNER, ["upgradeAndCall", vault, implementation, "0x"], ["upgrade", { new: implementation }]);
  onAdmin.do(OWNER, ["updateDelay"], ["timelock_delay_change", { old: "86400", new: "172800" }]);
  onAdmin.do(
    OWNER,
    ["transferOwnership", safe],
    ["owner_change", { role: "proxy_admin_owner", account: safe, old: OWNER }],
  );
  onAdmin.do(
    safe,
    ["transferOwnership", OWNER],
    ["owner_change", { role: "proxy_admin_owner", account: OWNER, old: safe }],
  );

  // Another owner; and the end.
  on.do(OWNER, ["transferOwnership", safe], ["owner_change_propose", { account: safe, old: OWNER }]);
  on.do(safe, ["acceptOwnership"], ["owner_change", { account: safe, old: OWNER }]);
  on.do(safe, ["transferOwnership", OWNER], ["owner_change_propose", { account: OWNER, old: safe }]);
  on.do(OWNER, ["acceptOwnership"], ["owner_change", { account: OWNER, old: safe }]);
  on.do(
    OWNER,
    ["activateAsyncOnly"],
    ["mode_change", { id: "sync_mode", old: "both", new: "none" }],
    ["mode_change", { id: "async_only", new: true }],
  );
  on.do(VALUER, ["updateNewTotalAssets", 800_000n], ["nav_propose", {}]);
  on.do(OWNER, ["initiateClosing"], ["nav_propose", {}], ["mode_change", { id: "state", new: "closing" }]);
  on.do(
    SAFE,
    ["close", 800_000n],
    ["parameter_change", { id: "total_assets", new: "800000" }],
    ["mode_change", { id: "state", new: "closed" }],
  );
  on.do(OWNER, ["renounceOwnership"], ["owner_change", { account: zeroAddress, old: OWNER }]);
  const holders = {
    [VAULT]: [
      ...ERC20,
      "initialize/1",
      "setOperator/2",
      "requestDeposit/3",
      "requestDeposit/4",
      "cancelRequestDeposit/0",
      "cancelRequestDeposit/1",
      "cancelRequestRedeem/1",
      "deposit/2",
      "deposit/3",
      "mint/2",
      "requestRedeem/3",
      "claimSharesAndRequestRedeem/1",
      "redeem/3",
      "withdraw/3",
      "syncDeposit/3",
      "syncRedeem/3",
    ],
    [ADMIN]: [],
  };
  return { steps: on.steps, holders };
}
