/** A connection to the development node: calls and transactions by contract name, and control over its clock and mining. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Abi,
  type Address,
  type Chain,
  createTestClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  formatTransactionReceipt,
  getAddress,
  type Hash,
  type Hex,
  type HttpTransport,
  http,
  numberToHex,
  type PublicActions,
  publicActions,
  type TestClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type WalletActions,
  walletActions,
} from "viem";
import { addressOf } from "./accounts.ts";
import { type Artifacts, artifactOf, compileContracts } from "./compile.ts";
import { publishedContracts } from "./published.ts";

type Client = TestClient<"anvil", HttpTransport, Chain> &
  PublicActions<HttpTransport, Chain> &
  WalletActions<Chain>;

export interface DemoChain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly client: Client;
  readonly artifacts: Artifacts;
  /** What happens is known to go through, on a node that mines it at once: `execute` does not try it first, and sends and waits in one. */
  readonly isScripted?: boolean;
}

export interface Call {
  /** Name of a contract in `demo/contracts` or of a published one, for its ABI. */
  readonly contract: string;
  readonly address: Address;
  readonly functionName: string;
  readonly args?: readonly unknown[];
}

export interface Transaction extends Call {
  /** One of the node's own accounts, or one that it impersonates. */
  readonly from: Address;
  /** Where what is usual does not suffice: for what deploys a large contract. */
  readonly gas?: bigint;
}

// Ample for any call here. Set, because estimating runs each transaction twice and can fall short once the chain moves.
const CALL_GAS = 3_000_000n;
const RECEIPT_TIMEOUT_MS = 120_000;
const DEPLOY_GAS = 12_000_000n;

export const MULTICALL3_ADDRESS: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** Connects to a node that runs; the contracts are compiled if they have changed. */
export async function connectChain(rpcUrl: string): Promise<DemoChain> {
  const artifacts = { ...(await compileContracts()), ...publishedContracts() };
  const chainId = await createClient(rpcUrl, 0).getChainId();
  return { rpcUrl, chainId, client: createClient(rpcUrl, chainId), artifacts };
}

function createClient(rpcUrl: string, id: number): Client {
  const chain = defineChain({
    id,
    name: "VaultOps demo",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
    contracts: { multicall3: { address: MULTICALL3_ADDRESS } },
  });
  return createTestClient({
    mode: "anvil",
    chain,
    // Calls made in the same moment share one HTTP request; the node takes up a batch in its order.
    transport: http(rpcUrl, { retryCount: 0, timeout: 60_000, batch: { wait: 0, batchSize: 1000 } }),
    pollingInterval: 50,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
}

/** Calls a view at the latest block, or at one given. */
export async function read<T>(chain: DemoChain, call: Call, blockNumber?: bigint): Promise<T> {
  const { abi } = artifactOf(chain.artifacts, call.contract);
  const { address, functionName, args } = call;
  const at = blockNumber === undefined ? {} : { blockNumber };
  return (await chain.client.readContract({ abi, address, functionName, args: args ?? [], ...at })) as T;
}

/** Sends a transaction without waiting for a block; it may still revert there. */
export function send(chain: DemoChain, tx: Transaction): Promise<Hash> {
  const { from, ...rest } = encode(chain, tx);
  return chain.client.sendTransaction({ account: from, ...rest, chain: null });
}

interface Encoded {
  readonly from: Address;
  readonly to?: Address;
  readonly data: Hex;
  readonly gas: bigint;
}

function encode(chain: DemoChain, tx: Transaction): Encoded {
  const { abi } = artifactOf(chain.artifacts, tx.contract);
  const data = encodeFunctionData({ abi, functionName: tx.functionName, args: tx.args ?? [] });
  return { from: tx.from, to: tx.address, data, gas: tx.gas ?? CALL_GAS };
}

async function sendAndMine(chain: DemoChain, tx: Encoded, what: string): Promise<TransactionReceipt> {
  const params = [{ ...tx, gas: numberToHex(tx.gas) }];
  const request = { method: "eth_sendTransactionSync", params } as never;
  const receipt = formatTransactionReceipt(await chain.client.request(request));
  if (receipt.status === "reverted") throw new Error(`${what} reverted in block ${receipt.blockNumber}`);
  return receipt;
}

/** Tries a transaction at the latest block without sending it; throws viem's `ContractFunctionRevertedError` where it would revert. */
export async function simulate(chain: DemoChain, tx: Transaction): Promise<void> {
  const { abi } = artifactOf(chain.artifacts, tx.contract);
  const { address, functionName, from } = tx;
  const args = tx.args ?? [];
  // An error may come from a contract further on, so that all of them have to be known.
  const withErrors = [...abi, ...errorsOf(chain.artifacts)];
  await chain.client.simulateContract({ abi: withErrors, address, functionName, args, account: from });
}

/**
 * Sends a transaction and waits for its receipt. What would revert is refused before it is sent, with viem's
 * `ContractFunctionRevertedError`, which names the contract's own error.
 */
export async function execute(chain: DemoChain, tx: Transaction): Promise<TransactionReceipt> {
  if (chain.isScripted) return sendAndMine(chain, encode(chain, tx), `${tx.contract}.${tx.functionName}`);
  await simulate(chain, tx);
  return waitFor(chain, await send(chain, tx), `${tx.contract}.${tx.functionName}`);
}

/** Sends transactions that build on one another, in their order and without trying them first; resolves once all are mined. */
export async function executeTogether(chain: DemoChain, transactions: readonly Transaction[]): Promise<void> {
  const hashes: Hash[] = [];
  // One by one: a node that mines each at once gives two of the same sender that come together the same nonce.
  for (const transaction of transactions) hashes.push(await send(chain, transaction));
  for (const [index, hash] of hashes.entries()) {
    const { contract, functionName } = transactions[index] as Transaction;
    await waitFor(chain, hash, `${contract}.${functionName}`);
  }
}

const errorsByArtifacts = new WeakMap<Artifacts, Abi>();

function errorsOf(artifacts: Artifacts): Abi {
  const known = errorsByArtifacts.get(artifacts);
  if (known) return known;
  const errors = Object.values(artifacts).flatMap(({ abi }) => abi.filter((item) => item.type === "error"));
  errorsByArtifacts.set(artifacts, errors);
  return errors;
}

/** Deploys a contract of `demo/contracts` and returns its address. */
export async function deploy(
  chain: DemoChain,
  contract: string,
  args: readonly unknown[] = [],
  from: Address = addressOf("deployer"),
): Promise<Address> {
  const { abi, bytecode } = artifactOf(chain.artifacts, contract);
  const tx = { data: encodeDeployData({ abi, bytecode, args }), gas: DEPLOY_GAS };
  const receipt = chain.isScripted
    ? await sendAndMine(chain, { from, ...tx }, contract)
    : await waitFor(
        chain,
        await chain.client.sendTransaction({ account: from, ...tx, chain: null }),
        contract,
      );
  if (!receipt.contractAddress) throw new Error(`${contract} was not deployed`);
  return getAddress(receipt.contractAddress);
}

// Polled closely, as the node is next door and mines at once; viem's own wait goes by whole polling intervals.
async function waitFor(chain: DemoChain, hash: Hash, what: string): Promise<TransactionReceipt> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const receipt = await chain.client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError && Date.now() < deadline) return undefined;
      throw error;
    });
    if (receipt?.status === "reverted") throw new Error(`${what} reverted in block ${receipt.blockNumber}`);
    if (receipt) return receipt;
    await sleep(pauseMs);
  }
}

/** Mines one block, at the given unix time in seconds or else as the node's clock says. */
export async function mine(chain: DemoChain, timestamp?: bigint): Promise<void> {
  const params = timestamp === undefined ? [] : [{ timestamp: Number(timestamp) }];
  await chain.client.request({ method: "evm_mine", params } as never);
}

/** Moves the node's clock forward and mines a block there, so that what waits for a time may happen. */
export async function passTime(chain: DemoChain, seconds: number): Promise<void> {
  await chain.client.increaseTime({ seconds });
  await mine(chain);
}

/** The timestamp of the latest block, unix seconds. */
export async function now(chain: DemoChain): Promise<bigint> {
  return (await chain.client.getBlock()).timestamp;
}

/** Sets the node's clock to a unix time in seconds, from which it runs on. */
export async function setClock(chain: DemoChain, time: number): Promise<void> {
  await chain.client.request({ method: "anvil_setTime", params: [time] } as never);
}
