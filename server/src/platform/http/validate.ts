// Checks path, query and body against a route's schemas, and puts canonical forms in place of what was sent.
//
// One Ajv without coercion serves all: a body's "5" is never taken for 5. Text from a path or query string, which has no types, is
// first read by the schema's types, strictly: `1e3`, ` 5`, `0x10`, an empty or a repeated value are refused, not understood.
//
// Guarantee: the work is bounded by a constant times the input's length. A check ends at the first fault; only of what is small are all
// faults looked for, so that nobody is paid in time for sending many.
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import { parseAddress, parseVaultId, vaultIdOf } from "../../vault.ts";
import type { FieldError, Problem } from "../errors.ts";
import { parseTimestamp } from "./time.ts";
import {
  bodyProblem,
  MAX_FAULTS,
  type ObjectSchema,
  parameterProblem,
  refusedText,
} from "./validation-faults.ts";

/** What is small enough that all its faults are named: so many values and so many characters. */
const SMALL_VALUES = 500;
const SMALL_CHARACTERS = 20_000;

/** Checks a value and puts canonical forms in place, in it. Null: nothing is wrong. */
export type Check = (value: unknown) => ErrorObject[] | null;

/**
 * Makes checks of schemas that end at the first fault of what is large, and name every fault of what is small. `vocabulary` are keywords
 * that check nothing.
 */
export function createChecks({
  vocabulary = [],
}: {
  vocabulary?: readonly string[];
} = {}): (schema: object) => Check {
  const build = (allErrors: boolean) => buildAjv({ allErrors }).addVocabulary([...vocabulary]);
  let hasty: Ajv | undefined;
  let thorough: Ajv | undefined;
  // Each is compiled with the first value that it checks: most processes never see most requests, and all of them took a third of a start.
  return (schema) => {
    let first: ValidateFunction | undefined;
    let all: ValidateFunction | undefined;
    return (value) => {
      hasty ??= build(false);
      first ??= hasty.compile(schema);
      if (first(value)) return null;
      if (isSmall(value)) {
        thorough ??= build(true);
        all ??= thorough.compile(schema);
        if (!all(value)) return all.errors ?? [];
      }
      return first.errors ?? [];
    };
  };
}

/** Fastify's validator compiler, for what is checked once the body is read. Path and query are checked before: see buildTextChecks. */
export function buildValidatorCompiler(): FastifySchemaCompiler<object> {
  const checkOf = createChecks();
  return ({ schema, httpPart }) => {
    if (httpPart === "querystring" || httpPart === "params") return () => true;
    const check = checkOf(schema);
    return (value: unknown) => {
      const errors = check(value);
      if (errors === null) return { value };
      const isHead = httpPart === "headers";
      return { error: isHead ? parameterProblem(errors, schema, {}) : bodyProblem(errors, schema) };
    };
  };
}

/** Checks of what comes as text, path and query: a failed one is the Problem to answer with, and a passed one has put values in place. */
export function buildTextChecks(): (schema: object) => (data: Record<string, unknown>) => Problem | null {
  const checkOf = createChecks();
  return (schema) => {
    const check = checkOf(schema);
    let takesNothing: boolean | undefined;
    return (data) => {
      if (isEmpty(data)) {
        takesNothing ??= isUnchanged(check);
        if (takesNothing) return null;
      }
      const refused = readText(data, schema as ObjectSchema);
      if (refused.length > 0) return refusedText(refused);
      const errors = check(data);
      return errors === null ? null : parameterProblem(errors, schema, data);
    };
  };
}

/** Whether nothing at all is valid as it is: nothing is required, and nothing has a default. Most polls ask with no query. */
function isUnchanged(check: Check): boolean {
  const nothing = {};
  return check(nothing) === null && isEmpty(nothing);
}

function isEmpty(data: object): boolean {
  for (const _name in data) return false;
  return true;
}

/** Whether a value is worth naming every fault of. Looks at no more of it than that takes. */
function isSmall(whole: unknown): boolean {
  const left: unknown[] = [whole];
  let values = 0;
  let characters = 0;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") characters += value.length;
    else if (typeof value === "object" && value !== null) {
      for (const name in value) {
        characters += name.length;
        left.push((value as Record<string, unknown>)[name]);
        if (++values > SMALL_VALUES) return false;
      }
    }
    if (characters > SMALL_CHARACTERS) return false;
  }
  return true;
}

/** An Ajv with the service's keywords, also used for the configuration. */
export function buildAjv(options: { discriminator?: boolean; allErrors?: boolean } = {}): Ajv {
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
  // The form that PostgreSQL and our answers write. The package's own format takes `urn:uuid:` before it, which no column does.
  ajv.addFormat("uuid", /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i);
  addTextKeyword(ajv, "x-address", parseAddress);
  addTextKeyword(ajv, "x-vault-id", (text) => {
    const place = parseVaultId(text);
    return place === null ? null : vaultIdOf(place);
  });
  addTextKeyword(ajv, "x-timestamp", parseTimestamp);
  ajv.addKeyword({
    keyword: "x-period",
    type: "object",
    // Where all faults are looked for, an end may be anything: what is no text has been named already.
    validate: ([from, to]: [string, string], data: Record<string, unknown>) => {
      const [start, end] = [data[from], data[to]];
      return typeof start !== "string" || typeof end !== "string" || start <= end;
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

/** Reads untyped text into the schema's types, in place. Returns what is repeated, empty, or unstorable: the first faults. */
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
  if (errors.length >= MAX_FAULTS) return;
  if (text === "") errors.push({ path, message: "is empty" });
  else if (text.includes("\0")) errors.push({ path, message: "holds a NUL character" });
}

const INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;

function typed(text: string, type: string | undefined): unknown {
  if (type === "integer" && INTEGER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
