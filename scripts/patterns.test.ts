// No pattern that a text from outside is matched with takes more than linear time: a sender of a long text would hold the process.
import { readdirSync, readFileSync } from "node:fs";
import { isSafePattern } from "redos-detector";
import { expect, it } from "vitest";
import { ConfigSchema } from "../server/src/config/schema.ts";
import { PROVIDERS } from "../server/src/features/channels/providers/registry.ts";

const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));

/** What stands under `pattern` in schemas, however deep. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "pattern" && typeof member === "string" ? [member] : patternsIn(member),
  );
}

// Ajv matches with the flag `u`. Steps are counted and no time is, so that the verdict is the same on every machine.
const isLinear = (pattern: string) => isSafePattern(pattern, { unicode: true, timeout: Infinity }).safe;

/**
 * Linear, though the detector does not see it: white space, then one character that is none, then anything. What is not white space ends the
 * first part, so each text is parted in one way.
 */
const PROVEN = ["^[^\\p{Cc}\\S]*[^\\p{Cc}\\s][^\\p{Cc}]*$"];

const events = readdirSync(new URL("../schemas/events/", import.meta.url));
it.each([
  ["the API", read("openapi.json")],
  ["engines' reports", events.map((name) => read(`schemas/events/${name}`))],
  ["the configuration", ConfigSchema],
  ["channels", PROVIDERS],
])("patterns of %s take linear time", (_, schemas) => {
  const patterns = [...new Set(patternsIn(schemas))];
  expect(patterns).not.toEqual([]);
  expect(patterns.filter((pattern) => !PROVEN.includes(pattern) && !isLinear(pattern))).toEqual([]);
});

it("finds those that take more", () => {
  for (const pattern of ["^(a+)+$", "^\\s*.*x$", "^[a-z]*[a-z0-9]*$", "^.*;.*;.*$"])
    expect(isLinear(pattern), pattern).toBe(false);
});
