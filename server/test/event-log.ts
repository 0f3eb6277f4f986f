// For tests: a log at some place, and a directory that knows one trio and one plain vault.
import { getAddress, type Hex } from "viem";
import { Directory, type KnownVault, type Source } from "../src/chain/directory.ts";
import type { RawLog } from "../src/chain/rpc/raw.ts";

const address = (first: string, last: number) =>
  getAddress(`0x${first}${last.toString(16).padStart(39, "0")}`);

export const ADDRESSES = {
  aggregator: address("a", 1),
  governor: address("a", 2),
  oracle: address("a", 3),
  vault: address("b", 1),
  strategy: address("b", 2),
  escrow: address("b", 3),
  asset: address("b", 4),
  plain: address("c", 1),
  user: address("d", 1),
};

const CAPABILITIES = { erc7540_deposit: false, erc7540_redeem: false, erc7575: false };

export function rawLog(log: { topics: readonly Hex[]; data: Hex }, place: Partial<RawLog> = {}): RawLog {
  return {
    address: ADDRESSES.vault.toLowerCase() as Hex,
    topics: [...log.topics],
    data: log.data,
    blockNumber: 7,
    blockHash: `0x${"77".repeat(32)}`,
    blockTimestamp: null,
    txHash: `0x${"88".repeat(32)}`,
    txIndex: 0,
    logIndex: 0,
    ...place,
  };
}

export function knownTrio(source: Source, change: Partial<KnownVault> = {}): KnownVault {
  return {
    family: "supervault",
    address: ADDRESSES.vault,
    source,
    strategy: ADDRESSES.strategy,
    escrow: ADDRESSES.escrow,
    asset: ADDRESSES.asset,
    share: null,
    assetDecimals: 6,
    shareDecimals: 6,
    configuredPrimary: null,
    capabilities: CAPABILITIES,
    ...change,
  };
}

export function testDirectory(): Directory {
  const directory = new Directory();
  const trios: Source = {
    family: "supervault",
    address: ADDRESSES.aggregator,
    governor: ADDRESSES.governor,
    oracles: [ADDRESSES.oracle],
  };
  const plain: Source = { family: "erc4626", address: ADDRESSES.plain, governor: null, oracles: [] };
  directory.addSource(trios);
  directory.addSource(plain);
  directory.addVault(knownTrio(trios));
  directory.addVault(
    knownTrio(plain, { family: "erc4626", address: ADDRESSES.plain, strategy: null, escrow: null }),
  );
  return directory;
}
