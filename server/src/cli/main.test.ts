// What the command line answers to somebody who calls it in the wrong way, or beside no service.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bareEnvironment } from "../../test/bare-environment.ts";

const CLI = fileURLToPath(new URL("main.ts", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vaultops-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...bareEnvironment, VAULTOPS_DATA_DIR: join(folder, "data") };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { cwd: folder, env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

it.each([[[]], [["--help"]], [["-h"]], [["help"]]])("%j lists all commands and exits 0", async (args) => {
  const { code, stdout } = await run(...args);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}start .*\n[\s\S]*^ {2}audit verify /m);
});

it.each(["audit", "ingest-token", "keys"])(
  "%s --help lists the commands of that word alone",
  async (word) => {
    const { code, stdout } = await run(word, "--help");
    expect(code).toBe(0);
    const listed = [...stdout.matchAll(/^ {2}(\S+) /gm)].map(([, first]) => first);
    expect(new Set(listed)).toEqual(new Set([word]));
  },
);

it.each(["bogus", "--version", "audit", "audit bogus"])(
  'a command that there is not ("%s") is named, with what there is, and exits 2',
  async (line) => {
    const { code, stdout, stderr } = await run(...line.split(" "));
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(`There is no command "${line}".`);
    expect(stderr).toContain("audit verify");
  },
);

it("demo hands its options on to the demo, the question for them too", async () => {
  const { code, stdout } = await run("demo", "--help");
  expect(stdout).toMatch(/^ {2}--fresh /m);
  expect(stdout).toMatch(/^ {2}--scenario /m);
  expect(code).toBe(0);
});

describe("where no service has made its database", () => {
  it.each([
    "audit verify",
    "audit export",
    "audit rotate-key",
    "ingest-token create --source /engine/main",
    "ingest-token list",
    "keys rotate",
    "replay",
  ])("%s makes none, says what to do and exits 1", async (line) => {
    const { code, stdout, stderr } = await run(...line.split(" "));
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/there is no database in .*--config/);
    expect(await readdir(folder)).toEqual([]);
  });
});
