// Every action of MetaMorpho, Euler Earn, Lagoon and the timelocks behind roles: prepared, simulated, sent, mined, and what was foretold is what came.
import { type Address, encodeFunctionData, type Hex, parseAbi, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, passTime } from "../../../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../../../demo/src/deploy.ts";
import { createEulerEarn, createStrategy, deployEuler } from "../../../../../demo/src/families/euler-earn.ts";
import {
  callLagoon,
  createLagoonVault,
  deployLagoon,
  type LagoonVault,
  requestLagoonDeposit,
} from "../../../../../demo/src/families/lagoon.ts";
import { createMarket, createMetaMorpho, deployMorpho } from "../../../../../demo/src/families/metamorpho.ts";
import { depositAssets } from "../../../../../demo/src/operate.ts";
import { Ground } from "../../../../test/actions.ts";
import { deployControllers } from "../../../../test/controllers.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { CONTROLLER_ACTIONS } from "../../../chain/controllers/actions.ts";
import { createFamilies } from "../../../chain/families/registry.ts";
import { silentLogger } from "../../../platform/log.ts";
import { foretoldIsWhatComes, type Step, take } from "./test-steps.ts";

const DAY = 86_400;
const OWNER = addressOf("primaryManager");
const CURATOR = addressOf("secondaryManager");
const ALLOCATOR = addressOf("viewer");
const GUARDIAN = addressOf("otherManager");
const ANYONE = addressOf("stranger");

type CuratedName = "metamorpho" | "euler_earn";
interface Curated {
  vault: Address;
  lines: { id: Hex; argument: unknown }[];
}

let chain: TestChain;
let ground: Ground;
const curated = {} as Record<CuratedName, Curated>;
let lagoon: LagoonVault;
let timelock: Address;
beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const controllers = await deployControllers(chain);
  timelock = await controllers.deployTimelock(DAY, [GUARDIAN], [GUARDIAN]);
  const names = { asset, name: "Vault", symbol: "cUSD", owner: OWNER, timelockSeconds: DAY };
  const morpho = await deployMorpho(chain);
  const lines = [];
  for (const lltv of [0n, 1n, 2n]) lines.push(await createMarket(chain, morpho, { loanToken: asset, lltv }));
  curated.metamorpho = {
    vault: await createMetaMorpho(chain, morpho, names),
    lines: lines.map(({ id, params }) => ({ id, argument: params })),
  };
  await openVault(curated.metamorpho, "MetaMorphoV1_1", asset);
  const euler = await deployEuler(chain);
  const strategies: Address[] = [];
  for (const name of ["A", "B", "C"])
    strategies.push(await createStrategy(chain, euler, { asset, name, symbol: name }));
  curated.euler_earn = {
    vault: await createEulerEarn(chain, euler, names),
    lines: strategies.map((id) => ({ id, argument: id })),
  };
  await openVault(curated.euler_earn, "EulerEarn", asset);
  lagoon = await createLagoonVault(chain, await deployLagoon(chain), {
    asset,
    name: "Lagoon",
    symbol: "L",
    owner: OWNER,
  });
  const configured = (address: Address) => ({ factory: null, vaults: [{ address, start_block: null }] });
  ground = await Ground.start(chain, [
    { family: "metamorpho", ...configured(curated.metamorpho.vault) },
    { family: "euler_earn", ...configured(curated.euler_earn.vault) },
    { family: "lagoon", ...configured(lagoon.vault) },
  ]);
});
afterAll(async () => {
  await ground?.stop();
  await chain?.stop();
});

/** Roles, two lines with caps, and a deposit in the first. */
async function openVault({ vault, lines }: Curated, contract: string, asset: Address): Promise<void> {
  const call = (functionName: string, args: readonly unknown[], from = OWNER) =>
    execute(chain, { contract, address: vault, functionName, args, from });
  await call("setCurator", [CURATOR]);
  await call("setIsAllocator", [ALLOCATOR, true]);
  for (const { argument } of lines.slice(0, 2)) await call("submitCap", [argument, 1_000_000n]);
  await passTime(chain, DAY + 1);
  for (const { argument } of lines.slice(0, 2)) await call("acceptCap", [argument], ANYONE);
  await call("setSupplyQueue", [lines.slice(0, 2).map(({ id }) => id)], ALLOCATOR);
  await depositAssets(chain, { vault, asset }, demoAccount(10).address, 500_000n);
}

const catalogueOf = (family: "metamorpho" | "euler_earn" | "lagoon") =>
  createFamilies(silentLogger())[family].actions!;

const CURATED_STEPS: Step[] = [
  [OWNER, "submit_guardian", { new_guardian: GUARDIAN }],
  [OWNER, "submit_guardian", { new_guardian: ANYONE }],
  [GUARDIAN, "revoke", { id: "PENDING" }],
  [OWNER, "submit_timelock", { new_timelock: String(2 * DAY) }],
  [OWNER, "submit_timelock", { new_timelock: String(DAY) }],
  [CURATOR, "submit_cap", { id: "LINE0", cap: "2000000" }],
  [CURATOR, "submit_cap", { id: "LINE2", cap: "1000" }],
  { refused: [CURATOR, "submit_cap", { id: "LINE2", cap: "1000" }], because: "is pending already" },
  [GUARDIAN, "revoke", { id: "PENDING" }],
  { refused: [CURATOR, "submit_cap", { id: "LINE1", cap: "1000" }], because: "The cap of now is 1000000" },
  { refused: [CURATOR, "decrease_cap", { id: "LINE1", cap: "1000001" }], because: "has to be submitted" },
  {
    refused: [ALLOCATOR, "decrease_cap", { id: "LINE1", cap: "1" }, ALLOCATOR],
    because: "who alone may do this",
  },
  2 * DAY,
  [ANYONE, "accept", { id: "PENDING" }],
  [ANYONE, "accept", { id: "PENDING" }],
  [ALLOCATOR, "deallocate", { from_id: "LINE0", to_id: "LINE1", assets: "120000" }],
  [CURATOR, "decrease_cap", { id: "LINE0", cap: "0" }],
  [CURATOR, "submit_market_removal", { id: "LINE0" }],
  [CURATOR, "revoke", { id: "PENDING" }],
];

for (const family of ["metamorpho", "euler_earn"] as const)
  foretoldIsWhatComes(family, CURATED_STEPS, catalogueOf(family), () => {
    const { vault, lines } = curated[family];
    return { ground, vault, known: Object.fromEntries(lines.map(({ id }, nth) => [`LINE${nth}`, id])) };
  });

describe("what is foretold is what comes: lagoon", () => {
  test("settles what was asked for with the total assets that were proposed", async () => {
    const { vault, safe, valuationManager, asset } = lagoon;
    const depositor = demoAccount(11).address;
    await requestLagoonDeposit(chain, lagoon, depositor, 1_000_000n);
    await callLagoon(chain, lagoon, valuationManager, "updateNewTotalAssets", 0n);
    await ground.settle();
    const proves = (step: Step) => take({ ground, vault }, step);
    await proves({ refused: [OWNER, "unpause"], because: "The vault is not paused." });
    await proves([OWNER, "pause"]);
    await proves({ refused: [OWNER, "pause"], because: "The vault is paused." });
    await proves([OWNER, "unpause"]);
    await proves({ refused: [safe, "settle_deposit", { total_assets: "1" }], because: "0 were proposed" });
    await proves([safe, "settle_deposit", { total_assets: "0" }]);
    const approve = { contract: "Token", address: asset, functionName: "approve", args: [vault, 10n ** 12n] };
    await execute(chain, { ...approve, from: safe });
    await callLagoon(chain, lagoon, depositor, "deposit", 1_000_000n, depositor, depositor);
    await callLagoon(chain, lagoon, depositor, "requestRedeem", 10n ** 17n, depositor, depositor);
    await callLagoon(chain, lagoon, valuationManager, "updateNewTotalAssets", 1_000_000n);
    await ground.settle();
    await proves([safe, "settle_redeem"]);
    expect(["pause", "settle_deposit", "settle_redeem", "unpause"]).toEqual(
      catalogueOf("lagoon")
        .map(({ name }) => name)
        .sort(),
    );
    expect(ground.came).toBe(ground.foretold);
  });
});

test("what is foretold is what comes: an operation of a timelock is cancelled", async () => {
  const { vault } = curated.metamorpho;
  const allow = {
    contract: "MetaMorphoV1_1",
    address: vault,
    functionName: "setIsAllocator",
    args: [timelock, true],
  };
  await execute(chain, { ...allow, from: OWNER });
  await ground.settle();
  const abi = parseAbi([
    "function schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)",
  ]);
  const inner = encodeFunctionData({
    abi: parseAbi(["function setSupplyQueue(bytes32[] queue)"]),
    args: [[]],
  });
  const data = encodeFunctionData({ abi, args: [vault, 0n, inner, zeroHash, zeroHash, BigInt(DAY)] });
  const scheduled = { target: timelock, value: 0n, data, function: "schedule", arguments: {} };
  await ground.send({ from: GUARDIAN, calls: [scheduled] });
  await ground.until(async () => {
    const { controllers } = await ground.record(vault);
    return (controllers as { address: string; proposers: unknown }[]).some(
      ({ address, proposers }) => address === timelock && proposers !== null,
    );
  });
  const { pending_changes } = await ground.record(vault);
  const { id } = (pending_changes as { id: string; function: string }[]).find(
    (change) => change.function === "setSupplyQueue",
  )!;
  const action = "cancel_scheduled_operation";
  await take({ ground, vault }, [GUARDIAN, action, { operation_id: id }]);
  expect(CONTROLLER_ACTIONS.map(({ name }) => name)).toEqual([action]);
});
