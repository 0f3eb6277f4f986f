// What this service's backfill figure reads, as Ponder reads it: the same node, contracts and events.
//
// Ponder paces its requests by the address of a node: 20 a second at first, a twentieth more after five seconds that were full, never over 500;
// no setting changes that (rpc/index.ts of its 0.16). As it asks for each block by itself, one address means 20 blocks a second, however fast the
// node. This node has no limit, so it is named often enough that the pace never holds Ponder back.
import { createConfig, factory } from "ponder";
import { parseAbi, parseAbiItem } from "viem";

const TIMES_NAMED = 64;

const aggregator = process.env.AGGREGATOR as `0x${string}`;
const deployed = parseAbiItem(
  "event VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce)",
);

export default createConfig({
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL as string },
  chains: {
    node: {
      id: Number(process.env.CHAIN_ID),
      rpc: Array<string>(TIMES_NAMED).fill(process.env.RPC_URL as string),
    },
  },
  contracts: {
    Aggregator: {
      chain: "node",
      address: aggregator,
      abi: [
        deployed,
        ...parseAbi(["event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)"]),
      ],
      startBlock: 0,
    },
    Vault: {
      chain: "node",
      address: factory({ address: aggregator, event: deployed, parameter: "vault" }),
      abi: parseAbi([
        "event Transfer(address indexed from, address indexed to, uint256 value)",
        "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
        "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
      ]),
      startBlock: 0,
    },
  },
});
