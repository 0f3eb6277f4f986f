// Every action of a Morpho Vault V2: prepared, simulated, sent, mined, and what was foretold is what came.
import { type Address, keccak256, zeroAddress } from "viem";
import { afterAll, beforeAll } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute } from "../../../../../demo/src/chain.ts";
import { deployErc4626Vault, deployToken, ensureMulticall3 } from "../../../../../demo/src/deploy.ts";
import {
  createErc4626Adapter,
  createMarketAdapter,
  createMorphoVault,
  deployMorphoSystem,
  idData,
  submitAndRun,
} from "../../../../../demo/src/families/morpho-vault-v2.ts";
import { depositAssets } from "../../../../../demo/src/operate.ts";
import { Ground } from "../../../../test/actions.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { ACTIONS } from "../../../chain/families/morpho-vault-v2/actions.ts";
import { foretoldIsWhatComes, type Step } from "./test-steps.ts";

const DAY = 86_400;
const OWNER = addressOf("primaryManager");
const CURATOR = addressOf("otherManager");
const ALLOCATOR = addressOf("secondaryManager");
const SENTINEL = addressOf("viewer");
const ANYONE = addressOf("stranger");

let chain: TestChain;
let ground: Ground;
let vault: Address;
/** Values that are known once the contracts stand. */
const known: Record<string, string> = {};
beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  const system = await deployMorphoSystem(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const names = { name: "Prime", symbol: "P", owner: OWNER, curator: CURATOR };
  ({ vault } = await createMorphoVault(chain, system, { asset, ...names }));
  const target = await deployErc4626Vault(chain, { asset, name: "Lower", symbol: "L" });
  const adapter = await createErc4626Adapter(chain, system, vault, target);
  const data = idData.adapter(adapter);
  const timelocked = { contract: "MorphoVaultV2", address: vault, curator: CURATOR } as const;
  const govern = (name: string, args: readonly unknown[]) => submitAndRun(chain, timelocked, name, args);
  const call = (functionName: string, args: readonly unknown[], from: Address) =>
    execute(chain, { contract: "MorphoVaultV2", address: vault, functionName, args, from });
  await govern("setIsAllocator", [ALLOCATOR, true]);
  await call("setIsSentinel", [SENTINEL, true], OWNER);
  await govern("addAdapter", [adapter]);
  await govern("increaseAbsoluteCap", [data, 1_000_000n]);
  await govern("increaseRelativeCap", [data, 10n ** 18n]);
  await depositAssets(chain, { vault, asset }, demoAccount(10).address, 1_000_000n);
  await call("allocate", [adapter, "0x", 600_000n], ALLOCATOR);
  Object.assign(known, {
    ADAPTER: adapter,
    MARKET_ADAPTER: await createMarketAdapter(chain, system, vault),
    ID: keccak256(data),
    ID_DATA: data,
    MARKET: `0x${"11".repeat(32)}`,
  });
  ground = await Ground.start(chain, [
    { family: "morpho_vault_v2", factory: null, vaults: [{ address: vault, start_block: null }] },
  ]);
});
afterAll(async () => {
  await ground?.stop();
  await chain?.stop();
});

const STEPS: Step[] = [
  [CURATOR, "submit_set_performance_fee_recipient", { new_performance_fee_recipient: ANYONE }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_set_management_fee_recipient", { new_management_fee_recipient: ANYONE }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_set_management_fee", { new_management_fee: "1000000000" }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_increase_timelock", { selector: "setPerformanceFee", new_duration: String(DAY) }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_set_performance_fee", { new_performance_fee: "100000000000000000" }],
  { refused: [ANYONE, "accept", { id: "PENDING" }], because: "It can be executed from" },
  {
    refused: [CURATOR, "submit_set_performance_fee", { new_performance_fee: "500000000000000001" }],
    because: "at most 50 %",
  },
  {
    refused: [ALLOCATOR, "submit_set_performance_fee", { new_performance_fee: "1" }, ALLOCATOR],
    because: "who alone may do this",
  },
  DAY,
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_decrease_timelock", { selector: "setPerformanceFee", new_duration: "3600" }],
  [SENTINEL, "revoke", { id: "PENDING" }],
  [CURATOR, "submit_set_is_allocator", { account: ANYONE, new_is_allocator: true }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_set_receive_shares_gate", { new_receive_shares_gate: zeroAddress }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_set_send_shares_gate", { new_send_shares_gate: ANYONE }],
  [CURATOR, "submit_set_receive_assets_gate", { new_receive_assets_gate: ANYONE }],
  [CURATOR, "submit_set_send_assets_gate", { new_send_assets_gate: ANYONE }],
  [CURATOR, "submit_add_adapter", { account: "MARKET_ADAPTER" }],
  [ANYONE, "accept", { id: "PENDING" }],
  [
    CURATOR,
    "submit_set_force_deallocate_penalty",
    { adapter: "ADAPTER", new_force_deallocate_penalty: "10000000000000000" },
  ],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_increase_absolute_cap", { id_data: "ID_DATA", new_absolute_cap: "2000000" }],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_increase_relative_cap", { id_data: "ID_DATA", new_relative_cap: "1000000000000000000" }],
  [SENTINEL, "decrease_absolute_cap", { id: "ID", cap: "500000" }],
  {
    refused: [CURATOR, "decrease_absolute_cap", { id: "ID", cap: "500001" }],
    because: "The cap of now is 500000",
  },
  [CURATOR, "decrease_relative_cap", { id: "ID", cap: "900000000000000000" }],
  [SENTINEL, "deallocate", { id: "ID", assets: "250000" }],
  [CURATOR, "submit_set_adapter_registry", { new_adapter_registry: ANYONE }],
  [CURATOR, "submit_abdicate", { selector: "setAdapterRegistry" }],
  [ANYONE, "accept", { id: "PENDING" }],
  {
    refused: [CURATOR, "submit_set_adapter_registry", { new_adapter_registry: ANYONE }],
    because: "given up (abdicated)",
  },
  [
    CURATOR,
    "submit_adapter_increase_timelock",
    { of_adapter: "MARKET_ADAPTER", selector: "burnShares", new_duration: "3600" },
  ],
  [ANYONE, "accept", { id: "PENDING" }],
  [
    CURATOR,
    "submit_adapter_decrease_timelock",
    { of_adapter: "MARKET_ADAPTER", selector: "burnShares", new_duration: "60" },
  ],
  [CURATOR, "submit_adapter_burn_shares", { of_adapter: "MARKET_ADAPTER", market_id: "MARKET" }],
  [CURATOR, "revoke", { id: "PENDING" }],
  [
    CURATOR,
    "submit_adapter_set_skim_recipient",
    { of_adapter: "MARKET_ADAPTER", new_skim_recipient: ANYONE },
  ],
  [ANYONE, "accept", { id: "PENDING" }],
  [CURATOR, "submit_adapter_abdicate", { of_adapter: "MARKET_ADAPTER", selector: "setSkimRecipient" }],
  [CURATOR, "submit_remove_adapter", { account: "MARKET_ADAPTER" }],
  [ANYONE, "accept", { id: "PENDING" }],
];

foretoldIsWhatComes("morpho_vault_v2", STEPS, ACTIONS, () => ({ ground, vault, known }));
