// A form from the JSON Schema of an action's parameters. What people type in whole units and per cent becomes the chain's numbers by moving
// the point, never through a float. Pure.

import type { Offer } from "../api/actions.ts";
import { exactUnits } from "../format/amount.ts";
import { duration } from "../format/time.ts";

export interface ActionField {
  name: string;
  title: string;
  description: string | null;
  isRequired: boolean;
  input: "text" | "lines" | "choice" | "flag";
  choices: readonly string[];
  /** What is typed is so many times smaller than what is sent, in powers of ten. */
  decimals: number;
  /** Beside the title. */
  unit: string | null;
  kind: string;
}

/** What amounts are counted in on the vault. */
export interface Units {
  asset: { decimals: number | null; symbol: string | null };
  shares: { decimals: number | null; symbol: string | null };
}

interface Property {
  /** The only value. */
  const?: unknown;
  /** Categories of alerts that tell the value, for which it may be left out. */
  "x-from-alert"?: readonly string[];
  type?: string;
  title?: string;
  description?: string;
  enum?: readonly string[];
  items?: { "x-kind"?: string };
  "x-kind"?: string;
}

export function fieldsOf(parameters: Offer["parameters"], units: Units): ActionField[] {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, Property>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const kind = property["x-kind"] ?? property.items?.["x-kind"] ?? property.type ?? "text";
    return {
      name,
      title: property.title ?? name,
      description: property.description ?? null,
      isRequired: required.includes(name),
      input: inputOf(property),
      choices: property.enum ?? [],
      kind: property.type === "array" ? (property.items?.["x-kind"] ?? "text") : kind,
      ...scaleOf(kind, units),
    };
  });
}

/** The same of what is handed to bots with alerts of a category: what is fixed is no field, and what the alert tells may be left out. */
export function dispatchFieldsOf(
  parameters: Offer["parameters"],
  category: string,
  units: Units,
): { fields: ActionField[]; fixed: Parameters } {
  const { properties = {} } = parameters as { properties?: Record<string, Property> };
  const fixed = Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      "const" in property ? [[name, property.const]] : [],
    ),
  );
  const fields = fieldsOf(parameters, units)
    .filter(({ name }) => !(name in fixed))
    .map((field) => {
      if (properties[field.name]?.["x-from-alert"]?.includes(category) !== true) return field;
      const description = [field.description, "Left out, it is the one that the alert tells of."];
      return { ...field, isRequired: false, description: description.filter(Boolean).join(" ") };
    });
  return { fields, fixed };
}

function inputOf({ type, enum: choices }: Property): ActionField["input"] {
  if (type === "array") return "lines";
  if (type === "boolean") return "flag";
  return choices === undefined ? "text" : "choice";
}

function scaleOf(kind: string, { asset, shares }: Units): { decimals: number; unit: string | null } {
  switch (kind) {
    case "assets":
      return amountIn(asset);
    case "shares":
      return amountIn(shares);
    case "fraction":
      return { decimals: 16, unit: "%" };
    case "bps":
      return { decimals: 2, unit: "%" };
    case "seconds":
      return { decimals: 0, unit: "s" };
    default:
      return { decimals: 0, unit: null };
  }
}

/** Raw units where the token's decimals are not known. */
function amountIn({ decimals, symbol }: Units["asset"]): { decimals: number; unit: string | null } {
  return decimals === null ? { decimals: 0, unit: "raw units" } : { decimals, unit: symbol ?? "units" };
}

/** Texts by the field's name. */
export type Draft = Readonly<Record<string, string>>;

export interface FieldFault {
  name: string;
  message: string;
}

export type Parameters = Record<string, unknown>;

/** What is sent; what cannot be read is named field by field. What the contract takes is the service's to say. */
export function parametersOf(
  fields: readonly ActionField[],
  draft: Draft,
): { parameters: Parameters } | { faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const parameters: Parameters = {};
  for (const field of fields) {
    const text = (draft[field.name] ?? "").trim();
    if (text === "") {
      if (field.isRequired) faults.push({ name: field.name, message: "is missing" });
      continue;
    }
    const value = readValue(field, text);
    if (value === null)
      faults.push({
        name: field.name,
        message:
          field.decimals === 0
            ? "must be a whole number"
            : `must be a number with at most ${field.decimals} digits after the point`,
      });
    else parameters[field.name] = value;
  }
  return faults.length > 0 ? { faults } : { parameters };
}

const NUMBERS = new Set(["assets", "shares", "integer", "bps", "fraction", "seconds"]);

/** null: it is no such number. */
function readValue({ input, kind, decimals }: ActionField, text: string): unknown {
  if (input === "flag") return text === "true";
  if (input === "lines") {
    const values = text.split(/[\s,]+/).filter(Boolean);
    const sent = values.map((each) => (NUMBERS.has(kind) ? rawOf(each, decimals) : each));
    return sent.includes(null) ? null : sent;
  }
  return NUMBERS.has(kind) ? rawOf(text, decimals) : text;
}

/** `1,250.5` of two decimals is "125050". */
export function rawOf(text: string, decimals: number): string | null {
  const [, whole = "", fraction = ""] = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === "" || fraction.length > decimals) return null;
  const digits = `${whole.replaceAll(",", "")}${fraction.padEnd(decimals, "0")}`;
  return digits.replace(/^0+(?=\d)/, "");
}

/** What will be sent, where it is not what is typed. */
export function hintOf(field: ActionField, text: string): string | null {
  if (field.input !== "text" || text.trim() === "") return null;
  const raw = NUMBERS.has(field.kind) ? rawOf(text.trim(), field.decimals) : null;
  if (raw === null) return null;
  if (field.kind === "seconds") return raw.length > 12 ? null : `= ${duration(Number(raw))}`;
  return field.decimals === 0 ? null : `sent as ${raw}, which is ${exactUnits(raw, field.decimals)}`;
}
