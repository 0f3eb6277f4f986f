// A Safe of 1.5.0, as it was published, that owns two vaults: whatever can be made of it is an entry of each vault, and what is undone by a
// reorganisation and done again is one entry anyway.
import { sql } from "kysely";
import {
  type Address,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployErc4626Vault, deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import {
  type Controllers,
  deployControllers,
  MULTI_SEND_150,
  packed,
  SAFE_150_SINGLETON,
  type SafeCall,
  safeArtifact,
} from "../../../test/controllers.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { untilJoined } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import { deployArtifact, startTestChain, type TestChain } from "../../../test/node.ts";

const CONFIRMATIONS = 2;
const SENTINEL: Address = "0x0000000000000000000000000000000000000001";
/** Who made the singletons, with an empty salt. */
const SINGLETON_FACTORY: Address = "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7";
const { abi: SAFE } = safeArtifact("Safe", "1.5.0");

let chain: TestChain;
let ground: Controllers;
let database: TestDatabase;
let ingest: RunningIngest;
let vaults: [Address, Address];
let safe: Address;
let anne: Address, ben: Address, carl: Address;
let guard: Address, module: Address, writer: Address;

beforeAll(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  await ensureMulticall3(chain);
  ground = await deployControllers(chain);
  [, anne, ben, carl] = ground.accounts as [Address, Address, Address, Address];
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const made: Address[] = [];
  for (const symbol of ["ONE", "TWO"])
    made.push(await deployErc4626Vault(chain, { asset, name: symbol, symbol, owner: anne }));
  vaults = made as [Address, Address];
  safe = await ground.deploySafe([anne, ben], 1, SAFE_150_SINGLETON);
  // Judges transactions of owners and of modules alike, and lets all of them through.
  guard = await deployPublished("examples/guards/ReentrancyTransactionGuard");
  module = await deployArtifact(chain, ground.artifacts, "PassingModule");
  writer = await deployArtifact(chain, ground.artifacts, "StorageWriter");
  for (const vault of vaults) await ground.send(anne, vault, transferOwnership(safe));
  const named = vaults.map((address) => ({ address, primary_manager: null }));
  ingest = startIngest(database.db, [
    {
      chainId: chain.chainId,
      rpcUrls: [chain.rpcUrl],
      confirmations: CONFIRMATIONS,
      sources: [{ family: "erc4626", vaults: named }],
    },
  ]);
  await confirm();
});
afterAll(async () => {
  await ingest?.stop();
  await database?.drop();
  await chain?.stop();
});

async function deployPublished(path: string): Promise<Address> {
  const { abi, bytecode } = safeArtifact(path, "1.5.0");
  const hash = await chain.client.deployContract({ abi, bytecode, account: carl, chain: null });
  return getAddress((await chain.client.waitForTransactionReceipt({ hash })).contractAddress!);
}

async function confirm(): Promise<void> {
  await chain.client.mine({ blocks: CONFIRMATIONS + 1 });
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(
    `at ${head}`,
    (status) => status.head === head && status.confirmed === head - CONFIRMATIONS && status.error === null,
  );
  await untilJoined(database);
}

const transferOwnership = (to: Address) =>
  encodeFunctionData({
    abi: chain.artifacts.Erc4626Vault!.abi,
    functionName: "transferOwnership",
    args: [to],
  });

const own = (functionName: string, ...args: readonly unknown[]): SafeCall => ({
  to: safe,
  data: encodeFunctionData({ abi: SAFE, functionName, args }),
});

const MULTI_SEND = [
  {
    type: "function",
    name: "multiSend",
    inputs: [{ name: "transactions", type: "bytes" }],
    outputs: [],
    stateMutability: "payable",
  },
] as const;

const several = (calls: readonly SafeCall[]): SafeCall => ({
  to: MULTI_SEND_150,
  data: encodeFunctionData({ abi: MULTI_SEND, functionName: "multiSend", args: [packed(calls)] }),
  operation: 1,
});

const write = (slot: bigint, value: bigint): SafeCall => ({
  to: writer,
  data: encodeFunctionData({
    abi: ground.artifacts.StorageWriter!.abi,
    functionName: "write",
    args: [slot, value],
  }),
  operation: 1,
});

/** Of each vault the entries that name the Safe, beginning with the given one. */
async function entriesFrom(first: number) {
  const { entries } = await readRecorded(database.owner, chain.chainId);
  return vaults.map((vault) =>
    entries
      .filter(({ vault_address, details }) => vault_address === vault && details.controller === safe)
      .sort((a, b) => a.block_number - b.block_number || a.log_index - b.log_index)
      .slice(first),
  );
}

type Told = readonly [action: string, details: Readonly<Record<string, unknown>>];

/** By name what the Safe is made to do, who signs, and what each vault is told of it. */
const DEEDS: readonly [
  what: string,
  call: () => SafeCall,
  signers: () => Address[],
  told: () => readonly Told[],
][] = [
  [
    "an owner more, and two signatures",
    () => own("addOwnerWithThreshold", carl, 2n),
    () => [anne],
    () => [
      ["signer_add", { account: carl }],
      ["threshold_change", { old: "1", new: "2" }],
      ["safe_execute", { function: "addOwnerWithThreshold" }],
    ],
  ],
  [
    "setGuard",
    () => own("setGuard", guard),
    () => [anne, ben],
    () => [
      ["guard_change", { role: "guard", old: null, new: guard }],
      ["safe_execute", { function: "setGuard" }],
    ],
  ],
  [
    "setModuleGuard",
    () => own("setModuleGuard", guard),
    () => [anne, ben],
    () => [
      ["guard_change", { role: "module_guard", old: null, new: guard }],
      ["safe_execute", { function: "setModuleGuard" }],
    ],
  ],
  [
    "a module",
    () => own("enableModule", module),
    () => [ben, carl],
    () => [
      ["module_enable", { account: module }],
      ["safe_execute", { function: "enableModule" }],
    ],
  ],
  [
    "setFallbackHandler",
    () => own("setFallbackHandler", module),
    () => [ben, carl],
    () => [
      ["fallback_handler_change", { old: null, new: module }],
      ["safe_execute", { function: "setFallbackHandler" }],
    ],
  ],
  [
    "another code's word into its own storage: a threshold of one",
    () => write(4n, 1n),
    () => [ben, carl],
    () => [
      ["safe_execute", { operation: 1, target: writer }],
      ["threshold_change", { silent: true, old: "2", new: "1" }],
    ],
  ],
  [
    "several at once: no guard, an owner less, the module gone",
    () =>
      several([
        own("setGuard", zeroAddress),
        own("removeOwner", SENTINEL, carl, 1n),
        own("disableModule", SENTINEL, module),
      ]),
    () => [anne],
    () => [
      ["guard_change", { role: "guard", old: guard, new: null }],
      ["signer_remove", { account: carl }],
      ["module_disable", { account: module }],
      [
        "safe_execute",
        { calls: [{ function: "setGuard" }, { function: "removeOwner" }, { function: "disableModule" }] },
      ],
    ],
  ],
];

test("the code is the published one: made as the singleton was, it stands at its address", () => {
  const { bytecode } = safeArtifact("Safe", "1.5.0");
  expect(getContractAddress({ opcode: "CREATE2", from: SINGLETON_FACTORY, salt: zeroHash, bytecode })).toBe(
    SAFE_150_SINGLETON,
  );
});

test.each(DEEDS)(
  "%s: undone and done again, it is told once to each vault",
  async (_, call, signers, told) => {
    const before = (await entriesFrom(0))[0]!.length;
    const id = await chain.client.snapshot();
    await ground.execute(safe, call(), signers());
    await confirm();
    const undone = await entriesFrom(before);
    await chain.client.revert({ id });
    await chain.client.mine({ blocks: 1 });
    await ground.execute(safe, call(), signers());
    await confirm();
    for (const entries of [undone, await entriesFrom(before)])
      for (const own of entries) {
        expect(own.map(({ action_type }) => action_type)).toEqual(told().map(([action]) => action));
        expect(own.map(({ details }) => details)).toMatchObject(told().map(([, details]) => details));
        expect(new Set(own.map(({ actor_wallet }) => actor_wallet))).toEqual(new Set([safe]));
      }
    await expectState();
  },
);

test("MultiSend to both vaults: to each its own call; and then the Safe is nobody there", async () => {
  const before = (await entriesFrom(0))[0]!.length;
  const calls = vaults.map((to) => ({ to, data: transferOwnership(ben) }));
  const id = await chain.client.snapshot();
  await ground.execute(safe, several(calls), [anne]);
  await confirm();
  await chain.client.revert({ id });
  await ground.execute(safe, several([...calls].reverse()), [anne]);
  await confirm();
  const told = await entriesFrom(before);
  expect(
    told.map((own) => own.map(({ action_type, details }) => [action_type, details.target, details.function])),
  ).toEqual(vaults.map((vault) => [["safe_execute", vault, "transferOwnership"]]));
  await ground.execute(safe, own("addOwnerWithThreshold", carl, 1n), [anne]);
  await confirm();
  expect((await entriesFrom(before)).map(({ length }) => length)).toEqual([1, 1]);
});

/** What is known of the Safe is what it answers. */
async function expectState(): Promise<void> {
  const ask = (functionName: string, args: readonly unknown[] = []) =>
    chain.client.readContract({ abi: SAFE, address: safe, functionName, args });
  const { rows } = await sql<{ state: Record<string, unknown> }>`
    select state from controller_states where address = ${safe} order by block_number desc limit 1`.execute(
    database.db.kysely,
  );
  const [modules] = (await ask("getModulesPaginated", [SENTINEL, 10n])) as [Address[], Hex];
  expect(rows[0]!.state).toMatchObject({
    kind: "safe",
    version: "1.5.0",
    singleton: SAFE_150_SINGLETON,
    owners: await ask("getOwners"),
    threshold: Number(await ask("getThreshold")),
    modules,
  });
}
