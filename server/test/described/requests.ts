// Requests to every operation of openapi.json: its paths, parameters, bodies and headers, by each kind of caller, valid, nearly valid
// and hostile.
import type { Arbitrary } from "fast-check";
import { CALLERS, type Caller } from "../contract-world.ts";
import { DESCRIPTION } from "../description.ts";
import fc from "../fast-check.ts";
import { type Bound, hostileText, hostileValue, type Known, type Schema, spoilt, valid } from "./values.ts";

interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  required?: boolean;
  schema: Schema;
}
export interface Operation {
  method: string;
  path: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

export interface GeneratedRequest {
  /** Method and path as they are described. */
  route: string;
  caller: Caller;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries(DESCRIPTION.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([name, operation]): [string, Operation] => {
        const method = name.toUpperCase();
        return [`${method} ${path}`, { ...operation, method, path }];
      }),
  ),
);

export function requests(known: Known): Arbitrary<GeneratedRequest> {
  return fc
    .constantFrom(...OPERATIONS.values())
    .chain((operation) => requestTo(operation, (name) => known(name, operation.path)));
}

function requestTo(operation: Operation, known: Bound): Arbitrary<GeneratedRequest> {
  const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
  const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const path = fc
    .tuple(
      ...inPath.map(({ name, schema }) => mostly(valid(schema, name, known), hostileText.filter(isPart))),
    )
    .map((values) =>
      inPath.reduce(
        (text, { name }, index) => text.replace(`{${name}}`, encoded(values[index])),
        operation.path,
      ),
    );
  const query = fc.tuple(...inQuery.map((parameter) => queryPart(parameter, known)), strangePart);
  const isIngest = operation.path.startsWith("/api/v1/ingest/");
  const callers = isIngest ? (["engine", "engine", ...CALLERS] as const) : CALLERS;
  return fc
    .record({
      caller: fc.oneof(
        { weight: 2, arbitrary: fc.constant<Caller>(isIngest ? "engine" : "manager") },
        { weight: 3, arbitrary: fc.constantFrom<Caller>(...callers) },
      ),
      path,
      query,
      headers,
      body: bodyOf(operation, known),
    })
    .map(({ caller, path: at, query: parts, headers: given, body }) => {
      const search = parts.filter((part) => part !== "").join("&");
      return {
        route: `${operation.method} ${operation.path}`,
        caller,
        target: search === "" ? at : `${at}?${search}`,
        headers: { ...given, ...body.headers },
        body: body.text,
      };
    });
}

/** `one` in nine of ten cases. */
function mostly<T>(one: Arbitrary<T>, other: Arbitrary<T | string>): Arbitrary<T | string> {
  return fc.oneof({ weight: 9, arbitrary: one }, { weight: 1, arbitrary: other });
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed());
}

/** Not what a client's own URL parser would take out of the path. */
function isPart(text: string): boolean {
  return text !== "" && text !== "." && text !== "..";
}

function queryPart({ name, schema, required }: Parameter, known: Bound): Arbitrary<string> {
  const said = (value: unknown) =>
    [value]
      .flat()
      .map((one) => `${name}=${encoded(one)}`)
      .join("&");
  return fc.oneof(
    { weight: required ? 1 : 16, arbitrary: fc.constant("") },
    { weight: 8, arbitrary: valid(schema, name, known).map(said) },
    { weight: 1, arbitrary: hostileText.map(said) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        name,
        `${name}=%`,
        `${name}=%00`,
        `${name}=%ff`,
        `${name}[]=1`,
        `${name}=1&${name}=2`,
      ),
    },
  );
}

const strangePart = fc.oneof(
  { weight: 30, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "__proto__=1",
      "toString=1",
      "=",
      "&&",
      "surely_unknown=1",
      "constructor[prototype]=1",
    ),
  },
);

const headerText = fc.oneof(
  fc.constantFrom(
    "*",
    '"x"',
    'W/""',
    "text/csv",
    "application/json",
    "image/png",
    "*/*;q=0",
    "key-1",
    "a".repeat(300),
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[^\x21-\x7e]/g, "")),
);

const headers = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        "accept",
        "if-none-match",
        "idempotency-key",
        "last-event-id",
        "x-request-id",
        "origin",
        "range",
      ),
      headerText.filter((text) => text !== ""),
      { maxKeys: 2 },
    ),
  },
) as Arbitrary<Record<string, string>>;

interface Body {
  headers: Record<string, string>;
  text: string | undefined;
}

function bodyOf({ requestBody, method }: Operation, known: Bound): Arbitrary<Body> {
  const none = fc.constant<Body>({ headers: {}, text: undefined });
  if (method === "GET") return none;
  const content = Object.entries(requestBody?.content ?? {});
  const typed = (type: string) => (value: unknown) => ({
    headers: { "content-type": type },
    text: JSON.stringify(value)?.toWellFormed(),
  });
  const bodies = content.map(([type, { schema }]) => {
    const taken = valid(schema, "", known);
    return fc.oneof(
      { weight: 5, arbitrary: taken.map(typed(type)) },
      { weight: 3, arbitrary: taken.chain(spoilt).map(typed(type)) },
      { weight: 1, arbitrary: hostileValue.map(typed(type)) },
    );
  });
  const raw = fc.record<Body>({
    headers: fc.record({
      "content-type": fc.constantFrom(
        "application/json",
        "text/plain",
        "application/json; charset=latin1",
        "multipart/form-data",
        "x",
      ),
    }),
    text: fc.constantFrom(
      "",
      "{",
      "\0",
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      "[".repeat(5_000),
      "1".repeat(400),
      '"\\ud800"',
      "\ufeff{}",
      "null",
      "nul",
    ),
  });
  return fc.oneof(
    { weight: content.length > 0 ? 8 : 0, arbitrary: bodies.length > 0 ? fc.oneof(...bodies) : none },
    { weight: content.length > 0 ? 1 : 6, arbitrary: none },
    { weight: 1, arbitrary: raw },
  );
}
