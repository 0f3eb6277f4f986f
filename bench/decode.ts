// Decoding logs to facts, against viem's decodeEventLog by topic on the same logs: events a second, over a mix of what a vault
// emits. Logs are as the node gives them; what is measured is from there to a fact.
import pino from "pino";
import { type AbiEvent, decodeEventLog, getAddress, type Hex, toEventHash } from "viem";
import { encodeEvent, readEventTable } from "../demo/src/events.ts";
import { Directory, type KnownVault, type Source } from "../server/src/chain/directory.ts";
import { createFamilies } from "../server/src/chain/families/registry.ts";
import type { RawLog } from "../server/src/chain/rpc/raw.ts";
import { type Figure, interleave } from "./support/figure.ts";

const VAULT = getAddress("0xb000000000000000000000000000000000000001");
const STRATEGY = getAddress("0xb000000000000000000000000000000000000002");
const AGGREGATOR = getAddress("0xa000000000000000000000000000000000000001");
const ROUNDS = 7;
/** Different wallets in the logs: a checksum costs a hash the first time. */
const WALLETS = 5_000;

/** What a vault emits, most of it flows of its holders. */
const MIX: [signature: string, emitter: Hex, share: number][] = [
  ["Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)", VAULT, 30],
  ["Transfer(address indexed from, address indexed to, uint256 value)", VAULT, 30],
  [
    "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    VAULT,
    15,
  ],
  ["PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)", AGGREGATOR, 15],
  [
    "RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS)",
    STRATEGY,
    5,
  ],
  ["YieldSourceAdded(address indexed source, address indexed oracle)", STRATEGY, 5],
];

export const figure: Figure = {
  name: "decode logs to facts",
  against: "viem decodeEventLog by topic",
  aim: 5,
  async run({ quick }) {
    const logs = makeLogs(quick ? 20_000 : 100_000);
    const family = createFamilies(pino({ level: "silent" })).supervault;
    const directory = makeDirectory();
    const abis = new Map<string, AbiEvent>(readEventTable().map(({ abi }) => [toEventHash(abi), abi]));

    const ours = () => {
      for (const log of logs)
        if (family.decode(log, directory) === null) throw new Error("a log was not decoded");
    };
    const viems = () => {
      for (const log of logs) {
        const abi = abis.get(log.topics[0]!)!;
        decodeEventLog({ abi: [abi], topics: log.topics as [Hex, ...Hex[]], data: log.data });
      }
    };
    return await interleave({
      rounds: ROUNDS,
      unit: "events/s",
      ours: async () => rate(logs.length, ours),
      limit: async () => rate(logs.length, viems),
    });
  },
};

function rate(count: number, run: () => void): number {
  const start = performance.now();
  run();
  return (count * 1000) / (performance.now() - start);
}

function makeLogs(count: number): RawLog[] {
  const templates = MIX.flatMap(([signature, emitter, share]) =>
    Array.from({ length: share }, () => ({ signature, emitter })),
  );
  return Array.from({ length: count }, (_, index) => {
    // A stride that visits every template, so that kinds alternate as they do on a chain.
    const { signature, emitter } = templates[(index * 37) % templates.length]!;
    const wallet = (offset: number) => `0x${((index * 7 + offset) % WALLETS).toString(16).padStart(40, "9")}`;
    const args = /\((.*)\)/
      .exec(signature)![1]!
      .split(", ")
      .map((parameter, at) => {
        if (parameter.startsWith("address[]")) return [wallet(1), wallet(2), wallet(3)];
        if (parameter.includes("strategy")) return STRATEGY;
        return parameter.startsWith("address") ? wallet(at) : BigInt(index) * 10n ** 15n;
      });
    return {
      ...(encodeEvent(signature, args) as { topics: Hex[]; data: Hex }),
      address: emitter.toLowerCase() as Hex,
      blockNumber: index,
      blockHash: `0x${"11".repeat(32)}`,
      blockTimestamp: null,
      txHash: `0x${"22".repeat(32)}`,
      txIndex: 0,
      logIndex: 0,
    };
  });
}

function makeDirectory(): Directory {
  const source: Source = { family: "supervault", address: AGGREGATOR, governor: null, oracles: [] };
  const vault: KnownVault = {
    family: "supervault",
    address: VAULT,
    source,
    strategy: STRATEGY,
    escrow: null,
    asset: VAULT,
    share: null,
    assetDecimals: 6,
    shareDecimals: 6,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: true, erc7575: true },
  };
  const directory = new Directory();
  directory.addSource(source);
  directory.addVault(vault);
  return directory;
}
