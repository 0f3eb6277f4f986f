import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createTestDatabase } from "../server/test/database.ts";
import { SCHEMA_FILE, schemaOf } from "./gen-schema.ts";

it("schema.sql is what the migrations make; else run: npm run gen", async () => {
  const test = await createTestDatabase();
  try {
    expect(await schemaOf(test.ownerUrl)).toBe(await readFile(SCHEMA_FILE, "utf8"));
  } finally {
    await test.drop();
  }
});
