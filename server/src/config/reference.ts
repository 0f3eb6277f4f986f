// Draws the reference page of the configuration (docs/configuration.md) from its schema.
import { variableOf } from "./read.ts";
import { ConfigSchema } from "./schema.ts";
import type { Schema } from "./shape.ts";

/** The page as Markdown. */
export function renderConfigReference(): string {
  const sections = Object.entries((ConfigSchema as Schema).properties ?? {});
  const plain = sections.filter(([, schema]) => schema.properties === undefined && !isTable(schema));
  const parts = [
    HEAD,
    `## Top level\n\n${table(plain.map(([key, schema]) => row([key], schema)))}`,
    ...sections.filter((entry) => !plain.includes(entry)).map(([key, schema]) => part([key], schema)),
  ];
  return `${parts.join("\n\n")}\n`;
}

const HEAD = `<!-- Generated from server/src/config/schema.ts by \`npm run gen\`. Do not edit. -->

# Configuration

One YAML file, named by \`--config\` or \`VAULTOPS_CONFIG\`; \`config.example.yaml\` is one to start from. Every key can be given by
environment variable too, which takes precedence over the file: \`VAULTOPS_\` and the key's path in capitals, levels joined by two
underscores; lists and maps as JSON. Without a file the defaults and the environment make up the configuration.

Keys marked *secret* hold passwords: they are given by environment variable, or by \`<key>_file\`, the name of a file that
holds the value. The configuration file may hold them only without a password. Such files, those of RPC headers among them, are looked at
every five seconds, and what they hold then counts without a restart, but for keys marked *restart*. What a key cannot take is
logged, and the last good value stays. A SIGHUP is no request to read anything again.

An unknown key, a value of the wrong type, or a contradiction between keys stops the start; the message names the key and the line or the
variable that said it.`;

/** A section, then whatever lists of maps stand in it. */
function part(path: readonly string[], schema: Schema): string {
  const title = `## \`${path.join(".")}\`\n\n${schema.description ?? ""}`;
  if (isTable(schema)) return `${title}\n\n${variableLine(path)}\n\n${shapes(schema.items ?? {})}`;
  const { rows, below } = members(path, schema);
  return [title, ...(rows.length === 0 ? [] : [table(rows)]), ...below].join("\n\n");
}

function members(path: readonly string[], schema: Schema): { rows: string[]; below: string[] } {
  const rows: string[] = [];
  const below: string[] = [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.properties !== undefined) {
      const inner = members([...path, key], property);
      rows.push(...inner.rows);
      below.push(...inner.below);
    } else if (isTable(property)) {
      below.push(
        `### \`${[...path, key].join(".")}[]\`\n\n${property.description ?? ""}\n\n${variableLine([...path, key])}\n\n${shapes(property.items ?? {})}`,
      );
    } else {
      rows.push(row([...path, key], property));
    }
  }
  return { rows, below };
}

/** The keys of a list's entries; one table for each shape where there are several. */
function shapes(item: Schema): string {
  const tag = item.discriminator?.propertyName;
  if (item.oneOf === undefined || tag === undefined) return entryTable(item, "");
  return item.oneOf
    .map((shape) => {
      const said = String(shape.properties?.[tag]?.const);
      return `**\`${tag}: ${said}\`** ${shape.description ?? ""}${onlyTag(shape, tag) ? "" : `\n\n${entryTable(shape, "", tag)}`}`;
    })
    .join("\n\n");
}

function entryTable(item: Schema, prefix: string, leftOut?: string): string {
  const rows = entryRows(item, prefix, leftOut);
  return ["| Key | Type | Default | |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function entryRows(item: Schema, prefix: string, leftOut?: string): string[] {
  return Object.entries(item.properties ?? {}).flatMap(([key, property]) => {
    if (key === leftOut) return [];
    const isRequired = property.default === undefined && item.required?.includes(key) === true;
    const own = `| \`${prefix}${key}\` | ${typeOf(property)} | ${isRequired ? "required" : defaultOf(property)} | ${property.description ?? ""}${secretWord(property)} |`;
    if (!isTable(property)) return [own];
    const items = property.items?.oneOf ?? [property.items ?? {}];
    return [own, ...items.flatMap((shape) => entryRows(shape, `${prefix}${key}[].`))];
  });
}

function onlyTag(shape: Schema, tag: string): boolean {
  return Object.keys(shape.properties ?? {}).every((key) => key === tag);
}

function table(rows: string[]): string {
  return ["| Key | Variable | Type | Default | |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

function row(path: readonly string[], schema: Schema): string {
  return `| \`${path.join(".")}\` | \`${variableOf(path)}\` | ${typeOf(schema)} | ${defaultOf(schema)} | ${schema.description ?? ""}${secretWord(schema)} |`;
}

function secretWord(schema: Schema): string {
  if (schema["x-secret"] !== true) return "";
  return ` *${schema["x-restart"] === true ? "Secret, restart" : "Secret"}.*`;
}

function variableLine(path: readonly string[]): string {
  return `As a variable: \`${variableOf(path)}\`, the whole list as JSON.`;
}

/** A list of maps, which gets a table of its own. */
function isTable(schema: Schema): boolean {
  return schema.items?.properties !== undefined || schema.items?.oneOf !== undefined;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  const types = [schema.type ?? "any"].flat().filter((type) => type !== "null");
  return types
    .map((type) => (type === "array" ? `list of ${typeOf(schema.items ?? { type: "string" })}` : type))
    .join(" or ");
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined || schema.default === null
    ? "none"
    : `\`${JSON.stringify(schema.default)}\``;
}
