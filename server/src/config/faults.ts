// What the validator found, in words: where the value came from, the key as the file writes it, what it must be.
import type { ErrorObject } from "ajv";
import { patternMessage } from "../platform/http/validation-faults.ts";
import { nearestName } from "../platform/nearest.ts";
import { FORM_MESSAGES } from "./forms.ts";

/** One line for each fault. `origin` tells where the value at a dotted path came from. */
export function faultsOf(errors: readonly ErrorObject[], origin: (path: string) => string | null): string[] {
  const faults = errors.map((error) => {
    const at = error.instancePath.slice(1).replaceAll("/", ".");
    const { key, message } = faultOf(error, at);
    const from = origin(key) ?? origin(at);
    return `${from === null ? "" : `${from}: `}${shown(key)} ${message}`;
  });
  return [...new Set(faults)];
}

function faultOf(error: ErrorObject, at: string): { key: string; message: string } {
  const params = error.params as Record<string, unknown>;
  const child = (name: unknown) => (at === "" ? String(name) : `${at}.${name}`);
  switch (error.keyword) {
    case "additionalProperties": {
      const name = String(params.additionalProperty);
      const nearest = nearestName(name, Object.keys(error.parentSchema?.properties ?? {}));
      const hint = nearest === null ? "" : `; did you mean ${shown(child(nearest))}?`;
      return { key: child(name), message: `is not a key of the configuration${hint}` };
    }
    case "required":
      return { key: child(params.missingProperty), message: "is missing" };
    case "type":
      return { key: at, message: `must be ${typeInWords(params.type)}, not ${kindOf(error.data)}` };
    case "enum":
      return { key: at, message: `must be one of ${(params.allowedValues as unknown[]).join(", ")}` };
    case "discriminator": {
      const known =
        (error.parentSchema?.oneOf as { properties: Record<string, { const: string }> }[] | undefined) ?? [];
      const tag = String(params.tag);
      return {
        key: child(tag),
        message: `must be one of ${known.map((shape) => shape.properties[tag]?.const).join(", ")}`,
      };
    }
    case "minimum":
      return { key: at, message: `must be at least ${params.limit}` };
    case "maximum":
      return { key: at, message: `must be at most ${params.limit}` };
    case "pattern":
      return { key: at, message: patternMessage(error.parentSchema) };
    default:
      return { key: at, message: FORM_MESSAGES[error.keyword] ?? error.message ?? "is not valid" };
  }
}

/** `chains.0.name` as `chains[0].name`. */
function shown(path: string): string {
  return path === "" ? "the configuration" : path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}

function typeInWords(type: unknown): string {
  const words: Record<string, string> = {
    integer: "a whole number",
    array: "a list",
    object: "a map",
    boolean: "true or false",
    string: "text",
    number: "a number",
  };
  return [type]
    .flat()
    .map((one) => words[String(one)] ?? String(one))
    .join(" or ");
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a number";
  return typeof value === "string" ? "text" : "true or false";
}
