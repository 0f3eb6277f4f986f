// What every migration must say and may do, so that a release can be rolled out while the one before works.
import { expect, it } from "vitest";
import { readMigrations } from "./migrations.ts";

/** The last of those that were applied before they had to say it; an applied file is never edited. */
const LAST_UNSAID = 80;

it("each migration says the oldest release that works with it", async () => {
  const files = (await readMigrations()).filter(({ version }) => version > LAST_UNSAID);
  expect(files.filter(({ compatibleFrom }) => compatibleFrom === null).map(({ name }) => name)).toEqual([]);
});
