import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { deploy, execute, mine, read as view } from "../../../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../../../demo/src/deploy.ts";
import {
  ALL_YEARN_ROLES,
  callYearn,
  createYearnVault,
  deployYearnFactory,
  deployYearnStrategy,
  readYearn,
  type YearnVault,
} from "../../../../../demo/src/families/yearn-v3.ts";
import { depositAssets, mintTokens } from "../../../../../demo/src/operate.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { type ConformanceSubject, describeConformance } from "../../../../test/family-conformance.ts";
import { Follower, knownVault } from "../../../../test/family-follower.ts";
import { compileForeignContracts } from "../../../../test/foreign-contracts.ts";
import { deployArtifact, startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client/client.ts";
import type { KnownVault, Source } from "../../directory.ts";
import { yearnV3Family } from "./family.ts";
import { ROLE_BITS } from "./roles.ts";

const [alice, bob] = [demoAccount(10).address, demoAccount(11).address];
const [manager, worker, stranger] = [
  addressOf("primaryManager"),
  addressOf("secondaryManager"),
  addressOf("stranger"),
];
const USD = 1_000_000n;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const UNLIMITED = 2n ** 256n - 1n;

let chain: TestChain;
let client: ChainClient;
let factory: Address;
let dollar: Address;
let source: Source;
let follower: Follower;
let subject: ConformanceSubject;

beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  client = createChainClient({
    chainId: chain.chainId,
    name: "Test",
    rpcUrls: [chain.rpcUrl],
    log: silentLog,
    maxAnswerBytes: 600_000,
  });
  dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  factory = await deployYearnFactory(chain);
  source = { family: "yearn_v3", address: factory, isFactory: true, governor: null, oracles: [] };
  follower = new Follower(chain, client, yearnV3Family(silentLog), [source]);
});
afterAll(async () => {
  await client?.close();
  await chain?.stop();
});

describeConformance("yearn_v3", async () => {
  subject ??= await conformanceSubject();
  return subject;
});

test("every function of governance is an entry, by who called it", async () => {
  const made = await make();
  const [one, two] = [await strategy(), await strategy()];
  await follower.follow();
  await told(
    made,
    manager,
    "set_role",
    [worker, ALL_YEARN_ROLES],
    ["role_grant", { role: ROLE_BITS.join(", "), account: worker, old: [], new: [...ROLE_BITS] }],
  );
  await told(
    made,
    manager,
    "add_role",
    [bob, 1n],
    ["role_grant", { role: "add_strategy_manager", account: bob, old: [] }],
  );
  await told(
    made,
    manager,
    "set_role",
    [bob, 6n],
    ["role_grant", { role: "revoke_strategy_manager, force_revoke_manager" }],
    ["role_revoke", { role: "add_strategy_manager", account: bob }],
  );
  await told(
    made,
    manager,
    "remove_role",
    [bob, 6n],
    ["role_revoke", { role: "revoke_strategy_manager, force_revoke_manager", new: [] }],
  );
  await told(made, worker, "add_strategy", [one], ["strategy_add", { id: one }]);
  await told(made, worker, "add_strategy", [two, false], ["strategy_add", { id: two }]);
  await told(
    made,
    worker,
    "update_max_debt_for_strategy",
    [one, 500n * USD],
    ["cap_change", { id: one, cap_kind: "debt", old: "0", new: "500000000" }],
  );
  await told(
    made,
    worker,
    "update_max_debt_for_strategy",
    [one, 400n * USD],
    ["cap_change", { old: "500000000", new: "400000000" }],
  );
  await told(
    made,
    worker,
    "set_default_queue",
    [[one, two]],
    ["queue_change", { id: "default_queue", new: [one, two] }],
  );
  await told(
    made,
    worker,
    "set_use_default_queue",
    [true],
    ["queue_change", { id: "use_default_queue", new: true }],
  );
  await told(
    made,
    worker,
    "set_deposit_limit",
    [1000n * USD],
    ["cap_change", { cap_kind: "deposit", old: "0", new: "1000000000" }],
  );
  await told(
    made,
    worker,
    "set_deposit_limit_module",
    [stranger, true],
    ["cap_change", { cap_kind: "deposit", old: "1000000000", new: UNLIMITED.toString() }],
    ["gate_change", { id: "deposit_limit_module", new: stranger }],
  );
  await told(
    made,
    worker,
    "set_deposit_limit",
    [UNLIMITED, true],
    ["gate_change", { id: "deposit_limit_module", new: NOBODY }],
    ["cap_change", { cap_kind: "deposit" }],
  );
  await told(
    made,
    worker,
    "set_withdraw_limit_module",
    [stranger],
    ["gate_change", { id: "withdraw_limit_module", new: stranger }],
  );
  await told(
    made,
    worker,
    "set_withdraw_limit_module",
    [NOBODY],
    ["gate_change", { id: "withdraw_limit_module", new: NOBODY }],
  );
  await told(
    made,
    worker,
    "set_minimum_total_idle",
    [10n],
    ["parameter_change", { id: "minimum_total_idle", new: "10" }],
  );
  await told(
    made,
    worker,
    "setProfitMaxUnlockTime",
    [60n],
    ["parameter_change", { id: "profit_max_unlock_seconds", new: "60" }],
  );
  await depositAssets(chain, made, alice, 1000n * USD);
  await follower.follow();
  await told(
    made,
    worker,
    "update_debt",
    [one, 300n * USD],
    ["allocation_change", { id: one, old: "0", new: "300000000" }],
  );
  await told(
    made,
    worker,
    "update_debt",
    [one, 200n * USD],
    ["allocation_change", { id: one, old: "300000000", new: "200000000" }],
  );
  await mintTokens(chain, dollar, one, 20n * USD);
  await told(made, worker, "process_report", [one], ["strategy_report", { id: one }]);
  await burn(one, 50n * USD);
  await told(made, worker, "process_report", [one], ["strategy_report", { id: one }], ["loss", { id: one }]);
  await mintTokens(chain, dollar, worker, 50n * USD);
  await approve(worker, made.vault);
  await told(
    made,
    worker,
    "buy_debt",
    [one, 50n * USD],
    ["allocation_change", { id: one }],
    ["allocation_change", { new: { debt_bought: "50000000" } }],
  );
  const accountant = await deploy(chain, "YearnAccountant", [1000n]);
  await told(
    made,
    worker,
    "set_accountant",
    [accountant],
    ["parameter_change", { id: "accountant", new: accountant }],
  );
  await told(
    made,
    worker,
    "set_auto_allocate",
    [true],
    ["parameter_change", { id: "auto_allocate", new: true }],
  );
  await told(made, worker, "revoke_strategy", [two], ["strategy_revoke", { id: two }]);
  await told(
    made,
    worker,
    "force_revoke_strategy",
    [one],
    ["strategy_report", { id: one }],
    ["loss", { id: one }],
    ["strategy_revoke", { id: one }],
  );
  await told(
    made,
    manager,
    "transfer_role_manager",
    [bob],
    ["owner_change_propose", { role: "role_manager", account: bob }],
  );
  await told(
    made,
    bob,
    "accept_role_manager",
    [],
    ["owner_change", { role: "role_manager", account: bob, old: manager }],
  );
  await told(
    made,
    bob,
    "set_role",
    [stranger, 8192n],
    ["role_grant", { role: "emergency_manager", account: stranger }],
  );
  await told(
    made,
    stranger,
    "shutdown_vault",
    [],
    ["cap_change", { cap_kind: "deposit", new: "0" }],
    ["role_grant", { role: "debt_manager", account: stranger }],
    ["shutdown", {}],
  );
});

describe("what a reading says is what the contract says", () => {
  test("price, totals, what is idle, what each strategy has and may have", async () => {
    const made = await make();
    const [one, two] = [await strategy("One"), await strategy("Two")];
    await begin(made, [
      [one, 300n],
      [two, 200n],
    ]);
    await callYearn(chain, made, worker, "update_max_debt_for_strategy", two, UNLIMITED);
    await mintTokens(chain, dollar, one, 30n * USD);
    await follower.follow();
    const block = await chain.client.getBlock();
    await callYearn(chain, made, worker, "process_report", one);
    const reading = await follower.read(made.vault, { number: Number(block.number), hash: block.hash });
    const ask = <T>(name: string, args: readonly unknown[] = []) =>
      readYearn<T>(chain, made, name, args, block.number);
    const held = async (address: Address) => {
      const of = { contract: "YearnStrategy", address };
      const shares = await view<bigint>(chain, { ...of, functionName: "balanceOf", args: [made.vault] });
      return view<bigint>(chain, { ...of, functionName: "convertToAssets", args: [shares] }, block.number);
    };
    expect(reading).toMatchObject({
      pps: await ask("pricePerShare"),
      totalAssets: await ask("totalAssets"),
      totalSupply: await ask("totalSupply"),
      freeAssets: await ask("totalIdle"),
      allocations: [
        {
          id: one,
          kind: "strategy",
          address: one,
          label: "One",
          assets: await held(one),
          absoluteCap: 300n * USD,
          isAbsoluteCapped: true,
          relativeCapE18: null,
          isRelativeCapped: false,
        },
        { id: two, assets: await held(two), absoluteCap: null, isAbsoluteCapped: false },
      ],
      liquidity: {
        idleAssets: 500n * USD,
        withdrawableAssets: await ask("maxWithdraw", [alice]),
        isExitImmediate: true,
      },
      lostAssets: 0n,
      nav: null,
      unread: [],
      failed: {},
    });
  });

  test("roles follow within a block: names of bits, and whom no event named at the beginning", async () => {
    const made = await make();
    await follower.follow();
    expect((await follower.read(made.vault)).contractRoles).toEqual([
      { role: "role_manager", account: manager },
    ]);
    await callYearn(chain, made, manager, "set_role", worker, 64n + 32n);
    await callYearn(chain, made, manager, "transfer_role_manager", bob);
    await follower.follow();
    const reading = await follower.read(made.vault);
    expect(reading.contractRoles).toEqual([
      { role: "role_manager", account: manager },
      { role: "reporting_manager", account: worker },
      { role: "debt_manager", account: worker },
    ]);
    expect(reading.managers).toEqual({ primary: manager, secondary: [worker] });
    expect(reading.pendingChanges).toEqual([
      { kind: "primary_manager", current: manager, proposed: bob, proposer: manager, effectiveAt: null },
    ]);
    await callYearn(chain, made, bob, "accept_role_manager");
    await callYearn(chain, made, bob, "remove_role", worker, 64n + 32n);
    await follower.follow();
    const after = await follower.read(made.vault);
    expect(after.contractRoles).toEqual([{ role: "role_manager", account: bob }]);
    expect(after.pendingChanges).toEqual([]);
  });
});

describe("traps", () => {
  test("what a strategy lost counts once it is reported; until then it is lost assets", async () => {
    const made = await make();
    const one = await strategy();
    await begin(made, [[one, 400n]]);
    await follower.follow();
    await burn(one, 100n * USD);
    const before = await follower.read(made.vault);
    expect(before).toMatchObject({ totalAssets: 1000n * USD, pps: USD });
    expect(before.lostAssets).toBe(
      await readYearn<bigint>(chain, made, "assess_share_of_unrealised_losses", [one, 400n * USD]),
    );
    // Who leaves bears his part: no more is paid than is there.
    expect(before.liquidity!.withdrawableAssets).toBe(600n * USD + before.allocations[0]!.assets!);
    await callYearn(chain, made, worker, "process_report", one);
    const after = await follower.read(made.vault);
    expect(after).toMatchObject({ lostAssets: 0n });
    expect(after.totalAssets).toBe(1000n * USD - before.lostAssets!);
  });

  test("a strategy that pays only a part now limits what can be withdrawn", async () => {
    const made = await make();
    const one = await strategy();
    await begin(made, [[one, 400n]]);
    await execute(chain, {
      contract: "YearnStrategy",
      address: one,
      functionName: "setLimit",
      args: [150n * USD],
      from: worker,
    });
    await follower.follow();
    const { liquidity } = await follower.read(made.vault);
    expect(liquidity!.withdrawableAssets).toBe(await readYearn(chain, made, "maxWithdraw", [alice]));
    expect(liquidity!.withdrawableAssets).toBeLessThanOrEqual(750n * USD);
  });

  test("a strategy outside the queue has assets, and pays nobody who withdraws", async () => {
    const made = await make();
    const one = await strategy();
    await begin(made, [[one, 400n]]);
    await callYearn(chain, made, worker, "set_default_queue", []);
    await follower.follow();
    const reading = await follower.read(made.vault);
    expect(reading.allocations).toMatchObject([{ id: one, absoluteCap: 400n * USD }]);
    expect(reading.liquidity).toMatchObject({ idleAssets: 600n * USD, withdrawableAssets: 600n * USD });
    expect(await readYearn(chain, made, "maxWithdraw", [alice])).toBe(600n * USD);
  });

  test("under a module of withdrawals how much can be withdrawn depends on who asks", async () => {
    const made = await make();
    await begin(made, []);
    await callYearn(chain, made, worker, "set_withdraw_limit_module", stranger);
    await follower.follow();
    expect((await follower.read(made.vault)).liquidity).toEqual({
      idleAssets: 1000n * USD,
      withdrawableAssets: null,
      isExitImmediate: true,
    });
  });

  test("a name that changes leaves no log, and is read", async () => {
    const made = await make();
    await follower.follow();
    await callYearn(chain, made, manager, "setName", "Another");
    expect(await follower.follow()).toEqual([]);
    expect((await follower.read(made.vault)).name).toBe("Another");
  });

  test("roles set twice in one block: the second is told from the first", async () => {
    const made = await make();
    await follower.follow();
    await chain.client.setAutomine(false);
    const sent = [1n, 3n].map((roles) =>
      chain.client.writeContract({
        address: made.vault,
        abi: chain.artifacts.YearnVault!.abi,
        functionName: "set_role",
        args: [bob, roles],
        account: manager,
        chain: null,
        gas: 200_000n,
      }),
    );
    await Promise.all(sent);
    await mine(chain);
    await chain.client.setAutomine(true);
    expect(await entries()).toMatchObject([
      [manager, { action: "role_grant", role: "add_strategy_manager", old: [] }],
      [manager, { action: "role_grant", role: "revoke_strategy_manager", old: ["add_strategy_manager"] }],
    ]);
  });

  test("a vault that is followed from late on knows the strategies of its queue and the role manager", async () => {
    const made = await make();
    const one = await strategy();
    await begin(made, [[one, 400n]]);
    const own: Source = { family: "yearn_v3", address: made.vault, governor: null, oracles: [] };
    const late = new Follower(
      chain,
      client,
      follower.family,
      [own],
      Number(await chain.client.getBlockNumber()) + 1,
    );
    await late.add({ ...known(made), source: own });
    const reading = await late.read(made.vault);
    expect(reading.contractRoles).toEqual([{ role: "role_manager", account: manager }]);
    expect(reading.allocations).toMatchObject([{ id: one, absoluteCap: 400n * USD }]);
    expect(reading.liquidity!.withdrawableAssets).toBe(await readYearn(chain, made, "maxWithdraw", [alice]));
  });
});

function make(): Promise<YearnVault> {
  return createYearnVault(chain, factory, { asset: dollar, name: "Yearn", symbol: "yv" });
}

function strategy(name = "Strategy"): Promise<Address> {
  return deployYearnStrategy(chain, dollar, name);
}

/** A worker with every role, a thousand of Alice's, and of it so much with each strategy, which is its cap too. */
async function begin(made: YearnVault, debts: readonly (readonly [Address, bigint])[]): Promise<void> {
  await callYearn(chain, made, manager, "set_role", worker, ALL_YEARN_ROLES);
  await callYearn(chain, made, worker, "set_deposit_limit", UNLIMITED);
  await depositAssets(chain, made, alice, 1000n * USD);
  for (const [address, debt] of debts) {
    await callYearn(chain, made, worker, "add_strategy", address);
    await callYearn(chain, made, worker, "update_max_debt_for_strategy", address, debt * USD);
    await callYearn(chain, made, worker, "update_debt", address, debt * USD);
  }
}

function burn(from: Address, assets: bigint) {
  return execute(chain, {
    contract: "Token",
    address: dollar,
    functionName: "burn",
    args: [from, assets],
    from: worker,
  });
}

function approve(from: Address, spender: Address) {
  return execute(chain, {
    contract: "Token",
    address: dollar,
    functionName: "approve",
    args: [spender, UNLIMITED],
    from,
  });
}

/** A call, and the entries that follow of it. */
async function told(
  made: YearnVault,
  from: Address,
  functionName: string,
  args: readonly unknown[],
  ...expected: [string, object][]
): Promise<void> {
  await callYearn(chain, made, from, functionName, ...args);
  expect(await entries(), functionName).toMatchObject(
    expected.map(([action, details]) => [from, { action, ...details }]),
  );
}

async function entries() {
  return (await follower.governance()).flatMap(({ actor, body }) =>
    body.effects.map((effect) => [actor, effect] as const),
  );
}

function known({ vault }: YearnVault, address = vault): KnownVault {
  return knownVault(source, address, dollar, { shareDecimals: 6 });
}

async function conformanceSubject(): Promise<ConformanceSubject> {
  const vaults = [await make(), await make()];
  for (const made of vaults) await begin(made, [[await strategy(), 100n]]);
  const foreign = await compileForeignContracts();
  const hostile: KnownVault[] = [];
  for (const harm of [0n, 1n, 2n, 3n])
    hostile.push(known(vaults[0]!, await deployArtifact(chain, foreign, "HostileVault", [dollar, harm])));
  await chain.client.setBlockGasLimit({ gasLimit: 30_000_000n });
  await mine(chain);
  const block = await chain.client.getBlock();
  const own = new Follower(chain, client, follower.family, [source]);
  for (const made of vaults) await own.add(known(made));
  const addresses = new Set(vaults.map(({ vault }) => vault.toLowerCase()));
  return {
    family: follower.family,
    client,
    vaults: vaults.map((made) => known(made)),
    at: { number: Number(block.number), hash: block.hash },
    hostile,
    notAVault: dollar,
    logs: (await own.logs(0, Number(block.number))).filter(({ address }) => addresses.has(address)),
    change: async () => {
      await depositAssets(chain, vaults[0]!, bob, 5n * USD);
    },
  };
}
