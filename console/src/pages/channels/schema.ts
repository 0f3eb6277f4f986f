// A provider's JSON Schema as the fields of a form. Only what the providers' schemas use: strings, with an enum or without.
import type { Answer } from "@vaultops/sdk/client";

export type ProviderInfo = Answer<"GET /api/v1/notification-channels/providers">[number];

export interface ConfigField {
  name: string;
  title: string;
  description: string | undefined;
  isSecret: boolean;
  isRequired: boolean;
  options: readonly string[] | undefined;
  fallback: string | undefined;
  maxLength: number | undefined;
}

interface Property {
  title?: string;
  description?: string;
  enum?: string[];
  default?: string;
  maxLength?: number;
}

export function fieldsOf({ config_schema, secrets }: ProviderInfo): ConfigField[] {
  const { properties = {}, required = [] } = config_schema as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    title: property.title ?? name,
    description: property.description,
    isSecret: secrets.includes(name),
    isRequired: required.includes(name),
    options: property.enum,
    fallback: property.default,
    maxLength: property.maxLength,
  }));
}

/** What a new channel's config is: only what was filled in. */
export function newConfig(fields: readonly ConfigField[], draft: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    fields.flatMap(({ name }) => (draft[name]?.trim() ? [[name, draft[name].trim()]] : [])),
  );
}

/**
 * What changes of a channel's config: a secret left empty stays as it is, another member that was emptied is taken out.
 */
export function changedConfig(
  fields: readonly ConfigField[],
  before: Readonly<Record<string, string>>,
  draft: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const { name, isSecret } of fields) {
    const text = draft[name]?.trim() ?? "";
    if (isSecret ? text !== "" : text !== (before[name] ?? "")) changes[name] = text === "" ? null : text;
  }
  return changes;
}
