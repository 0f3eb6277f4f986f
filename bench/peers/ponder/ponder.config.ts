// What this service's backfill figure reads, as Ponder reads it: the same node, contracts and events.
import { createConfig, factory } from "ponder";
import { parseAbi, parseAbiItem } from "viem";

const aggregator = process.env.AGGREGATOR as `0x${string}`;
const deployed = parseAbiItem(
  "event VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce)",
);

export default createConfig({
  database: { kind: "postgres", connectionString: process.env.DATABASE_URL as string },
  chains: { node: { id: Number(process.env.CHAIN_ID), rpc: process.env.RPC_URL as string } },
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
