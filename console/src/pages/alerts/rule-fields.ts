// The thresholds of alerts as a form has them: texts, where an empty one follows the configuration.
import type { Answer, CallOptions } from "@vaultops/sdk/client";

const RULES_ROUTE = "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules";
export type Rules = Answer<typeof RULES_ROUTE>;
export type OwnRules = CallOptions<typeof RULES_ROUTE>["body"]["rules"];
export type RuleCategory = keyof Rules["rules"];

export type Unit = "seconds" | "share" | "count" | "raw";

interface RuleField {
  key: string;
  label: string;
  unit: Unit;
}

const field = (key: string, label: string, unit: Unit): RuleField => ({ key, label, unit });

export const RULE_FIELDS = {
  upkeep: [field("reserve", "Reserve above what an update costs", "raw")],
  pps_staleness: [
    field("warning_seconds", "Warning when this much time is left", "seconds"),
    field("warning_fraction", "or this part of its lifetime, if that is less", "share"),
    field("critical_seconds", "Critical when this much time is left", "seconds"),
    field("critical_fraction", "or this part of its lifetime, if that is less", "share"),
  ],
  keeper_run: [
    field("consecutive_failures", "Warning after failures in a row", "count"),
    field("warning_success_rate", "Warning under a success rate of", "share"),
    field("critical_success_rate", "Critical under a success rate of", "share"),
    field("warning_schedules", "Warning after schedules without a run", "count"),
    field("critical_schedules", "Critical after schedules without a run", "count"),
  ],
  session_key: [field("expires_within_seconds", "Warning when the key has this much time left", "seconds")],
  emergency_pause: [],
  emergency_exit: [],
  merkle: [],
  execution: [
    field("failures", "Warning after failed intents", "count"),
    field("window_seconds", "within", "seconds"),
  ],
} as const satisfies Record<RuleCategory, readonly RuleField[]>;

export const RULE_CATEGORIES = Object.keys(RULE_FIELDS) as RuleCategory[];

/** Texts by `category/key`; `category/is_enabled` is "true", "false" or empty. */
export type Draft = Readonly<Record<string, string>>;

export function draftOf(own: OwnRules): Draft {
  const draft: Record<string, string> = {};
  for (const [category, rule] of Object.entries(own))
    for (const [key, value] of Object.entries(rule ?? {}))
      draft[`${category}/${key}`] = textOf(unitOf(category as RuleCategory, key), value);
  return draft;
}

/** What the draft asks for: what is empty is left out, so that it follows the configuration. */
export function rulesOf(draft: Draft): OwnRules {
  const rules: Record<string, Record<string, unknown>> = {};
  for (const [path, text] of Object.entries(draft)) {
    const [category = "", key = ""] = path.split("/");
    if (text.trim() === "") continue;
    rules[category] = {
      ...rules[category],
      [key]: ruleValueOf(unitOf(category as RuleCategory, key), text.trim()),
    };
  }
  return rules;
}

function unitOf(category: RuleCategory, key: string): Unit | undefined {
  return (RULE_FIELDS[category] as readonly RuleField[]).find((one) => one.key === key)?.unit;
}

/** A threshold as it is typed: shares as per cent. */
export function textOf(unit: Unit | undefined, value: unknown): string {
  return unit === "share" ? String(Number((Number(value) * 100).toPrecision(12))) : String(value);
}

function ruleValueOf(unit: Unit | undefined, text: string): unknown {
  if (unit === undefined) return text === "true";
  if (unit === "raw") return text;
  return unit === "share" ? Number((Number(text) / 100).toPrecision(12)) : Number(text);
}
