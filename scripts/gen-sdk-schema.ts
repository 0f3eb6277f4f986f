// The SDK's types (sdk/src/schema.ts), out of openapi.json: of every route what is asked with, what is sent and what is answered, and
// every named schema under its name.
import { compile, type JSONSchema } from "json-schema-to-typescript";

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: object;
  description?: string;
}

interface Content {
  content?: Record<string, { schema?: object }>;
}

interface Operation {
  summary?: string;
  parameters?: Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}

/** The text of sdk/src/schema.ts for a description in OpenAPI 3.1. */
export async function renderSdkSchema(openApi: string): Promise<string> {
  const { paths, components } = JSON.parse(openApi) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object> };
  };
  const properties: Record<string, JSONSchema> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      properties[`${method.toUpperCase()} ${path}`] = shapeOf(operation);
    }
  }
  const definitions = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, apart(plain(schema))]),
  );
  const types = await compile({ ...allOf(properties), definitions } as JSONSchema, "Routes", {
    bannerComment: "// Generated from openapi.json by `npm run gen`. Do not edit.",
    format: true,
    // What is not described is not relied upon; bounds would become tuples of every length.
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    // Routes refer to named schemas by name alone.
    unreachableDefinitions: true,
  });
  return types.replace(REFERENCED_BY, "");
}

/** What the compiler says of every definition, as a comment by itself or as the end of one. */
const REFERENCED_BY =
  /\/\*\*\n \* This interface was referenced by .*\n \* via the .*\n \*\/\n| \*\n \* This interface was referenced by .*\n \* via the .*\n/g;

/** Members and alternatives of one schema as two, which the compiler joins: of a schema with a name it would drop the members. */
function apart({ oneOf, ...members }: JSONSchema): JSONSchema {
  return oneOf && members.properties
    ? { allOf: [members, { oneOf }] }
    : { ...members, ...(oneOf && { oneOf }) };
}

function shapeOf({ summary, parameters = [], requestBody, responses }: Operation): JSONSchema {
  const { path, query } = Object.groupBy(parameters, (parameter) => parameter.in);
  return {
    ...allOf({
      path: parametersOf(path),
      query: parametersOf(query),
      body: bodyOf(requestBody),
      answer: answerOf(responses),
    }),
    ...(summary === undefined ? {} : { description: summary }),
  };
}

function parametersOf(parameters: Parameter[] = []): JSONSchema {
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...plain(schema), description }]),
  );
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return { ...allOf(properties as Record<string, JSONSchema>), required };
}

function bodyOf(body: Operation["requestBody"]): JSONSchema {
  const schema = Object.values(body?.content ?? {})[0]?.schema;
  if (schema === undefined) return { tsType: "undefined" };
  return body?.required === true ? plain(schema) : { anyOf: [plain(schema), { tsType: "undefined" }] };
}

/** What success answers: each kind once; text for what is not JSON; undefined for what has no body. */
function answerOf(responses: Record<string, Content>): JSONSchema {
  const kinds = new Map<string, JSONSchema>();
  for (const [status, response] of Object.entries(responses)) {
    if (!status.startsWith("2")) continue;
    const content = Object.entries(response.content ?? {});
    if (content.length === 0) kinds.set("", { tsType: "undefined" });
    for (const [type, { schema }] of content) {
      const kind =
        type.endsWith("json") && schema !== undefined ? plain(schema) : { type: "string" as const };
      kinds.set(JSON.stringify(kind), kind);
    }
  }
  const [first, ...more] = kinds.values();
  if (first === undefined) return { tsType: "undefined" };
  return more.length === 0 ? first : { anyOf: [first, ...more] };
}

function allOf(properties: Record<string, JSONSchema>): JSONSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

const COMPONENT = "#/components/schemas/";

/** A schema without what only validation needs, and without titles, which would become names; named ones by their names. */
function plain(schema: object): JSONSchema {
  const drop = new Set([
    "title",
    "examples",
    "example",
    "format",
    "pattern",
    "default",
    "minimum",
    "maximum",
  ]);
  return JSON.parse(
    JSON.stringify(schema, (key, value) => {
      if (drop.has(key) && typeof value !== "object") return undefined;
      const { $ref, description } = (value ?? {}) as { $ref?: string; description?: string };
      return $ref?.startsWith(COMPONENT) ? { tsType: $ref.slice(COMPONENT.length), description } : value;
    }),
  );
}
