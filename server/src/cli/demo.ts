// `vaultops demo`: the demo is a package beside the server, which knows nothing of it; its script installs what is missing first.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/** Runs the demo with these options until it ends. Resolves with its exit code. Throws where the project is not whole. */
export async function runDemo(args: readonly string[]): Promise<number> {
  if (!existsSync(join(ROOT, "demo/package.json")))
    throw new Error("The demo is part of the project's sources: run it in a clone of the repository.");
  const child = spawn("npm", ["run", "--silent", "demo", "--", ...args], { cwd: ROOT, stdio: "inherit" });
  // A Ctrl-C reaches the whole terminal, and the demo ends what it has started; until then this waits.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = await once(child, "exit");
  return code ?? 1;
}
