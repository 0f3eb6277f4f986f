// The kinds of thresholds that a monitor's rule is made of. `x-label` is a form's, a description what configuration and API say.
import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Address } from "viem";
import { QuantityParam } from "../../platform/http/schemas.ts";

/** The schema of a category's thresholds; whether it is watched is one of them. */
export function thresholds<T extends TProperties>(description: string, properties: T) {
  return Type.Object(
    {
      is_enabled: Type.Boolean({ default: true, description: "Whether the category is watched." }),
      ...properties,
    },
    { additionalProperties: false, default: {}, description },
  );
}

export const seconds = (
  label: string,
  fallback: number,
  description: string,
  maximum = 31_536_000,
  minimum = 1,
) => Type.Integer({ "x-label": label, minimum, maximum, default: fallback, description });

export const share = (label: string, fallback: number, description: string) =>
  Type.Number({ "x-label": label, minimum: 0, maximum: 1, default: fallback, description });

/** A part of which nobody is told unless a rule names one. */
export const optionalShare = (label: string, description: string) =>
  Type.Unsafe<number | null>({
    type: ["number", "null"],
    minimum: 0,
    maximum: 1,
    "x-label": label,
    default: null,
    description,
  });

/** Parts by name, none unless told. */
export const fractions = (label: string, description: string) =>
  Type.Unsafe<Readonly<Record<string, number>>>({
    type: "object",
    additionalProperties: { type: "number", minimum: 0, maximum: 1 },
    propertyNames: { type: "string", minLength: 1, maxLength: 200 },
    maxProperties: 100,
    "x-label": label,
    default: {},
    description,
  });

/** Whole US dollars. */
export const usd = (label: string, fallback: number, description: string) =>
  Type.Integer({ "x-label": label, minimum: 1, maximum: 1_000_000_000_000, default: fallback, description });

export const count = (label: string, fallback: number, maximum: number, description: string) =>
  Type.Integer({ "x-label": label, minimum: 1, maximum, default: fallback, description });

/** An amount in raw units of a token. */
export const amount = (label: string, fallback: string, description: string) =>
  Type.Unsafe<string>({ ...QuantityParam, "x-label": label, default: fallback, description });

/** Accounts, none unless told. */
export const addresses = (label: string, description: string) =>
  Type.Unsafe<Address[]>({
    ...Type.Array(Type.Unsafe<Address>({ type: "string", "x-address": true }), {
      maxItems: 100,
      uniqueItems: true,
    }),
    "x-label": label,
    default: [],
    description,
  });

/** Of categories that tell of what happened once. */
export const RESOLVE_AFTER = seconds(
  "Resolve after",
  86_400,
  "After how long what happened once is resolved, unless it was acknowledged before.",
  604_800,
);

export const UNITS = [
  "seconds",
  "share",
  "share_or_off",
  "count",
  "raw",
  "usd",
  "addresses",
  "fractions",
] as const;

/** A threshold as a form shows it. */
export interface ThresholdField {
  key: string;
  label: string;
  description: string;
  unit: (typeof UNITS)[number];
  /** Where neither the configuration nor the vault says otherwise; null: off. */
  default: number | string | readonly string[] | Readonly<Record<string, number>> | null;
}

/** What a rule is about. */
export function describe(rule: TSchema & { description?: string }): string {
  return rule.description ?? "";
}

/** The thresholds of a rule that have a value to type in. */
export function fieldsOf(rule: TObject): ThresholdField[] {
  return Object.entries(rule.properties as Record<string, TSchema & Described>)
    .filter(([, { type }]) => type !== "boolean")
    .map(([key, { type, "x-label": label, description, default: fallback }]) => ({
      key,
      label,
      description,
      unit: unitOf(key, type),
      default: fallback,
    }));
}

interface Described {
  type: string | string[];
  "x-label": string;
  description: string;
  default: ThresholdField["default"];
}

/** Units stand last in a threshold's name. */
function unitOf(key: string, type: string | string[]): ThresholdField["unit"] {
  if (type === "string") return "raw";
  if (Array.isArray(type)) return "share_or_off";
  if (type === "number") return "share";
  if (type === "object") return "fractions";
  if (key.endsWith("_usd")) return "usd";
  if (type === "array") return "addresses";
  return key.endsWith("_seconds") ? "seconds" : "count";
}
