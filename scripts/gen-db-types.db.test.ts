import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createTestDatabase } from "../server/test/database.ts";
import { dbTypesOf } from "./gen-db-types.ts";

it("db.types.ts is what the migrations make; else run: npm run gen", async () => {
  const test = await createTestDatabase();
  try {
    const committed = await readFile(
      new URL("../server/src/platform/db/db.types.ts", import.meta.url),
      "utf8",
    );
    const isCurrent = committed === (await dbTypesOf(test.ownerUrl));
    expect(isCurrent, "server/src/platform/db/db.types.ts is out of date: run npm run gen").toBe(true);
  } finally {
    await test.drop();
  }
});
