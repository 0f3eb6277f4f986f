// The engine's event types, out of their one schema: a JSON Schema file for each (schemas/events/) and the SDK's TypeScript
// types (sdk/src/engine-events.ts).
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { EVENT_TYPES } from "../server/src/reports/events.ts";

/** Path (from the root) and content of every file made from the schemas. */
export async function engineEventFiles(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const properties: Record<string, JSONSchema> = {};
  for (const [type, definition] of Object.entries(EVENT_TYPES)) {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: definition.title,
      description: definition.description,
      ...plain(definition.data),
      examples: [definition.example],
    };
    files.set(`schemas/events/${type}.json`, `${JSON.stringify(schema, null, 2)}\n`);
    properties[type] = {
      ...(plain(definition.data) as JSONSchema),
      description: `${definition.title}. ${definition.description}`,
    };
  }
  const types = await compile(
    {
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    } as JSONSchema,
    "EngineEvents",
    {
      bannerComment: "// Generated from server/src/reports/events.ts by `npm run gen`. Do not edit.",
      format: true,
    },
  );
  files.set("sdk/src/engine-events.ts", types);
  return files;
}

/**
 * A schema as plain JSON, the server's own keywords (`x-…`) replaced by nothing: their meaning stands in the description. Nor the names of
 * schemas (`named`): a file for each type stands by itself.
 */
function plain(schema: unknown): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => {
      const isName = key === "title" && typeof value === "string";
      return isName || key.startsWith("x-") || key.startsWith("~") ? undefined : value;
    }),
  );
}
