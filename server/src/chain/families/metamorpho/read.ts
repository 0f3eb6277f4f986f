// A curated vault's state at one block, for MetaMorpho and Euler Earn alike. No view lists lines: those that events named are asked for,
// and where the vault knows of more than those, its withdraw queue is read too.
import { type Address, zeroAddress } from "viem";
import type { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import type { Tracked, TrackedOf } from "../../governance.ts";
import type { Managers } from "../../managers.ts";
import {
  type Allocation,
  type ContractRoleHolder,
  NO_STATE,
  type VaultReading,
  type VaultState,
} from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import { addSharePrice } from "../family/share-price.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../family/vault-views.ts";
import { ifRead, readEach, ViewBatch } from "../family/view.ts";
import type { LineAnswers, Lines } from "./lines.ts";
import { pendingChanges } from "./pending.ts";
import { CURATED_VIEWS, type LineConfig } from "./views.ts";

/** As many lines as a queue holds, whatever a contract says. */
const MOST_LINES = 30;

const SECONDARY = ["curator", "guardian", "allocator"];

interface AskedLine {
  id: string;
  config: () => LineConfig | null;
  pendingCap: () => readonly [bigint, bigint] | null;
  answers: LineAnswers;
}

interface Asked {
  vault: KnownVault;
  tracked: Tracked | undefined;
  lines: AskedLine[];
  queueLength: () => bigint | null;
  queue: (() => string | null)[];
}

/** Lines that withdraw queues named, by vault, so that they are asked for at once the next time. */
export type FoundLines = BoundedCache<string, ReadonlySet<string>>;

export async function read(
  lines: Lines,
  foundLines: FoundLines,
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
  trackedOf: TrackedOf = new Map(),
): Promise<VaultReading[]> {
  if (vaults.length === 0) return [];
  await lines.prepare(client, vaults, at);
  const time = await timeOf(client, at);
  const askLine = (batch: ViewBatch, vault: KnownVault, id: string): AskedLine => ({
    id,
    config: batch.add(vault.address, lines.views.config, id),
    pendingCap: batch.add(vault.address, lines.views.pendingCap, id),
    answers: lines.ask(batch, client, vault, id, time),
  });

  const first = new ViewBatch();
  const each = vaults.map((vault) => {
    const tracked = trackedOf.get(vault.address);
    const found = foundLines.get(`${client.chainId}:${vault.address}`) ?? [];
    const known = [...new Set([...(tracked?.id?.keys() ?? []), ...found])];
    const asked: Asked = {
      vault,
      tracked,
      lines: known.map((id) => askLine(first, vault, id)),
      queueLength: first.add(vault.address, CURATED_VIEWS.withdrawQueueLength),
      queue: [],
    };
    return { asked, views: askVault(first, vault, tracked, lines.kind === "market") };
  });
  await first.run(client, at);

  const second = new ViewBatch();
  for (const { asked } of each) {
    for (const line of asked.lines) line.answers.follow(second);
    if (isComplete(asked)) continue;
    const length = Math.min(Number(ifRead(asked.queueLength) ?? 0n), MOST_LINES);
    for (let place = 0n; place < length; place += 1n)
      asked.queue.push(second.add(asked.vault.address, lines.views.withdrawQueue, place));
  }
  await second.run(client, at);

  const third = new ViewBatch();
  const late: AskedLine[] = [];
  for (const { asked } of each) {
    const known = new Set(asked.lines.map(({ id }) => id));
    const missing = asked.queue.flatMap((entry) => ifRead(entry) ?? []).filter((id) => !known.has(id));
    const more = [...new Set(missing)].map((id) => askLine(third, asked.vault, id));
    asked.lines.push(...more);
    late.push(...more);
    const key = `${client.chainId}:${asked.vault.address}`;
    if (more.length > 0)
      foundLines.set(key, new Set([...(foundLines.get(key) ?? []), ...more.map(({ id }) => id)]));
  }
  await third.run(client, at);
  const fourth = new ViewBatch();
  for (const line of late) line.answers.follow(fourth);
  await fourth.run(client, at);
  const answers = each.flatMap(({ asked }) => asked.lines.map((line) => line.answers));
  await lines.learnNames(client, answers, at);
  return each.map(({ asked, views }) => readingOf(lines, asked, views, time));
}

/** What the vault itself is asked, lines aside. */
function askVault(batch: ViewBatch, vault: KnownVault, tracked: Tracked | undefined, canSkim: boolean) {
  const { address, asset } = vault;
  const allocators = [...(tracked?.role?.values() ?? [])].map(({ role, account }) => ({
    role: role as string,
    account: account as Address,
    isOne: batch.add(address, CURATED_VIEWS.isAllocator, account),
  }));
  return {
    allocators,
    totalSupply: batch.add(address, VIEWS.totalSupply),
    price: addSharePrice(batch, vault),
    totalAssets: batch.add(address, VIEWS.totalAssets),
    idleAssets: batch.add(asset, VIEWS.balanceOf, address),
    name: batch.add(address, VIEWS.name),
    symbol: batch.add(address, VIEWS.symbol),
    owner: batch.add(address, VIEWS.owner),
    pendingOwner: batch.add(address, CURATED_VIEWS.pendingOwner),
    curator: batch.add(address, CURATED_VIEWS.curator),
    guardian: batch.add(address, CURATED_VIEWS.guardian),
    timelock: batch.add(address, CURATED_VIEWS.timelock),
    pendingTimelock: batch.add(address, CURATED_VIEWS.pendingTimelock),
    pendingGuardian: batch.add(address, CURATED_VIEWS.pendingGuardian),
    fee: batch.add(address, CURATED_VIEWS.fee),
    feeRecipient: batch.add(address, CURATED_VIEWS.feeRecipient),
    skimRecipient: canSkim ? batch.add(address, CURATED_VIEWS.skimRecipient) : () => null,
    lostAssets: batch.add(address, CURATED_VIEWS.lostAssets),
  };
}

type Views = ReturnType<typeof askVault>;

function readingOf(lines: Lines, asked: Asked, views: Views, time: number): VaultReading {
  const { vault, tracked } = asked;
  const state = readEach<VaultState>(NO_STATE, {
    pps: () => views.price.pps(views.totalSupply()),
    ppsE18: () => views.price.ppsE18(views.totalSupply()),
    ppsDecimals: () => vault.assetDecimals ?? DEFAULT_DECIMALS,
    totalAssets: views.totalAssets,
    totalSupply: views.totalSupply,
    freeAssets: views.idleAssets,
    fees: () => feesOf(views),
    feeRates: () => ({
      performanceFeeE18: views.fee(),
      performanceFeeRecipient: somebody(views.feeRecipient()),
      managementFeeE18: null,
      managementFeeRecipient: null,
    }),
    contractRoles: () => rolesOf(views),
    managers: () => managersOf(vault.configuredPrimary, rolesOf(views)),
    allocations: () => enabledLines(asked).map((line) => allocationOf(lines, line)),
    liquidity: () => {
      const idleAssets = views.idleAssets();
      if (idleAssets === null) return null;
      // What lies in the vault itself is not paid out: it is whoever's the skim recipient says.
      const withdrawableAssets = sumOf(enabledLines(asked).map(({ answers }) => answers.withdrawable()));
      return { idleAssets, withdrawableAssets, isExitImmediate: true };
    },
    lostAssets: views.lostAssets,
    pendingChanges: () =>
      pendingChanges(
        lines,
        vault,
        {
          owner: views.owner(),
          pendingOwner: views.pendingOwner(),
          curator: views.curator(),
          guardian: views.guardian(),
          timelock: views.timelock(),
          pendingTimelock: views.pendingTimelock(),
          pendingGuardian: views.pendingGuardian(),
        },
        inOrder(asked.lines).map((line) => ({
          ...line,
          config: line.config(),
          pendingCap: line.pendingCap(),
        })),
        tracked,
        time,
      ),
  });
  return { ...state, name: ifRead(views.name), symbol: ifRead(views.symbol), redeemRequests: [] };
}

/** Whether every line of the withdraw queue is among those asked for. */
function isComplete({ lines, queueLength }: Asked): boolean {
  const enabled = lines.filter(({ config }) => ifRead(config)?.isEnabled === true).length;
  return BigInt(enabled) === ifRead(queueLength);
}

/** @throws ChainFault `unread` where it was not read which there are */
function enabledLines({ lines, queueLength, queue }: Asked): AskedLine[] {
  queueLength();
  for (const entry of queue) entry();
  return inOrder(lines.filter(({ config }) => config()?.isEnabled === true));
}

/** Whatever their events' order was: so a reading is the same however its lines were found. */
function inOrder(lines: readonly AskedLine[]): AskedLine[] {
  return lines.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function allocationOf(lines: Lines, { id, config, answers }: AskedLine): Allocation {
  const cap = config()?.cap ?? null;
  const isAbsoluteCapped = cap !== null && cap !== lines.unlimited;
  return {
    id,
    kind: lines.kind,
    address: lines.addressOf(id),
    label: answers.label(),
    assets: answers.assets(),
    absoluteCap: isAbsoluteCapped ? cap : null,
    isAbsoluteCapped,
    relativeCapE18: null,
    isRelativeCapped: false,
  };
}

function rolesOf(views: Views): ContractRoleHolder[] {
  const role = (name: string, account: Address | null): ContractRoleHolder[] =>
    account === null || account === zeroAddress ? [] : [{ role: name, account }];
  const allocators = views.allocators.filter(({ isOne }) => isOne() === true);
  return [
    ...role("owner", views.owner()),
    ...role("pending_owner", views.pendingOwner()),
    ...role("curator", views.curator()),
    ...role("guardian", views.guardian()),
    ...allocators
      .map(({ role, account }) => ({ role, account }))
      .toSorted((one, other) => (one.account < other.account ? -1 : 1)),
    ...role("fee_recipient", views.feeRecipient()),
    ...role("skim_recipient", views.skimRecipient()),
  ];
}

/** Nearest basis points. */
function feesOf(views: Views): VaultState["fees"] {
  const [fee, recipient] = [views.fee(), views.feeRecipient()];
  if (fee === null || recipient === null) return null;
  const performanceFeeBps = (fee * 10_000n + 5n * 10n ** 17n) / 10n ** 18n;
  return { performanceFeeBps, managementFeeBps: 0n, recipient };
}

function managersOf(configured: Address | null, roles: readonly ContractRoleHolder[]): Managers {
  const held = (role: string) => roles.flatMap((each) => (each.role === role ? [each.account] : []));
  const secondary = SECONDARY.flatMap(held);
  return { primary: configured ?? held("owner")[0] ?? null, secondary: [...new Set(secondary)] };
}

function somebody(account: Address | null): Address | null {
  return account === zeroAddress ? null : account;
}

function sumOf(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0n,
  );
}

/** Of the block that is read: interest and what is due are counted to it. */
async function timeOf(client: ChainClient, at: BlockRef): Promise<number> {
  if (at === "latest") return (await client.head()).timestamp;
  if (at.timestamp !== undefined) return at.timestamp;
  const block =
    at.hash === undefined ? await client.blockByNumber(at.number) : await client.blockByHash(at.hash);
  return (block ?? (await client.blockByNumber(at.number))).timestamp;
}
