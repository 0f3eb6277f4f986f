// Events of governance: of each the log says what the audit log records, in the family's words. Name and parameters of the event are kept
// beside, as they were emitted.
import type { GovernanceBody, GovernanceEffect, Json } from "../../governance.ts";
import { type ArgumentsOf, compileEvent, type EventRule, type Value } from "./event.ts";

/**
 * The rule of an event of governance. `effects` says what it did, in the order of the entries; none: the fact is kept and no entry is
 * written. `actor` is the name of the parameter that says who acted, where there is one.
 */
export function governed<const S extends string>(
  contract: GovernanceBody["contract"],
  signature: S,
  effects: (...values: ArgumentsOf<S>) => readonly GovernanceEffect[],
  actor?: string,
): EventRule {
  const codec = compileEvent(signature);
  const actorAt = actor === undefined ? -1 : codec.parameters.indexOf(actor);
  if (actor !== undefined && actorAt < 0) throw new Error(`${signature} has no parameter ${actor}`);
  const call = effects as unknown as (...values: Value[]) => readonly GovernanceEffect[];
  return {
    ...codec,
    actorAt,
    toBody: (values) => ({
      kind: "governance",
      contract,
      event: codec.name,
      args: Object.fromEntries(codec.parameters.map((name, index) => [name, jsonOf(values[index]!)])),
      effects: call(...values),
    }),
  };
}

/** Integers of every size as decimal strings. */
function jsonOf(value: Value): Json {
  if (typeof value === "bigint" || typeof value === "number") return value.toString();
  return typeof value === "object" ? value.map(jsonOf) : value;
}
