// A chain for the figures of ingestion: a node with vaults whose past holds as many events as asked for, in the mix of a busy
// deployment: half price updates (whose actor only the transaction tells), the rest flows of users, mints and burns.
import { readFile } from "node:fs/promises";
import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
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
import { encodeEvent, type RawLog } from "../../demo/src/events.ts";

export interface BusyChain {
  anvil: Anvil;
  chain: DemoChain;
  aggregator: Address;
  trios: Trio[];
  /** Emits one block of the usual mix. */
  block(): Promise<void>;
}

const TRIOS = 20;
const LOGS_PER_BLOCK = 40;

export async function startBusyChain(events: number, vaults = TRIOS): Promise<BusyChain> {
  const anvil = await startAnvil();
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
  const source = await readFile(new URL("./Burst.sol", import.meta.url), "utf8");
  const { abi, runtimeBytecode } = artifactOf(runSolc({ "Burst.sol": { content: source } }), "Burst");
  for (const address of [aggregator, ...trios.map(({ vault }) => vault)]) {
    await enableRawLogs(chain, address);
    await chain.client.setCode({ address, bytecode: runtimeBytecode });
  }
  await chain.client.setAutomine(false);

  let seed = 0;
  const users = demoAccounts()
    .slice(10)
    .map(({ address }) => address);
  const burst = (to: Address, from: Address, logs: RawLog[]) => {
    const args = [
      logs.flatMap(({ topics }) => topics),
      logs.map(({ topics }) => BigInt(topics.length)),
      logs.map(({ data }) => data),
    ];
    const data: Hex = encodeFunctionData({ abi, functionName: "burst", args });
    return chain.client.sendUnsignedTransaction({ from, to, data, gas: 5_000_000n });
  };
  const block = async () => {
    seed += 1;
    const user = users[seed % users.length]!;
    const trio = trios[seed % trios.length]!;
    const prices = Array.from({ length: LOGS_PER_BLOCK / 2 }, (_, index) =>
      encodeEvent(PPS_UPDATED, [
        trios[index % trios.length]!.strategy,
        1_000_000n + BigInt(seed),
        1_700_000_000n + BigInt(seed),
      ]),
    );
    const flows = Array.from({ length: LOGS_PER_BLOCK / 4 }, (_, index) => {
      const amount = BigInt(seed * 1_000 + index);
      return index % 3 === 0
        ? [
            encodeEvent(TRANSFER, [user, zeroAddress, amount]),
            encodeEvent(WITHDRAW, [user, user, user, amount, amount]),
          ]
        : [
            encodeEvent(TRANSFER, [zeroAddress, user, amount]),
            encodeEvent(DEPOSIT, [user, user, amount, amount]),
          ];
    }).flat();
    await Promise.all([burst(aggregator, addressOf("ppsKeeper"), prices), burst(trio.vault, user, flows)]);
    await chain.client.mine({ blocks: 1 });
  };
  for (let made = 0; made < events; made += LOGS_PER_BLOCK) await block();
  return { anvil, chain, aggregator, trios, block };
}

const PPS_UPDATED = "PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)";
const TRANSFER = "Transfer(address indexed from, address indexed to, uint256 value)";
const DEPOSIT = "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)";
const WITHDRAW =
  "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";
