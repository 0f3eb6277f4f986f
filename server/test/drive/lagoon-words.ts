// What a Lagoon vault of 0.6.0, its proxy and its proxy's admin answer. What only its events say (the proposed total assets, until when they
// count) is held against what the contract would do.
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  getAddress,
  parseEventLogs,
  slice,
  zeroAddress,
} from "viem";
import { artifactOf } from "../../../demo/src/compile.ts";
import { lesser } from "../../src/chain/families/family/amounts.ts";
import { timestampOfSeconds } from "../../src/platform/http/time.ts";
import { CONTRACTS } from "../simulation/every-family.ts";
import { type At, decimal, holdersOf, type PendingWords, type Role, statusAt, type Words } from "./shape.ts";

const ADMIN = "DelayProxyAdmin";
const BPS_E18 = 10n ** 14n;
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const SEATS = [
  ["safe", "safe"],
  ["valuation_manager", "valuationManager"],
  ["whitelist_manager", "whitelistManager"],
  ["fee_receiver", "feeReceiver"],
  ["security_council", "securityCouncil"],
  ["super_operator", "superOperator"],
] as const;

export async function lagoonWords(at: At): Promise<Words> {
  const { world, vault, ask, on } = at;
  const [owner, seats, rates, isPaused, isValid, mode] = await Promise.all([
    ask<Address>("owner"),
    ask<Record<string, Address>>("getRolesStorage"),
    ask<Record<string, number>>("feeRates"),
    ask<boolean>("paused"),
    ask<boolean>("isTotalAssetsValid"),
    ask<number>("syncMode"),
  ]);
  const roles: Role[] = [
    { role: "owner", account: owner },
    ...SEATS.map(([role, seat]) => ({ role, account: seats[seat]! })),
  ].filter(({ account }) => account !== zeroAddress);
  const [inVault, inSafe, totalAssets] = await Promise.all([
    on<bigint>("Token", world.asset, "balanceOf", [vault]),
    on<bigint>("Token", world.asset, "balanceOf", [seats.safe]),
    ask<bigint>("totalAssets"),
  ]);
  const isClosed = (await stateOf(at, owner)) === 2;
  const isImmediate = isClosed || (isValid && !isPaused && (mode === 0 || mode === 2));
  const idle = isClosed ? inVault : inSafe;
  const slot = await world.chain.client.getStorageAt({
    address: vault,
    slot: IMPLEMENTATION_SLOT,
    blockNumber: BigInt(at.block),
  });
  const rate = (bps: number) => decimal(BigInt(bps) * BPS_E18);
  return {
    contract_roles: roles,
    primary: holdersOf(roles, "owner", "safe"),
    secondary: holdersOf(roles, "valuation_manager", "whitelist_manager", "security_council"),
    allocations: [],
    liquidity: {
      idle_assets: idle,
      withdrawable_assets: isImmediate ? lesser(idle, totalAssets) : null,
      isImmediate,
    },
    free_assets: inSafe,
    lost_assets: null,
    fees: {
      performance_fee: rate(rates.performanceRate!),
      performance_fee_recipient: seats.feeReceiver,
      management_fee: rate(rates.managementRate!),
      management_fee_recipient: seats.feeReceiver,
    },
    pending: await pending(at),
    more: {
      ...(await valuation(at, seats.safe!)),
      is_paused: isPaused,
      escrowed_assets: inVault.toString(),
      implementation: getAddress(slice(slot!, 12)),
    },
  };
}

/** What its events say, each held against what the contract would do at that block. */
async function valuation(at: At, safe: Address) {
  const { ask, now } = at;
  const last = (eventName: string) => lastOf(at, eventName);
  const [proposal, settled, expiration, mark] = await Promise.all([
    last("NewTotalAssetsUpdated"),
    last("TotalAssetsUpdated"),
    last("TotalAssetsExpirationUpdated"),
    last("HighWaterMarkUpdated"),
  ]);
  const isOpen = proposal !== undefined && (settled === undefined || settled.place < proposal.place);
  const proposed = isOpen ? (proposal.args.totalAssets as bigint) : null;
  const { refused, paid } = await settlement(at, safe, proposed ?? 0n);
  if (isOpen ? refused !== null : refused === null) throw new Error(`proposed ${proposed}, but ${refused}`);
  const isValid = await ask<boolean>("isTotalAssetsValid");
  const until = isValid ? (expiration!.args.newExpiration as bigint) : null;
  if (until !== null && until <= now) throw new Error("it counts no more");
  return {
    nav: {
      proposed_total_assets: proposed?.toString() ?? null,
      proposed_at: isOpen ? timestampOfSeconds(Number(proposal.time)) : null,
      valid_until: until === null ? null : timestampOfSeconds(Number(until)),
      owed_assets: paid?.toString() ?? null,
    },
    hwm_pps: (mark?.args.newHighWaterMark as bigint | undefined)?.toString() ?? null,
  };
}

async function lastOf({ world, vault, block }: At, eventName: string) {
  const { client, artifacts } = world.chain;
  const { abi } = artifactOf(artifacts, CONTRACTS.lagoon);
  const range = { fromBlock: 0n, toBlock: BigInt(block) };
  const log = (await client.getContractEvents({ address: vault, abi, eventName, ...range })).at(-1);
  if (!log) return undefined;
  const { timestamp: time } = await client.getBlock({ blockNumber: log.blockNumber });
  const place = Number(log.blockNumber) * 1_000_000 + log.logIndex;
  return { args: (log as unknown as { args: Record<string, unknown> }).args, time, place };
}

/** Why the Safe could not settle at that block; else what it would pay, null for nobody. */
async function settlement({ world, vault, block }: At, safe: Address, totalAssets: bigint) {
  const { client, artifacts } = world.chain;
  const { abi } = artifactOf(artifacts, CONTRACTS.lagoon);
  const call = (functionName: string) => ({ abi, to: vault, functionName, args: [totalAssets] });
  const settle = async (functionName: string) => {
    const [simulated] = await client.simulateBlocks({
      blockNumber: BigInt(block),
      blocks: [{ calls: [{ ...call(functionName), account: safe }] }],
    });
    return simulated!.calls[0]!;
  };
  let told = await settle("settleRedeem");
  if (told.status === "failure") told = await settle("close");
  if (told.status === "failure") return { refused: "it would revert", paid: null };
  const [paid] = parseEventLogs({ abi, logs: told.logs ?? [], eventName: "SettleRedeem" });
  const args = paid && (paid as unknown as { args: { assetsWithdrawed: bigint } }).args;
  return { refused: null, paid: args?.assetsWithdrawed ?? null };
}

/** No view tells it; who may begin the closing is told why not. */
async function stateOf({ world, vault, block }: At, owner: Address): Promise<number> {
  const { abi } = artifactOf(world.chain.artifacts, CONTRACTS.lagoon);
  try {
    await world.chain.client.simulateContract({
      abi,
      address: vault,
      functionName: "initiateClosing",
      account: owner,
      blockNumber: BigInt(block),
    });
    return 0;
  } catch (error) {
    const reverted =
      error instanceof BaseError && error.walk((each) => each instanceof ContractFunctionRevertedError);
    const { errorName, args } = (reverted as ContractFunctionRevertedError).data!;
    // Of a proposal that stands it is a new one: still open.
    return errorName === "WrongState" ? Number(args![0]) : 0;
  }
}

async function pending(at: At): Promise<PendingWords[]> {
  const { world, vault, ask, on } = at;
  const admin = <T>(name: string) => on<T>(ADMIN, world.admin, name);
  const [next, implementation, implementationAt, delay, newDelay, delayAt, adminOwner] = await Promise.all([
    ask<Address>("pendingOwner"),
    admin<Address>("newImplementation"),
    admin<bigint>("implementationUpdateTime"),
    admin<bigint>("delay"),
    admin<bigint>("newDelay"),
    admin<bigint>("delayUpdateTime"),
    admin<Address>("owner"),
  ]);
  const ofAdmin = (name: string, args: unknown, due: bigint): PendingWords => ({
    kind: "call",
    function: name,
    target: world.admin,
    calldata: null,
    proposed: { function: name, arguments: args },
    executable_at: due,
    earliest_effect_at: due,
    status: statusAt(at, due),
    revocable_by: [adminOwner],
  });
  return [
    ...(next === zeroAddress
      ? []
      : [
          {
            kind: "primary_manager",
            function: null,
            target: null,
            calldata: null,
            proposed: next,
            executable_at: null,
            earliest_effect_at: null,
            status: "pending" as const,
            revocable_by: [],
          },
        ]),
    ...(implementation === zeroAddress
      ? []
      : [ofAdmin("upgradeAndCall", { proxy: vault, implementation }, implementationAt)]),
    ...(newDelay === 0n
      ? []
      : [
          ofAdmin(
            "updateDelay",
            { delay_seconds: newDelay.toString(), current_delay_seconds: delay.toString() },
            delayAt,
          ),
        ]),
  ];
}
