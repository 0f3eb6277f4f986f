// A real node (anvil) for tests, with the demo's contracts at hand.
import { type Address, encodeDeployData, getAddress } from "viem";
import { addressOf } from "../../demo/src/accounts.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain } from "../../demo/src/chain.ts";
import { type Artifacts, artifactOf } from "../../demo/src/compile.ts";

export interface TestChain extends DemoChain {
  stop(): Promise<void>;
}

export async function startTestChain(options: AnvilOptions = {}): Promise<TestChain> {
  const anvil: Anvil = await startAnvil(options);
  try {
    return { ...(await connectChain(anvil.rpcUrl)), stop: () => anvil.stop() };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** Deploys a contract that is not among the demo's. */
export async function deployArtifact(
  chain: DemoChain,
  artifacts: Artifacts,
  name: string,
  args: readonly unknown[] = [],
): Promise<Address> {
  const { abi, bytecode } = artifactOf(artifacts, name);
  const data = encodeDeployData({ abi, bytecode, args });
  const hash = await chain.client.sendTransaction({
    account: addressOf("deployer"),
    data,
    gas: 12_000_000n,
    chain: null,
  });
  const receipt = await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (!receipt.contractAddress || receipt.status !== "success") throw new Error(`${name} was not deployed`);
  return getAddress(receipt.contractAddress);
}
