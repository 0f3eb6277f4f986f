// Who an account is, as its code and its views answer at one block.
//
// Nobody is believed for what they say of themselves. A Safe is a proxy of published code before a published singleton, so that its views
// are the singleton's; only then is it asked for its owners. What is none of the known kinds is a `contract`, which is told, and whose word
// gives nobody a right. A view that reverts, floods or lies about its type is as one that is not there.
import { type Address, type Hex, keccak256, toHex, zeroAddress, zeroHash } from "viem";
import { topicAddress } from "../address.ts";
import type { BlockRef, ChainClient } from "../client/client.ts";
import { ifRead, toSeconds, ViewBatch, view } from "../families/family/view.ts";
import { ChainFault, isChainFault } from "../rpc/fault.ts";
import { cleanText } from "../text.ts";
import { isSafeProxyCode, SAFE_SINGLETONS } from "./safe-deployments.ts";
import {
  type ControllerState,
  NO_HOLDERS,
  type Operation,
  plainState,
  TIMELOCK_ROLES,
  type TimelockHolders,
  type TimelockRole,
  type TimelockState,
} from "./state.ts";

/** Owners of a Safe that are told at most; one with more is a `contract`. Modules beyond as many are left out. */
const MOST_OWNERS = 100;
const MOST_MODULES = 100;
const VERSION_LENGTH = 32;
/** Where Safe's list of modules begins and ends. */
const SENTINEL: Address = "0x0000000000000000000000000000000000000001";
/** EIP-7702: the code of an account of a key that delegates to a contract. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/;

/** Where a Safe keeps what no view tells, in words that the published contracts chose. */
const SLOTS = {
  fallbackHandler: "fallback_manager.handler.address",
  guard: "guard_manager.guard.address",
  moduleGuard: "module_manager.module_guard.address",
} as const;

const slotOf = (name: string) => BigInt(keccak256(toHex(name)));

export const ROLE_HASHES: Readonly<Record<TimelockRole, Hex>> = {
  proposer: keccak256(toHex("PROPOSER_ROLE")),
  executor: keccak256(toHex("EXECUTOR_ROLE")),
  canceller: keccak256(toHex("CANCELLER_ROLE")),
  admin: zeroHash,
};

const VIEWS = {
  masterCopy: view<Address>("masterCopy() view returns (address)"),
  version: view<string>("VERSION() view returns (string)"),
  getOwners: view<readonly Address[]>("getOwners() view returns (address[])"),
  getThreshold: view<bigint>("getThreshold() view returns (uint256)"),
  getModulesPaginated: view<readonly [readonly Address[], Address]>(
    "getModulesPaginated(address,uint256) view returns (address[],address)",
  ),
  getStorageAt: view<Hex>("getStorageAt(uint256,uint256) view returns (bytes)"),
  getMinDelay: view<bigint>("getMinDelay() view returns (uint256)"),
  hasRole: view<boolean>("hasRole(bytes32,address) view returns (bool)"),
  getTimestamp: view<bigint>("getTimestamp(bytes32) view returns (uint256)"),
  isOperationDone: view<boolean>("isOperationDone(bytes32) view returns (bool)"),
  owner: view<Address>("owner() view returns (address)"),
};

export interface Asked {
  account: Address;
  /** It is the admin of a followed proxy (EIP-1967). */
  isProxyAdmin?: boolean;
  /** What was known of it before: what its events say of a timelock, which no view lists, is asked for by view one by one. */
  known?: ControllerState | undefined;
}

export interface ReadControllersOptions {
  /** Besides the published ones, with the version to tell. */
  singletons?: ReadonlyMap<Address, string>;
}

type Answer = () => ControllerState;

/** In the order given; null for an account that the node did not tell of. */
export async function readControllers(
  client: Pick<ChainClient, "multicall" | "getCode">,
  asked: readonly Asked[],
  at: BlockRef,
  { singletons = new Map() }: ReadControllersOptions = {},
): Promise<(ControllerState | null)[]> {
  const official = (singleton: Address | null) =>
    (singleton && (SAFE_SINGLETONS.get(singleton) ?? singletons.get(singleton))) ?? null;
  const isSafe = await Promise.all(asked.map((each) => hasSafeCode(client, each, at)));
  // A proxy's code is published, its singleton may be anybody's: one that is new is asked for that alone first.
  const first = new ViewBatch();
  const fromCode = asked.map((each, index): Answer | null => {
    const code = isSafe[index];
    if (code === undefined) return unread;
    if (code === null) return () => plainState("eoa");
    if (code === false) return askOther(first, each);
    if (each.known?.kind === "safe") return askSafe(first, each.account, official);
    const masterCopy = first.add(each.account, VIEWS.masterCopy);
    return () => ({ ...plainState("contract"), singleton: masterCopy() });
  });
  await first.run(client, at);
  const second = new ViewBatch();
  const answers = fromCode.map((answer, index) => {
    const { account, known } = asked[index]!;
    if (isSafe[index] !== true || known?.kind === "safe") return answer;
    const singleton = ifRead(answer!)?.singleton ?? null;
    return official(singleton) === null ? answer : askSafe(second, account, official);
  });
  await second.run(client, at);
  return answers.map((answer) => ifRead(answer!));
}

function unread(): never {
  throw new ChainFault("unread", "the node did not answer the code of an account");
}

/** Whether it is a Safe's proxy by its code; null for no contract; undefined where the node did not tell. */
async function hasSafeCode(
  client: Pick<ChainClient, "getCode">,
  { account, known }: Asked,
  at: BlockRef,
): Promise<boolean | null | undefined> {
  // A contract's code stays.
  if (known && known.kind !== "eoa") return known.kind === "safe" || known.singleton !== null;
  try {
    const code = await client.getCode(account, at);
    return code === "0x" || DELEGATION.test(code) ? null : isSafeProxyCode(code);
  } catch (error) {
    if (isChainFault(error, "unread")) return undefined;
    throw error;
  }
}

function askSafe(
  batch: ViewBatch,
  account: Address,
  official: (singleton: Address | null) => string | null,
): Answer {
  // The proxy answers this one itself.
  const masterCopy = batch.add(account, VIEWS.masterCopy);
  const version = batch.add(account, VIEWS.version);
  const owners = batch.add(account, VIEWS.getOwners);
  const threshold = batch.add(account, VIEWS.getThreshold);
  const modules = batch.add(account, VIEWS.getModulesPaginated, SENTINEL, BigInt(MOST_MODULES));
  const slots = Object.entries(SLOTS).map(
    ([name, key]) => [name, batch.add(account, VIEWS.getStorageAt, slotOf(key), 1n)] as const,
  );
  return () => {
    const singleton = masterCopy();
    const published = official(singleton);
    if (published === null) return { ...plainState("contract"), singleton };
    const told = owners();
    const needed = threshold();
    if (told === null || needed === null || told.length > MOST_OWNERS || needed > BigInt(told.length))
      return { ...plainState("contract"), singleton };
    const kept = Object.fromEntries(slots.map(([name, answer]) => [name, addressIn(answer())]));
    return {
      ...plainState("safe"),
      version: versionOf(version()) ?? published,
      owners: told,
      threshold: Number(needed),
      modules: modules()?.[0] ?? [],
      singleton,
      ...kept,
    };
  };
}

function askOther(batch: ViewBatch, { account, isProxyAdmin, known }: Asked): Answer {
  const minDelay = batch.add(account, VIEWS.getMinDelay);
  const version = batch.add(account, VIEWS.version);
  const owner = isProxyAdmin ? batch.add(account, VIEWS.owner) : () => null;
  const rest = known?.timelock ? askTimelock(batch, account, known.timelock) : null;
  return () => {
    const told = { version: versionOf(version()) };
    const delay = minDelay();
    if (delay !== null) {
      const known = rest?.() ?? { holders: null, operations: [] };
      return {
        ...plainState("timelock"),
        ...told,
        timelock: { minDelaySeconds: toSeconds(delay), ...known },
      };
    }
    const admin = owner();
    if (admin === null) return { ...plainState("contract"), ...told };
    return { ...plainState("proxy_admin"), ...told, owner: admin === zeroAddress ? null : admin };
  };
}

/** Who still holds which role, and which operations still wait, of those that its events name. */
function askTimelock(
  batch: ViewBatch,
  account: Address,
  { holders, operations }: TimelockState,
): () => Omit<TimelockState, "minDelaySeconds"> {
  const held = TIMELOCK_ROLES.map((role) => {
    const named = holders?.[role] ?? [];
    const answers = named.map((each) => batch.add(account, VIEWS.hasRole, ROLE_HASHES[role], each));
    return () => [role, named.filter((_, index) => answers[index]!() !== false)] as const;
  });
  const waiting = operations.map((operation) => {
    const timestamp = batch.add(account, VIEWS.getTimestamp, operation.id);
    const isDone = operation.predecessor
      ? batch.add(account, VIEWS.isOperationDone, operation.predecessor)
      : () => true;
    return (): Operation | null => {
      const time = timestamp();
      // 0: it was cancelled; 1: it was executed.
      if (time !== null && time <= 1n) return null;
      return {
        ...operation,
        executableAt: time === null ? operation.executableAt : toSeconds(time),
        isBlocked: isDone() === false,
      };
    };
  });
  return () => ({
    holders:
      holders && ({ ...NO_HOLDERS, ...Object.fromEntries(held.map((each) => each())) } as TimelockHolders),
    operations: waiting.flatMap((each) => each() ?? []),
  });
}

/** The address in a word of storage; null for none. */
function addressIn(word: Hex | null): Address | null {
  const address = word?.length === 66 ? topicAddress(word) : null;
  return address === zeroAddress ? null : address;
}

function versionOf(text: string | null): string | null {
  return text === null ? null : cleanText(text, VERSION_LENGTH) || null;
}
