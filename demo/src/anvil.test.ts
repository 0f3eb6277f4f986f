import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountAddress } from "./accounts.ts";
import { type Anvil, type AnvilError, startAnvil } from "./anvil.ts";
import { connectChain, execute, passTime } from "./chain.ts";
import { deployToken } from "./deploy.ts";

let dir: string;
const running: Anvil[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-anvil-"));
});

afterEach(async () => {
  for (const anvil of running.splice(0)) await anvil.stop();
  await rm(dir, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startAnvil>[0]): Promise<Anvil> {
  const anvil = await startAnvil(options);
  running.push(anvil);
  return anvil;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a node answers with its chain id, and is gone once stopped", async () => {
  const anvil = await start({ chainId: 4242 });
  expect((await connectChain(anvil.rpcUrl)).chainId).toBe(4242);
  expect(isAlive(anvil.pid)).toBe(true);
  await anvil.stop();
  await anvil.stop();
  expect(isAlive(anvil.pid)).toBe(false);
});

test("a taken port is refused by number", async () => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  const refusal = startAnvil({ port }).catch((error: AnvilError) => error);
  await expect(refusal).resolves.toMatchObject({
    code: "port_taken",
    message: expect.stringContaining(`${port}`),
  });
  server.close();
});

test("a reload keeps blocks, transactions, receipts and logs as they were, and time goes on from now", async () => {
  const statePath = join(dir, "state.json");
  const first = await start({ chainId: 4242, statePath, genesisTimestamp: 1_700_000_000 });
  const before = await connectChain(first.rpcUrl);
  const token = await deployToken(before, { name: "Kept", symbol: "KEPT", decimals: 6 });
  const mint = { contract: "Token", address: token, functionName: "mint", from: accountAddress(0) };
  for (let index = 0; index < 5; index++) {
    await passTime(before, 3600);
    await execute(before, { ...mint, args: [accountAddress(index), 7n] });
  }
  const head = await before.client.getBlockNumber();
  const everything = { fromBlock: 0n, toBlock: head };
  const logs = await before.client.getLogs(everything);
  const blocks = await Promise.all(
    Array.from({ length: Number(head) + 1 }, (_, n) => before.client.getBlock({ blockNumber: BigInt(n) })),
  );
  await first.stop();

  const second = await start({ chainId: 4242, statePath });
  const after = await connectChain(second.rpcUrl);
  expect(await after.client.getBlockNumber()).toBe(head);
  expect(await after.client.getLogs(everything)).toEqual(logs);
  for (const block of blocks) {
    const again = await after.client.getBlock({ blockNumber: block.number });
    expect([again.hash, again.parentHash, again.timestamp, again.transactions]).toEqual([
      block.hash,
      block.parentHash,
      block.timestamp,
      block.transactions,
    ]);
    for (const hash of block.transactions) {
      expect((await after.client.getTransactionReceipt({ hash })).blockHash).toBe(block.hash);
      expect((await after.client.getTransaction({ hash })).blockNumber).toBe(block.number);
    }
  }
  const askedAt = Date.now() / 1000;
  await execute(after, { ...mint, args: [accountAddress(0), 1n] });
  const doneAt = Date.now() / 1000;
  const next = await after.client.getBlock();
  expect(next.parentHash).toBe(blocks.at(-1)?.hash);
  expect(Number(next.timestamp)).toBeGreaterThan(askedAt - 30);
  expect(Number(next.timestamp)).toBeLessThan(doneAt + 30);
});

test("block 0 is the same after every reload", async () => {
  const statePath = join(dir, "state.json");
  const genesis: string[] = [];
  for (let reload = 0; reload < 5; reload++) {
    const anvil = await start(reload === 0 ? { statePath, genesisTimestamp: 1_700_000_000 } : { statePath });
    const { client } = await connectChain(anvil.rpcUrl);
    genesis.push((await client.getBlock({ blockNumber: 0n })).hash);
    await passTime(await connectChain(anvil.rpcUrl), 10);
    await anvil.stop();
  }
  expect(new Set(genesis).size).toBe(1);
  const { blocks } = JSON.parse(await readFile(statePath, "utf8"));
  expect(blocks.length).toBeLessThanOrEqual(7);
});

test("half a state file, as a kill during its writing leaves it, falls back to the last good start", async () => {
  const statePath = join(dir, "state.json");
  const first = await start({ statePath });
  await passTime(await connectChain(first.rpcUrl), 10);
  await first.stop();
  const second = await start({ statePath });
  await passTime(await connectChain(second.rpcUrl), 10);
  await second.stop();
  await truncate(statePath, 1000);

  const third = await start({ statePath });
  expect(await (await connectChain(third.rpcUrl)).client.getBlockNumber()).toBe(1n);
  await third.stop();

  await writeFile(statePath, "{");
  await writeFile(`${statePath}.last`, "");
  await expect(startAnvil({ statePath })).rejects.toMatchObject({ code: "state_unreadable" });
});

test("the node dies with its parent, even one killed with -9, and writes its state first", async () => {
  const statePath = join(dir, "state.json");
  const anvilUrl = new URL("./anvil.ts", import.meta.url).href;
  const script = `
    const { startAnvil } = await import(${JSON.stringify(anvilUrl)});
    const anvil = await startAnvil({ statePath: ${JSON.stringify(statePath)}, blockTimeSeconds: 1 });
    console.log(JSON.stringify({ pid: anvil.pid, rpcUrl: anvil.rpcUrl }));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid, rpcUrl } = await new Promise<{ pid: number; rpcUrl: string }>((resolve) => {
    createInterface({ input: parent.stdout }).once("line", (line) => resolve(JSON.parse(line)));
  });
  expect(isAlive(pid)).toBe(true);
  const { client } = await connectChain(rpcUrl);
  await expect.poll(() => client.getBlockNumber()).toBeGreaterThan(0n);
  parent.kill("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
  const state = JSON.parse(await readFile(statePath, "utf8"));
  expect(state.blocks.length).toBeGreaterThan(1);
});
