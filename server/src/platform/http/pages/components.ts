// Named schemas: each stands once in the description, under `components.schemas`, and whoever needs it refers to it by `$ref`.
//
// A schema is given its name where it is written (`named` of http/schemas.ts). The service itself runs on whole schemas, as they are written; only the
// finished description is rewritten. So a name changes nothing of what is checked or answered.

interface Described {
  paths?: object;
  webhooks?: object;
  components?: { schemas?: Record<string, object> };
}

/** The description with its named schemas as components. Throws where two schemas that differ have one name. */
export function withComponents<D extends Described>(description: D) {
  const uses = new Map<string, Use[]>();
  const [paths, webhooks] = [description.paths, description.webhooks].map((part) => lifted(part, uses));
  const schemas = { ...description.components?.schemas };
  for (const [name, used] of [...uses].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name in schemas) throw new Error(`two schemas are named ${name}`);
    schemas[name] = settle(name, used);
  }
  return {
    ...description,
    ...(paths === undefined ? {} : { paths }),
    ...(webhooks === undefined ? {} : { webhooks }),
    components: { ...description.components, schemas },
  };
}

type Json = Record<string, unknown>;

/** A place that refers to a named schema, with what is said of it there and nowhere else. */
interface Use {
  schema: Json;
  words: Json;
  reference: Json;
}

const NAME = /^[A-Z][A-Za-z0-9]*$/;
/** What is said of a schema and changes nothing of what it takes: it may differ from place to place. */
const WORDS = new Set(["description", "examples"]);
/** Values that are no schemas, whatever their members are called. */
const VALUES = new Set(["example", "examples", "default", "enum", "const"]);
/** Members are called as the API calls them. */
const MEMBERS = new Set(["properties", "patternProperties"]);

function lifted(value: unknown, uses: Map<string, Use[]>): unknown {
  if (Array.isArray(value)) return value.map((one) => lifted(one, uses));
  if (typeof value !== "object" || value === null) return value;
  const result: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    if (VALUES.has(key)) result[key] = inner;
    else if (MEMBERS.has(key))
      result[key] = Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, lifted(one, uses)]));
    else result[key] = lifted(inner, uses);
  }
  return typeof result.title === "string" && NAME.test(result.title)
    ? referenceTo(result.title, result, uses)
    : result;
}

function referenceTo(name: string, { title: _, ...all }: Json, uses: Map<string, Use[]>): Json {
  const use: Use = { schema: {}, words: {}, reference: { $ref: `#/components/schemas/${name}` } };
  for (const [key, value] of Object.entries(all)) {
    // A default, or since when it is there, is a matter of the place and not of the component.
    const isOfPlace = key === "default" || key.startsWith("x-");
    (WORDS.has(key) ? use.words : isOfPlace ? use.reference : use.schema)[key] = value;
  }
  uses.set(name, [...(uses.get(name) ?? []), use]);
  return use.reference;
}

/** The component of a name, with the words that most of its places use; the others say theirs beside the reference. */
function settle(name: string, used: Use[]): object {
  const [first] = used as [Use];
  const other = used.find(({ schema }) => !same(schema, first.schema));
  if (other) throw new Error(`two schemas are named ${name}: ${text(first.schema)}, ${text(other.schema)}`);
  const said = Object.values(Object.groupBy(used, ({ words }) => text(words)));
  const { words } = said.reduce((most, some) => (some!.length > most!.length ? some : most))![0]!;
  for (const use of used)
    for (const [key, value] of Object.entries(use.words))
      if (!same(value, words[key])) use.reference[key] = value;
  return { ...first.schema, ...words };
}

function same(one: unknown, other: unknown): boolean {
  return text(one) === text(other);
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
