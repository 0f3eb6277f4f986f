// The service as an operator runs it, in a process of its own that can be killed, paused and ended: `vaultops start` with its
// configuration in the environment.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bareEnvironment } from "./bare-environment.ts";

export interface ServiceProcess {
  child: ChildProcess;
  pid: number;
  /** Lines of its log so far. */
  log: Record<string, unknown>[];
  /** Resolves with the first line, old or new, that is as asked for. @throws when the process ends before there is one */
  line(isMeant: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Of its admin listener, once it serves. */
  adminUrl(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with its exit code (null: killed) when it has ended. */
  ended: Promise<number | null>;
  /** Kills it, if it still is there. */
  end(): Promise<void>;
}

const CLI = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));

/** `root`: the folder of another release's checkout, whose code is run. */
export function startServiceProcess(
  args: readonly string[],
  env: Record<string, string>,
  root?: string,
): ServiceProcess {
  const cli = root === undefined ? CLI : join(root, "server/src/cli/main.ts");
  const child = spawn(process.execPath, [cli, "start", ...args], {
    env: { ...bareEnvironment, VAULTOPS_ADMIN__PORT: "0", VAULTOPS_HTTP__PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const log: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout! }).on("line", (text) => {
    if (text.startsWith("{")) log.push(JSON.parse(text));
    for (const look of waiting) look();
  });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const line: ServiceProcess["line"] = (isMeant) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = log.find(isMeant);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      ended.then(() => reject(new Error(`the service has ended: ${JSON.stringify(log.slice(-5))}`)));
    });
  // It must not outlive the tests, however they end.
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  ended.then(() => process.off("exit", kill));
  return {
    child,
    pid: child.pid as number,
    log,
    line,
    ended,
    adminUrl: async () => (await line(({ msg }) => msg === "serving")).admin_url as string,
    kill: (signal) => process.kill(child.pid as number, signal),
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
