import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS, Problem, renderErrorsPage } from "./errors.ts";

describe("the catalogue of errors", () => {
  it("is what docs/errors.md says (npm run gen writes it)", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/errors.md"), "utf8");
    expect(page, "docs/errors.md is out of date: run `npm run gen`").toBe(renderErrorsPage());
  });

  it.each(Object.entries(ERRORS))(
    "%s has a status of 400 to 599 and words for it",
    (code, { status, title, description }) => {
      expect(code).toMatch(/^[a-z][a-z_]*[a-z]$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(title).not.toBe("");
      expect(description.length).toBeGreaterThan(20);
    },
  );

  it("gives a Problem its status", () => expect(new Problem("conflict", "It exists.").status).toBe(409));
});
