/**
 * Runs a real EVM node (anvil) as a child that never outlives its parent.
 *
 * The node is started by a small shell script that also watches its own standard input. That pipe is held open by this
 * process alone; when it closes, because `stop` closed it or because this process died in whatever way, kill -9
 * included, the script ends the node: SIGTERM first, so that the state is written, SIGKILL ten seconds later. The node
 * stands in a session of its own, so a Ctrl-C at the terminal does not end it before those who still read from it.
 *
 * State is loaded from `statePath` if that exists, and written to it every `stateIntervalSeconds` and at the end. The
 * node writes it in place, so a kill -9 of the node itself, or a power cut, can leave half a file: the state of the last
 * good start is kept beside it (`.last`) and is used then. Either way the chain then continues from an older block, which
 * a reader sees as a reorg. Blocks, transactions, receipts and logs keep their hashes through a reload; state at old
 * blocks does not come with them: after a reload `eth_call` answers at the reloaded head and later blocks only.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ACCOUNT_COUNT } from "./accounts.ts";
import { claimFreePort, isFree } from "./free-port.ts";

export interface AnvilOptions {
  readonly chainId?: number;
  /** A port of one's own; a free one where left out. */
  readonly port?: number;
  /** File to load the chain from, if there, and to keep it in. */
  readonly statePath?: string;
  readonly stateIntervalSeconds?: number;
  /** Seconds between blocks; where left out every transaction is mined at once. */
  readonly blockTimeSeconds?: number;
  /** Unix seconds of block 0; now where left out. */
  readonly genesisTimestamp?: number;
  /** Mine only when asked to, by `evm_mine`. */
  readonly noMining?: boolean;
  /** Accounts with money, those of `accounts.ts` where left out. */
  readonly accounts?: number;
  /** Of how many blocks the state stays readable; 1,000 where left out. */
  readonly persistedStates?: number;
  /** Leaves out the node's own output; true where left out. */
  readonly quiet?: boolean;
}

export interface Anvil {
  readonly rpcUrl: string;
  readonly port: number;
  readonly chainId: number;
  /** The node's own process id. */
  readonly pid: number;
  /** Resolves when the node has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** Ends the node, its state written; safe to call twice. */
  stop(): Promise<void>;
}

export class AnvilError extends Error {
  readonly code: "port_taken" | "state_unreadable" | "not_installed" | "failed";

  constructor(code: AnvilError["code"], message: string) {
    super(message);
    this.name = "AnvilError";
    this.code = code;
  }
}

const HOST = "127.0.0.1";
const START_TIMEOUT_MS = 180_000;
const ATTEMPTS_FOR_A_FREE_PORT = 3;

// Exit code 2 is the node's own for arguments that it cannot use; a state file that it cannot parse is the only such one.
const BAD_ARGUMENT_EXIT_CODE = 2;

const WATCHDOG = `
cache=$1
shift
exec 3<&0
"$@" 3<&- </dev/null &
node=$!
echo "pid $node"
(
  cat <&3 >/dev/null
  kill -TERM $node 2>/dev/null
  tries=0
  while [ $tries -lt 100 ] && kill -0 $node 2>/dev/null; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL $node 2>/dev/null
  rm -rf -- "$cache"
) >/dev/null 2>&1 &
exec 3<&-
wait $node
`;

/** Starts a node and waits until it answers. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  if (options.port !== undefined) {
    if (!(await isFree(options.port))) throw portTaken(options.port);
    return startWithState(options, options.port);
  }
  for (let attempt = 1; ; attempt++) {
    // Its own: were another node given the same one, that one would answer for this one.
    const { port, release } = await claimFreePort();
    try {
      const anvil = await startWithState(options, port);
      void anvil.exited.then(release);
      return anvil;
    } catch (error) {
      release();
      const lostRace = error instanceof AnvilError && error.code === "port_taken";
      if (!lostRace || attempt === ATTEMPTS_FOR_A_FREE_PORT) throw error;
    }
  }
}

/** The node's executable, taken from the platform's package so that no wrapper process stands between. */
export function findAnvilBinary(): string {
  const require = createRequire(import.meta.url);
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  try {
    const fromAnvil = createRequire(require.resolve("@foundry-rs/anvil/package.json"));
    return join(dirname(fromAnvil.resolve(`${name}/package.json`)), "bin", "anvil");
  } catch {
    throw new AnvilError("not_installed", `${name} is not installed: run npm install on this platform`);
  }
}

async function startWithState(options: AnvilOptions, port: number): Promise<Anvil> {
  const { statePath } = options;
  if (statePath === undefined) return launch(options, port, undefined);
  await mkdir(dirname(statePath), { recursive: true });
  const lastGood = `${statePath}.last`;
  const candidates = [statePath, lastGood].filter((path) => existsSync(path));
  if (candidates.length === 0) return launch(options, port, undefined);
  for (const path of candidates) {
    try {
      await dropStrayGenesis(path);
      const anvil = await launch(options, port, path);
      // It parsed, so it is worth keeping. Copied aside first: the node may rewrite the original at any moment.
      if (path === statePath) {
        await copyFile(statePath, `${lastGood}.new`);
        await rename(`${lastGood}.new`, lastGood);
      }
      return anvil;
    } catch (error) {
      if (!(error instanceof AnvilError) || error.code !== "state_unreadable") throw error;
    }
  }
  throw new AnvilError(
    "state_unreadable",
    `the chain's state in ${statePath} cannot be read; start again without it`,
  );
}

/**
 * A node that loads a state has by then made a block 0 of its own, and writes it beside the loaded one at the next dump; which
 * of several is block 0 after another load is chance. The chain's own is the oldest. A file that cannot be read is left to the node.
 */
async function dropStrayGenesis(path: string): Promise<void> {
  const state = await readState(path);
  const genesis = state?.blocks.filter(({ header }) => BigInt(header.number) === 0n) ?? [];
  if (state === null || genesis.length < 2) return;
  const oldest = genesis.reduce((one, other) =>
    BigInt(other.header.timestamp) < BigInt(one.header.timestamp) ? other : one,
  );
  state.blocks = state.blocks.filter((block) => block === oldest || !genesis.includes(block));
  await writeFile(`${path}.new`, JSON.stringify(state));
  await rename(`${path}.new`, path);
}

interface NodeState {
  blocks: { header: { number: string; timestamp: string } }[];
}

async function readState(path: string): Promise<NodeState | null> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return null;
  }
}

async function launch(options: AnvilOptions, port: number, loadPath: string | undefined): Promise<Anvil> {
  const binary = findAnvilBinary();
  // Old states spill to disk: into a folder of our own, so that nothing of them is left behind.
  const cachePath = options.statePath
    ? `${options.statePath}.cache`
    : join(tmpdir(), `vaultops-anvil-${randomUUID()}`);
  await rm(cachePath, { recursive: true, force: true });
  const args = argumentsFor(options, port, loadPath, cachePath);
  const child = spawn("/bin/sh", ["-c", WATCHDOG, "anvil-watchdog", cachePath, binary, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  child.stdin.on("error", () => {});
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output = keepTail(output + text);
    if (options.quiet === false) process.stdout.write(text);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = keepTail(output + text);
  });
  const exited = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => {
      child.stdin.destroy();
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await exited;
    await rm(cachePath, { recursive: true, force: true });
  };
  const rpcUrl = `http://${HOST}:${port}`;
  const chainId = options.chainId ?? 31337;
  try {
    await waitUntilHealthy(child, rpcUrl, chainId, () => output, port);
  } catch (error) {
    await stop();
    throw error;
  }
  const pid = Number(/^pid (\d+)$/m.exec(output)?.[1]);
  return { rpcUrl, port, chainId, pid, exited, stop };
}

function argumentsFor(
  options: AnvilOptions,
  port: number,
  loadPath: string | undefined,
  cachePath: string,
): string[] {
  const args = ["--host", HOST, "--port", String(port), "--chain-id", String(options.chainId ?? 31337)];
  // First in, first out, so that the order of sending is the order in the block; room for many in one.
  args.push(
    "--order",
    "fifo",
    "--gas-limit",
    "1000000000",
    "--accounts",
    String(options.accounts ?? ACCOUNT_COUNT),
  );
  if (options.quiet !== false) args.push("--quiet");
  if (options.noMining) args.push("--no-mining");
  if (options.blockTimeSeconds !== undefined) args.push("--block-time", String(options.blockTimeSeconds));
  if (options.genesisTimestamp !== undefined) args.push("--timestamp", String(options.genesisTimestamp));
  if (options.statePath !== undefined) args.push("--dump-state", options.statePath);
  if (options.stateIntervalSeconds !== undefined)
    args.push("--state-interval", String(options.stateIntervalSeconds));
  if (loadPath !== undefined) args.push("--load-state", loadPath);
  args.push("--cache-path", cachePath, "--max-persisted-states", String(options.persistedStates ?? 1000));
  return args;
}

async function waitUntilHealthy(
  child: ChildProcess,
  rpcUrl: string,
  chainId: number,
  output: () => string,
  port: number,
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      if (output().includes("Address already in use")) throw portTaken(port);
      const code = child.exitCode === BAD_ARGUMENT_EXIT_CODE ? "state_unreadable" : "failed";
      throw new AnvilError(code, `the node ended while starting: ${output().trim()}`);
    }
    if ((await askChainId(rpcUrl)) === chainId) return;
    await sleep(20);
  }
  throw new AnvilError("failed", `the node does not answer at ${rpcUrl}`);
}

async function askChainId(rpcUrl: string): Promise<number | undefined> {
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
      signal: AbortSignal.timeout(2000),
    });
    const { result } = (await response.json()) as { result?: string };
    return result === undefined ? undefined : Number(result);
  } catch {
    return undefined;
  }
}

function portTaken(port: number): AnvilError {
  return new AnvilError("port_taken", `port ${port} on ${HOST} is taken: free it or choose another`);
}

function keepTail(text: string): string {
  return text.slice(-4000);
}
