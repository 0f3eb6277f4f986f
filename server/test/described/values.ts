// Values for requests by the schemas of openapi.json: such as are taken, nearly such, and such as somebody who means harm would send.
import type { Arbitrary } from "fast-check";
import fc from "../fast-check.ts";

export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Values that mean something to the service under test, by the name that they go by and the path of the request. */
export type Known = (name: string, path: string) => Arbitrary<unknown> | undefined;

/** The same for one path. */
export type Bound = (name: string) => Arbitrary<unknown> | undefined;

const HOSTILE_TEXTS = [
  "",
  " ",
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e3",
  "0x10",
  "9007199254740993",
  `1${"0".repeat(78)}`,
  "true",
  "[]",
  "{}",
  "*",
  "%",
  "' or 1=1 --",
  "\0",
  "a\0b",
  "\u{1F600}",
  "\u2028\u202e",
  "\uffff",
  "é".repeat(300),
  "a".repeat(5_000),
  "__proto__",
  "constructor",
  "toString",
  "urn:uuid:018f4d7e-0000-7000-8000-000000000000",
  "018F4D7E-0000-7000-8000-000000000000",
  "00000000-0000-0000-0000-000000000000",
  "0x0000000000000000000000000000000000000000",
  "0xF39FD6e51aad88F6F4ce6aB8827279cffFb92266",
  "0:0x0000000000000000000000000000000000000000",
  "2026-02-30T00:00:00Z",
  "0000-01-01",
  "9999-12-31T23:59:60Z",
  "294277-01-01",
  "20261128T150000Z",
  "-000001-01-01T00:00:00Z",
  "http://127.0.0.1:9/",
  "http://[::1]:9/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "<script>",
  "a,b,c",
  ",",
];

export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
);

/** Any value of JSON, those included that a program may take for one of its own objects. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null]),
  fc.constantFrom<unknown>(
    { toString: 1 },
    { length: -1 },
    JSON.parse('{"then":1,"__proto__":{"x":1}}'),
    { constructor: {} },
    { toJSON: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** What a schema takes, or nearly: names and formats decide before types do. */
export function valid(schema: Schema, name: string, known: Bound): Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => valid(one, name, known)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ("const" in schema) return fc.constant(schema.const);
  const [type, ...others] = [schema.type ?? "object"].flat();
  if (others.length > 0)
    return fc.oneof(
      ...[type, ...others].map((one) => valid({ ...schema, type: one as string }, name, known)),
    );
  const meant = name === "" ? undefined : known(name);
  if (meant && type !== "array") return type === "integer" ? meant.map(Number) : meant;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1000, 1),
        fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) }),
      );
    case "number":
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
    case "array":
      return fc.array(valid(schema.items ?? {}, name, known), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      });
    case "object":
      return objectOf(schema, known);
    default:
      return textOf(schema);
  }
}

function objectOf({ properties, required = [] }: Schema, known: Bound): Arbitrary<unknown> {
  if (properties === undefined)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }));
  const members = Object.entries(properties).map(([name, member]) => [name, valid(member, name, known)]);
  return fc.record(Object.fromEntries(members), { requiredKeys: required as never[] });
}

function textOf({ pattern, format, maxLength = 40 }: Schema): Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, "u"), { maxLength: 100 });
  return fc.string({ unit: "grapheme", minLength: 1, maxLength: Math.min(maxLength, 40) });
}

/** The value with one fault in it: a member gone, strange or too many, at any depth. */
export function spoilt(value: unknown): Arbitrary<unknown> {
  if (Array.isArray(value) && value.length > 0)
    return fc.oneof(
      fc.nat(value.length - 1).chain((at) => spoilt(value[at]).map((one) => value.with(at, one))),
      fc.constant([...value, ...value]),
      hostileValue,
    );
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0) return hostileValue;
  const names = Object.keys(value);
  const members = value as Record<string, unknown>;
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(...names)
        .chain((name) => spoilt(members[name]).map((one) => ({ ...value, [name]: one }))),
    },
    { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => ({ ...value, [name]: undefined })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(hostileText, hostileValue)
        .map(([name, one]) => Object.defineProperty({ ...value }, name, { value: one, enumerable: true })),
    },
    { weight: 1, arbitrary: hostileValue },
  );
}
