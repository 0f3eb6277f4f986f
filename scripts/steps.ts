// Runs commands one after the other, each as its own process, and says which one failed.
import { spawn } from "node:child_process";
import { join } from "node:path";

export interface Step {
  title: string;
  command: string[];
  env?: Record<string, string>;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export const root = join(import.meta.dirname, "..");

/** Runs the steps in order and stops at the first that fails. Returns its exit code, 0 when all passed. */
export async function runSteps(steps: Step[]): Promise<number> {
  for (const step of steps) {
    const startedAt = Date.now();
    console.log(`\n── ${step.title}`);
    const code = await run(step);
    console.log(
      `── ${step.title}: ${code === 0 ? "ok" : `failed (${code})`}, ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
    );
    if (code !== 0) return code;
  }
  return 0;
}

function run({ command, env }: Step): Promise<number> {
  const [name, ...args] = command;
  const child = spawn(name as string, args, {
    cwd: root,
    stdio: "inherit",
    // A script started without npm must find the pinned tools anyway.
    env: { ...process.env, ...env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` },
  });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of SIGNALS) process.once(signal, passOn);
  return new Promise<number>((resolve) => {
    child.once("error", (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.once("exit", (code, signal) => resolve(code ?? (signal ? 130 : 1)));
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, passOn);
  });
}
