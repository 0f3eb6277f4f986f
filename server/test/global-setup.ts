// One database server for a whole run of the tests, with a migrated template that every test file clones.
// It ends with the run, however the run ends. VAULTOPS_TEST_DATABASE_URL (a superuser's) takes another server instead.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pino from "pino";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../src/platform/postgres/postgres.ts";
import { findProcess } from "../src/platform/postgres/processes.ts";
import { prepareTemplate, type TestServer } from "./test-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = pino({ level: "error" });
  await Promise.all([removeLeftOvers(), compileOnce()]);
  const outside = process.env.VAULTOPS_TEST_DATABASE_URL;
  if (outside !== undefined && outside !== "") {
    const template = await prepareTemplate(outside, log);
    project.provide("testServer", template.server);
    return template.remove;
  }
  const dataDir = await mkdtemp(join(tmpdir(), `vaultops-test-${process.pid}-`));
  const postgres = await startEmbeddedPostgres({ dataDir, log, isDurable: false });
  const template = await prepareTemplate(postgres.superuserUrl, log);
  project.provide("testServer", template.server);
  return async () => {
    await template.remove();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/**
 * In a fresh clone: compiles the service for those that tests start. A process that is killed keeps nothing of what it has compiled, so
 * that without this many would do it again; and so would workers do with the demo's contracts, at the same time.
 */
async function compileOnce(): Promise<void> {
  const folder = process.env.NODE_COMPILE_CACHE;
  if (folder === undefined || existsSync(folder)) return;
  const service = new URL("../src/service/start.ts", import.meta.url).href;
  const contracts = new URL("../../demo/src/compile.ts", import.meta.url).href;
  const program = `await import("${service}"); await (await import("${contracts}")).compileContracts();`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
}

/** Folders of runs that were killed; their servers ended with them. */
async function removeLeftOvers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = /^vaultops-test-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || (await findProcess(Number(pid))) !== null) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}
