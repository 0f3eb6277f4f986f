import { expect, it } from "vitest";
import { generatedFiles, outdated } from "./gen.ts";

it("what is generated is current; else run `npm run gen` and commit what it writes", async () => {
  expect(outdated(await generatedFiles())).toEqual([]);
});
