// A chain for the figures of ingestion: a node with vaults whose past holds as many events as asked for, in the mix of a busy
// deployment: half price updates (whose actor only the transaction tells), the rest flows of users, mints and burns.
//
// A million events are made in minutes: many logs by one call, put together without an encoder, and a block by one request.
import { readFile } from "node:fs/promises";
import { type Address, encodeFunctionData, type Hex, numberToHex, toEventSelector, zeroAddress } from "viem";
import { addressOf, demoAccounts } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain } from "../../demo/src/chain.ts";
import { artifactOf, runSolc } from "../../demo/src/compile.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  enableRawLogs,
  ensureMulticall3,
  type Trio,
} from "../../demo/src/deploy.ts";
import type { SourceSettings } from "../../server/src/ingest/block/settings.ts";

export interface BusyChain {
  anvil: Anvil;
  chain: DemoChain;
  aggregator: Address;
  sources: readonly SourceSettings[];
  trios: Trio[];
  /** How long the past took to make. */
  seconds: number;
  /** Emits one block of the usual mix. */
  block(): Promise<void>;
}

const TRIOS = 20;
const LOGS_PER_BLOCK = 40;
const GAS: Hex = "0x4c4b40";

const PPS_UPDATED = toEventSelector("PPSUpdated(address,uint256,uint256)");
const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const DEPOSIT = toEventSelector("Deposit(address,address,uint256,uint256)");
const WITHDRAW = toEventSelector("Withdraw(address,address,address,uint256,uint256)");

/** @param logsPerBlock a multiple of eight: four prices, and two flows of two logs each */
export async function startBusyChain(
  events: number,
  { vaults = TRIOS, logsPerBlock = LOGS_PER_BLOCK }: { vaults?: number; logsPerBlock?: number } = {},
): Promise<BusyChain> {
  // Of a long past the node would write every block's state to disk, which takes longer than making it.
  const anvil = await startAnvil({ persistedStates: 0 });
  const chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const { aggregator } = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const trios: Trio[] = [];
  for (let index = 0; index < vaults; index += 1) {
    trios.push(
      await createTrio(chain, { aggregator } as never, {
        asset,
        name: `Vault ${index}`,
        symbol: `V${index}`,
      }),
    );
  }
  const burst = await enableBursts(chain, [aggregator, ...trios.map(({ vault }) => vault)]);
  await chain.client.setAutomine(false);

  let seed = 0;
  const users = demoAccounts()
    .slice(10)
    .map(({ address }) => address);
  const next = (): Request[] => {
    seed += 1;
    const user = users[seed % users.length]!;
    const trio = trios[seed % trios.length]!;
    const prices = Array.from({ length: logsPerBlock / 2 }, (_, index) => {
      const { strategy } = trios[((seed * logsPerBlock) / 2 + index) % trios.length]!;
      return packed([PPS_UPDATED, strategy], [1_000_000 + seed, 1_700_000_000 + seed]);
    });
    const flows = Array.from({ length: logsPerBlock / 4 }, (_, index) => {
      const amount = seed * 1_000 + index;
      return index % 3 === 0
        ? packed([TRANSFER, user, zeroAddress], [amount]) +
            packed([WITHDRAW, user, user, user], [amount, amount])
        : packed([TRANSFER, zeroAddress, user], [amount]) + packed([DEPOSIT, user, user], [amount, amount]);
    });
    return [
      burst(aggregator, addressOf("ppsKeeper"), prices),
      burst(trio.vault, user, flows),
      { method: "anvil_mine", params: [numberToHex(1)] },
    ];
  };
  const block = () => send(anvil.rpcUrl, next());
  const startedAt = performance.now();
  for (let made = 0; made < events; made += logsPerBlock) await block();
  const seconds = (performance.now() - startedAt) / 1000;
  const sources: SourceSettings[] = [{ family: "supervault", aggregator }];
  return { anvil, chain, aggregator, sources, trios, seconds, block };
}

/** Has these contracts emit many logs by one call, which it makes. */
export async function enableBursts(
  chain: DemoChain,
  addresses: readonly Address[],
): Promise<(to: Address, from: Address, logs: readonly string[]) => Request> {
  const source = await readFile(new URL("./Burst.sol", import.meta.url), "utf8");
  const { abi, runtimeBytecode } = artifactOf(runSolc({ "Burst.sol": { content: source } }), "Burst");
  for (const address of addresses) {
    await enableRawLogs(chain, address);
    await chain.client.setCode({ address, bytecode: runtimeBytecode });
  }
  return (to, from, logs) => {
    const data = encodeFunctionData({ abi, functionName: "burst", args: [`0x${logs.join("")}`] });
    return { method: "eth_sendUnsignedTransaction", params: [{ from, to, data, gas: GAS }] };
  };
}

export interface Request {
  method: string;
  params: unknown[];
}

/** As one batch, which the node takes up in its order. */
export async function send(rpcUrl: string, requests: Request[]): Promise<void> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requests.map((request, id) => ({ jsonrpc: "2.0", id, ...request }))),
  });
  const answers = (await response.json()) as { error?: { message: string } }[];
  for (const { error } of answers) if (error) throw new Error(error.message);
}

/** A log as Burst.sol reads it: topics as words or addresses, data as numbers. */
export function packed(topics: Hex[], data: number[]): string {
  const words = [...topics.map((topic) => topic.slice(2).toLowerCase()), ...data.map((n) => n.toString(16))];
  const size = (data.length * 32).toString(16).padStart(6, "0");
  return `0${topics.length}${size}${words.map((word) => word.padStart(64, "0")).join("")}`;
}
