// Every alert about the service itself has a runbook.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  AUDIT_SUBJECT,
  CHECKPOINT_FILE_SUBJECT,
  FORK_SUBJECT,
  OMITTED_SUBJECT,
  SIGNING_SUBJECT,
  STREAM_SUBJECT,
  WITNESS_SUBJECT,
} from "./system.ts";

it("docs/operations/incidents.md has a section for each kind of system alert, and for no other", () => {
  const sources = ["system.ts", "standstill.ts"].map((name) =>
    readFileSync(join(import.meta.dirname, name), "utf8"),
  );
  const kinds = [...sources.join("\n").matchAll(/subject: ["`]([a-z_]+)[:"]/g)].map(
    ([, kind]) => kind as string,
  );
  const page = readFileSync(join(import.meta.dirname, "../../../../../docs/operations/incidents.md"), "utf8");
  const sections = [...page.matchAll(/^### `([a-z_]+)`$/gm)].map(([, kind]) => kind as string);
  expect(kinds.length).toBeGreaterThan(8);
  expect(sections.sort()).toEqual(
    [
      ...new Set([
        ...kinds,
        AUDIT_SUBJECT,
        SIGNING_SUBJECT,
        CHECKPOINT_FILE_SUBJECT,
        FORK_SUBJECT,
        WITNESS_SUBJECT,
        STREAM_SUBJECT,
        OMITTED_SUBJECT,
      ]),
    ].sort(),
  );
});
