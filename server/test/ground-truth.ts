// What the chain says, read by other means than the service's own: every log straight from the node, decoded by viem from the
// event table of the demo's contracts, and what each event becomes in the log. What the service stored is held against it.
import {
  type AbiFunction,
  type Address,
  decodeEventLog,
  decodeFunctionData,
  getAbiItem,
  getAddress,
  type Hash,
  type Hex,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { type DemoChain, read } from "../../demo/src/chain.ts";
import { artifactOf } from "../../demo/src/compile.ts";
import { type EventEntry, readEventTable } from "../../demo/src/events.ts";
import type { Database } from "../src/platform/db/db.ts";
import { type Args, ENTRY_RULES, type EntryRule } from "./entry-rules.ts";

export interface Entry {
  block_hash: Hash;
  block_number: number;
  log_index: number;
  tx_hash: Hash;
  action_type: string;
  vault_address: Address;
  actor_wallet: Address;
  details: Record<string, unknown>;
}

export interface LogPlace {
  block_number: number;
  log_index: number;
  block_hash: Hash;
  tx_hash: Hash;
}

export interface Truth {
  /** Entries of the blocks up to the confirmed one, in chain order. */
  entries: Entry[];
  /** Every log of the event table by the followed contracts, up to the head, transfers between holders left out. */
  logs: LogPlace[];
}

/** Reads the whole chain of the node. `confirmed` bounds the entries, `head` the logs; `plain` are configured ERC-4626 vaults. */
export async function readTruth(
  chain: DemoChain,
  aggregator: Address,
  { head, confirmed, plain = [] }: { head: number; confirmed: number; plain?: readonly Address[] },
): Promise<Truth> {
  const logs = await chain.client.getLogs({ fromBlock: 0n, toBlock: BigInt(head) });
  const contracts = new Map<string, { section: string; vault: Address | null }>();
  const strategies = new Map<string, Address>();
  contracts.set(aggregator.toLowerCase(), { section: "SuperVaultAggregator", vault: null });
  const call = { contract: "SuperVaultAggregator", address: aggregator, functionName: "SUPER_GOVERNOR" };
  const governor = await read<Address>(chain, call);
  contracts.set(governor.toLowerCase(), { section: "SuperGovernor", vault: null });
  for (const log of logs) {
    if (log.address.toLowerCase() !== aggregator.toLowerCase() || log.topics[0] !== DEPLOYED.topic) continue;
    const { vault, strategy, escrow } = argsOf(DEPLOYED, log) as Record<string, Address>;
    contracts.set(vault!.toLowerCase(), { section: "SuperVault", vault: vault! });
    contracts.set(strategy!.toLowerCase(), { section: "SuperVaultStrategy", vault: vault! });
    contracts.set(escrow!.toLowerCase(), { section: "SuperVaultEscrow", vault: vault! });
    strategies.set(strategy!.toLowerCase(), vault!);
  }
  for (const vault of plain) contracts.set(vault.toLowerCase(), { section: PLAIN, vault });
  const truth: Truth = { entries: [], logs: [] };
  const senders = new Map<Hash, { from: Address; input: Hex }>();
  for (const log of logs) {
    const contract = contracts.get(log.address.toLowerCase());
    const event = contract && TABLE.get(`${contract.section} ${log.topics[0]}`);
    if (!contract || !event) continue;
    const args = argsOf(event, log);
    if (event.signature.startsWith("Transfer(") && args.from !== zeroAddress && args.to !== zeroAddress)
      continue;
    const place = {
      block_number: Number(log.blockNumber),
      log_index: log.logIndex,
      block_hash: log.blockHash,
      tx_hash: log.transactionHash,
    };
    if (event.section !== "SuperGovernor") truth.logs.push(place);
    const rule =
      ENTRY_RULES[event.signature] ?? (event.section === "SuperGovernor" ? change(event) : undefined);
    if (!rule || place.block_number > confirmed) continue;
    let tx = senders.get(place.tx_hash);
    if (!tx) {
      tx = await chain.client.getTransaction({ hash: place.tx_hash });
      senders.set(place.tx_hash, tx);
    }
    const named = typeof args.strategy === "string" ? strategies.get(args.strategy.toLowerCase()) : undefined;
    const called =
      "strategyOfCall" in rule
        ? strategies.get(strategyInCall(chain, tx.input)?.toLowerCase() ?? "")
        : undefined;
    const announced = event === DEPLOYED ? (args.vault as Address) : undefined;
    const extra =
      event === DEPLOYED
        ? await managersAt(chain, aggregator, args.strategy as Address, log.blockNumber)
        : event === EXPIRATION_PROPOSED
          ? await expirationAt(chain, log.address, log.blockNumber)
          : {};
    const refused = logs.flatMap(({ transactionHash, topics, data }) => {
      if (transactionHash !== place.tx_hash || topics[0] !== VALIDATED.topic) return [];
      const said = argsOf(VALIDATED, { topics, data });
      const asked = args.strategy ?? ("strategyOfCall" in rule ? strategyInCall(chain, tx.input) : undefined);
      return said.strategy === asked ? [said] : [];
    })[0];
    for (const [action_type, details] of rule.entries(args)) {
      truth.entries.push({
        ...place,
        action_type,
        vault_address: contract.vault ?? announced ?? named ?? called ?? zeroAddress,
        actor_wallet: rule.actor ? (args[rule.actor] as Address) : getAddress(tx.from),
        details: { ...withRefused(details, refused), ...extra, tx_from: getAddress(tx.from) },
      });
    }
  }
  return truth;
}

/** What the service recorded about a chain and has not marked as reverted, in the order of the log. */
export async function readRecorded(
  db: Database,
  chainId: number,
): Promise<{ entries: Entry[]; reverted: Entry[] }> {
  const { rows } = await db.pool.query<{ id: string; seq: number; body: string }>(
    "select id, seq, body from audit_entries where chain_id = $1 order by seq",
    [chainId],
  );
  const all = rows.map(({ id, body }) => ({ id, entry: JSON.parse(body) }));
  const gone = new Set(
    all.flatMap(({ entry }) =>
      entry.action_type === "chain_reorg_revert" ? [entry.details.reverted_id] : [],
    ),
  );
  const shaped = (entry: Record<string, never> & { details: Record<string, unknown> }): Entry => {
    const { block_number, block_hash, block_timestamp: _, tx_hash, log_index, ...details } = entry.details;
    const { action_type, vault_address, actor_wallet } = entry;
    return {
      block_number,
      block_hash,
      tx_hash,
      log_index,
      action_type,
      vault_address,
      actor_wallet,
      details,
    } as unknown as Entry;
  };
  const operations = all.filter(({ entry }) => entry.action_type !== "chain_reorg_revert");
  const standing = operations.filter(({ id }) => !gone.has(id)).map(({ entry }) => entry);
  return {
    entries: withoutCompleted(standing).map(shaped),
    reverted: operations.filter(({ id }) => gone.has(id)).map(({ entry }) => shaped(entry)),
  };
}

/** An operation that was recorded once more, when all of it was told, counts as that says. */
function withoutCompleted<
  E extends { action_type: string; vault_address: string; details: Record<string, unknown> },
>(all: E[]): E[] {
  const placeOf = ({ action_type, vault_address, details }: E) => {
    const lacked = [details.not_told ?? details.told_later ?? []].flat();
    const vault = lacked.includes("rejected_vault") ? "" : vault_address;
    return `${action_type} ${vault} ${details.block_hash} ${details.log_index}`;
  };
  const later = new Map(
    all.filter(({ details }) => details.told_later).map((entry) => [placeOf(entry), entry]),
  );
  return all.flatMap((entry) => {
    const told = later.get(placeOf(entry));
    if (told === undefined) return [entry];
    if (told !== entry) return [];
    const { backfilled: _, told_later: __, ...details } = entry.details;
    return [{ ...entry, details }];
  });
}

/** Where the stored facts stand, in chain order; with the hash of the block that each refers to. Nothing of these vaults, nor of who stands behind roles. */
export async function readFactPlaces(
  db: Database,
  chainId: number,
  leftOut: readonly Address[] = [],
): Promise<LogPlace[]> {
  const { rows } = await db.pool.query<LogPlace>(
    `select f.block_number, f.log_index, b.hash as block_hash, f.tx_hash
       from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
      where f.chain_id = $1 and f.data->>'contract' is distinct from 'oracle' and f.data->>'contract' is distinct from 'governor'
        and (f.vault_address is null or f.vault_address <> all($2))
        and coalesce(f.data->>'contract', '') not in ('safe', 'timelock', 'proxy_admin')
      order by f.block_number, f.log_index`,
    [chainId, leftOut],
  );
  return rows;
}

export function inChainOrder<T extends { block_number: number; log_index: number; action_type?: string }>(
  list: T[],
): T[] {
  return [...list].sort(
    (a, b) =>
      a.block_number - b.block_number ||
      a.log_index - b.log_index ||
      ORDER.indexOf(a.action_type ?? "") - ORDER.indexOf(b.action_type ?? ""),
  );
}

/** The only event with two entries. */
const ORDER = ["pps_update", "fee_skim"];

/** Vaults that the configuration names. What ERC-4626 asks for is what a SuperVault emits; the rest of a plain one is who owns it. */
const PLAIN = "ERC-4626";
const ERC4626_EVENTS = ["Transfer(", "Deposit(", "Withdraw("];
const OWNERSHIP = "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)";

const TABLE = new Map<string, EventEntry>(
  readEventTable().flatMap((event) => {
    const own = [[`${event.section} ${event.topic}`, event] as const];
    const isErc4626 =
      event.section === "SuperVault" && ERC4626_EVENTS.some((name) => event.signature.startsWith(name));
    return isErc4626 ? [...own, [`${PLAIN} ${event.topic}`, event] as const] : own;
  }),
);
const ownership = parseAbiItem(`event ${OWNERSHIP}`);
TABLE.set(`${PLAIN} ${toEventSelector(ownership)}`, {
  section: PLAIN,
  signature: OWNERSHIP,
  topic: toEventSelector(ownership),
  abi: ownership,
});
const named = (start: string) => [...TABLE.values()].find(({ signature }) => signature.startsWith(start))!;
const DEPLOYED = named("VaultDeployed(");
const EXPIRATION_PROPOSED = named("PPSExpirationProposed(");
const VALIDATED = named("PPSValidated(address indexed strategy, uint256 pps, uint256 timestamp,");

/** What the governor changes, which concerns no single vault. */
function change({ abi }: EventEntry): EntryRule {
  const plain = (value: unknown) => (typeof value === "bigint" ? String(value) : value);
  return {
    entries: (args) => [
      [
        "parameter_change",
        {
          contract: "governor",
          event: abi.name,
          arguments: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, plain(value)])),
        },
      ],
    ],
  };
}

/** What the oracle announced in the transaction in which it was refused. */
function withRefused(details: Record<string, unknown>, refused: Args | undefined): Record<string, unknown> {
  if (refused === undefined || !("reason" in details)) return details;
  const announced = new Date(Number(refused.timestamp) * 1000).toISOString().replace("Z", "000Z");
  return { ...details, pps: String(refused.pps), pps_timestamp: details.pps_timestamp ?? announced };
}

async function expirationAt(
  chain: DemoChain,
  address: Address,
  blockNumber: bigint,
): Promise<Record<string, unknown>> {
  const call = { contract: "SuperVaultStrategy", address, functionName: "ppsExpiration" };
  return { current_pps_expiration_seconds: String(await read<bigint>(chain, call, blockNumber)) };
}

function argsOf(event: EventEntry, log: { topics: readonly Hex[]; data: Hex }): Args {
  const decoded = decodeEventLog({ abi: [event.abi], data: log.data, topics: log.topics as [Hex, ...Hex[]] });
  return (decoded.args ?? {}) as unknown as Args;
}

function strategyInCall(chain: DemoChain, input: Hex): Address | undefined {
  const { abi } = artifactOf(chain.artifacts, "PPSOracle");
  if (!input.startsWith(toFunctionSelector(getAbiItem({ abi, name: "updatePPS" }) as AbiFunction)))
    return undefined;
  const { args } = decodeFunctionData({ abi, data: input });
  return (args?.[0] as { strategies: Address[] } | undefined)?.strategies[0];
}

async function managersAt(
  chain: DemoChain,
  aggregator: Address,
  strategy: Address,
  blockNumber: bigint,
): Promise<Record<string, unknown>> {
  const call = { contract: "SuperVaultAggregator", address: aggregator, args: [strategy] };
  return {
    primary_manager: await read<Address>(chain, { ...call, functionName: "getMainManager" }, blockNumber),
    secondary_managers: await read<Address[]>(
      chain,
      { ...call, functionName: "getSecondaryManagers" },
      blockNumber,
    ),
  };
}
