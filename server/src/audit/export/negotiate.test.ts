import { expect, it } from "vitest";
import { negotiate } from "./negotiate.ts";

it.each([
  [undefined, "json"],
  ["", "json"],
  ["*/*", "json"],
  ["application/json", "json"],
  ["text/csv", "csv"],
  ["TEXT/CSV", "csv"],
  ["application/x-ndjson", "ndjson"],
  ["application/*", "json"],
  ["text/*", "csv"],
  ["text/csv, application/json", "csv"],
  ["application/json, text/csv", "json"],
  ["text/csv, application/x-ndjson, */*", "csv"],
  ["application/x-ndjson;q=0.5, text/csv;q=0.5", "ndjson"],
  ["*/*, text/csv", "json"],
  ["text/csv;q=1, application/json;q=0.9", "csv"],
  ["application/json;q=0.1, application/x-ndjson;q=0.2", "ndjson"],
  ["*/*;q=0.1, application/json;q=0", "csv"],
  ["*/*, application/json;q=0.001", "csv"],
  ["text/html, */*;q=0.01", "json"],
  ["application/json; charset=utf-8; q=0.5, text/csv;q=0.4", "json"],
  ["text/html", null],
  ["application/json;q=0", null],
  ["application/json;q=2", null],
  ["nonsense", null],
])("Accept %s: %s", (accept, format) => {
  expect(negotiate(accept)).toBe(format);
});
