// docs/guides/engine-reporting.md: its program reports as it stands there.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../test/database.ts";
import { CHAIN, SOURCE, startEngineTest, VAULT } from "../../test/engine.ts";

const ROOT = join(import.meta.dirname, "../../..");

test("the guide's program reports a run, a state and a price, and the service shows them", async () => {
  const guide = await readFile(join(ROOT, "docs/guides/engine-reporting.md"), "utf8");
  const [, program] = /^```ts\n(.*?)^```/ms.exec(guide) as RegExpExecArray;
  const database = await createTestDatabase();
  const engine = await startEngineTest(database.db);
  const dir = await mkdtemp(join(tmpdir(), "engine-guide-"));
  try {
    const url = await engine.app.listen({ host: "127.0.0.1", port: 0 });
    const file = join(dir, "program.ts");
    const runnable = (program as string)
      .replace("@vaultops/sdk/report", pathToFileURL(join(ROOT, "sdk/src/report.ts")).href)
      .replace('"./reports"', JSON.stringify(join(dir, "reports")));
    const settings = `const [VAULTOPS_URL, VAULTOPS_INGEST_TOKEN] = ${JSON.stringify([url, engine.token])};\n`;
    await writeFile(file, settings + runnable);
    await import(/* @vite-ignore */ pathToFileURL(file).href);

    const { body } = await engine.get(`/api/v1/vaults/${CHAIN}/${VAULT}/services`);
    expect(body.find(({ name }: { name: string }) => name === "fulfill_redeems")).toMatchObject({
      status: "healthy",
      total_executions: 1,
      schedule_seconds: 60,
    });
    const { rows } = await database.db.pool.query("select data from vault_reports where vault_address = $1", [
      VAULT,
    ]);
    expect(rows).toMatchObject([{ data: { value: "1050000" } }]);
    expect(guide).toContain(SOURCE);
  } finally {
    await engine.app.close();
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  }
});
