import { expect, it } from "vitest";
import { DESCRIPTION } from "../description.ts";
import { type Description, narrowed } from "./narrowed.ts";
import { lost, shapeOf } from "./replay.ts";

const today = DESCRIPTION as unknown as Description;
const ME = "/api/v1/auth/me";
const LOGS = "/api/v1/audit/logs";

const LOGS_ANSWER = [...answerOf(LOGS), "properties"];
const HOOK = ["paths", "/api/v1/webhooks", "post", "requestBody", "content", "application/json", "schema"];

function answerOf(path: string): string[] {
  return ["paths", path, "get", "responses", "200", "content", "application/json", "schema"];
}

/** Today's description with another value at a place; undefined: without it. */
function after(place: readonly string[], value?: unknown): Description {
  const copy = structuredClone(today);
  const name = place.at(-1) as string;
  const parent = place
    .slice(0, -1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], copy) as Record<string, unknown>;
  if (value === undefined) delete parent[name];
  else parent[name] = value;
  return copy;
}

it("finds no fault in a description that is the same", () => {
  expect(narrowed(today, today)).toEqual([]);
});

it.each<[string, RegExp, readonly string[], unknown?]>([
  ["a route that is gone", /auth\/me is gone/, ["paths", ME]],
  ["a member of an answer that is gone", /wallet_address/, [...answerOf(ME), "properties", "wallet_address"]],
  ["a member that has another type", /total/, [...LOGS_ANSWER, "total", "type"], "string"],
  ["a member that may be null now", /total.*null/, [...LOGS_ANSWER, "total", "type"], ["integer", "null"]],
  ["parameters that are gone", /\?limit is not taken/, ["paths", LOGS, "get", "parameters"], []],
  ["a member of a body that is required now", /required/, [...HOOK, "required"], ["url", "description"]],
  ["a member of a body that is gone", /description is not taken/, [...HOOK, "properties", "description"]],
  ["a bound that is narrower", /maxLength/, [...HOOK, "properties", "description", "maxLength"], 1],
  ["an event that is gone", /pps\.stale is gone/, ["webhooks", "pps.stale"]],
])("finds %s", (_, fault, place, value) => {
  expect(narrowed(today, after(place, value)).join("\n")).toMatch(fault);
});

it.each<[string, readonly string[], unknown]>([
  ["a member of an answer", [...LOGS_ANSWER, "live_cursor"], { type: "string" }],
  ["a member of a body", [...HOOK, "properties", "categories_of_tomorrow"], { type: "array" }],
  ["a route", ["paths", "/api/v1/new"], {}],
])("finds no fault in %s that is added", (_, place, value) => {
  expect(narrowed(today, after(place, value))).toEqual([]);
});

it("finds members of an answer that are missing, retyped or no longer lists, and none in what is added", () => {
  const before = shapeOf({ a: 1, b: [{ c: "x" }, { d: null }], e: { f: true } });
  expect(lost(before, shapeOf({ a: 1, b: [{ c: "y", d: "z", g: 0 }], e: { f: false }, h: 1 }))).toEqual([]);
  expect(lost(before, shapeOf({ a: "1", b: [{ d: 1 }], e: [] }))).toEqual([
    ".a: was number, is string",
    ".b[].c: is missing",
    ".e: was an object, is a list",
  ]);
});
