#!/usr/bin/env node
// The executable. A package is built and runs on Node 22.19 or newer. The sources need Node 24: this one, or the one installed beside the project.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, "../dist/src/cli/main.js");
const isBuilt = existsSync(built);
const [major, minor] = process.versions.node.split(".").map(Number);

if (isBuilt ? major > 22 || (major === 22 && minor >= 19) : major >= 24) {
  const { main } = await import(pathToFileURL(isBuilt ? built : join(here, "../src/cli/main.ts")).href);
  await main(process.argv.slice(2));
} else if (isBuilt) {
  console.error(`vaultops needs Node 22.19 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else {
  const node = [join(here, "../../node_modules/.bin/node"), join(here, "../node_modules/.bin/node")].find(
    (path) => existsSync(path),
  );
  if (!node) {
    console.error(
      `vaultops needs Node 24 or newer; this is ${process.version}. Run \`npm install\` in the project first.`,
    );
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
