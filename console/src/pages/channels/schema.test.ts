import { expect, it } from "vitest";
import { changedConfig, fieldsOf, newConfig } from "./schema.ts";

const fields = fieldsOf({
  provider: "pagerduty",
  title: "PagerDuty",
  secrets: ["routing_key"],
  config_schema: {
    type: "object",
    required: ["routing_key"],
    properties: {
      routing_key: { type: "string", title: "Integration key", writeOnly: true },
      region: { type: "string", enum: ["us", "eu"], default: "us", title: "Region" },
      base_url: { type: "string", title: "Base URL" },
    },
  },
});

it("draws each member of a schema, secrets marked, choices with their options", () => {
  expect(fields.map(({ name, isSecret, isRequired }) => [name, isSecret, isRequired])).toEqual([
    ["routing_key", true, true],
    ["region", false, false],
    ["base_url", false, false],
  ]);
  expect(fields[1]?.options).toEqual(["us", "eu"]);
});

it("sends of a new channel only what was filled in", () => {
  expect(newConfig(fields, { routing_key: " abc ", region: "", base_url: "  " })).toEqual({
    routing_key: "abc",
  });
});

it("keeps a secret that is not typed anew, and takes out another member that is emptied", () => {
  const before = { routing_key: "••••cdef", region: "eu", base_url: "https://proxy.example" };
  expect(changedConfig(fields, before, { region: "eu", base_url: "" })).toEqual({ base_url: null });
  expect(changedConfig(fields, before, { ...before, routing_key: "new" })).toEqual({ routing_key: "new" });
});
