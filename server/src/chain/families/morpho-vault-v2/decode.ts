// A log of a vault, of one of its adapters or of the factory to the fact it says. Which rules hold is told by who emitted it, never by the
// topic: MetaMorpho has some of the same, with another meaning.
import type { Logger } from "pino";
import { type Hex, zeroAddress } from "viem";
import { checksum } from "../../address.ts";
import type { Directory, KnownVault } from "../../directory.ts";
import type { GovernanceBody, GovernanceEffect } from "../../governance.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeCall } from "../family/call.ts";
import { decodeLog } from "../family/decode-log.ts";
import { byTopic, Undecodable } from "../family/event.ts";
import type { Decoded } from "../family/family.ts";
import { ADAPTER_FUNCTIONS, selectorOf, VAULT_FUNCTIONS } from "./functions.ts";
import { adapterRules, factoryRules, vaultRules } from "./vault-events.ts";

const RULES = {
  vault: byTopic(vaultRules),
  adapter: byTopic(adapterRules),
  factory: byTopic(factoryRules),
};

export const TOPICS = [
  ...new Set(Object.values(RULES).flatMap((rules) => [...rules.values()].map((rule) => rule.topic))),
];

export function decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null {
  const contract = directory.contract(log.address);
  if (contract?.source.family !== "morpho_vault_v2") return null;
  const { role, vault } = contract;
  if (role !== "vault" && role !== "adapter" && role !== "factory") return null;
  const rule = RULES[role].get(log.topics[0] ?? "");
  if (rule === undefined) return null;
  const decoded = decodeLog(log, rule, role, vault?.address ?? null, logger);
  if (decoded?.body.kind !== "governance") return decoded;
  if (role === "factory") return announcement(decoded, decoded.body, directory);
  const effects = [...decoded.body.effects, ...timelockEffects(decoded.body, log)];
  const body = { ...decoded.body, effects };
  return { ...decoded, body, needs: effects.length > 0 && body.event !== "AccrueInterest" ? "state" : null };
}

/** Of a vault that is followed; what the factory says of others is nobody's. */
function announcement(decoded: Decoded, body: GovernanceBody, directory: Directory): Decoded | null {
  const vault = directory.vault(String(body.args.newVaultV2));
  return vault ? { ...decoded, vaultAddress: vault.address } : null;
}

/** The functions whose calls wait there. */
export function functionsOf(contract: GovernanceBody["contract"]) {
  return contract === "adapter" ? ADAPTER_FUNCTIONS : VAULT_FUNCTIONS;
}

function timelockEffects({ contract, event, args }: GovernanceBody, log: RawLog): GovernanceEffect[] {
  if (event !== "Submit" && event !== "Accept" && event !== "Revoke") return [];
  const functions = functionsOf(contract);
  const data = args.data as Hex;
  const call = decodeCall(functions, checksum(log.address.slice(2)), data);
  switch (event) {
    case "Submit":
      return [{ action: "timelock_submit", call, executable_at: args.executableAt as string }];
    case "Revoke":
      return [{ action: "timelock_revoke", call }];
    case "Accept":
      // The functions that are known emit what they did.
      return functions.has(selectorOf(data)) ? [] : [{ action: "timelock_accept", call, accepted: true }];
  }
}

/** The vault that a factory announces. */
export function discover(log: RawLog, directory: Directory): KnownVault | null {
  const contract = directory.contract(log.address);
  if (contract?.role !== "factory" || contract.source.family !== "morpho_vault_v2") return null;
  const [rule] = factoryRules;
  if (log.topics[0] !== rule!.topic) return null;
  try {
    const [, asset, , address] = rule!.read(log) as [Hex, Hex, Hex, Hex];
    if (address === zeroAddress) return null;
    return {
      family: "morpho_vault_v2",
      address,
      source: contract.source,
      strategy: null,
      escrow: null,
      asset,
      share: null,
      assetDecimals: null,
      shareDecimals: null,
      configuredPrimary: null,
      capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
    };
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    return null;
  }
}
