// docs/guides/alerts.md names every category and every rule with the default that the configuration has.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadConfig } from "../../config/load.ts";
import { ALERT_CATEGORIES } from "../../monitors/categories.ts";

const guide = readFileSync(new URL("../../../../docs/guides/alerts.md", import.meta.url), "utf8");

it("the guide lists the rules there are, with their defaults", () => {
  const rules = loadConfig({ env: {} }).alerts.rules;
  const expected = Object.entries(rules).flatMap(([category, rule]) =>
    Object.entries(rule).flatMap(([name, value]) =>
      name === "is_enabled" ? [] : [[`${category}.${name}`, JSON.stringify(value)]],
    ),
  );
  const listed = [...guide.matchAll(/^\| `(\w+\.\w+)` \| `?([^`|]+?)`? \|/gm)].map((match) => match.slice(1));
  expect(listed).toEqual(expected);
});

it("the guide tells of every category", () => {
  for (const category of ALERT_CATEGORIES) expect(guide).toMatch(new RegExp(`^\\| \`${category}\` \\|`, "m"));
});
