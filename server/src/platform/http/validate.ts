// Checks path, query and body against a route's schemas, and puts canonical forms in place of what was sent.
//
// One Ajv without coercion serves all: a body's "5" is never taken for 5. Text from a path or query string, which has no types, is
// first read by the schema's types, strictly: `1e3`, ` 5`, `0x10`, an empty or a repeated value are refused, not understood.
import { Ajv, type ErrorObject } from "ajv";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import { type ErrorCode, type FieldError, Problem } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import { parseAddress, parseVaultId, vaultIdOf } from "./address.ts";
import { parseTimestamp } from "./time.ts";

/** How many faults one answer lists. */
const MAX_ERRORS = 20;

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
  "x-timestamp": "is not an ISO 8601 time such as 2026-05-09T10:00:00Z",
  "x-period": "is later than the end of the period",
};

interface ObjectSchema {
  properties?: Record<string, { type?: string; items?: { type?: string } }>;
}

/** Fastify's validator compiler: a failed check becomes a Problem whose `errors` name each place. */
export function buildValidatorCompiler(): FastifySchemaCompiler<object> {
  const ajv = buildAjv();
  return ({ schema, httpPart }) => {
    const validate = ajv.compile(schema);
    if (httpPart !== "querystring" && httpPart !== "params") {
      return (data: unknown) =>
        validate(data) ? { value: data } : { error: problemOf(validate.errors ?? [], "/", schema) };
    }
    const takesNothing = isUnchanged(validate);
    return (data: Record<string, unknown>) => {
      if (takesNothing && isEmpty(data)) return { value: data };
      const errors = readText(data, schema as ObjectSchema);
      if (errors.length > 0) return { error: problem("invalid_request", errors) };
      return validate(data) ? { value: data } : { error: problemOf(validate.errors ?? [], "", schema) };
    };
  };
}

/** Whether nothing at all is valid as it is: nothing is required, and nothing has a default. Most polls ask with no query. */
function isUnchanged(validate: (data: unknown) => boolean): boolean {
  const nothing = {};
  return validate(nothing) && isEmpty(nothing);
}

function isEmpty(data: object): boolean {
  for (const _name in data) return false;
  return true;
}

/** An Ajv with the service's keywords, also used for the configuration of channels and the like. */
export function buildAjv(options: { discriminator?: boolean } = {}): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    coerceTypes: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    verbose: true,
    ...options,
  });
  addFormats.default(ajv);
  addTextKeyword(ajv, "x-address", parseAddress);
  addTextKeyword(ajv, "x-vault-id", (text) => {
    const place = parseVaultId(text);
    return place === null ? null : vaultIdOf(place);
  });
  addTextKeyword(ajv, "x-timestamp", parseTimestamp);
  ajv.addKeyword({
    keyword: "x-period",
    type: "object",
    validate: ([from, to]: [string, string], data: Record<string, string | undefined>) => {
      const [start, end] = [data[from], data[to]];
      return start === undefined || end === undefined || start <= end;
    },
  });
  return ajv;
}

/** A keyword that reads a text and puts its canonical form in its place. */
export function addTextKeyword(ajv: Ajv, keyword: string, parse: (text: string) => string | null): void {
  const validate = (
    text: string,
    place?: { parentData: Record<string | number, unknown>; parentDataProperty: string | number },
  ) => {
    const canonical = parse(text);
    if (canonical === null) return false;
    if (place !== undefined) place.parentData[place.parentDataProperty] = canonical;
    return true;
  };
  ajv.addKeyword({ keyword, type: "string", modifying: true, errors: false, compile: () => validate });
}

/** Reads untyped text into the schema's types, in place. Returns what is repeated, empty, or unstorable. */
function readText(data: Record<string, unknown>, schema: ObjectSchema): FieldError[] {
  const errors: FieldError[] = [];
  for (const name in data) {
    const property = schema.properties?.[name];
    if (property === undefined) continue;
    const value = data[name];
    if (property.type === "array") {
      const parts = (Array.isArray(value) ? value : [value]).flatMap((part: string) => part.split(","));
      for (const part of parts) checkText(name, part, errors);
      data[name] = parts.map((part) => typed(part, property.items?.type));
    } else if (Array.isArray(value)) {
      errors.push({ path: name, message: "is given more than once" });
    } else if (typeof value === "string") {
      checkText(name, value, errors);
      data[name] = typed(value, property.type);
    }
  }
  return errors;
}

function checkText(path: string, text: string, errors: FieldError[]): void {
  if (text === "") errors.push({ path, message: "is empty" });
  else if (text.includes("\0")) errors.push({ path, message: "holds a NUL character" });
}

const INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;

function typed(text: string, type: string | undefined): unknown {
  if (type === "integer" && INTEGER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function problemOf(all: ErrorObject[], separator: string, schema: object): Problem {
  const errors = all.filter((error) => !error.schemaPath.includes("/anyOf/"));
  const fields = errors
    .slice(0, MAX_ERRORS)
    .map((error) => fieldOf(error, separator, schema as ObjectSchema));
  const codes = new Set(errors.map((error) => KEYWORD_CODES[error.keyword] ?? "invalid_request"));
  const [only] = codes;
  return problem(codes.size === 1 && only !== undefined ? only : "invalid_request", fields);
}

function problem(code: ErrorCode, errors: FieldError[]): Problem {
  const named = errors
    .slice(0, 3)
    .map(({ path, message }) => `${path === "" ? "The body" : path} ${message}`);
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : "";
  return new Problem(code, `${named.join("; ")}${more}.`, { errors });
}

/** Where it is and what is wrong, in words. In a body the place is a JSON pointer, elsewhere the parameter's name. */
function fieldOf(error: ErrorObject, separator: string, schema: ObjectSchema): FieldError {
  const place = separator === "/" ? error.instancePath : error.instancePath.slice(1);
  const at = (name: string) => (place === "" && separator === "" ? name : `${place}/${name}`);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case "additionalProperties": {
      const name = String(params.additionalProperty).slice(0, 100);
      const nearest = nearestName(
        name,
        Object.keys(error.parentSchema?.properties ?? schema.properties ?? {}),
      );
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
    case "anyOf":
      return { path: place, message: "has none of the documented forms" };
    default:
      return { path: place, message: KEYWORD_MESSAGES[error.keyword] ?? error.message ?? "is not valid" };
  }
}
