// A log with the rule of its event, made to a decoded fact. A log that does not hold what its event promises is kept as `other`
// with its raw data, with a warning: nothing seen is lost, and nothing a contract emits can stop the service.
import type { Logger } from "pino";
import type { Address } from "viem";
import type { FactBody } from "../../facts.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { type EventRule, Undecodable, type Value } from "./event.ts";
import type { Decoded } from "./family.ts";

type Contract = Extract<FactBody, { kind: "other" }>["contract"];

/** null for an event that is left out on purpose. `vaultAddress` is EIP-55. Without a logger where the log is decoded again anyway. */
export function decodeLog(
  log: RawLog,
  rule: EventRule,
  contract: Contract,
  vaultAddress: Address | null,
  logger?: Pick<Logger, "warn">,
): Decoded | null {
  let values: Value[];
  try {
    values = rule.read(log);
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    logger?.warn(
      { address: log.address, event: rule.name, tx_hash: log.txHash, log_index: log.logIndex },
      `a log does not match the signature of its event: ${error.message}`,
    );
    return {
      log,
      vaultAddress,
      actor: null,
      body: undecodable(log, rule, contract, error.message),
      needs: null,
    };
  }
  const body = rule.toBody(values);
  if (body === null) return null;
  const actor = rule.actorAt < 0 ? null : (values[rule.actorAt] as Address);
  return { log, vaultAddress, actor, body, needs: null };
}

function undecodable(log: RawLog, rule: EventRule, contract: Contract, why: string): FactBody {
  return {
    kind: "other",
    contract,
    event: rule.name,
    args: { undecodable: why, topics: log.topics, data: log.data },
  };
}
