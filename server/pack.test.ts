// The packages as they are sent out, together: installed in an empty folder, where no source and no Node 24 is, and run on the oldest Node
// that they are for. It takes packages from the registry, so it belongs to `npm run test:full`.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testExport } from "../proof/src/test-export.ts";
import { packCopy } from "../scripts/packed.ts";
import { bareEnvironment } from "./test/bare-environment.ts";
import { freePort } from "./test/free-port.ts";

const run = promisify(execFile);
const OLDEST_NODE = "22.19.0";
const DEMO_MS = 900_000;
const SERVICE = ["server/migrations", "THIRD-PARTY-NOTICES"];
/** The packages, each with what it is made of beside its own sources. */
const PACKAGES = {
  proof: [],
  sdk: [],
  server: [...SERVICE, "server/bin", "console/dist", "config.example.yaml"],
  demo: [
    ...SERVICE,
    ...["demo/bin", "demo/contracts", "console/dist-demo", "sdk/src"],
    ...["server/src", "server/test", "server/package.json"],
  ],
};

describe.runIf(process.env.VAULTOPS_FULL === "1")(`the packages on Node ${OLDEST_NODE}`, () => {
  let home: string;
  let dataDir: string;
  let folder: string;
  let node: string;
  const runScript = async (name: string, source: string, env: Record<string, string> = {}) => {
    await writeFile(join(folder, name), source);
    return (await run(node, [name], { cwd: folder, env: { ...bareEnvironment, ...env } })).stdout;
  };
  const vaultops = (args: readonly string[]) =>
    run(node, ["node_modules/vaultops/bin/vaultops.mjs", ...args], { cwd: folder, env: bareEnvironment });

  beforeAll(async () => {
    // Not in memory, where tests keep their files: it takes much room.
    home = await mkdtemp("/var/tmp/vaultops-pack-");
    dataDir = await mkdtemp(join(tmpdir(), "vaultops-pack-data-"));
    folder = join(home, "empty");
    for (const [name, more] of Object.entries(PACKAGES)) {
      await cp(await packCopy(name, join(home, name), more), join(folder, `${name}.tgz`));
      const left = await readFile(join(home, name, name, "package.json"), "utf8");
      expect(left).toBe(await readFile(join(import.meta.dirname, "..", name, "package.json"), "utf8"));
    }
    await writeFile(join(folder, "package.json"), '{"type":"module","private":true}');
    const packages = Object.keys(PACKAGES).map((name) => `./${name}.tgz`);
    const runtime = `node-linux-${process.arch}@${OLDEST_NODE}`;
    const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...options, ...packages, runtime], { cwd: folder });
    node = join(folder, `node_modules/node-linux-${process.arch}/bin/node`);
    const { text, key } = testExport(50);
    await writeFile(join(folder, "audit-log.ndjson"), text);
    await writeFile(join(folder, "key.txt"), `${key}\n`);
  });
  afterAll(async () => {
    for (const made of [home, dataDir]) await rm(made, { recursive: true, force: true });
  });

  it("hold what was built, and no source but the declarations", async () => {
    const installed = join(folder, "node_modules/vaultops");
    const names = await readdir(installed, { recursive: true });
    expect(names.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))).toEqual([]);
    expect((await readdir(installed)).sort()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD-PARTY-NOTICES",
      "bin",
      "config.example.yaml",
      "console",
      "dist",
      "package.json",
    ]);
    const sources = await readdir(join(import.meta.dirname, "migrations"));
    expect(await readdir(join(installed, "dist/migrations"))).toEqual(sources);
    const { name, version, dependencies } = JSON.parse(
      await readFile(join(installed, "package.json"), "utf8"),
    );
    expect(name).toBe("vaultops");
    expect(dependencies["@vaultops/proof"]).toBe(version);
    expect(existsSync(join(folder, "node_modules/typescript"))).toBe(false);
  });

  it("have every import that their modules name", async () => {
    const program = `import { readdir } from "node:fs/promises";
      const root = new URL("node_modules/vaultops/dist/src/", import.meta.url);
      const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".js"));
      for (const name of names) await import(new URL(name, root).href);
      console.log(names.length > 300, process.version);
      process.exit();`;
    expect(await runScript("imports.js", program)).toBe(`true v${OLDEST_NODE}\n`);
  });

  it("give a command line, which verifies an export with the proof package", async () => {
    expect((await vaultops(["--help"])).stdout).toMatch(/^Usage: vaultops COMMAND[\s\S]*\n {2}start /);
    const { stdout } = await vaultops(["audit", "verify", "audit-log.ndjson", "--key", "key.txt"]);
    expect(stdout).toMatch(/^OK: 50 entries/);
    const { stdout: byNpx } = await run("npx", ["vaultops", "--help"], { cwd: folder, env: bareEnvironment });
    expect(byNpx).toMatch(/^Usage: vaultops COMMAND/);
  });

  it("verify a proof as the README of the proof package says", async () => {
    const readme = await readFile(join(folder, "node_modules/@vaultops/proof/README.md"), "utf8");
    const program = /```js\n(.*?)```/s.exec(readme)![1]!;
    expect(await runScript("proof.js", program)).toBe("Each of 50 entries is in the log that was signed.\n");
  });

  it("run the service with its own database and its console, and the SDK asks it", async () => {
    const service = spawn(node, ["node_modules/vaultops/bin/vaultops.mjs", "start"], {
      cwd: folder,
      env: {
        ...bareEnvironment,
        VAULTOPS_DATA_DIR: dataDir,
        VAULTOPS_HTTP__PORT: "0",
        VAULTOPS_ADMIN__PORT: "0",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      const url = await urlOf(service);
      expect(await (await fetch(url)).text()).toContain("<title>");
      const program = `import { createClient } from "@vaultops/sdk/client";
        const vaultops = createClient({ baseUrl: process.env.VAULTOPS_URL });
        console.log(JSON.stringify(await vaultops.call("GET /api/v1/auth/config")));`;
      const answer = JSON.parse(await runScript("sdk.js", program, { VAULTOPS_URL: url }));
      expect(answer).toHaveProperty("issuers");
    } finally {
      service.kill("SIGTERM");
      await once(service, "exit");
    }
    expect(service.exitCode).toBe(0);
  });

  it("run the demo by `vaultops demo`", { timeout: DEMO_MS }, async () => {
    const port = await freePort();
    const args = ["--port", String(port), "--data-dir", join(dataDir, "demo")];
    const demo = spawn(node, ["node_modules/vaultops/bin/vaultops.mjs", "demo", ...args], {
      cwd: folder,
      env: bareEnvironment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let told = "";
    for (const stream of [demo.stdout, demo.stderr])
      stream.on("data", (chunk) => {
        told += chunk;
      });
    try {
      const isUp = () => told.includes("Ctrl-C") || demo.exitCode !== null;
      await expect.poll(isUp, { timeout: DEMO_MS }).toBe(true);
      expect(demo.exitCode, told).toBeNull();
      expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toContain("<title>");
      const vaults = await (await fetch(`http://127.0.0.1:${port}/api/v1/public/vaults`)).json();
      expect(vaults).toContainEqual(expect.objectContaining({ chain_id: 8_453_000 }));
    } finally {
      demo.kill("SIGTERM");
      if (demo.exitCode === null) await once(demo, "exit");
    }
    expect(demo.exitCode, told).toBe(0);
  });
});

/** Where the service says that it serves. Throws with what it said when it ends before. */
async function urlOf(service: ChildProcess): Promise<string> {
  let told = "";
  const found = Promise.withResolvers<string>();
  for (const stream of [service.stdout, service.stderr])
    stream?.on("data", (chunk) => {
      told += chunk;
      const line = told.split("\n").find((each) => each.includes('"msg":"serving"') && each.endsWith("}"));
      if (line !== undefined) found.resolve(JSON.parse(line).url);
    });
  service.once("exit", () => found.reject(new Error(told)));
  return await found.promise;
}
