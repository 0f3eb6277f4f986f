#!/usr/bin/env node
// The executable. Runs the command line on a Node that is new enough: this one, or the one installed beside the project.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, "../src/cli/main.ts");

if (Number(process.versions.node.split(".")[0]) >= 24) {
  const { main } = await import(cli);
  await main(process.argv.slice(2));
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
