// Every event by its topic, from a table written by hand, to the fact that it says; and what is told by who emitted it.
import { type Address, encodeFunctionData, type Hex, keccak256, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { encodeEvent } from "../../../../../demo/src/events.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { rawLog } from "../../../../test/event-log.ts";
import { knownVault } from "../../../../test/family-follower.ts";
import { Directory, type Source } from "../../directory.ts";
import { toStored } from "../../facts.ts";
import { morphoVaultV2Family } from "./family.ts";

const family = morphoVaultV2Family(silentLog);
const A: Address = "0xA000000000000000000000000000000000000001";
const B: Address = "0xb000000000000000000000000000000000000002";
const VAULT: Address = "0xC000000000000000000000000000000000000003";
const ADAPTER: Address = "0xd000000000000000000000000000000000000004";
const FACTORY: Address = "0xE000000000000000000000000000000000000005";
const ASSET: Address = "0xf000000000000000000000000000000000000006";
const ID: Hex = `0x${"1d".repeat(32)}`;
const SELECTOR: Hex = "0x12345678";
const ADD = encodeFunctionData({ abi: parseAbi(["function addAdapter(address account)"]), args: [A] });
const BURN = encodeFunctionData({ abi: parseAbi(["function burnShares(bytes32 marketId)"]), args: [ID] });
const JUNK: Hex = "0x0badc0de0badc0de";
const accepted = true;

const factory: Source = {
  family: "morpho_vault_v2",
  address: FACTORY,
  isFactory: true,
  governor: null,
  oracles: [],
};
const vault = knownVault(factory, VAULT, ASSET);
const directory = new Directory();
directory.addSource(factory);
directory.addVault(vault);
directory.addContract(vault, ADAPTER, "adapter");

type Case = readonly [
  topic: Hex,
  signature: string,
  args: readonly unknown[],
  effects: readonly object[],
  actor?: string,
];

const call = (target: Address, name: string | null, named: object | null, calldata: Hex) => ({
  target,
  function: name,
  arguments: named,
  calldata,
});

const VAULT_CASES: readonly Case[] = [
  [
    "0x612d665a88b3ae6bc3e53207bfc2db673e2e05e2aa4a68043b618cc81295a27d",
    "Constructor(address indexed owner, address indexed asset)",
    [A, B],
    [],
  ],
  [
    "0x8b18afeb361b83b025999ed5b42f1d90c68aaa5a0fd49c015f04c3b8b81e80eb",
    "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)",
    [ADD.slice(0, 10), ADD, 1_700_000_000n],
    [
      {
        action: "timelock_submit",
        call: call(VAULT, "addAdapter", { account: A }, ADD),
        executable_at: "1700000000",
      },
    ],
  ],
  [
    "0x29aa42fc192ff77ef42105abba283197ac841341e196e417a7fc2784cdc4e5fb",
    "Accept(bytes4 indexed selector, bytes data)",
    [ADD.slice(0, 10), ADD],
    [],
  ],
  [
    "0x70521cf6a7c2458c5ad406081ad7b3bc4afd31b01b586a157a9780fcee6a77cb",
    "Revoke(address indexed sender, bytes4 indexed selector, bytes data)",
    [B, ADD.slice(0, 10), ADD],
    [{ action: "timelock_revoke", call: call(VAULT, "addAdapter", { account: A }, ADD) }],
    "sender",
  ],
  [
    "0x167d3e9c1016ab80e58802ca9da10ce5c6a0f4debc46a2e7a2cd9e56899a4fb5",
    "SetOwner(address indexed newOwner)",
    [A],
    [{ action: "owner_change", role: "owner", account: A, new: A }],
  ],
  [
    "0xbd0a63c12948fbc9194a5839019f99c9d71db924e5c70018265bc778b8f1a506",
    "SetCurator(address indexed newCurator)",
    [A],
    [{ action: "curator_change", role: "curator", account: A, new: A }],
  ],
  [
    "0x8da69db4003c01b5c7be66a7bb5953423222e5118b6af0aadf54e75feef5bc50",
    "SetIsSentinel(address indexed account, bool newIsSentinel)",
    [A, true],
    [{ action: "role_grant", role: "sentinel", account: A }],
  ],
  [
    "0x74dc60cbc81a9472d04ad1d20e151d369c41104d655ed3f2f3091166a502cd8d",
    "SetIsAllocator(address indexed account, bool newIsAllocator)",
    [A, false],
    [{ action: "role_revoke", role: "allocator", account: A, accepted }],
  ],
  [
    "0x4df9dcd34ae35f40f2c756fd8ac83210ed0b76d065543ee73d868aec7c7fcf02",
    "SetName(string newName)",
    ["Prime"],
    [{ action: "metadata_change", id: "name", new: "Prime" }],
  ],
  [
    "0xadf3ae8bd543b3007d464f15cb8ea1db3f44e84d41d203164f40b95e27558ac6",
    "SetSymbol(string newSymbol)",
    ["PRM"],
    [{ action: "metadata_change", id: "symbol", new: "PRM" }],
  ],
  [
    "0x004237ebb79833e3e0bc633281452dc9e5c76b92b603140b2a53b0bceb441cae",
    "SetReceiveSharesGate(address indexed newReceiveSharesGate)",
    [A],
    [{ action: "gate_change", id: "receiveSharesGate", account: A, new: A, accepted }],
  ],
  [
    "0x43a3573cf238e4b97d4ffec8e9b8a69cd276b47cf68230dbdbec3a7a98b28723",
    "SetSendSharesGate(address indexed newSendSharesGate)",
    [A],
    [{ action: "gate_change", id: "sendSharesGate", account: A, new: A, accepted }],
  ],
  [
    "0x6b530281a3f54e1c3e430297307183ba1bafca3cdf775404395c208e6cf3e15f",
    "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)",
    [A],
    [{ action: "gate_change", id: "receiveAssetsGate", account: A, new: A, accepted }],
  ],
  [
    "0x34c1885f043c6c77736fbc402c63a383472347b85868dab73d42b69596a98e94",
    "SetSendAssetsGate(address indexed newSendAssetsGate)",
    [zeroAddress],
    [{ action: "gate_change", id: "sendAssetsGate", account: null, new: zeroAddress, accepted }],
  ],
  [
    "0x7c5f71ef3a94efd2804ad9a6eb74b723dae0d26ef7d2a031f7986c96ae55afda",
    "SetAdapterRegistry(address indexed newAdapterRegistry)",
    [A],
    [{ action: "registry_change", account: A, new: A, accepted }],
  ],
  [
    "0x8f125a24838c4c23e893904b255b5c672d43d4cb8af7e3d15841eaeabc1e68aa",
    "AddAdapter(address indexed account)",
    [A],
    [{ action: "adapter_add", id: A, account: A, accepted }],
  ],
  [
    "0x34f33faa2592bc1f615ec3e91b55b7784665ce46461403c294824d85f9f66458",
    "RemoveAdapter(address indexed account)",
    [A],
    [{ action: "adapter_remove", id: A, account: A, accepted }],
  ],
  [
    "0xed380a7a1f0afc99b313ac7d9f1e52e44430d32b4639c7993bd0021974e30c0e",
    "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)",
    [SELECTOR, 86_400n],
    [{ action: "timelock_duration_change", id: SELECTOR, new: "86400", accepted }],
  ],
  [
    "0x488e0bfafe0a9580c2271bee1f563a47d309f0105ca950ea525d909b43b36daf",
    "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)",
    [SELECTOR, 0n],
    [{ action: "timelock_duration_change", id: SELECTOR, new: "0", accepted }],
  ],
  [
    "0xa8480b135a28741e8c059528bf8f82de70278485fb86bfc816a183801f0a8570",
    "Abdicate(bytes4 indexed selector)",
    [SELECTOR],
    [{ action: "abdicate", id: SELECTOR, accepted }],
  ],
  [
    "0x9deb43d71422af41853c3921fb364b7647f9a9b136e46d66d45c1bf707af706c",
    "SetLiquidityAdapterAndData(address indexed sender, address indexed newLiquidityAdapter, bytes indexed newLiquidityData)",
    [A, B, JUNK],
    [{ action: "liquidity_adapter_change", account: B, new: { adapter: B, data: null } }],
    "sender",
  ],
  [
    "0x8b940a95968ad5b511f89b01075446a4fe9f614f2dc5fbb9e9a6b227d6d4fd70",
    "SetPerformanceFee(uint256 newPerformanceFee)",
    [5n],
    [{ action: "fee_config_update", id: "performanceFee", new: "5", accepted }],
  ],
  [
    "0xe59cc3d47f72dbd81f7d5fc40b9b05d9c4374a54addea771648ae24943c26e76",
    "SetPerformanceFeeRecipient(address indexed newPerformanceFeeRecipient)",
    [A],
    [{ action: "fee_recipient_change", id: "performanceFeeRecipient", account: A, new: A, accepted }],
  ],
  [
    "0xd87632b1c6ebfa21acbca0e3279b3cf6385a377cb8fda51e5b866baa6e6012ab",
    "SetManagementFee(uint256 newManagementFee)",
    [7n],
    [{ action: "fee_config_update", id: "managementFee", new: "7", accepted }],
  ],
  [
    "0x7f1dd9b78dfeeb8c452333915b2f077f4920fefc4ec7f146767e9ba40303ef1f",
    "SetManagementFeeRecipient(address indexed newManagementFeeRecipient)",
    [A],
    [{ action: "fee_recipient_change", id: "managementFeeRecipient", account: A, new: A, accepted }],
  ],
  [
    "0x7368d59ed82f6a538f6deef9baa54623fe3699ce07b19031f762f740c8c34b03",
    "IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    [ID, JUNK, 9n],
    [{ action: "cap_change", id: ID, cap_kind: "absolute", new: "9", accepted }],
  ],
  [
    "0xbc2ffe81312f53db4f327eca188ebdc13df66a8ce25f7dec6f5b4495fe27b371",
    "DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    [A, ID, JUNK, 8n],
    [{ action: "cap_change", id: ID, cap_kind: "absolute", new: "8" }],
    "sender",
  ],
  [
    "0x2a343b9a1ceba40853d01c6adeea53f5c0e4b95b4eb870ed4af309a0ead7e399",
    "IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    [ID, JUNK, 9n],
    [{ action: "cap_change", id: ID, cap_kind: "relative", new: "9", accepted }],
  ],
  [
    "0xcedce6ffe8b7f89de49bd4f955667ca0a963a8059264196807b240ed470b25ce",
    "DecreaseRelativeCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    [A, ID, JUNK, 8n],
    [{ action: "cap_change", id: ID, cap_kind: "relative", new: "8" }],
    "sender",
  ],
  [
    "0x75fef0e2a5e934789b0723129a0d1bbfd4a50f39c5af9919626e4f3603aef5ff",
    "SetMaxRate(uint256 newMaxRate)",
    [3n],
    [{ action: "max_rate_change", new: "3" }],
  ],
  [
    "0x1e29a0bf54cf1e929f17cc97a198ff5cf7f8da1df1cb8ff67f7184ce380f3924",
    "SetForceDeallocatePenalty(address indexed adapter, uint256 forceDeallocatePenalty)",
    [A, 4n],
    [{ action: "fee_config_update", id: "forceDeallocatePenalty", account: A, new: "4", accepted }],
  ],
  [
    "0x2bc7948a96a066968d2a58aaf46eb0b305aa166b1d1951d2f7ef0919746b8c2a",
    "Allocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change)",
    [A, B, 5n, [ID], 5n],
    [{ action: "allocation_change", id: B, account: B }],
    "sender",
  ],
  [
    "0xd602b36fb24934aef1bc2a658de029b486fa4c664a6e45de1f48e3fd1be25dd9",
    "Deallocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change)",
    [A, B, 5n, [ID], -5n],
    [{ action: "allocation_change", id: B, account: B }],
    "sender",
  ],
  [
    "0xb98216be0267fa550428a584fe6ac1ef0f39788e0198372100e813444afecd29",
    "ForceDeallocate(address indexed sender, address adapter, uint256 assets, address indexed onBehalf, bytes32[] ids, uint256 penaltyAssets)",
    [A, B, 5n, A, [ID], 1n],
    [{ action: "force_deallocate", id: B, account: B }],
    "sender",
  ],
  [
    "0x4dec04e750ca11537cabcd8a9eab06494de08da3735bc8871cd41250e190bc04",
    "AccrueInterest(uint256 previousTotalAssets, uint256 newTotalAssets, uint256 performanceFeeShares, uint256 managementFeeShares)",
    [10n, 11n, 2n, 1n],
    [],
  ],
];

const ADAPTER_CASES: readonly Case[] = [
  [
    "0x8b18afeb361b83b025999ed5b42f1d90c68aaa5a0fd49c015f04c3b8b81e80eb",
    "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)",
    [BURN.slice(0, 10), BURN, 1_700_000_000n],
    [
      {
        action: "timelock_submit",
        call: call(ADAPTER, "burnShares", { marketId: ID }, BURN),
        executable_at: "1700000000",
      },
    ],
  ],
  [
    "0x29aa42fc192ff77ef42105abba283197ac841341e196e417a7fc2784cdc4e5fb",
    "Accept(bytes4 indexed selector, bytes data)",
    [BURN.slice(0, 10), BURN],
    [],
  ],
  [
    "0x70521cf6a7c2458c5ad406081ad7b3bc4afd31b01b586a157a9780fcee6a77cb",
    "Revoke(address indexed sender, bytes4 indexed selector, bytes data)",
    [B, BURN.slice(0, 10), BURN],
    [{ action: "timelock_revoke", call: call(ADAPTER, "burnShares", { marketId: ID }, BURN) }],
    "sender",
  ],
  [
    "0xed380a7a1f0afc99b313ac7d9f1e52e44430d32b4639c7993bd0021974e30c0e",
    "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)",
    [SELECTOR, 5n],
    [{ action: "timelock_duration_change", id: SELECTOR, new: "5", accepted }],
  ],
  [
    "0x488e0bfafe0a9580c2271bee1f563a47d309f0105ca950ea525d909b43b36daf",
    "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)",
    [SELECTOR, 0n],
    [{ action: "timelock_duration_change", id: SELECTOR, new: "0", accepted }],
  ],
  [
    "0xa8480b135a28741e8c059528bf8f82de70278485fb86bfc816a183801f0a8570",
    "Abdicate(bytes4 indexed selector)",
    [SELECTOR],
    [{ action: "abdicate", id: SELECTOR, accepted }],
  ],
  [
    "0x82234a83a62d451b7758221f55cd21fe22d35d7798bdfea8a44168fd355880cb",
    "BurnShares(bytes32 indexed marketId, uint256 supplyShares)",
    [ID, 6n],
    [{ action: "loss", id: ID, old: "6", new: "0", accepted }],
  ],
  [
    "0x2e7908865670e21b9779422cadf5f1cba271a62bb95c71eaaf615c0a1c48ebee",
    "SetSkimRecipient(address indexed newSkimRecipient)",
    [A],
    [{ action: "fee_config_update", id: "skimRecipient", account: A, new: A }],
  ],
  [
    "0x5e99aaf6d3588fb2497fde044168e8c046704a3223559cfe107f8f94b42cefdd",
    "Skim(address indexed token, uint256 assets)",
    [A, 6n],
    [{ action: "fee_config_update", id: "skim", account: A, new: "6" }],
  ],
  [
    "0x67bd2993814767565e883edd1e76edf105cdd33766384ca8495e53562e20bea7",
    "Allocate(bytes32 indexed marketId, uint256 newAllocation, uint256 mintedShares)",
    [ID, 1n, 2n],
    [],
  ],
  [
    "0xc3505702fbdd1c334673aa66559f4546d749681c4d2509c99c07fabf01b3227f",
    "Deallocate(bytes32 indexed marketId, uint256 newAllocation, uint256 burnedShares)",
    [ID, 1n, 2n],
    [],
  ],
];

const FLOWS = [
  "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  "Transfer(address indexed from, address indexed to, uint256 value)",
];
const CREATED =
  "CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2)";

describe.each([
  ["vault", VAULT, VAULT_CASES],
  ["adapter", ADAPTER, ADAPTER_CASES],
] as const)("every event of the %s becomes the fact decided for it", (contract, address, cases) => {
  test.each(cases.map((each) => [each[1], each] as const))(
    "%s",
    (_title, [topic, signature, args, effects, actor]) => {
      const { topics, data } = encodeEvent(signature, args);
      expect(topics[0]).toBe(topic);
      const decoded = decodeAt(address, signature, args);
      const names = signature
        .slice(signature.indexOf("(") + 1, -1)
        .split(", ")
        .map((input) => input.split(" ").at(-1)!);
      const event = signature.slice(0, signature.indexOf("("));
      expect(decoded).toMatchObject({
        vaultAddress: VAULT,
        body: { kind: "governance", contract, event, effects },
      });
      expect(decoded?.body).toHaveProperty("effects", effects);
      expect(decoded?.actor).toBe(actor === undefined ? null : args[names.indexOf(actor)]);
      const stored = decoded!.body.kind === "governance" ? decoded!.body.args : {};
      expect(Object.keys(stored)).toEqual(names);
      for (const [nth, name] of names.entries()) {
        const isHashed = signature.includes(`bytes indexed ${name}`);
        expect(stored[name]).toEqual(isHashed ? keccak256(args[nth] as Hex) : textOf(args[nth]));
      }
      expect(toStored(decoded!.body)).toEqual(decoded!.body);
      expect(data.startsWith("0x")).toBe(true);
    },
  );
});

test("its topics are those of the table, no more and no fewer", () => {
  const flows = FLOWS.map(
    (signature) =>
      encodeEvent(
        signature,
        signature.startsWith("Transfer")
          ? [A, B, 1n]
          : signature.startsWith("Deposit")
            ? [A, B, 1n, 1n]
            : [A, B, A, 1n, 1n],
      ).topics[0],
  );
  const created = encodeEvent(CREATED, [A, ASSET, ID, VAULT]).topics[0];
  expect(created).toBe("0x341ce009267aa0d78cc12b34155e223904a51ed49d144beb6eb8be87813edb4e");
  const all = [...VAULT_CASES, ...ADAPTER_CASES].map(([topic]) => topic);
  expect(new Set(family.topics)).toEqual(new Set([...flows, created, ...all]));
});

test("interest that is less than nothing is a loss", () => {
  const signature = VAULT_CASES.at(-1)![1];
  expect(effectsAt(VAULT, signature, [10n, 9n, 0n, 1n])).toEqual([{ action: "loss", old: "10", new: "9" }]);
  expect(effectsAt(VAULT, signature, [10n, 10n, 0n, 1n])).toEqual([]);
});

test("trap 3: what is submitted is not checked: data that calls nothing is kept as it is", () => {
  const submit = VAULT_CASES[1]![1];
  const submitted: Hex[] = [
    "0x",
    "0x12",
    JUNK,
    ADD.slice(0, 40) as Hex,
    `${ADD.slice(0, 10) as Hex}${"f".repeat(64)}`,
  ];
  for (const data of submitted) {
    expect(effectsAt(VAULT, submit, [SELECTOR, data, 5n])).toEqual([
      { action: "timelock_submit", call: call(VAULT, null, null, data), executable_at: "5" },
    ]);
  }
  // An adapter's function is none of the vault's.
  expect(effectsAt(VAULT, submit, [SELECTOR, BURN, 5n])).toMatchObject([{ call: { function: null } }]);
});

test("a function that is not known has its acceptance as the entry", () => {
  expect(effectsAt(VAULT, VAULT_CASES[2]![1], [SELECTOR, JUNK])).toEqual([
    { action: "timelock_accept", call: call(VAULT, null, null, JUNK), accepted },
  ]);
});

test("the factory announces a vault, and only the factory", () => {
  const announced: Address = "0x9000000000000000000000000000000000000009";
  const log = (address: Address) => at(address, CREATED, [A, ASSET, ID, announced]);
  expect(family.discover(log(FACTORY), directory)).toMatchObject({
    family: "morpho_vault_v2",
    address: announced,
    asset: ASSET,
    source: factory,
  });
  expect(family.discover(log(VAULT), directory)).toBeNull();
  expect(family.decode(log(FACTORY), directory)).toBeNull();
  expect(decodeAt(FACTORY, CREATED, [A, ASSET, ID, VAULT])).toMatchObject({
    vaultAddress: VAULT,
    body: { contract: "factory", effects: [] },
  });
});

test("the same events of a vault of another family are not decoded by this one, and none of theirs here", () => {
  const others = new Directory();
  const addresses = ["metamorpho", "euler_earn", "lagoon", "yearn_v3", "erc4626"] as const;
  const vaults = addresses.map((name, nth) => {
    const address: Address = `0x${"5".repeat(39)}${nth}`;
    const source: Source = { family: name, address, governor: null, oracles: [] };
    others.addSource(source);
    others.addVault(knownVault(source, address, ASSET));
    return address;
  });
  for (const [, signature, args] of [...VAULT_CASES, ...ADAPTER_CASES]) {
    for (const address of vaults) expect(family.decode(at(address, signature, args), others)).toBeNull();
  }
});

test("an adapter's log is not the vault's, nor the vault's an adapter's", () => {
  expect(decodeAt(ADAPTER, "SetOwner(address indexed newOwner)", [A])).toBeNull();
  expect(decodeAt(VAULT, "BurnShares(bytes32 indexed marketId, uint256 supplyShares)", [ID, 6n])).toBeNull();
});

function at(address: Address, signature: string, args: readonly unknown[]) {
  return rawLog(encodeEvent(signature, args), { address: address.toLowerCase() as Hex });
}

function decodeAt(address: Address, signature: string, args: readonly unknown[]) {
  return family.decode(at(address, signature, args), directory);
}

function effectsAt(address: Address, signature: string, args: readonly unknown[]) {
  const body = decodeAt(address, signature, args)?.body;
  return body?.kind === "governance" ? body.effects : null;
}

function textOf(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return Array.isArray(value) ? value.map(textOf) : value;
}
