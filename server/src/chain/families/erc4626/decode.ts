// A log of a configured ERC-4626 vault to the fact it says: deposits and withdrawals, shares made and destroyed, ERC-7540
// requests, and pause, roles and ownership in OpenZeppelin's shapes. Transfers between holders and approvals are left out.
import type { Logger } from "pino";
import type { Directory } from "../../directory.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import { byTopic, on } from "../family/event.ts";
import type { Decoded } from "../family/family.ts";
import { erc4626Rules, erc7540Rules, mintOrBurn, proxyRules, TRANSFER } from "../family/vault-events.ts";

export const RULES = byTopic([
  ...erc4626Rules,
  ...erc7540Rules,
  ...proxyRules,
  on(TRANSFER, mintOrBurn),
  on("Paused(address account)", (account) => ({ kind: "vault_paused", account }), "account"),
  on("Unpaused(address account)", (account) => ({ kind: "vault_unpaused", account }), "account"),
  on("Paused()", () => ({ kind: "vault_paused", account: null })),
  on("Unpaused()", () => ({ kind: "vault_unpaused", account: null })),
  on(
    "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
    (role, account, sender) => ({ kind: "role_granted", role, account, sender }),
    "sender",
  ),
  on(
    "RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
    (role, account, sender) => ({ kind: "role_revoked", role, account, sender }),
    "sender",
  ),
  on(
    "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)",
    (previousOwner, newOwner) => ({ kind: "ownership_transfer_started", previousOwner, newOwner }),
    "previousOwner",
  ),
  on(
    "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
    (previousOwner, newOwner) => ({ kind: "ownership_transferred", previousOwner, newOwner }),
  ),
]);

export const TOPICS = [...RULES.values()].map((rule) => rule.topic);

export function decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null {
  const contract = directory.contract(log.address);
  if (contract?.source.family !== "erc4626" || contract.vault === null) return null;
  const rule = RULES.get(log.topics[0] ?? "");
  // Of a share token of its own (ERC-7575) only mints and burns are the vault's.
  if (rule === undefined || (contract.role === "share" && rule.name !== "Transfer")) return null;
  const decoded = decodeLog(log, rule, "vault", contract.vault.address, logger);
  if (decoded?.body.kind === "redeem_claimable")
    return { ...decoded, body: { ...decoded.body, isOnlyNotice: true } };
  // A claim of an asynchronous deposit emits the controller, or the receiver, as sender (ERC-7540): who called stands in no parameter.
  const isClaim = decoded?.body.kind === "deposit" && contract.vault.capabilities.erc7540_deposit;
  return isClaim ? { ...decoded, actor: null } : decoded;
}
