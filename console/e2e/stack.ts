// The demo, whole and on a free port, as `npm run demo` starts it: what the console's tests and screenshots run against.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { demoAccount } from "../../demo/src/accounts.ts";
import type { DemoDeployment } from "../../demo/src/saved/deployment.ts";
import { tokenCommand } from "../../server/src/cli/sign-in.ts";
import { freePort } from "../../server/test/free-port.ts";

const ROOT = join(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 600_000;

export interface Stack {
  /** Where console and API answer. */
  url: string;
  deployment: DemoDeployment;
  /** The demo's data folder. */
  dataDir: string;
  /** Of the chain's node. */
  rpcUrl: string;
  /** A token of a demo account: 0 primary manager, 1 secondary manager, 2 viewer of one vault, 3 no role. Kept, as it lives an hour. */
  token(account: number): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the demo in a folder of its own; resolves once people use it and its engine has something to show. Throws with what it printed where it does not come up.
 * VAULTOPS_E2E_DATA_DIR names the data folder of a demo that runs already, which is then used and left running.
 */
export async function startStack(): Promise<Stack> {
  const running = process.env.VAULTOPS_E2E_DATA_DIR;
  if (running) {
    const { http } = parse(await readFile(join(running, "config.yaml"), "utf8")) as {
      http: { public_url: string };
    };
    return stackAt(http.public_url, running, async () => {});
  }
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-e2e-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [join(ROOT, "demo/src/start/main.ts"), "--port", String(port), "--data-dir", dataDir];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  let printed = "";
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`The demo ${why}. It printed:\n${printed}`));
      const timer = setTimeout(
        () => fail(`has not come up in ${START_TIMEOUT_MS / 1000} s`),
        START_TIMEOUT_MS,
      );
      const read = (chunk: Buffer) => {
        printed += chunk;
        if (!printed.includes("Ctrl-C ends it")) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => fail(`ended with ${code}`));
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const stack = await stackAt(url, dataDir, stop);
  await engineAtWork(stack);
  return stack;
}

/** Resolves once an intent has run its course. */
async function engineAtWork(stack: Stack): Promise<void> {
  const headers = { authorization: `Bearer ${await stack.token(0)}` };
  for (const startedAt = Date.now(); Date.now() - startedAt < START_TIMEOUT_MS; await sleep(500)) {
    const answer = await fetch(`${stack.url}/api/v1/intents?state=COMPLETED&limit=1`, { headers });
    const { total } = (await answer.json()) as { total: number };
    if (total > 0) return;
  }
  await stack.stop();
  throw new Error("The demo's engine completed no intent.");
}

async function stackAt(url: string, dataDir: string, stop: () => Promise<void>): Promise<Stack> {
  const deployment = JSON.parse(await readFile(join(dataDir, "chain/deployment.json"), "utf8"));
  const { chains } = parse(await readFile(join(dataDir, "config.yaml"), "utf8")) as {
    chains: { rpc_urls: [string] }[];
  };
  const tokens = new Map<number, Promise<string>>();
  return {
    url,
    deployment,
    dataDir,
    rpcUrl: chains[0]?.rpc_urls[0] as string,
    token(account) {
      const { privateKey } = demoAccount(account);
      const known = tokens.get(account) ?? tokenCommand({ baseUrl: url, privateKey });
      tokens.set(account, known);
      return known;
    },
    stop,
  };
}
