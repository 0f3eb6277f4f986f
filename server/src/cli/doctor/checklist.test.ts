// The checklist tells of what doctor looks at, in its words and its order.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CHECKS } from "./list.ts";

it("docs/operations/checklist.md lists every check of doctor", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/operations/checklist.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([a-z ]+)` \| (.+) \|$/gm)].map(([, name, looksAt]) => ({
    name,
    looksAt,
  }));
  expect(rows.slice(1)).toEqual(CHECKS.map(({ name, looksAt }) => ({ name, looksAt })));
  expect(rows[0]?.name).toBe("configuration");
});
