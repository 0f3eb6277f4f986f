// The functions of a Lagoon vault of either version and of its proxy's admin, so that a call to one of them is told by name and arguments.
import { callTable } from "../family/call.ts";

const TWO_RATES = "uint16 managementRate, uint16 performanceRate";
const FIVE_RATES = `${TWO_RATES}, uint16 entryRate, uint16 exitRate, uint16 haircutRate`;

export const FUNCTIONS = callTable([
  // owner
  "transferOwnership(address newOwner)",
  "acceptOwnership()",
  "renounceOwnership()",
  "updateWhitelistManager(address whitelistManager)",
  "updateValuationManager(address valuationManager)",
  "updateFeeReceiver(address feeReceiver)",
  "updateSafe(address safe)",
  "updateSecurityCouncil(address securityCouncil)",
  "updateSuperOperator(address superOperator)",
  `updateRates((${TWO_RATES}) newRates)`,
  `updateRates((${FIVE_RATES}) newRates)`,
  "updateName(string newName)",
  "updateSymbol(string newSymbol)",
  "switchAccessMode(uint8 newMode)",
  "disableWhitelist()",
  "activateAsyncOnly()",
  "initiateClosing()",
  "pause()",
  "unpause()",
  // reporting and settling
  "updateNewTotalAssets(uint256 newTotalAssets)",
  "securityCouncilUpdateTotalAssets(uint256 newTotalAssets)",
  "updateGuardrails((uint256 upperRate, int256 lowerRate) guardrails)",
  "updateActivated(bool activated)",
  "settleDeposit(uint256 newTotalAssets)",
  "settleRedeem(uint256 newTotalAssets)",
  "close(uint256 newTotalAssets)",
  "updateTotalAssetsLifespan(uint128 lifespan)",
  "expireTotalAssets()",
  "updateMaxCap(uint256 maxCap)",
  "setSyncMode(uint8 mode)",
  "resetHighWaterMark()",
  "claimSharesOnBehalf(address[] controllers)",
  "claimAssetsOnBehalf(address[] controllers)",
  // who may enter
  "addToWhitelist(address[] accounts)",
  "revokeFromWhitelist(address[] accounts)",
  "addToBlacklist(address[] accounts)",
  "revokeFromBlacklist(address[] accounts)",
  "setExternalSanctionsList(address sanctionsList)",
  // holders
  "setOperator(address operator, bool approved)",
  "requestDeposit(uint256 assets, address controller, address owner)",
  "requestDeposit(uint256 assets, address controller, address owner, address referral)",
  "requestRedeem(uint256 shares, address controller, address owner)",
  "cancelRequestDeposit()",
  "cancelRequestDeposit(address controller)",
  "cancelRequestRedeem(address controller)",
  "claimSharesAndRequestRedeem(uint256 sharesToRedeem)",
  "syncDeposit(uint256 assets, address receiver, address referral)",
  "syncRedeem(uint256 shares, address receiver, uint256 minimumAssets)",
  "deposit(uint256 assets, address receiver, address controller)",
  "mint(uint256 shares, address receiver, address controller)",
  // the proxy's admin
  "submitImplementation(address implementation)",
  "upgradeAndCall(address proxy, address implementation, bytes data)",
  "submitDelay(uint256 delay)",
  "updateDelay()",
]);
