// Who stands behind the roles of vaults, on a node with the published Safe and OpenZeppelin's timelock: ownership moved from a wallet to a Safe
// to a timelock and back, with reorganisations between; what a Safe is made to do; and who only says to be one.
import { sql } from "kysely";
import { type Address, encodeFunctionData, type Hex, parseAbi, zeroHash } from "viem";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deployErc4626Vault, deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import {
  type Controllers,
  deployControllers,
  MULTI_SEND,
  packed,
  SAFE_ABI,
  SAFE_L2_SINGLETON,
} from "../../../test/controllers.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type IngestOptions, type RunningIngest, startIngest } from "../../../test/ingest.ts";
import { deployArtifact, startTestChain, type TestChain } from "../../../test/node.ts";
import { startFaultyNode } from "../../../test/simulation/faulty-node.ts";
import type { ControllerState } from "../../chain/controllers/state.ts";

const CONFIRMATIONS = 2;
/** A proxy wants something to be called when it is made. */
const TOTAL_ASSETS = "0x01e1d114";

let chain: TestChain;
let ground: Controllers;
let database: TestDatabase;
let ingest: RunningIngest;
let vaults: Address[];
let proxied: Address;
let anne: Address, ben: Address, carl: Address;

beforeEach(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  await ensureMulticall3(chain);
  ground = await deployControllers(chain);
  [, anne, ben, carl] = ground.accounts as [Address, Address, Address, Address];
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  vaults = [];
  for (const symbol of ["ONE", "TWO"])
    vaults.push(await deployErc4626Vault(chain, { asset, name: symbol, symbol, owner: anne }));
  const [implementation] = vaults;
  proxied = await deployArtifact(chain, ground.artifacts, "TransparentUpgradeableProxy", [
    implementation,
    anne,
    TOTAL_ASSETS,
  ]);
  start();
  await settle();
});
afterEach(async () => {
  await ingest.stop();
  await database.drop();
  await chain.stop();
});

function start(rpcUrl = chain.rpcUrl, options: IngestOptions = {}): void {
  const sources = [
    {
      family: "erc4626" as const,
      vaults: [...vaults, proxied].map((address) => ({ address, primary_manager: null })),
    },
  ];
  const { chainId } = chain;
  ingest = startIngest(
    database.db,
    [{ chainId, rpcUrls: [rpcUrl], confirmations: CONFIRMATIONS, sources }],
    options,
  );
}

async function settle(): Promise<void> {
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(
    `at ${head}`,
    (status) =>
      status.head === head &&
      (status.confirmed ?? -1) >= head - CONFIRMATIONS &&
      status.backfill === null &&
      status.error === null,
  );
  await expect
    .poll(
      async () =>
        (await sql`select 1 from sources where next_block is not null`.execute(database.db.kysely)).rows,
    )
    .toEqual([]);
}

async function confirm(): Promise<void> {
  await chain.client.mine({ blocks: 3 });
  await settle();
}

/** Who stands behind a vault's roles: address, kind and level. */
async function linksOf(vault: Address) {
  const { rows } = await sql<{ address: Address; kind: string; level: number }>`
    select l.value ->> 'address' as address, s.state ->> 'kind' as kind, (l.value ->> 'level')::int as level
      from (select distinct on (vault_address) * from vault_controllers where vault_address = ${vault}
             order by vault_address, block_number desc) c
     cross join jsonb_array_elements(c.links) l
      left join lateral (select state from controller_states s where s.address = l.value ->> 'address'
                          order by block_number desc limit 1) s on true
     order by 3, 1`.execute(database.db.kysely);
  return rows;
}

async function signersOf(vault: Address) {
  const { rows } = await sql<{ wallet: Address; via: Address }>`
    select wallet, via from vault_signers where vault_address = ${vault} and to_block is null order by id`.execute(
    database.db.kysely,
  );
  return rows.map(({ wallet, via }) => [wallet, via]);
}

interface Entry {
  action_type: string;
  actor_wallet: Address;
  vault_address: Address;
  details: Record<string, unknown>;
}

async function entries(...actions: string[]): Promise<Entry[]> {
  await confirm();
  const { rows } = await sql<{ body: string }>`select body from audit_entries order by seq`.execute(
    database.db.kysely,
  );
  return rows
    .map(({ body }) => JSON.parse(body) as Entry)
    .filter(({ action_type }) => actions.length === 0 || actions.includes(action_type));
}

const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
const relayed = (target: Address, callData: Hex) =>
  encodeFunctionData({
    abi: parseAbi([
      "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool, bytes)[])",
    ]),
    args: [[{ target, allowFailure: false, callData }]],
  });

const vaultAbi = () => chain.artifacts.Erc4626Vault!.abi;
const transferOwnership = (to: Address) =>
  encodeFunctionData({ abi: vaultAbi(), functionName: "transferOwnership", args: [to] });
const safeCall = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: SAFE_ABI, functionName, args });
const own = (safe: Address, functionName: string, args: readonly unknown[]) => ({
  to: safe,
  data: safeCall(functionName, args),
});

async function toSafe(owners: Address[] = [anne, ben], singleton?: Address): Promise<Address> {
  const safe = await ground.deploySafe(owners, 1, singleton);
  for (const vault of vaults) await ground.send(anne, vault, transferOwnership(safe));
  await settle();
  return safe;
}

describe("what a Safe did while nobody was told of it", () => {
  const signers = async () => (await signersOf(vaults[0]!)).map(([wallet]) => wallet);
  const added = async () =>
    (await entries("signer_add")).map(({ vault_address, details }) => [
      vault_address,
      details.block_number,
      details.backfilled,
    ]);

  test("in an outage that is filled in as the past is, is told for each of its vaults, once", async () => {
    const safe = await toSafe();
    await confirm();
    await ingest.stop();
    await ground.execute(safe, own(safe, "addOwnerWithThreshold", [carl, 1n]), [anne]);
    const block = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
    await chain.client.mine({ blocks: 700 });
    start();
    await settle();
    await expect.poll(signers).toEqual([anne, ben, carl]);
    expect(await added()).toEqual(vaults.toSorted().map((vault) => [vault, block, undefined]));
  });

  test("in a block whose logs were told late, is told when they are", async () => {
    const safe = await toSafe();
    await confirm();
    await ingest.stop();
    const node = await startFaultyNode(chain.rpcUrl);
    try {
      start(node.url, { patienceMs: 0, client: { backoffMs: { base: 5, max: 50 }, settleMs: 200 } });
      await settle();
      let hash: unknown;
      node.script({
        fault: "empty logs",
        when: ({ method, params }) => {
          const { blockHash } = (params[0] ?? {}) as { blockHash?: string };
          if (method !== "eth_getLogs" || blockHash === undefined) return false;
          hash ??= blockHash;
          return hash === blockHash;
        },
      });
      await ground.execute(safe, own(safe, "addOwnerWithThreshold", [carl, 1n]), [anne]);
      const block = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
      // The others' logs prove that the node is well.
      await ground.send(anne, vaults[0]!, TOTAL_ASSETS);
      await confirm();
      await expect.poll(open).toEqual([block]);
      node.calm();
      await expect.poll(open, { timeout: 60_000 }).toEqual([]);
      await confirm();
      await expect.poll(signers).toEqual([anne, ben, carl]);
      expect(await added()).toEqual(vaults.toSorted().map((vault) => [vault, block, true]));
    } finally {
      await ingest.stop();
      await node.close();
    }
  });

  async function open(): Promise<number[]> {
    const { rows } = await sql<{ block_number: number }>`
      select block_number from chain_gaps where lacks = 'logs' and filled_at is null`.execute(
      database.db.kysely,
    );
    return rows.map((row) => row.block_number);
  }
});

describe("ownership moved from a wallet to a Safe to a timelock and back", () => {
  test("shows at every step who stands behind the role, whatever is undone in between", async () => {
    const [vault] = vaults as [Address];
    await expect.poll(() => linksOf(vault)).toEqual([{ address: anne, kind: "eoa", level: 1 }]);

    const safe = await ground.deploySafe([anne, ben], 1);
    const atWallet = await chain.client.snapshot();
    await ground.send(anne, vault, transferOwnership(safe));
    await settle();
    await expect.poll(() => linksOf(vault)).toEqual([{ address: safe, kind: "safe", level: 1 }]);
    await expect
      .poll(() => signersOf(vault))
      .toEqual([
        [anne, safe],
        [ben, safe],
      ]);

    await chain.client.revert({ id: atWallet });
    await chain.client.mine({ blocks: 3 });
    await settle();
    await expect.poll(() => linksOf(vault)).toEqual([{ address: anne, kind: "eoa", level: 1 }]);
    await expect.poll(() => signersOf(vault)).toEqual([]);

    await ground.send(anne, vault, transferOwnership(safe));
    await ground.execute(safe, own(safe, "addOwnerWithThreshold", [carl, 1n]), [anne]);
    await settle();
    await expect
      .poll(async () => (await signersOf(vault)).map(([wallet]) => wallet))
      .toEqual([anne, ben, carl]);

    const timelock = await ground.deployTimelock(60, [safe]);
    const atSafe = await chain.client.snapshot();
    await ground.execute(safe, { to: vault, data: transferOwnership(timelock) }, [ben]);
    await settle();
    await expect
      .poll(() => linksOf(vault))
      .toMatchObject([{ address: timelock, kind: "timelock", level: 1 }]);

    await chain.client.revert({ id: atSafe });
    await chain.client.mine({ blocks: 2 });
    await settle();
    await expect.poll(() => linksOf(vault)).toEqual([{ address: safe, kind: "safe", level: 1 }]);
    await expect
      .poll(async () => (await signersOf(vault)).map(([wallet]) => wallet))
      .toEqual([anne, ben, carl]);

    await ground.execute(safe, { to: vault, data: transferOwnership(timelock) }, [ben]);
    await settle();
    await expect
      .poll(() => linksOf(vault))
      .toEqual([
        { address: timelock, kind: "timelock", level: 1 },
        { address: safe, kind: "safe", level: 2 },
      ]);
    await expect.poll(() => signersOf(vault)).toContainEqual([safe, timelock]);
    await expect.poll(() => signersOf(vault)).toContainEqual([carl, safe]);

    await through(timelock, safe, vault, transferOwnership(anne));
    await settle();
    await expect.poll(() => linksOf(vault)).toEqual([{ address: anne, kind: "eoa", level: 1 }]);
    await expect.poll(() => signersOf(vault)).toEqual([]);
  });
});

/** Schedules and executes a call by a Safe that proposes. */
async function through(timelock: Address, safe: Address, to: Address, data: Hex): Promise<void> {
  const { abi } = ground.artifacts.TimelockController!;
  const schedule = encodeFunctionData({
    abi,
    functionName: "schedule",
    args: [to, 0n, data, zeroHash, zeroHash, 60n],
  });
  await ground.execute(safe, { to: timelock, data: schedule }, [anne]);
  await chain.client.increaseTime({ seconds: 61 });
  await ground.send(
    carl,
    timelock,
    encodeFunctionData({ abi, functionName: "execute", args: [to, 0n, data, zeroHash, zeroHash] }),
  );
}

describe("a Safe that owns two vaults", () => {
  test("gives an entry for each of its functions and each vault, and the Safe is who acted", async () => {
    const safe = await toSafe();
    const module = await deployArtifact(chain, ground.artifacts, "PassingModule");
    const sentinel = "0x0000000000000000000000000000000000000001";
    for (const call of [
      own(safe, "addOwnerWithThreshold", [carl, 2n]),
      own(safe, "changeThreshold", [1n]),
      own(safe, "removeOwner", [carl, anne, 1n]),
      own(safe, "swapOwner", [carl, ben, anne]),
      own(safe, "enableModule", [module]),
      own(safe, "disableModule", [sentinel, module]),
      own(safe, "setFallbackHandler", [module]),
    ]) {
      const owners = (await chain.client.readContract({
        abi: SAFE_ABI,
        address: safe,
        functionName: "getOwners",
      })) as Address[];
      const needed = Number(
        await chain.client.readContract({ abi: SAFE_ABI, address: safe, functionName: "getThreshold" }),
      );
      await ground.execute(safe, call, owners.slice(0, needed));
    }
    await settle();
    const made = (await entries()).filter(({ details }) => details.controller === safe);
    for (const vault of vaults)
      expect(
        made
          .filter((entry) => entry.vault_address === vault && !entry.action_type.startsWith("safe_execute"))
          .map(({ action_type, details }) => [action_type, details.account ?? details.new]),
      ).toEqual([
        ["signer_add", carl],
        ["threshold_change", "2"],
        ["threshold_change", "1"],
        ["signer_remove", anne],
        ["signer_remove", ben],
        ["signer_add", anne],
        ["module_enable", module],
        ["module_disable", module],
        ["fallback_handler_change", module],
      ]);
    expect(new Set(made.map(({ actor_wallet }) => actor_wallet))).toEqual(new Set([safe]));
    expect(made.every(({ details }) => typeof details.tx_from === "string")).toBe(true);
    expect(made.some(({ details }) => details.silent)).toBe(false);
  });

  test("executes for one of them: one entry, under that vault, with the call by name", async () => {
    const safe = await toSafe();
    const [one, two] = vaults as [Address, Address];
    await ground.execute(safe, { to: two, data: transferOwnership(anne) }, [ben]);
    await ground.execute(safe, { to: carl, value: 0n }, [ben]);
    const made = await entries("safe_execute");
    expect(made).toMatchObject([
      {
        vault_address: two,
        actor_wallet: safe,
        details: {
          controller: safe,
          target: two,
          function: "transferOwnership",
          arguments: { newOwner: anne },
          tx_from: ben,
        },
      },
    ]);
    expect(made[0]!.details.operation).toBeUndefined();
    await expect.poll(() => linksOf(two)).toEqual([{ address: anne, kind: "eoa", level: 1 }]);
    await expect.poll(() => linksOf(one)).toEqual([{ address: safe, kind: "safe", level: 1 }]);
  });

  test("executes through MultiSend: each vault has its own call", async () => {
    const safe = await toSafe();
    const calls = vaults.map((vault) => ({ to: vault, data: transferOwnership(ben) }));
    const data = encodeFunctionData({
      abi: [
        {
          type: "function",
          name: "multiSend",
          inputs: [{ name: "transactions", type: "bytes" }],
          outputs: [],
          stateMutability: "payable",
        },
      ],
      functionName: "multiSend",
      args: [packed(calls)],
    });
    await ground.execute(safe, { to: MULTI_SEND, data, operation: 1 }, [anne]);
    expect(
      (await entries("safe_execute")).map(({ vault_address, details }) => [
        vault_address,
        details.target,
        details.operation,
      ]),
    ).toEqual(vaults.toSorted().map((vault) => [vault, vault, undefined]));
  });

  test("changed without an event by code that it ran as its own: told as silent, with the execution as foreign", async () => {
    const safe = await toSafe();
    const writer = await deployArtifact(chain, ground.artifacts, "StorageWriter");
    await ground.execute(safe, own(safe, "addOwnerWithThreshold", [carl, 2n]), [anne]);
    const { abi } = ground.artifacts.StorageWriter!;
    // The fifth word of a Safe's storage is its threshold.
    const data = encodeFunctionData({ abi, functionName: "write", args: [4n, 1n] });
    await ground.execute(safe, { to: writer, data, operation: 1 }, [anne, ben]);
    const made = await entries("safe_execute", "threshold_change");
    for (const vault of vaults)
      expect(made.filter(({ vault_address }) => vault_address === vault)).toMatchObject([
        { action_type: "threshold_change", details: { new: "2" } },
        { action_type: "safe_execute", details: { function: "addOwnerWithThreshold" } },
        { action_type: "safe_execute", details: { operation: 1, target: writer } },
        { action_type: "threshold_change", details: { silent: true, old: "2", new: "1" } },
      ]);
  });

  test("of the L2 kind tells what a module made it do", async () => {
    const safe = await toSafe([anne], SAFE_L2_SINGLETON);
    const [one] = vaults as [Address];
    const module = await deployArtifact(chain, ground.artifacts, "PassingModule");
    await ground.execute(safe, own(safe, "enableModule", [module]), [anne]);
    const { abi } = ground.artifacts.PassingModule!;
    await ground.send(
      carl,
      module,
      encodeFunctionData({ abi, functionName: "pass", args: [safe, one, transferOwnership(carl)] }),
    );
    const made = (await entries("safe_execute")).filter(({ details }) => details.role === "module");
    expect(made).toMatchObject([
      {
        vault_address: one,
        details: { account: module, target: one, function: "transferOwnership", tx_from: carl },
      },
    ]);
  });

  test("is released with its role: what it does afterwards is nobody's affair", async () => {
    const safe = await toSafe();
    for (const vault of vaults)
      await ground.execute(safe, { to: vault, data: transferOwnership(anne) }, [anne]);
    await settle();
    await ground.execute(safe, own(safe, "addOwnerWithThreshold", [carl, 1n]), [anne]);
    expect(await entries("signer_add")).toEqual([]);
  });
});

describe("a timelock that owns a vault", () => {
  const operationsOf = async (timelock: Address) => {
    const { rows } = await sql<{ state: ControllerState }>`
      select state from controller_states where address = ${timelock} order by block_number desc limit 1`.execute(
      database.db.kysely,
    );
    return rows[0]?.state.timelock?.operations ?? [];
  };

  test("tells what waits, be it scheduled before or after it came to the role, until it is executed or cancelled", async () => {
    const [vault] = vaults as [Address];
    const timelock = await ground.deployTimelock(60, [anne]);
    const { abi } = ground.artifacts.TimelockController!;
    const send = (from: Address, functionName: string, args: readonly unknown[]) =>
      ground.send(from, timelock, encodeFunctionData({ abi, functionName, args }));
    const call = (to: Address) => [vault, 0n, transferOwnership(to), zeroHash, zeroHash] as const;
    const idOf = async (to: Address) =>
      (await chain.client.readContract({
        abi,
        address: timelock,
        functionName: "hashOperation",
        args: call(to),
      })) as Hex;
    await send(anne, "schedule", [...call(ben), 60n]);
    await ground.send(anne, vault, transferOwnership(timelock));
    await settle();
    await expect
      .poll(() => operationsOf(timelock))
      .toMatchObject([
        {
          id: await idOf(ben),
          scheduledBy: anne,
          isBlocked: false,
          calls: [{ target: vault, function: "transferOwnership", arguments: { newOwner: ben } }],
        },
      ]);
    await expect.poll(() => signersOf(vault)).toEqual([[anne, timelock]]);

    await send(anne, "schedule", [...call(carl), 120n]);
    await send(anne, "cancel", [await idOf(ben)]);
    await settle();
    const { timestamp } = await chain.client.getBlock({
      blockNumber: (await chain.client.getBlockNumber()) - 1n,
    });
    expect(await operationsOf(timelock)).toMatchObject([
      { id: await idOf(carl), executableAt: Number(timestamp) + 120, scheduledBy: anne },
    ]);
    await chain.client.increaseTime({ seconds: 121 });
    await send(ben, "execute", call(carl));
    await settle();
    await expect.poll(() => linksOf(vault)).toEqual([{ address: carl, kind: "eoa", level: 1 }]);
    expect(
      (await entries("timelock_schedule", "timelock_cancel", "timelock_execute")).map(
        ({ action_type, actor_wallet, vault_address, details }) => [
          action_type,
          actor_wallet,
          vault_address,
          (details.arguments as Record<string, unknown> | undefined)?.newOwner,
        ],
      ),
    ).toEqual([
      ["timelock_schedule", anne, vault, carl],
      ["timelock_cancel", anne, vault, ben],
      ["timelock_execute", ben, vault, carl],
    ]);
  });
});

describe("who acted on a vault", () => {
  const actors = async () =>
    (await entries("primary_manager_change", "timelock_execute")).map(
      ({ action_type, actor_wallet, details }) => [action_type, actor_wallet, details.tx_from],
    );

  test("is the timelock that called it, also where a Safe makes the timelock execute, be it relayed", async () => {
    const [vault] = vaults as [Address];
    const { abi } = ground.artifacts.TimelockController!;
    const safe = await ground.deploySafe([anne, ben], 2);
    const timelock = await ground.deployTimelock(60, [safe]);
    await ground.send(anne, vault, transferOwnership(timelock));
    const call = (salt: Hex) => [vault, 0n, transferOwnership(timelock), zeroHash, salt] as const;
    const make = (functionName: string, args: readonly unknown[]) => ({
      to: timelock,
      data: encodeFunctionData({ abi, functionName, args }),
    });
    const salts = [zeroHash, `0x${"01".repeat(32)}`] as const;
    for (const salt of salts) await ground.execute(safe, make("schedule", [...call(salt), 60n]), [anne, ben]);
    await chain.client.increaseTime({ seconds: 61 });
    await settle();
    // Who proposes is read from the timelock's past, beside the head.
    await expect.poll(async () => (await linksOf(vault)).map(({ address }) => address)).toContain(safe);
    await ground.execute(safe, make("execute", call(salts[0])), [anne, ben]);
    const data = await ground.approved(safe, make("execute", call(salts[1])), [anne, ben], true);
    await ground.send(carl, MULTICALL3, relayed(safe, data));
    await settle();
    expect(await actors()).toMatchObject([
      ["primary_manager_change", anne, anne],
      ["primary_manager_change", timelock, anne],
      ["timelock_execute", safe, anne],
      ["primary_manager_change", timelock, carl],
      ["timelock_execute", carl, carl],
    ]);
  });

  test("is the Safe that called it, be it relayed; and not one that executed something else, or has no role", async () => {
    const [one, two] = vaults as [Address, Address];
    const safe = await ground.deploySafe([anne]);
    const stranger = await ground.deploySafe([anne]);
    await ground.send(anne, one, transferOwnership(safe));
    await settle();
    const data = await ground.approved(safe, { to: one, data: transferOwnership(safe) }, [anne], true);
    await ground.send(carl, MULTICALL3, relayed(safe, data));
    await ground.execute(stranger, { to: carl }, [anne]);
    await ground.send(anne, two, transferOwnership(ben));
    await settle();
    expect(await actors()).toMatchObject([
      ["primary_manager_change", anne, anne],
      ["primary_manager_change", safe, carl],
      ["primary_manager_change", anne, anne],
    ]);
  });
});

test("the admin of a vault's proxy is told with its owner, and so is who stands behind that", async () => {
  await expect.poll(() => linksOf(proxied)).toMatchObject([{ kind: "proxy_admin", level: 1 }]);
  const admin = (await linksOf(proxied))[0]!.address;
  const safe = await ground.deploySafe([ben], 1);
  await ground.send(anne, admin, transferOwnership(safe));
  await settle();
  expect(await linksOf(proxied)).toMatchObject([
    { address: admin },
    { address: safe, kind: "safe", level: 2 },
  ]);
  // Who may replace the code holds no role of the vault: it gives nobody access.
  expect(await signersOf(proxied)).toEqual([]);
  const { abi } = ground.artifacts.ProxyAdmin!;
  const upgrade = encodeFunctionData({
    abi,
    functionName: "upgradeAndCall",
    args: [proxied, vaults[1], "0x"],
  });
  await ground.execute(safe, { to: admin, data: upgrade }, [ben]);
  expect(
    (await entries("owner_change", "safe_execute", "upgrade")).map(
      ({ action_type, vault_address, details }) => [
        action_type,
        vault_address,
        details.new ?? details.function,
      ],
    ),
  ).toEqual([
    // When it was made: its code, and its admin.
    ["upgrade", proxied, vaults[0]],
    ["owner_change", proxied, undefined],
    ["owner_change", proxied, safe],
    ["upgrade", proxied, vaults[1]],
    ["safe_execute", proxied, "upgradeAndCall"],
  ]);
});

test("a contract that only says to be a Safe costs nothing and gives nobody a right, whatever it announces", async () => {
  const [vault] = vaults as [Address];
  const account = await deployArtifact(chain, ground.artifacts, "FalseSafe", [carl]);
  await ground.send(anne, vault, transferOwnership(account));
  const { abi } = ground.artifacts.FalseSafe!;
  await ground.send(carl, account, encodeFunctionData({ abi, functionName: "announce", args: [carl] }));
  await settle();
  await expect.poll(() => linksOf(vault)).toEqual([{ address: account, kind: "contract", level: 1 }]);
  await expect.poll(() => signersOf(vault)).toEqual([]);
  expect(await entries("signer_add", "safe_execute")).toEqual([]);
});
