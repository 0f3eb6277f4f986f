// The thresholds of alerts by category, made of the monitors' own rules: what the configuration, the API and the evaluation take.
import { type Static, type TObject, type TSchema, Type } from "typebox";
import type { FieldError } from "../platform/errors.ts";
import { named } from "../platform/http/schemas.ts";
import { MONITORS } from "./registry.ts";

type Watched = (typeof MONITORS)[number];

export type AlertRules = { [M in Watched as M["category"]]: Static<M["rule"]> };

/** Thresholds by category. Every key has a default. */
export const AlertRules = Type.Unsafe<AlertRules>(
  Type.Object(Object.fromEntries(MONITORS.map(({ category, rule }) => [category, rule])), {
    additionalProperties: false,
    default: {},
    description: "Thresholds of vaults that have none of their own.",
  }),
);

/** As the API takes them: every key may be left out. */
export type AlertRulesPatch = { [C in keyof AlertRules]?: Partial<AlertRules[C]> };

export const AlertRulesPatch = named(
  "AlertRulesPatch",
  Type.Unsafe<AlertRulesPatch>(bare(AlertRules, Type.Optional)),
);
/** As the API shows them: whole. */
export const EffectiveAlertRules = named(
  "AlertRules",
  Type.Unsafe<AlertRules>(bare(AlertRules, (schema) => schema)),
);

/** What no threshold is wrong in alone, but two are together. `path` is the place under `at`. */
export function contradictions(rules: AlertRules, at: string): FieldError[] {
  return MONITORS.flatMap((monitor: Contradicting) =>
    (monitor.contradictions?.(rules[monitor.category]) ?? []).map(([key, message]) => ({
      path: `${at}/${monitor.category}/${key}`,
      message,
    })),
  );
}

interface Contradicting {
  category: keyof AlertRules;
  contradictions?(rule: AlertRules[keyof AlertRules]): [key: string, message: string][];
}

/** The same without defaults and a form's labels, each property wrapped: what a client leaves out must not be filled in. */
function bare(schema: TSchema, wrap: (property: TSchema) => TSchema): TSchema {
  const {
    default: _,
    "x-label": __,
    ...rest
  } = schema as TSchema & { default?: unknown; "x-label"?: unknown };
  if (!("properties" in rest)) return rest;
  const { properties, required: ___, ...others } = rest as unknown as TObject;
  return Type.Object(
    Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, wrap(bare(value, wrap))])),
    { ...others },
  );
}
