// Every action of a SuperVault: prepared, simulated, sent, mined, and what was foretold is what came.
import { afterAll, beforeAll } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import {
  createTrio,
  deployAggregator,
  deployErc4626Vault,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../../demo/src/deploy.ts";
import { depositAssets, mintTokens } from "../../../../../demo/src/operate.ts";
import { Ground } from "../../../../test/actions.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { ACTIONS } from "../../../chain/families/supervault/actions.ts";
import { foretoldIsWhatComes, type Step } from "./test-steps.ts";

const DAY = 86_400;
const PRIMARY = addressOf("primaryManager");
const SECONDARY = addressOf("secondaryManager");
const OTHER = addressOf("otherManager");
const STRANGER = addressOf("stranger");
const GOVERNOR = addressOf("deployer");

let chain: TestChain;
let ground: Ground;
let system: VaultSystem;
let trio: Trio;
/** Addresses that are known once they are deployed. */
const places: Record<string, string> = {};
beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  trio = await createTrio(chain, system, {
    asset,
    name: "Prime",
    symbol: "P",
    secondaryManagers: [SECONDARY],
  });
  await depositAssets(chain, { vault: trio.vault, asset }, demoAccount(10).address, 1_000_000n);
  places.SOURCE = await deployErc4626Vault(chain, { asset, name: "Lower", symbol: "L" });
  places.ORACLE = system.yieldSourceOracle;
  await mintTokens(chain, system.upkeepToken, STRANGER, 1_000_000n);
  ground = await Ground.start(chain, [{ family: "supervault", aggregator: system.aggregator }]);
});
afterAll(async () => {
  await ground?.stop();
  await chain?.stop();
});

const ROOT = `0x${"5a".repeat(32)}`;

const STEPS: Step[] = [
  [PRIMARY, "pause"],
  [SECONDARY, "unpause"],
  [PRIMARY, "add_secondary_manager", { manager: OTHER }],
  [PRIMARY, "remove_secondary_manager", { manager: OTHER }],
  [SECONDARY, "propose_primary_manager", { new_manager: OTHER, fee_recipient: STRANGER }],
  [PRIMARY, "cancel_primary_manager"],
  [
    PRIMARY,
    "propose_fee_config",
    { performance_fee_bps: "1200", management_fee_bps: "50", recipient: OTHER },
  ],
  [PRIMARY, "propose_hooks_root", { root: ROOT }],
  [PRIMARY, "propose_pps_expiration", { pps_expiration_seconds: "7200" }],
  [PRIMARY, "propose_min_update_interval", { min_update_interval_seconds: "30" }],
  [PRIMARY, "update_deviation_threshold", { threshold: "100000000000000000" }],
  8 * DAY,
  [PRIMARY, "execute_fee_config"],
  [STRANGER, "execute_hooks_root"],
  [GOVERNOR, "veto_hooks_root", { vetoed: true }, GOVERNOR],
  [GOVERNOR, "veto_hooks_root", { vetoed: false }, GOVERNOR],
  [PRIMARY, "execute_pps_expiration"],
  [STRANGER, "execute_min_update_interval"],
  [PRIMARY, "propose_pps_expiration", { pps_expiration_seconds: "3600" }],
  [PRIMARY, "cancel_pps_expiration"],
  [PRIMARY, "propose_min_update_interval", { min_update_interval_seconds: "45" }],
  [PRIMARY, "cancel_min_update_interval"],
  [STRANGER, "deposit_upkeep", { amount: "5000" }],
  [PRIMARY, "propose_upkeep_withdrawal"],
  2 * DAY,
  [STRANGER, "execute_upkeep_withdrawal"],
  [PRIMARY, "add_yield_source", { source: "SOURCE", oracle: "ORACLE" }],
  [PRIMARY, "change_yield_source_oracle", { source: "SOURCE", oracle: STRANGER }],
  [PRIMARY, "remove_yield_source", { source: "SOURCE" }],
  [SECONDARY, "propose_primary_manager", { new_manager: OTHER, fee_recipient: STRANGER }],
  8 * DAY,
  [STRANGER, "execute_primary_manager"],
];

foretoldIsWhatComes("supervault", STEPS, ACTIONS, () => ({ ground, vault: trio.vault, known: places }));
