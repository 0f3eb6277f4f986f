// `vaultops demo`: the demo is a package beside the server, which knows nothing of it. In a clone its script installs what is missing first;
// elsewhere it is the package that is installed beside this one, or that of the same version from the registry.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/** Runs the demo with these options until it ends. Resolves with its exit code. */
export async function runDemo(args: readonly string[]): Promise<number> {
  const { command, options, cwd } = program();
  const child = spawn(command, [...options, ...args], { cwd, stdio: "inherit" });
  // A Ctrl-C reaches the whole terminal, and the demo ends what it has started; until then this waits.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = await once(child, "exit");
  return code ?? 1;
}

function program(): { command: string; options: string[]; cwd?: string } {
  if (existsSync(join(ROOT, "demo/package.json")))
    return { command: "npm", options: ["run", "--silent", "demo", "--"], cwd: ROOT };
  const installed = installedDemo();
  if (installed !== null)
    return { command: process.execPath, options: [join(installed, "bin/vaultops-demo.mjs")] };
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  console.error("Fetching the demo; this is done once …");
  return {
    command: "npm",
    options: ["exec", "--yes", `--package=@vaultops/demo@${version}`, "--", "vaultops-demo"],
  };
}

function installedDemo(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve("@vaultops/demo/package.json"));
  } catch {
    return null;
  }
}
