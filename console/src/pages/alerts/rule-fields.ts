// The thresholds of alerts as a form has them: texts, where an empty one follows the configuration.
import { ALERT_CATEGORIES } from "@vaultops/sdk/alert-categories";
import type { Answer, CallOptions } from "@vaultops/sdk/client";

const RULES_ROUTE = "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules";
export type Rules = Answer<typeof RULES_ROUTE>;
export type OwnRules = CallOptions<typeof RULES_ROUTE>["body"]["rules"];
export type DispatchSetting = Rules["dispatch"][number];
export type RuleCategory = keyof Rules["rules"];

/** A category with the thresholds of its rule. */
export const RULES = ALERT_CATEGORIES.flatMap(({ category, name, fields }): RuleForm[] =>
  fields === null ? [] : [{ category, name, fields }],
);

export interface RuleForm {
  category: RuleCategory;
  name: string;
  fields: readonly RuleField[];
}

export type RuleField = NonNullable<(typeof ALERT_CATEGORIES)[number]["fields"]>[number];
export type Unit = RuleField["unit"];

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
  return RULES.find((rule) => rule.category === category)?.fields.find((field) => field.key === key)?.unit;
}

const OFF = "off";

/** A threshold as it is typed: shares as per cent, and `off` for one that nobody is told of. */
export function textOf(unit: Unit | undefined, value: unknown): string {
  if (value === null) return OFF;
  if (unit === "addresses") return (value as readonly string[]).join(", ");
  if (unit === "fractions")
    return Object.entries(value as Readonly<Record<string, number>>)
      .map(([id, part]) => `${id}: ${percentOf(part)}`)
      .join(", ");
  return unit === "share" || unit === "share_or_off" ? percentOf(value) : String(value);
}

function ruleValueOf(unit: Unit | undefined, text: string): unknown {
  if (unit === undefined) return text === "true";
  if (unit === "raw") return text;
  if (unit === "addresses") return text.split(/[\s,]+/).filter(Boolean);
  if (unit === "fractions")
    return Object.fromEntries(
      [...text.matchAll(/(\S+)\s*:\s*([\d.]+)/g)].map(([, id, part]) => [id, partOf(part as string)]),
    );
  if (unit === "share_or_off" && text.toLowerCase() === OFF) return null;
  return unit === "share" || unit === "share_or_off" ? partOf(text) : Number(text);
}

function percentOf(part: unknown): string {
  return String(Number((Number(part) * 100).toPrecision(12)));
}

function partOf(percent: string): number {
  return Number((Number(percent) / 100).toPrecision(12));
}
