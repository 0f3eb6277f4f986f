// Every function of the governance of Morpho Vault V2 and of its adapters: what the owner does at once, what the curator submits and anybody
// sends, what sentinels take back, what allocators move. Timelocks are zero but where something has to wait.
import { keccak256, maxUint128, zeroAddress } from "viem";
import { idData, marketData } from "../../../demo/src/families/morpho-vault-v2.ts";
import { type EveryFamily, OWNER } from "../simulation/every-family.ts";
import {
  ALLOCATOR,
  CURATOR,
  DEPOSITOR,
  type Drive,
  dataOf,
  ERC20,
  ERC4626,
  type Gives,
  GUARD,
  RECIPIENT,
  STRANGER,
  Steps,
  selectorOf,
  told,
} from "./steps.ts";

const VAULT = "MorphoVaultV2";
const ADAPTER = "MorphoMarketAdapter";
const E18 = 10n ** 18n;
type Call = readonly [call: string, ...args: unknown[]];

export function morphoDrive(world: EveryFamily): Drive {
  const { asset, safe, timelock } = world;
  const vault = world.vaults.morpho_vault_v2;
  const [adapter, other] = world.adapters;
  const market = world.markets[1]!.params;
  const marketId = world.markets[1]!.id;
  const ids = [idData.adapter(adapter), idData.collateral(asset), idData.market(adapter, market)] as const;
  const on = new Steps(VAULT, vault);
  const onAdapter = on.on(ADAPTER, adapter);

  const waits = (steps: Steps, contract: string, address: typeof vault) => {
    const call = (each: Call) => told(world, contract, address, each);
    const submit = (each: Call, by = CURATOR) =>
      steps.do(by, ["submit", dataOf(world, contract, each)], ["timelock_submit", call(each)]);
    const run = (each: Call, ...gives: Gives[]) =>
      steps.do(
        STRANGER,
        each,
        ...gives.map(([action, details]) => [action, { ...details, ...call(each), accepted: true }] as const),
      );
    const revoke = (each: Call, by: typeof vault) =>
      steps.do(by, ["revoke", dataOf(world, contract, each)], ["timelock_revoke", call(each)]);
    const waited = (each: Call, ...gives: Gives[]) => {
      submit(each);
      run(each, ...gives);
    };
    return { submit, run, revoke, waited };
  };
  const { submit, run, revoke, waited } = waits(on, VAULT, vault);
  const own = waits(onAdapter, ADAPTER, adapter);

  /** Each submitted and sent in one and the same transaction, where nothing has to wait. */
  const atOnce = (calls: readonly (readonly [Call, Gives])[]) =>
    on.do(
      CURATOR,
      [
        "multicall",
        calls.flatMap(([each]) => {
          const data = dataOf(world, VAULT, each);
          return [dataOf(world, VAULT, ["submit", data]), data];
        }),
      ],
      ...calls.flatMap(([each, [action, details]]): Gives[] => [
        ["timelock_submit", told(world, VAULT, vault, each)],
        [action, { ...details, ...told(world, VAULT, vault, each), accepted: true }],
      ]),
    );

  // The owner's, at once.
  on.do(
    OWNER,
    ["setCurator", CURATOR],
    ["curator_change", { role: "curator", account: CURATOR, old: OWNER, new: CURATOR }],
  );
  on.do(OWNER, ["setIsSentinel", GUARD, true], ["role_grant", { role: "sentinel", account: GUARD }]);
  on.do(OWNER, ["setIsSentinel", STRANGER, true], ["role_grant", { role: "sentinel", account: STRANGER }]);
  on.do(OWNER, ["setIsSentinel", STRANGER, false], ["role_revoke", { role: "sentinel", account: STRANGER }]);
  on.do(OWNER, ["setName", "Driven"], ["metadata_change", { id: "name", old: "Two", new: "Driven" }]);
  on.do(OWNER, ["setSymbol", "DRV"], ["metadata_change", { id: "symbol", old: "TWO", new: "DRV" }]);

  // A wait that is lengthened, and shortened while something waits: what waits can be got sooner, is revoked, and is sent.
  const allocators = selectorOf(world, VAULT, ["setIsAllocator", OWNER, true]);
  const [longer, shorter]: [Call, Call] = [
    ["increaseTimelock", allocators, 3600n],
    ["decreaseTimelock", allocators, 60n],
  ];
  const [grant, another]: [Call, Call] = [
    ["setIsAllocator", ALLOCATOR, true],
    ["setIsAllocator", STRANGER, true],
  ];
  waited(longer, ["timelock_duration_change", { id: allocators, old: "0", new: "3600" }]);
  submit(grant);
  submit(shorter);
  on.after(1800);
  submit(another);
  on.after(1900);
  run(shorter, ["timelock_duration_change", { id: allocators, old: "3600", new: "60" }]);
  revoke(another, GUARD);
  submit(another);
  revoke(another, CURATOR);
  run(grant, ["role_grant", { role: "allocator", account: ALLOCATOR }]);
  submit(["setIsAllocator", OWNER, false]);
  on.after(61);
  run(["setIsAllocator", OWNER, false], ["role_revoke", { role: "allocator", account: OWNER }]);

  // Given up for good: what waits can never be sent.
  const gates = selectorOf(world, VAULT, ["setSendSharesGate", zeroAddress]);
  waited(
    ["setSendSharesGate", zeroAddress],
    ["gate_change", { id: "sendSharesGate", account: null, old: zeroAddress, new: zeroAddress }],
  );
  submit(["setSendSharesGate", STRANGER]);
  waited(["abdicate", gates], ["abdicate", { id: gates }]);
  revoke(["setSendSharesGate", STRANGER], GUARD);

  const registry = world.adapterFactory;
  const fees = (["performance", "management"] as const).flatMap((kind): [Call, Gives][] => {
    const name = `${kind}Fee`;
    const setter = `set${name[0]!.toUpperCase()}${name.slice(1)}`;
    const fee = kind === "performance" ? E18 / 10n : 317_097_919n;
    const recipient = { account: RECIPIENT, old: zeroAddress, new: RECIPIENT };
    return [
      [
        [`${setter}Recipient`, RECIPIENT],
        ["fee_recipient_change", recipient],
      ],
      [
        [setter, fee],
        ["fee_config_update", { id: name, old: "0", new: fee.toString() }],
      ],
    ];
  });
  atOnce([
    ...["ReceiveShares", "ReceiveAssets", "SendAssets"].map((gate): [Call, Gives] => [
      [`set${gate}Gate`, zeroAddress],
      ["gate_change", { id: `${gate[0]!.toLowerCase()}${gate.slice(1)}Gate`, new: zeroAddress }],
    ]),
    [
      ["setAdapterRegistry", registry],
      ["registry_change", { account: registry, old: zeroAddress, new: registry }],
    ],
    ...fees,
    [
      ["setForceDeallocatePenalty", adapter, E18 / 100n],
      ["fee_config_update", { id: "forceDeallocatePenalty", old: "0", new: (E18 / 100n).toString() }],
    ],
  ]);
  waited(["addAdapter", other], ["adapter_add", { id: other, account: other }]);

  // Caps: submitted and sent in one transaction, which waits for nothing.
  const raised = ids.flatMap((id, index): Call[] => [
    ["increaseAbsoluteCap", id, index === 1 ? maxUint128 : 10n ** 12n],
    ["increaseRelativeCap", id, index === 1 ? E18 : E18 / 2n],
  ]);
  const [first, ...rest] = raised as [Call, ...Call[]];
  waited(first, [
    "cap_change",
    { id: keccak256(ids[0]), cap_kind: "absolute", old: "0", new: (10n ** 12n).toString() },
  ]);
  atOnce(rest.map((each) => [each, ["cap_change", { new: String(each[2]) }]]));

  // Money.
  on.do(DEPOSITOR, ["deposit", 1_000_000n, DEPOSITOR], ["deposit", {}]);
  on.do(
    ALLOCATOR,
    ["allocate", adapter, marketData(market), 400_000n],
    ["allocation_change", { id: adapter, account: adapter }],
  );
  on.do(
    GUARD,
    ["deallocate", adapter, marketData(market), 100_000n],
    ["allocation_change", { id: adapter, account: adapter }],
  );
  on.do(
    ALLOCATOR,
    ["setLiquidityAdapterAndData", adapter, marketData(market)],
    [
      "liquidity_adapter_change",
      {
        account: adapter,
        old: { adapter: zeroAddress, data: "0x" },
        new: { adapter, data: marketData(market) },
      },
    ],
  );
  on.do(DEPOSITOR, ["deposit", 100_000n, DEPOSITOR], ["deposit", {}]);
  on.do(ALLOCATOR, ["setMaxRate", 10n ** 9n], ["max_rate_change", { old: "0", new: (10n ** 9n).toString() }]);
  on.do(
    DEPOSITOR,
    ["forceDeallocate", adapter, marketData(market), 1_000n, DEPOSITOR],
    ["withdraw", {}],
    ["force_deallocate", { id: adapter }],
  );
  on.do(
    CURATOR,
    ["decreaseAbsoluteCap", ids[0], 10n ** 9n],
    ["cap_change", { cap_kind: "absolute", old: (10n ** 12n).toString(), new: (10n ** 9n).toString() }],
  );
  on.do(
    GUARD,
    ["decreaseRelativeCap", ids[2], E18 / 4n],
    ["cap_change", { id: keccak256(ids[2]), cap_kind: "relative", new: (E18 / 4n).toString() }],
  );

  // The adapters' own.
  own.waited(["setSkimRecipient", RECIPIENT], ["fee_config_update", { id: "skimRecipient", new: RECIPIENT }]);
  onAdapter.do(RECIPIENT, ["skim", asset], ["fee_config_update", { id: "skim", account: asset, new: "0" }]);
  own.waited(
    ["increaseTimelock", "0x12345678", 60n],
    ["timelock_duration_change", { id: "0x12345678", old: "0", new: "60" }],
  );
  own.submit(["decreaseTimelock", "0x12345678", 0n]);
  onAdapter.after(61);
  own.run(
    ["decreaseTimelock", "0x12345678", 0n],
    ["timelock_duration_change", { id: "0x12345678", old: "60", new: "0" }],
  );
  own.waited(["abdicate", "0x12345678"], ["abdicate", { id: "0x12345678" }]);
  own.submit(["burnShares", marketId]);
  own.revoke(["burnShares", marketId], GUARD);
  own.waited(["burnShares", marketId], ["loss", { id: marketId, new: "0" }]);
  on.do(STRANGER, ["accrueInterest"], ["loss", {}]);
  const second = on.on("MorphoErc4626Adapter", other);
  second.do(
    OWNER,
    ["setSkimRecipient", RECIPIENT],
    ["fee_config_update", { id: "skimRecipient", new: RECIPIENT }],
  );
  second.do(RECIPIENT, ["skim", asset], ["fee_config_update", { id: "skim", account: asset }]);
  waited(["removeAdapter", other], ["adapter_remove", { id: other, account: other }]);

  // The owner gives it to the Safe, that to the timelock's account and so on; and what cannot be decoded waits too.
  on.do(
    CURATOR,
    ["submit", "0xdeadbeef00"],
    ["timelock_submit", { function: null, calldata: "0xdeadbeef00" }],
  );
  on.do(OWNER, ["setOwner", safe], ["owner_change", { account: safe, old: OWNER, new: safe }]);
  on.do(safe, ["setCurator", timelock], ["curator_change", { account: timelock, old: CURATOR }]);
  on.do(safe, ["setOwner", OWNER], ["owner_change", { account: OWNER, old: safe, new: OWNER }]);

  const holders = {
    [VAULT]: [...ERC20, ...ERC4626],
    // Asked by the vault alone.
    [ADAPTER]: ["allocate/4", "deallocate/4"],
    MorphoErc4626Adapter: ["allocate/4", "deallocate/4"],
  };
  return { steps: on.steps, holders };
}
