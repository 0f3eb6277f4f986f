/** Vaults that factories make: what the factory announces, and what the two families of curated vaults are created with. */
import { type Address, getAddress, type Hex, parseEventLogs, type TransactionReceipt, zeroHash } from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, execute } from "../chain.ts";
import { artifactOf } from "../compile.ts";

/** The address in an event of a factory. */
export function announced(
  chain: DemoChain,
  receipt: TransactionReceipt,
  contract: string,
  eventName: string,
  argument: string,
): Address {
  const { abi } = artifactOf(chain.artifacts, contract);
  const [log] = parseEventLogs({ abi, logs: receipt.logs, eventName });
  const address = (log as unknown as { args: Record<string, Address> } | undefined)?.args[argument];
  if (!address) throw new Error(`${contract} announced no ${argument}`);
  return getAddress(address);
}

export interface CuratedVaultOptions {
  readonly asset: Address;
  readonly name: string;
  readonly symbol: string;
  readonly owner?: Address;
  readonly timelockSeconds?: number;
  readonly salt?: Hex;
}

/** Owner, timelock, asset, name and symbol, in the order of the constructors. */
export function creationArguments(options: CuratedVaultOptions): readonly unknown[] {
  const { asset, name, symbol, owner = addressOf("primaryManager"), timelockSeconds = 0 } = options;
  return [owner, BigInt(timelockSeconds), asset, name, symbol];
}

// A vault is larger than what any other call here makes.
const FACTORY_GAS = 8_000_000n;

/** Through a factory whose call is `create…`, whose event is the same in capitals, with the vault as its argument `kind`. */
export async function createCurated(
  chain: DemoChain,
  factory: { readonly contract: string; readonly address: Address; readonly kind: string },
  options: CuratedVaultOptions,
  from: Address,
): Promise<Address> {
  const { contract, address, kind } = factory;
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const receipt = await execute(chain, {
    contract,
    address,
    functionName: `create${name}`,
    args: [...creationArguments(options), options.salt ?? zeroHash],
    from,
    gas: FACTORY_GAS,
  });
  return announced(chain, receipt, contract, `Create${name}`, kind);
}
