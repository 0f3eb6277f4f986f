// What a validator found, as a problem in words: where it is and what is asked for there. No message shows a regular expression: a
// schema that has a pattern says in its description what the pattern means.
import type { ErrorObject } from "ajv";
import { type ErrorCode, type FieldError, Problem } from "../errors.ts";
import { nearestName } from "../nearest.ts";

/** How many faults one answer lists. */
export const MAX_FAULTS = 20;
/** Of how many of them the name that was meant is looked for: as many as stand in `detail`. */
const MAX_SUGGESTIONS = 3;

export interface ObjectSchema {
  properties?: Record<string, { type?: string; items?: { type?: string } }>;
}

/** Codes that a keyword of ours answers with, when nothing else is wrong with the request. */
const KEYWORD_CODES: Record<string, ErrorCode> = {
  "x-address": "invalid_address",
  "x-vault-id": "invalid_vault_id",
  "x-timestamp": "invalid_timestamp",
  "x-period": "invalid_timestamp",
};

const KEYWORD_MESSAGES: Record<string, string> = {
  "x-address":
    "is not an address (0x and 40 hexadecimal digits; in mixed case the EIP-55 checksum must be right)",
  "x-vault-id": "is not a vault id ({chain_id}:{vault_address})",
  "x-timestamp":
    "is not an accepted time: a date or a date and time of ISO 8601, such as 2026-05-09, 2026-05-09T10:00:00Z or 20260509T100000Z, with Z, an offset or none (UTC); dates by week or by day of the year are not accepted",
  "x-period": "is later than the end of the period",
};

/** The problem of what a check found in a body: places are JSON pointers. */
export function bodyProblem(errors: ErrorObject[], schema: object): Problem {
  return problemOf(errors, schema, ({ instancePath }) => instancePath);
}

/** The problem of what a check found in parameters: places are their names, with a number where one of several values is meant. */
export function parameterProblem(
  errors: ErrorObject[],
  schema: object,
  parameters: Record<string, unknown>,
): Problem {
  return problemOf(errors, schema, ({ instancePath }) => {
    const [name = "", index] = instancePath.slice(1).split("/");
    const value = parameters[name];
    return index === undefined || (Array.isArray(value) && value.length === 1) ? name : `${name}/${index}`;
  });
}

type PlaceOf = (error: ErrorObject) => string;

function problemOf(all: ErrorObject[], schema: object, placeOf: PlaceOf): Problem {
  const errors = all.filter((error) => !error.schemaPath.includes("/anyOf/"));
  const fields = errors
    .slice(0, MAX_FAULTS)
    .map((error, index) =>
      fieldOf(error, placeOf, schema as ObjectSchema, { isSuggesting: index < MAX_SUGGESTIONS }),
    );
  const codes = new Set(errors.map((error) => KEYWORD_CODES[error.keyword] ?? "invalid_request"));
  const [only] = codes;
  return problem(codes.size === 1 && only !== undefined ? only : "invalid_request", fields);
}

/** The problem of text that cannot be read by its schema's types. */
export function refusedText(errors: FieldError[]): Problem {
  return problem("invalid_request", errors);
}

function problem(code: ErrorCode, errors: FieldError[]): Problem {
  const named = errors
    .slice(0, MAX_SUGGESTIONS)
    .map(({ path, message }) => `${path === "" ? "The body" : path} ${message}`)
    .join("; ");
  const more = errors.length > MAX_SUGGESTIONS ? `; and ${errors.length - MAX_SUGGESTIONS} more` : "";
  const detail = named + more;
  return new Problem(code, detail.endsWith("?") ? detail : `${detail}.`, { errors });
}

/** What is wrong with a text that does not match its schema's pattern: the first sentence of what the schema says of it. */
export function patternMessage(schema: object | undefined): string {
  const said = (schema as { description?: string } | undefined)?.description?.split(/\.(?:\s|$)/, 1)[0];
  return said === undefined ? "is not of the right form" : `is not of the right form: ${said}`;
}

/** Where it is and what is wrong, in words. */
function fieldOf(
  error: ErrorObject,
  placeOf: PlaceOf,
  schema: ObjectSchema,
  { isSuggesting }: { isSuggesting: boolean },
): FieldError {
  const place = placeOf(error);
  const at = (name: string) => placeOf({ ...error, instancePath: `${error.instancePath}/${name}` });
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "additionalProperties": {
      const name = String(params.additionalProperty).slice(0, 100);
      const known = Object.keys(error.parentSchema?.properties ?? schema.properties ?? {});
      const nearest = isSuggesting ? nearestName(name, known) : null;
      return {
        path: at(name),
        message: nearest === null ? "is not known here" : `is not known here; did you mean ${nearest}?`,
      };
    }
    case "required":
      return { path: at(String(params.missingProperty)), message: "is missing" };
    case "x-period":
      return { path: String((error.schema as string[])[0]), message: KEYWORD_MESSAGES["x-period"] ?? "" };
    case "enum":
      return { path: place, message: `must be one of ${(params.allowedValues as unknown[]).join(", ")}` };
    case "minimum":
      return { path: place, message: `must be at least ${params.limit}` };
    case "maximum":
      return { path: place, message: `must be at most ${params.limit}` };
    case "pattern":
      return { path: place, message: patternMessage(error.parentSchema) };
    case "format":
      return { path: place, message: params.format === "uuid" ? "is not a UUID" : `is no ${params.format}` };
    case "anyOf":
      return { path: place, message: "has none of the documented forms" };
    default:
      return { path: place, message: KEYWORD_MESSAGES[error.keyword] ?? error.message ?? "is not valid" };
  }
}
