// What an operator meets at the first start.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bareEnvironment } from "../../test/bare-environment.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { loadConfig } from "../config/load.ts";
import { silentLogger } from "../platform/log.ts";
import { startService } from "./start.ts";

const CLI = fileURLToPath(new URL("../cli/main.ts", import.meta.url));

let database: TestDatabase;
let dataDir: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "vaultops-start-"));
  env = {
    VAULTOPS_DATA_DIR: dataDir,
    VAULTOPS_DATABASE__URL: database.url,
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_HTTP__PORT: "0",
    VAULTOPS_ADMIN__PORT: "0",
  };
});
afterAll(async () => {
  await rm(dataDir, { recursive: true });
  await database.drop();
});

it("with http.port 0 its own URL, in links and as the embedded issuer's name, has the port that it listens on", async () => {
  const config = loadConfig({ env: { ...env, VAULTOPS_AUTH__EMBEDDED__ENABLED: "true" } });
  const service = await startService(config, silentLogger(), ["api"]);
  try {
    const text = await (await fetch(`${service.url}/api/v1/auth/config`)).text();
    expect(text).toContain(`${service.url}/identity`);
    expect(text).not.toContain(":0/");
  } finally {
    await service.lifecycle.stop("the test ends");
  }
});

it("a start that fails leaves nothing running: no session on the database, and no listener", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const port = String((taken.address() as AddressInfo).port);
  const config = loadConfig({ env: { ...env, VAULTOPS_HTTP__PORT: port } });
  await expect(startService(config, silentLogger(), ["api"])).rejects.toThrow(/in use by another program/);
  const sessions = async () => {
    const { rows } = await database.owner.pool.query(
      "select application_name from pg_stat_activity where datname = current_database() and application_name = any($1)",
      [["vaultops notifications", "vaultops audit reader"]],
    );
    return rows;
  };
  await expect.poll(sessions, { timeout: 240_000 }).toEqual([]);
  taken.close();
});

it("without a configuration it says so, and what to do, and runs all the same", async () => {
  const child = spawn(process.execPath, [CLI, "start"], {
    env: { ...bareEnvironment, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const told = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (chunk) => {
      told[stream] += chunk;
    });
  await expect.poll(() => told.stdout, { timeout: 240_000 }).toContain('"msg":"serving"');
  expect(told.stderr).toMatch(/Nothing is configured.*\n.*npm run demo\n[\s\S]*npm start -- --config FILE/);
  child.kill("SIGTERM");
  expect((await once(child, "exit"))[0]).toBe(0);
});
