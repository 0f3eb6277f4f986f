// Functions of the contracts that stand behind roles, and of what stands between them and a vault: so that a call to one of them is told by name.
import { callTable } from "../families/family/call.ts";

export const CONTROLLER_CALLS = callTable([
  // Safe
  "execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
  "approveHash(bytes32 hashToApprove)",
  "addOwnerWithThreshold(address owner, uint256 threshold)",
  "removeOwner(address prevOwner, address owner, uint256 threshold)",
  "swapOwner(address prevOwner, address oldOwner, address newOwner)",
  "changeThreshold(uint256 threshold)",
  "enableModule(address module)",
  "disableModule(address prevModule, address module)",
  "setGuard(address guard)",
  "setModuleGuard(address moduleGuard)",
  "setFallbackHandler(address handler)",
  "multiSend(bytes transactions)",
  "signMessage(bytes data)",
  // TimelockController
  "schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)",
  "scheduleBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt, uint256 delay)",
  "execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt)",
  "executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt)",
  "cancel(bytes32 id)",
  "updateDelay(uint256 newDelay)",
  "grantRole(bytes32 role, address account)",
  "revokeRole(bytes32 role, address account)",
  "renounceRole(bytes32 role, address callerConfirmation)",
  // owners and proxies
  "transferOwnership(address newOwner)",
  "acceptOwnership()",
  "renounceOwnership()",
  "upgradeAndCall(address proxy, address implementation, bytes data)",
  "upgrade(address proxy, address implementation)",
  "upgradeToAndCall(address newImplementation, bytes data)",
  "upgradeTo(address newImplementation)",
  "changeProxyAdmin(address proxy, address newAdmin)",
  "changeAdmin(address newAdmin)",
  // ERC-20 and ERC-4626
  "transfer(address to, uint256 value)",
  "transferFrom(address from, address to, uint256 value)",
  "approve(address spender, uint256 value)",
  "deposit(uint256 assets, address receiver)",
  "mint(uint256 shares, address receiver)",
  "withdraw(uint256 assets, address receiver, address owner)",
  "redeem(uint256 shares, address receiver, address owner)",
  "pause()",
  "unpause()",
]);
