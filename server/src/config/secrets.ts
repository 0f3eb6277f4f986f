// Keys that hold a password or a key: their value comes from the environment or from a file named by `<key>_file`, never from the
// configuration file itself, which ends up in repositories and tickets.
import { readFileSync } from "node:fs";
import { buildConfigAjv } from "./forms.ts";
import { originOf, PREFIX, type RawConfig } from "./read.ts";
import type { Schema } from "./shape.ts";

/** Puts the content of secret files in place of their names. Returns what is wrong: a secret in the file, or both forms at once. */
export function takeSecrets(raw: RawConfig, schema: Schema): string[] {
  return take(raw.tree, schema, "", raw);
}

function take(tree: Record<string, unknown>, schema: Schema, path: string, raw: RawConfig): string[] {
  const faults: string[] = [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const at = path === "" ? key : `${path}.${key}`;
    const value = tree[key];
    if (property["x-secret"] === true) {
      const origin = originOf(raw, at) ?? "";
      const isKey = !isUrl(property);
      if (typeof value === "string" && !origin.startsWith(PREFIX) && (isKey || holdsPassword(value))) {
        faults.push(
          `${origin}: ${shown(at)} holds a ${isKey ? "key" : "password"}; set it by ${variableHint(at)} or ${shown(at)}_file`,
        );
      }
      const fault = takeFile(tree, key, property, at, raw);
      if (fault !== null) faults.push(fault);
    } else if (property.properties !== undefined && isObject(value)) {
      faults.push(...take(value, property, at, raw));
    } else if (property.items?.properties !== undefined && Array.isArray(value)) {
      for (const [i, item] of value.entries())
        if (isObject(item)) faults.push(...take(item, property.items, `${at}.${i}`, raw));
    }
  }
  return faults;
}

function takeFile(
  tree: Record<string, unknown>,
  key: string,
  property: Schema,
  at: string,
  raw: RawConfig,
): string | null {
  const file = tree[`${key}_file`];
  if (file === undefined) return null;
  delete tree[`${key}_file`];
  if (file === null) return null;
  const origin = originOf(raw, `${at}_file`);
  if (typeof file !== "string") return `${origin}: ${shown(at)}_file must be the name of a file`;
  if (tree[key] !== undefined && tree[key] !== null)
    return `${origin}: ${shown(at)} and ${shown(at)}_file are both given`;
  try {
    tree[key] = readFileSync(file, "utf8").trim();
  } catch (error) {
    return `${origin}: ${shown(at)}_file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
  }
  raw.origins.set(at, file);
  if (property["x-restart"] !== true)
    raw.secretFiles.push({
      path: at,
      file,
      isGood: (text) => buildConfigAjv().validate({ properties: { value: property } }, { value: text }),
    });
  return null;
}

/** A URL may stand in the file as long as it holds no password. */
function isUrl(property: Schema): boolean {
  return Object.keys(property).some((keyword) => keyword.endsWith("-url"));
}

function holdsPassword(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.password !== "" || url.searchParams.has("password"));
}

/** Of what stands in a list, that of the whole list. */
function variableHint(path: string): string {
  return (
    PREFIX +
    path
      .replace(/\.\d+\..*$/, "")
      .replaceAll(".", "__")
      .toUpperCase()
  );
}

function shown(path: string): string {
  return path.replace(/\.(\d+)(?=\.)/g, "[$1]");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
