// A SuperVault log to the fact it says. Which contract emitted it decides how it is read: names and even topics repeat among
// aggregator, strategy, vault and escrow.
import type { Logger } from "pino";
import { type Address, getAddress } from "viem";
import type { ContractRole, Directory, KnownVault } from "../../directory.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import type { EventRule } from "../family/event.ts";
import type { Decoded } from "../family/family.ts";
import { aggregatorRules } from "./aggregator.ts";
import { escrowRules, governorRules, oracleRules, vaultRules } from "./periphery.ts";
import { strategyRules } from "./strategy.ts";

type Role = Extract<ContractRole, "aggregator" | "governor" | "oracle" | "vault" | "strategy" | "escrow">;

export const RULES: Readonly<Record<Role, ReadonlyMap<string, EventRule>>> = {
  aggregator: aggregatorRules,
  governor: governorRules,
  oracle: oracleRules,
  vault: vaultRules,
  strategy: strategyRules,
  escrow: escrowRules,
};

function isDecoded(role: ContractRole): role is Role {
  return role in RULES;
}

export const TOPICS = [
  ...new Set(Object.values(RULES).flatMap((rules) => [...rules.values()].map((rule) => rule.topic))),
];

const DEPLOYED = [...aggregatorRules.values()].find((rule) => rule.name === "VaultDeployed")!;
/** Which topic of an aggregator's or oracle's event names the strategy. */
const STRATEGY_TOPIC = new Map(
  [...aggregatorRules.values(), ...oracleRules.values()].map((rule) => [rule, rule.topicOf("strategy")]),
);

export function decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null {
  const contract = directory.contract(log.address);
  if (contract?.source.family !== "supervault" || !isDecoded(contract.role)) return null;
  const rule = RULES[contract.role].get(log.topics[0] ?? "");
  if (rule === undefined) return null;
  const strategy = contract.vault ? null : strategyIn(log, rule);
  const vault = contract.vault ?? (strategy ? directory.vaultOfStrategy(strategy.toLowerCase()) : undefined);
  const read = decodeLog(log, rule, contract.role, vault?.address ?? null, logger);
  if (read === null) return null;
  const decoded: Decoded = strategy && !vault ? { ...read, stranger: strategy } : read;
  const { body } = decoded;
  if (body.kind === "vault_deployed") return { ...decoded, vaultAddress: body.vault, needs: "managers" };
  if (body.kind === "pps_update_rejected") {
    if (vault === undefined && STRATEGY_TOPIC.get(rule) === 0) return { ...decoded, needs: "strategy" };
    // What the oracle itself does not believe it announces to nobody.
    return { ...decoded, needs: contract.role === "oracle" ? null : "price" };
  }
  if (body.kind === "pps_expiration_proposed") return { ...decoded, needs: "expiration" };
  if (body.kind === "redeem_request_cancelled") return { ...decoded, needs: "shares" };
  return decoded;
}

/** The trio that a log of an aggregator announces, its fixed facts still to be read; null for any other log. */
export function discover(log: RawLog, directory: Directory): KnownVault | null {
  if (log.topics[0] !== DEPLOYED.topic) return null;
  const contract = directory.contract(log.address);
  if (contract?.role !== "aggregator") return null;
  const decoded = decodeLog(log, DEPLOYED, "aggregator", null);
  if (decoded?.body.kind !== "vault_deployed") return null;
  const { vault, strategy, escrow, asset } = decoded.body;
  return {
    family: "supervault",
    address: vault,
    source: contract.source,
    strategy,
    escrow,
    asset,
    share: null,
    assetDecimals: null,
    shareDecimals: null,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: false, erc7575: false },
  };
}

function strategyIn(log: RawLog, rule: EventRule): Address | null {
  const at = STRATEGY_TOPIC.get(rule);
  const topic = at ? log.topics[at] : undefined;
  return topic === undefined ? null : getAddress(`0x${topic.slice(26)}`);
}
