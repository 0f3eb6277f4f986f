// Brings the file and the environment together into one tree, remembering for every value where it came from, so that a message
// about it can name the line or the variable. What is in neither is left to the schema's defaults.
import { readFileSync } from "node:fs";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { nearestName } from "../platform/nearest.ts";
import { ConfigError } from "./error.ts";
import type { SecretFile } from "./secret-files.ts";
import { type Schema, shapeAt } from "./shape.ts";

export const PREFIX = "VAULTOPS_";
/** Variables of the commands that are no keys of the configuration. */
const OTHER_VARIABLES = new Set(["VAULTOPS_CONFIG", "VAULTOPS_PRIVATE_KEY", "VAULTOPS_TOKEN"]);

/** Path of a key, its parts joined by dots (`chains.0.name`). */
export type KeyPath = string;

export interface RawConfig {
  tree: Record<string, unknown>;
  /** Where the value at this path, or above it, came from: `vaultops.yaml:12` or `VAULTOPS_HTTP__PORT`. */
  origins: Map<KeyPath, string>;
  /** The values that were read from files of their own. */
  secretFiles: SecretFile[];
}

/** Reads the file, if there is one, and puts the environment's values over it. Throws ConfigError with all that is wrong in form. */
export function readRaw(file: string | undefined, env: NodeJS.ProcessEnv, schema: Schema): RawConfig {
  const raw: RawConfig = { tree: {}, origins: new Map(), secretFiles: [] };
  if (file !== undefined) readFile(file, raw);
  const faults: string[] = [];
  for (const name of Object.keys(env).sort()) {
    const value = env[name];
    if (!name.startsWith(PREFIX) || OTHER_VARIABLES.has(name) || value === undefined) continue;
    const fault = readVariable(name, value, schema, raw);
    if (fault !== null) faults.push(fault);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return raw;
}

/** The origin of a value: its own, or that of what holds it. */
export function originOf(raw: RawConfig, path: KeyPath): string | null {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const origin = raw.origins.get(at);
    if (origin !== undefined) return origin;
  }
  return raw.origins.get("") ?? null;
}

function readFile(file: string, raw: RawConfig): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError([
      `${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`,
    ]);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    // YAML reads a plain 0x… as a number, which would spoil every address that is written without quotes.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || tag.format !== "HEX"),
  });
  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map((error) => `${file}:${lines.linePos(error.pos[0]).line}: ${error.message}`),
    );
  }
  raw.origins.set("", file);
  if (document.contents === null) return;
  if (!isMap(document.contents)) throw new ConfigError([`${file}: must be a map of sections`]);
  note(document.contents, "", (node, path) => {
    if (node.range) raw.origins.set(path, `${file}:${lines.linePos(node.range[0]).line}`);
  });
  raw.tree = apart(document.toJS({ maxAliasCount: 100 })) as Record<string, unknown>;
}

/** An alias stands for a copy: what a variable or a default puts into one place does not appear in the other. */
function apart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(apart);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, apart(held)]));
}

function note(node: Node, path: KeyPath, remember: (node: Node, path: KeyPath) => void): void {
  const at = (part: string | number) => (path === "" ? String(part) : `${path}.${part}`);
  if (isMap<Node, Node | null>(node)) {
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      remember(key, at(String(key.value)));
      if (value !== null) note(value, at(String(key.value)), remember);
    }
  } else if (isSeq<Node>(node)) {
    for (const [index, item] of node.items.entries()) {
      remember(item, at(index));
      note(item, at(index), remember);
    }
  }
}

/** Puts one variable into the tree. Returns what is wrong with it, or null. */
function readVariable(name: string, value: string, schema: Schema, raw: RawConfig): string | null {
  const parts = name.slice(PREFIX.length).toLowerCase().split("__");
  let shape: Schema | null = schema;
  for (const part of parts) shape = shape === null ? null : shapeAt(shape, part);
  if (shape === null) {
    const nearest = nearestName(name, variablesOf(schema, []));
    return `${name}: is not a key of the configuration${nearest === null ? "" : `; did you mean ${nearest}?`}`;
  }
  const parsed = parsedBy(value, shape);
  if (parsed === undefined) return `${name}: must be JSON (${describe(shape)})`;
  let place = raw.tree;
  for (const part of parts.slice(0, -1)) {
    const inner = place[part];
    place[part] = typeof inner === "object" && inner !== null ? inner : {};
    place = place[part] as Record<string, unknown>;
  }
  place[parts.at(-1) ?? ""] = parsed;
  const path = parts.join(".");
  for (const known of [...raw.origins.keys()]) if (known.startsWith(`${path}.`)) raw.origins.delete(known);
  raw.origins.set(path, name);
  return null;
}

/** The variable of a key. */
export function variableOf(parts: readonly string[]): string {
  return PREFIX + parts.join("__").toUpperCase();
}

/** Text where the key takes text, else JSON; `null` where the key may be null. Undefined when it is not JSON. */
function parsedBy(value: string, shape: Schema): unknown {
  const types = [shape.type ?? []].flat();
  if (types.includes("null") && (value === "null" || value === "")) return null;
  if (types.every((type) => type === "string" || type === "null") && types.length > 0) return value;
  try {
    return JSON.parse(value);
  } catch {
    return types.includes("string") ? value : undefined;
  }
}

function describe(shape: Schema): string {
  return `the key takes ${[shape.type ?? "a value"].flat().join(" or ")}`;
}

/** The variables of all keys below a path. */
function variablesOf(schema: Schema, path: readonly string[]): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => [
    variableOf([...path, key]),
    ...(property["x-secret"] === true ? [variableOf([...path, `${key}_file`])] : []),
    ...variablesOf(property, [...path, key]),
  ]);
}
