// npm run demo: a real chain with 60 days of history, the service on it, and people who go on using it.
import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { tokenCommand } from "../../../server/src/cli/sign-in.ts";
import { demoAccount } from "../accounts.ts";
import { startActors } from "../actors/actors.ts";
import { createWorkQueue } from "../actors/work-queue.ts";
import { CURATED_FAMILIES } from "../deployment.ts";
import { startEngine } from "../engine/engine.ts";
import { ingestTokenIn, sha256Of } from "../engine/ingest-token.ts";
import { openRelay } from "../engine/relay.ts";
import { prepareDemoChain } from "../history/history.ts";
import { makeDemoChannels, readReceiverState } from "../receiver/channels.ts";
import { startReceiver } from "../receiver/receiver.ts";
import { writeDemoConfig } from "./config.ts";
import { failureOf, StepError } from "./failure.ts";
import { runScenario, SCENARIOS, type ScenarioName } from "./scenarios.ts";
import { welcome } from "./welcome.ts";

/** How the demo is started: from the sources, or from the package. */
const COMMAND = import.meta.url.endsWith(".ts") ? "npm run demo --" : "npx vaultops-demo";

const HELP = `${COMMAND} [OPTIONS]   VaultOps on a real chain of its own, with nothing to set up

  --port N          port of the API (default 8080)
  --data-dir DIR    where chain, database and keys are kept between starts (default .vaultops-demo)
  --fresh           start again: delete what an earlier start left
  --scenario NAME   run a scenario once everything is up: ${Object.keys(SCENARIOS).join(", ")}

Ctrl-C ends it; the next start continues from there.`;

const HOST = "127.0.0.1";
/** The console with a wallet for each of the demo's accounts. */
const CONSOLE_DIR = join(import.meta.dirname, "../../../console/dist-demo");

const ending = new AbortController();
const running: { title: string; stop(): Promise<unknown> }[] = [];
const end = endOnSignals(ending, running);

await main().catch(async (error) => {
  const failure = await failureOf(error, ending.signal);
  if (failure === null) return;
  console.error(`\nThe demo could not start: ${failure}`);
  const { name } = error instanceof StepError ? (error.cause as Error) : (error as Error);
  if (name === "MigrationError")
    console.error(`Its database was created by another version. To start again: ${COMMAND} --fresh`);
  process.exit(1);
});

async function main(): Promise<void> {
  const options = readOptions();
  const dataDir = resolve(options["data-dir"]);
  const port = Number(options.port);
  await mustBeFree(port);
  if (options.fresh) rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });

  const serviceDir = join(dataDir, "service");
  const logPath = join(dataDir, "service.log");
  const [chain, startService] = await step("Node and 60 days of history", () =>
    Promise.all([
      prepareDemoChain({ dataDir: join(dataDir, "chain"), fresh: false }),
      import("./service.ts").then(({ prepareService }) => prepareService(serviceDir, logPath)),
    ]),
  );
  running.unshift({ title: "node", stop: () => chain.stop() });
  void chain.anvil.exited.then(() => end(`The chain's node (process ${chain.anvil.pid}) has ended.`));
  if (ending.signal.aborted) return;

  const statePath = join(dataDir, "receiver.json");
  const state = await readReceiverState(statePath);
  const receiver = await startReceiver(state.port, state.webhook?.secret);
  running.unshift({ title: "receiver", stop: () => receiver.stop() });
  const configPath = join(dataDir, "config.yaml");
  const ingestToken = ingestTokenIn(join(dataDir, "ingest-token"));
  await writeDemoConfig({
    path: configPath,
    dataDir: serviceDir,
    host: HOST,
    port,
    adminPort: 0,
    rpcUrl: chain.rpcUrl,
    deployment: chain.deployment,
    ingestTokenSha256: sha256Of(ingestToken),
    smtpUrl: receiver.smtpUrl,
  });
  const service = await step("Service and database", () => startService(configPath, CONSOLE_DIR));
  running.unshift({ title: "service", stop: () => service.lifecycle.stop("the demo ends") });
  void service.ended.then((reason) => end(`The service has ended: ${reason}. Its log is ${logPath}.`));
  if (ending.signal.aborted) return;

  const url = service.url as string;
  const vaultCount = Object.keys(chain.deployment.trios).length + CURATED_FAMILIES.length + 2;
  await step("Reading the chain's past", async () => {
    await caughtUp(url, vaultCount);
    await grantViewOnly(url, chain.deployment.chainId, chain.deployment.trios.prime.vault);
  });
  await step("Channels and a webhook", () =>
    makeDemoChannels({ serviceUrl: url, receiver, statePath, state }),
  );
  if (ending.signal.aborted) return;
  const onChain = {
    rpcUrl: chain.rpcUrl,
    deployment: chain.deployment,
    signal: ending.signal,
    workQueue: createWorkQueue(),
  };
  const relay = await openRelay(url);
  running.unshift({ title: "relay", stop: () => relay.close() });
  const engine = await startEngine({
    ...onChain,
    serviceUrl: relay.url,
    token: ingestToken,
    spoolDir: join(dataDir, "engine"),
  });
  running.unshift({ title: "engine", stop: () => engine.stop() });
  const actors = startActors(onChain);
  running.unshift({ title: "actors", stop: () => actors.stop() });

  console.log(
    welcome({
      url,
      adminUrl: service.adminUrl,
      rpcUrl: chain.rpcUrl,
      receiverUrl: receiver.url,
      deployment: chain.deployment,
      logPath,
      configPath,
    }),
  );
  if (options.scenario) {
    const name = options.scenario as ScenarioName;
    await step(`Scenario ${name}: ${SCENARIOS[name]}`, () =>
      runScenario(name, { ...onChain, engine, relay }),
    );
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: "8080" },
        "data-dir": { type: "string", default: ".vaultops-demo" },
        fresh: { type: "boolean", default: false },
        scenario: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) < 1 || Number(values.port) > 65_535)
      throw new Error("--port is a number from 1 to 65535.");
    if (values.scenario !== undefined && !(values.scenario in SCENARIOS)) {
      throw new Error(
        `There is no scenario "${values.scenario}"; there is ${Object.keys(SCENARIOS).join(", ")}.`,
      );
    }
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}

async function mustBeFree(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === "EADDRINUSE"
          ? "is in use by another program"
          : `cannot be listened on (${error.code})`;
      reject(
        new Error(
          `port ${port} ${reason}. Choose another: ${COMMAND} --port ${port < 65_000 ? port + 1000 : 8081}`,
        ),
      );
    });
    probe.listen(port, HOST, () => probe.close(() => resolve()));
  });
}

/** Runs one step of the start, with its time, and a dot a second meanwhile. */
async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  process.stderr.write(`${title} `);
  const dots = setInterval(() => process.stderr.write("."), 1000);
  try {
    const result = await work();
    process.stderr.write(` ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    throw new StepError(title, error);
  } finally {
    clearInterval(dots);
  }
}

/** Resolves when the service knows every vault and stands at the chain's head. */
async function caughtUp(url: string, vaultCount: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < 180_000; waitedMs += 250) {
    const [vaults, chains] = await Promise.all([
      getJson(`${url}/api/v1/public/vaults`),
      getJson(`${url}/api/v1/chains`),
    ]);
    const known = (vaults as { pps: unknown }[]).filter(({ pps }) => pps !== null).length;
    const { lag_seconds: lag } = (chains as { lag_seconds: number | null }[])[0] ?? { lag_seconds: null };
    if (known >= vaultCount && lag !== null && lag < 15) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error("the service has not caught up with the chain within 3 minutes; its log says why");
}

/** Account 2 may look at one vault: granted through the API, as a manager would. */
async function grantViewOnly(url: string, chainId: number, vault: string): Promise<void> {
  const token = await tokenCommand({ baseUrl: url, privateKey: demoAccount(0).privateKey });
  // A role counts for writing once its block is confirmed, which the history's are after a few blocks.
  for (const startedAt = Date.now(); ; ) {
    const response = await fetch(
      `${url}/api/v1/vaults/${chainId}/${vault}/members/${demoAccount(2).address}`,
      {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ role: "view_only" }),
      },
    );
    if (response.ok) return;
    if (Date.now() - startedAt > 180_000)
      throw new Error(`view_only could not be granted: ${await response.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

/**
 * Ends everything in the opposite order of its start, within 15 s: on a signal, and when what is returned is called with what has died.
 * A second signal ends it at once.
 */
function endOnSignals(
  ending: AbortController,
  running: { title: string; stop(): Promise<unknown> }[],
): (death: string) => Promise<void> {
  let sinceMs = 0;
  const endAll = async (code: number) => {
    sinceMs = Date.now();
    process.stderr.write("\nEnding …\n");
    ending.abort();
    setTimeout(() => process.exit(1), 15_000).unref();
    for (const { title, stop } of running) {
      await stop().catch((error) =>
        console.error(`${title}: ${error instanceof Error ? error.message : error}`),
      );
    }
    process.exit(code);
  };
  const onSignal = async () => {
    // The terminal and npm both pass one Ctrl-C on.
    if (sinceMs > 0 && Date.now() - sinceMs < 500) return;
    if (sinceMs > 0) process.exit(1);
    await endAll(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  return async (death) => {
    if (sinceMs > 0) return;
    console.error(`\n${death} The demo cannot go on; start it again, and it takes up what was saved.`);
    await endAll(1);
  };
}
