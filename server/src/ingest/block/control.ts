// Take: who stands behind roles, block by block. Logs of those who are followed become facts; whoever comes to a role, in this block, is asked who
// they are and followed from it on; whoever's logs came is read again, and what changed without an event is told with the execution that did it.
//
// Nothing is written but the book, which is thrown away with its world when what was taken could not be committed. What the node did not tell
// of is owed, and asked for again.
import type { Address } from "viem";
import { isZero } from "../../chain/address.ts";
import type { BlockRef, RawLog } from "../../chain/client/client.ts";
import { silentChanges } from "../../chain/controllers/apply-safe.ts";
import type { DecodeCall } from "../../chain/controllers/apply-timelock.ts";
import { CONTROLLER_CALLS } from "../../chain/controllers/calls.ts";
import { readControllers } from "../../chain/controllers/read.ts";
import { type ControllerState, type OperationCall, plainState } from "../../chain/controllers/state.ts";
import type { Directory } from "../../chain/directory.ts";
import type { VaultFact } from "../../chain/facts.ts";
import { decodeCall } from "../../chain/families/family/call.ts";
import type { GovernanceEffect } from "../../chain/governance.ts";
import type { VaultReading } from "../../chain/reading.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import {
  type ControlBook,
  type ControlChange,
  type Link,
  PROXY_ADMIN_ROLE,
  type RoleHolder,
} from "../control/book.ts";
import { type ControlEvent, decodeControl } from "../control/decode.ts";
import { executionEffects } from "../control/effects.ts";
import { proxyAdminsOf, withOtherAdmin } from "../control/proxy-admins.ts";
import { fetchTransactions } from "./actors.ts";
import type { ExtractContext } from "./discover.ts";
import type { Gap } from "./gaps.ts";
import type { ChainSettings } from "./settings.ts";

export interface ControlContext extends ExtractContext {
  settings: Pick<ChainSettings, "safe_singletons">;
}

export interface ControlWorld {
  directory: Directory;
  control: ControlBook;
}

export interface ControlInput {
  block: BlockHeader;
  /** Of this block, those of the followed accounts among them. */
  logs: readonly RawLog[];
  readings: ReadonlyMap<Address, VaultReading>;
  /** Of the vaults themselves. */
  facts?: readonly VaultFact[];
  /** Roles that were read at earlier blocks and have not been taken since. */
  owedRoles?: ReadonlyMap<Address, readonly RoleHolder[]>;
  /** What has been found out of accounts by other means than this block: it is asked for by view before it stands. */
  learned?: ReadonlyMap<Address, ControllerState> | undefined;
  /** Accounts to be asked again. */
  owedStates?: Iterable<Address>;
  /** False: the block is too old for its state to be asked for. */
  isReadable: boolean;
  logsOf(addresses: Address[]): Promise<readonly RawLog[]>;
}

export interface ControlTaken extends ControlChange {
  facts: VaultFact[];
  gaps: Gap[];
  /** Accounts that could not be read. */
  owed: ReadonlySet<Address>;
}

/** The roles that a reading tells; undefined where it does not. */
export function rolesTold({
  contractRoles,
  managers,
  unread,
  doubted,
}: VaultReading): RoleHolder[] | undefined {
  const isTold = (field: "contractRoles" | "managers") =>
    !unread.includes(field) && !doubted?.includes(field);
  if (!isTold("contractRoles")) return undefined;
  const roles =
    contractRoles.length > 0 || !isTold("managers")
      ? contractRoles
      : // Of a vault whose manager the configuration names, or whose family has no words of its own.
        [managers.primary ?? [], managers.secondary].flat().map((account, index) => ({
          role: index === 0 && managers.primary !== null ? "primary_manager" : "secondary_manager",
          account,
        }));
  return roles.filter(({ account }) => !isZero(account));
}

export async function takeControl(
  context: ControlContext,
  world: ControlWorld,
  input: ControlInput,
): Promise<ControlTaken> {
  const { control: book, directory } = world;
  const before = book.links;
  const statesBefore = new Map(book.states);
  const followedBefore = book.followed;
  const isFollowed = ({ address }: RawLog) =>
    followedBefore.has(address) && directory.contract(address) === undefined;
  const gaps: Gap[] = [];
  const events = await decodeLogs(context, world, input, input.logs.filter(isFollowed), gaps);

  const roles = new Map(input.owedRoles);
  for (const [vault, reading] of input.readings) {
    const told = rolesTold(reading);
    if (told) roles.set(vault, told);
  }
  await becomeHolders(context, world, input, roles);

  const learned = input.learned ?? new Map<Address, ControllerState>();
  for (const [account, state] of learned) book.setState(account, state);

  const owed = new Set<Address>();
  if (input.isReadable) {
    const touched = new Set([
      ...events.map(({ account }) => account),
      // The admin of a proxy whose events are the vault's: they are facts of its family, and may tell of another owner.
      ...input.logs.flatMap(({ address }) =>
        directory.contract(address) === undefined ? [] : (followedBefore.get(address) ?? []),
      ),
      ...(input.owedStates ?? []),
      ...learned.keys(),
    ]);
    await read(context, book, input.block, touched, events, owed);
    for (const account of input.owedStates ?? []) nameCalls(book, account, decoderOf(context, directory));
    const added = [...book.followed].filter(
      ([address]) => !followedBefore.has(address) && directory.contract(address) === undefined,
    );
    if (added.length > 0) {
      const logs = await input.logsOf(added.map(([, address]) => address));
      events.push(
        ...(await decodeLogs(context, world, input, logs, gaps, new Set(added.map(([, each]) => each)))),
      );
    }
  }
  // In one order, whichever came to be followed first.
  const vaultsOf = (account: Address) =>
    [...new Set([...vaultsBehind(before, account), ...vaultsBehind(book.links, account)])].sort();
  const states = new Map([...book.states].filter(([account, state]) => statesBefore.get(account) !== state));
  const changed = changedVaults(before, book);
  const concerned = new Set([...changed, ...[...states.keys()].flatMap((account) => book.vaultsOf(account))]);
  book.prune();
  events.sort((a, b) => a.log.logIndex - b.log.logIndex);
  return {
    facts: events.flatMap((event) => factOf(context, world, input, event, vaultsOf(event.account)) ?? []),
    gaps,
    states,
    vaults: new Map(
      [...concerned].map((vault) => [vault, { roles: book.rolesOf(vault) ?? [], links: book.told(vault) }]),
    ),
    signers: new Map(
      [...concerned].map((vault) => [vault, book.signersOf(vault, accessOn(context, directory, vault))]),
    ),
    owed,
  };
}

/** The roles of vaults become those that were read, with the admins of their proxies. */
async function becomeHolders(
  { client }: ControlContext,
  { control: book, directory }: ControlWorld,
  { block, facts = [], isReadable }: ControlInput,
  told: ReadonlyMap<Address, readonly RoleHolder[]>,
): Promise<void> {
  const isAdmin = ({ role }: RoleHolder) => role === PROXY_ADMIN_ROLE;
  const vaults = [...told.keys()].filter((vault) => directory.vault(vault));
  const changed = withOtherAdmin(facts);
  const due = isReadable ? [...changed, ...vaults.filter((vault) => book.rolesOf(vault) === undefined)] : [];
  const { number, hash, timestamp } = block;
  const admins = await proxyAdminsOf(client, [...new Set(due)], { number, hash, timestamp });
  for (const vault of new Set([...vaults, ...changed])) {
    const known = book.rolesOf(vault) ?? [];
    const admin = admins.get(vault);
    const own = told.get(vault) ?? known.filter((holder) => !isAdmin(holder));
    const holders =
      admin === undefined
        ? [...own, ...known.filter(isAdmin)]
        : [...own, ...(admin === null ? [] : [{ role: PROXY_ADMIN_ROLE, account: admin }])];
    if (!isSame(book.rolesOf(vault), holders)) book.setRoles(vault, holders);
  }
}

/** `fresh` are those who came to a role in this block: they have been read at its end, which their events of it do not change. */
async function decodeLogs(
  context: ControlContext,
  { directory, control: book }: ControlWorld,
  { block }: ControlInput,
  logs: readonly RawLog[],
  gaps: Gap[],
  fresh: ReadonlySet<Address> = new Set(),
): Promise<ControlEvent[]> {
  if (logs.length === 0) return [];
  const blank = new Map([...fresh].map((account) => [account, blankOf(book.states.get(account))]));
  const { byHash } = await fetchTransactions(
    context,
    logs.map((log) => ({
      log,
      vaultAddress: null,
      actor: block.hash as Address,
      body: UNREAD_BODY,
      needs: null,
    })),
    directory,
    gaps,
  );
  return decodeControl(logs, {
    transactions: byHash,
    accountAt: (address) => book.followed.get(address),
    stateOf: (account) => blank.get(account) ?? book.states.get(account),
    setState: (account, state) =>
      blank.has(account) ? blank.set(account, state) : book.setState(account, state),
    timestampOf: () => block.timestamp,
    decodeCall: decoderOf(context, directory),
  });
}

/** An account of that kind of which nothing is known yet. */
function blankOf(state: ControllerState | undefined): ControllerState {
  return plainState(state?.kind ?? "contract");
}

/** Calls that wait in a timelock, and were scheduled when their target was not known yet, are told by name once it is. */
function nameCalls(book: ControlBook, account: Address, decode: DecodeCall): void {
  const state = book.states.get(account);
  if (!state?.timelock) return;
  let isAny = false;
  const named = (call: OperationCall): OperationCall => {
    const decoded = call.function === null ? decode(call.target, call.calldata) : call;
    if (decoded.function === call.function) return call;
    isAny = true;
    return { ...decoded, value: call.value };
  };
  const operations = state.timelock.operations.map((operation) => ({
    ...operation,
    calls: operation.calls.map(named),
  }));
  if (isAny) book.setState(account, { ...state, timelock: { ...state.timelock, operations } });
}

/** All bodies that `fetchTransactions` has no use for. */
const UNREAD_BODY = { kind: "pps_stale" } as const;

export function decoderOf({ families }: Pick<ExtractContext, "families">, directory: Directory) {
  return (target: Address, data: `0x${string}`) => {
    const family = directory.contract(target.toLowerCase())?.source.family;
    const table = family && families[family].functions;
    const own = table && decodeCall(table, target, data);
    return own?.function ? own : decodeCall(CONTROLLER_CALLS, target, data);
  };
}

/** Reads those who were touched, then whoever is linked and not known, to the second level. */
async function read(
  context: ControlContext,
  book: ControlBook,
  { number, hash, timestamp }: BlockHeader,
  touched: ReadonlySet<Address>,
  events: readonly ControlEvent[],
  owed: Set<Address>,
): Promise<void> {
  const at: BlockRef = { number, hash, timestamp };
  const singletons = new Map(
    context.settings.safe_singletons?.map((address) => [address, "private"] as const) ?? [],
  );
  const asked = new Set<Address>();
  for (let level = 0; level < 3; level += 1) {
    const accounts = [...new Set([...(level === 0 ? touched : []), ...book.unknown()])].filter(
      (account) => !asked.has(account),
    );
    if (accounts.length === 0) return;
    for (const account of accounts) asked.add(account);
    const states = await readControllers(
      context.client,
      accounts.map((account) => ({
        account,
        known: book.states.get(account),
        isProxyAdmin: book.isProxyAdmin(account),
      })),
      at,
      { singletons },
    );
    for (const [index, account] of accounts.entries()) {
      const state = states[index]!;
      if (state === null) {
        owed.add(account);
        continue;
      }
      const expected = book.states.get(account);
      if (expected) tellSilent(account, expected, state, events);
      if (!expected || JSON.stringify(expected) !== JSON.stringify(state)) book.setState(account, state);
    }
  }
}

/** What a Safe's executions changed without an event is told with the last of them. */
function tellSilent(
  account: Address,
  expected: ControllerState,
  actual: ControllerState,
  events: readonly ControlEvent[],
): void {
  if (expected.kind !== "safe") return;
  const last = events.findLast((event) => event.account === account && event.executed !== null);
  last?.effects.push(...silentChanges(account, expected, actual));
}

function factOf(
  context: ControlContext,
  { directory, control }: ControlWorld,
  { block }: ControlInput,
  event: ControlEvent,
  vaults: Address[],
): VaultFact | null {
  if (vaults.length === 0) return null;
  const { log, contract, name, args, actor, txFrom, executed } = event;
  const parts = { directory, links: control.links, decodeCall: decoderOf(context, directory) };
  const effects: GovernanceEffect[] = [
    ...(executed ? executionEffects(executed, vaults, parts) : []),
    ...event.effects.map((effect) => ({ ...effect, vaults })),
  ];
  return {
    chainId: context.client.chainId,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    blockTimestamp: block.timestamp,
    txHash: log.txHash,
    txIndex: log.txIndex,
    logIndex: log.logIndex,
    vaultAddress: null,
    actorWallet: actor,
    txFrom,
    body: { kind: "governance", contract, event: name, args, effects },
  };
}

/**
 * Which roles give access to the vault: those that its family's table says manage; where it has no table, its managers and its owner. Who is
 * paid, who acts for holders or everybody, and the admin of its proxy get none by it.
 */
function accessOn(
  { families }: Pick<ExtractContext, "families">,
  directory: Directory,
  vault: Address,
): (role: string) => boolean {
  const family = directory.vault(vault)?.source.family;
  const access = family && families[family].access;
  return (role) => MANAGING.has(role) || (access ? (access[role] ?? null) !== null : role === "owner");
}

/** The words for managers of a contract that has no roles of its own, or whom the configuration names. */
const MANAGING: ReadonlySet<string> = new Set(["primary_manager", "secondary_manager"]);

function vaultsBehind(links: ReadonlyMap<Address, readonly Link[]>, account: Address): Address[] {
  return [...links].flatMap(([vault, each]) =>
    each.some(({ address }) => address === account) ? [vault] : [],
  );
}

function changedVaults(before: ReadonlyMap<Address, readonly Link[]>, book: ControlBook): Set<Address> {
  if (before === book.links) return new Set();
  return new Set(
    [...book.links].flatMap(([vault, links]) =>
      JSON.stringify(before.get(vault)) === JSON.stringify(links) ? [] : [vault],
    ),
  );
}

function isSame(a: readonly RoleHolder[] | undefined, b: readonly RoleHolder[]): boolean {
  const textOf = (roles: readonly RoleHolder[]) =>
    JSON.stringify(roles.map(({ role, account }) => `${role} ${account}`).sort());
  return a !== undefined && textOf(a) === textOf(b);
}
