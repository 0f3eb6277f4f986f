// A log of a curated vault, or of the factory that makes them, to the fact it says; for MetaMorpho and Euler Earn alike. Which family a
// contract is of decides, not the topic: Morpho Vault V2 has four topics in common with these, and its roles mean other things.
import type { Logger } from "pino";
import { type Address, type Hex, zeroAddress } from "viem";
import type { Directory, KnownVault } from "../../directory.ts";
import type { GovernanceBody } from "../../governance.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import { byTopic, type EventRule } from "../family/event.ts";
import type { Decoded, FamilyName } from "../family/family.ts";
import { governed } from "../family/governed.ts";

export interface Decoder {
  topics: readonly Hex[];
  decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null;
  discover(log: RawLog, directory: Directory): KnownVault | null;
}

/** `announcement` is the factory's event whose parameter `vault` names the new vault. */
export function curatedDecoder(rules: {
  family: FamilyName;
  vault: readonly EventRule[];
  factory: readonly EventRule[];
  announcement: { name: string; vault: string };
}): Decoder {
  const own = { vault: byTopic(rules.vault), factory: byTopic(rules.factory) };
  const { announcement } = rules;

  function decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null {
    const contract = directory.contract(log.address);
    if (contract?.source.family !== rules.family) return null;
    if (contract.role !== "vault" && contract.role !== "factory") return null;
    const rule = own[contract.role].get(log.topics[0] ?? "");
    if (rule === undefined) return null;
    const decoded = decodeLog(log, rule, contract.role, contract.vault?.address ?? null, logger);
    if (decoded?.body.kind !== "governance") return decoded;
    const { event, args } = decoded.body;
    if (event === announcement.name) {
      return { ...decoded, vaultAddress: args[announcement.vault] as Address };
    }
    if (contract.role === "factory") return decoded;
    const actor = event === "OwnershipTransferred" ? acceptor(args) : decoded.actor;
    return { ...decoded, actor, needs: hasMore(decoded.body) ? "state" : null };
  }

  function discover(log: RawLog, directory: Directory): KnownVault | null {
    const contract = directory.contract(log.address);
    if (contract?.source.family !== rules.family || contract.role !== "factory") return null;
    const rule = own.factory.get(log.topics[0] ?? "");
    if (rule?.name !== announcement.name) return null;
    const body = decodeLog(log, rule, "factory", null)?.body;
    if (body?.kind !== "governance") return null;
    return {
      family: rules.family,
      address: body.args[announcement.vault] as Address,
      source: contract.source,
      strategy: null,
      escrow: null,
      asset: body.args.asset as Address,
      share: null,
      assetDecimals: null,
      shareDecimals: null,
      configuredPrimary: null,
      capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
    };
  }

  const topics = [...own.vault.keys(), ...own.factory.keys()] as Hex[];
  return { topics, decode, discover };
}

/** The event of a factory that makes vaults; nothing of it is an act upon a vault that stood before. */
export function creation(event: string, vault: string): EventRule {
  return governed(
    "factory",
    `${event}(address indexed ${vault}, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)`,
    () => [],
    "caller",
  );
}

/** Ownership is taken by the new owner; given up by the old; and given to the first by whoever made the vault. */
function acceptor(args: Readonly<Record<string, unknown>>): Address | null {
  if (args.previousOwner === zeroAddress) return null;
  return (args.newOwner === zeroAddress ? args.previousOwner : args.newOwner) as Address;
}

/** An accrual says something only where assets are lost. */
function hasMore({ event, args, effects }: GovernanceBody): boolean {
  if (event === "UpdateLostAssets") return args.newLostAssets !== "0";
  return event === "AccrueInterest" || effects.length > 0;
}
