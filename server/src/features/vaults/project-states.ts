// A vault's state as read at a block: one row a reading, the newest is what the API serves.
//
// Guarantee: what could not be read is no state. Such a field keeps the last value that was read, and the row names it in `unread` with
// the time of that value; a vault of which nothing could be read gets one row that says so, as of the block of its last state. A value
// that was there is given up only when a second reading, at a later block, finds its view failing again.
import { sql } from "kysely";
import type { ProjectedBlock } from "../../chain/projection.ts";
import type { Allocation, PendingChange, ReadingField, VaultReading } from "../../chain/reading.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Columns, insertRows, tableOf } from "../../platform/db/rows.ts";
import { MAX_SECONDS, timestampOfSeconds, timestampOrNull } from "../../platform/http/time.ts";

export async function writeStates(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const last = await loadLastStates(tx, blocks);
  const rows: StateRow[] = [];
  for (const { block, readings } of blocks) {
    for (const [address, reading] of readings) {
      const row = stateRow(block, address, reading, last.get(address));
      if (row === null) continue;
      rows.push(row);
      last.set(address, { ...row, read_at: block.timestamp });
    }
  }
  if (rows.length === 0) return;
  // What was read of the same block before: as unread, or as a sample of the past, which lacks what only the head asks for.
  const places = rows.map((row) => ({ ...row, is_whole: Object.keys(row.unread).length === 0 }));
  await sql`
    delete from vault_states s using ${tableOf(PLACE, places)} as r
     where s.chain_id = r.chain_id and s.block_number = r.block_number and s.vault_address = r.vault_address
       and (r.is_whole or s.unread <> '{}')`.execute(tx);
  await insertRows(tx, "vault_states", COLUMNS, rows, true);
  await keepNames(tx, blocks);
}

/** A vault may change its name and symbol, or answer late: what the newest reading says stands; what did not answer says nothing. */
async function keepNames(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const newest = new Map<string, { block: ProjectedBlock["block"]; reading: VaultReading }>();
  for (const { block, readings } of blocks)
    for (const [address, reading] of readings) newest.set(address, { block, reading });
  const told = [...newest].filter(([, { reading }]) => reading.name !== null || reading.symbol !== null);
  const [first] = told;
  if (first === undefined) return;
  const { chainId } = first[1].block;
  await sql`
    update vaults v set name = coalesce(r.name, v.name), symbol = coalesce(r.symbol, v.symbol)
    from unnest(${told.map(([address]) => address)}::text[], ${told.map(([, { block }]) => block.number)}::bigint[],
      ${told.map(([, { reading }]) => reading.name)}::text[],
      ${told.map(([, { reading }]) => reading.symbol)}::text[]) as r (address, block_number, name, symbol)
    where v.chain_id = ${chainId} and v.address = r.address
      and (v.name, v.symbol) is distinct from (coalesce(r.name, v.name), coalesce(r.symbol, v.symbol))
      and not exists (
        select from vault_states s where s.chain_id = v.chain_id and s.vault_address = v.address
          and s.block_number > r.block_number)`.execute(tx);
}

/** Times as in the row's columns: Unix seconds. `read_at` is that of the block at which the row's values were read. */
type LastState = StateRow & { read_at: number };

/** By vault the newest row up to the first of these blocks, of those whose readings lack something. */
async function loadLastStates(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<Map<string, LastState>> {
  const lacking = new Set<string>();
  for (const { readings } of blocks) {
    for (const [address, { unread, doubted }] of readings)
      if (unread.length > 0 || (doubted?.length ?? 0) > 0) lacking.add(address);
  }
  const first = blocks[0];
  if (first === undefined || lacking.size === 0) return new Map();
  const { rows } = await sql<LastState>`
    select s.*, extract(epoch from s.last_pps_update)::float8 as last_pps_update,
           extract(epoch from b.block_timestamp)::float8 as read_at
      from unnest(${[...lacking]}::text[]) as v (vault_address)
      cross join lateral (
        select * from vault_states s
         where s.chain_id = ${first.block.chainId} and s.vault_address = v.vault_address
           and s.block_number <= ${first.block.number}
         order by s.block_number desc limit 1
      ) s
      join blocks b on b.chain_id = s.chain_id and b.number = coalesce(s.as_of_block, s.block_number)`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.vault_address, row]));
}

/** null where nothing was read and that is nothing new. */
function stateRow(
  block: ProjectedBlock["block"],
  address: string,
  reading: VaultReading,
  last: LastState | undefined,
): StateRow | null {
  const place = { chain_id: block.chainId, block_number: block.number, vault_address: address };
  const read = stateColumns(reading);
  const isUnread = FIELDS.every((field) => reading.unread.includes(field));
  if (isUnread && (last === undefined || FIELDS.every((field) => nameOf(field) in last.unread))) return null;
  const row: StateRow = { ...place, ...read, unread: {}, as_of_block: null };
  for (const field of FIELDS) {
    const isKept =
      reading.unread.includes(field) ||
      (reading.doubted?.includes(field) === true && saysLess(read, last, COLUMNS_OF[field]));
    if (!isKept) continue;
    for (const column of COLUMNS_OF[field]) if (last) Object.assign(row, { [column]: last[column] });
    // Without decimals there is no price at all.
    row.pps_decimals = last?.pps_decimals ?? read.pps_decimals;
    row.unread[nameOf(field)] =
      last?.unread[nameOf(field)] ?? timestampOfSeconds(last?.read_at ?? block.timestamp);
  }
  if (isUnread && last) row.as_of_block = last.as_of_block ?? last.block_number;
  return row;
}

/** Whether fewer values are there than were before. */
function saysLess(
  read: StateColumns,
  last: LastState | undefined,
  columns: readonly (keyof StateColumns)[],
): boolean {
  if (last === undefined) return false;
  if (columns.includes("yield_sources")) return losesAllocation(read.yield_sources, last.yield_sources);
  const said = (state: StateColumns) => columns.reduce((sum, column) => sum + values(state[column]), 0);
  return said(read) < said(last);
}

/** A source that now has another oracle is another value. */
function losesAllocation(read: StateColumns["yield_sources"], last: StateColumns["yield_sources"]): boolean {
  if (read.length === 0) return last.length > 0;
  return last.some(
    ({ address, oracle, allocation_assets }) =>
      allocation_assets !== null &&
      read.some((now) => now.address === address && now.oracle === oracle && now.allocation_assets === null),
  );
}

function values(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, each) => sum + values(each), 0);
}

function stateColumns(reading: VaultReading) {
  const { fees, managers, upkeep, merkle, liquidity, feeRates, nav } = reading;
  return {
    pps: reading.totalSupply === 0n ? null : reading.pps,
    pps_decimals: reading.ppsDecimals,
    total_assets: reading.totalAssets,
    total_supply: reading.totalSupply,
    escrowed_assets: reading.escrowedAssets,
    free_assets: reading.freeAssets,
    is_paused: reading.isPaused,
    // A strategy that was never updated answers 0.
    last_pps_update: writtenOrNull(reading.lastPpsUpdate),
    pps_expiration_seconds: safeOrNull(reading.ppsExpirationSeconds),
    max_staleness_seconds: safeOrNull(reading.maxStalenessSeconds),
    min_update_interval_seconds: safeOrNull(reading.minUpdateIntervalSeconds),
    is_pps_stale_flag: reading.isPpsStaleFlag,
    hwm_pps: reading.hwmPps,
    performance_fee_bps: fees?.performanceFeeBps ?? null,
    management_fee_bps: fees?.managementFeeBps ?? null,
    fee_recipient: fees?.recipient ?? null,
    primary_manager: managers.primary,
    secondary_managers: managers.secondary,
    has_upkeep: upkeep !== null,
    upkeep_balance: upkeep?.balance ?? null,
    upkeep_required: upkeep?.requiredBalance ?? null,
    upkeep_token: upkeep?.token ?? null,
    merkle: merkle && {
      root: merkle.root,
      proposed_root: merkle.proposedRoot,
      effective_at: timestampOrNull(merkle.effectiveAt),
      is_vetoed: merkle.isVetoed,
      is_global_root_vetoed: merkle.isGlobalRootVetoed,
    },
    yield_sources: reading.yieldSources.map(({ address, oracle, allocationAssets }) => ({
      address,
      oracle,
      allocation_assets: allocationAssets,
    })),
    pending_changes: reading.pendingChanges.map(pendingChange),
    contract_roles: reading.contractRoles,
    implementation: reading.implementation,
    allocations: reading.allocations.map(allocation),
    liquidity: liquidity && {
      idle_assets: liquidity.idleAssets.toString(),
      withdrawable_assets: liquidity.withdrawableAssets?.toString() ?? null,
      is_exit_immediate: liquidity.isExitImmediate,
    },
    lost_assets: reading.lostAssets,
    fee_rates: feeRates && {
      performance_fee_e18: feeRates.performanceFeeE18?.toString() ?? null,
      performance_fee_recipient: feeRates.performanceFeeRecipient,
      management_fee_e18: feeRates.managementFeeE18?.toString() ?? null,
      management_fee_recipient: feeRates.managementFeeRecipient,
    },
    nav: nav && {
      proposed_total_assets: nav.proposedTotalAssets?.toString() ?? null,
      proposed_at: timestampOrNull(nav.proposedAt),
      valid_until: timestampOrNull(nav.validUntil),
      owed_assets: nav.owedAssets?.toString() ?? null,
    },
  };
}

function pendingChange(change: PendingChange) {
  const { kind, current, proposed, proposer, effectiveAt, id, submittedAt, executableAt, earliestEffectAt } =
    change;
  const always = { kind, current, proposed, proposer, effective_at: timestampOrNull(effectiveAt) };
  if (id === undefined) return always;
  return {
    ...always,
    id,
    target: change.target ?? null,
    function: change.function ?? null,
    arguments: change.arguments ?? null,
    calldata: change.calldata ?? null,
    submitted_at: timestampOrNull(submittedAt ?? null),
    submitted_by: change.submittedBy ?? null,
    executable_at: timestampOrNull(executableAt ?? null),
    earliest_effect_at: timestampOrNull(earliestEffectAt ?? null),
    is_blocked: change.isBlocked ?? false,
    revocable_by: change.revocableBy ?? [],
  };
}

function allocation(one: Allocation) {
  return {
    id: one.id,
    kind: one.kind,
    address: one.address,
    label: one.label,
    assets: one.assets?.toString() ?? null,
    absolute_cap: one.absoluteCap?.toString() ?? null,
    is_absolute_capped: one.isAbsoluteCapped,
    relative_cap_e18: one.relativeCapE18?.toString() ?? null,
    is_relative_capped: one.isRelativeCapped,
  };
}

/** A duration beyond 2^53 s never ends: the rule that it belongs to does not exist in practice. */
function safeOrNull(seconds: number | null): number | null {
  return seconds !== null && Number.isSafeInteger(seconds) ? seconds : null;
}

type StateColumns = ReturnType<typeof stateColumns>;

/** A row of `vault_states`. */
type StateRow = StateColumns & {
  chain_id: number;
  block_number: number;
  vault_address: string;
  /** By field, in snake case, the time of the value that stands in for what was not read. */
  unread: Record<string, string>;
  as_of_block: number | null;
};

/** The columns in which the fields of a reading are stored. */
const COLUMNS_OF: { [K in ReadingField]: readonly (keyof StateColumns)[] } = {
  pps: ["pps"],
  ppsE18: [],
  ppsDecimals: [],
  totalAssets: ["total_assets"],
  totalSupply: ["total_supply"],
  escrowedAssets: ["escrowed_assets"],
  freeAssets: ["free_assets"],
  isPaused: ["is_paused"],
  lastPpsUpdate: ["last_pps_update"],
  ppsExpirationSeconds: ["pps_expiration_seconds"],
  maxStalenessSeconds: ["max_staleness_seconds"],
  minUpdateIntervalSeconds: ["min_update_interval_seconds"],
  isPpsStaleFlag: ["is_pps_stale_flag"],
  hwmPps: ["hwm_pps"],
  fees: ["performance_fee_bps", "management_fee_bps", "fee_recipient"],
  managers: ["primary_manager", "secondary_managers"],
  upkeep: ["has_upkeep", "upkeep_balance", "upkeep_required", "upkeep_token"],
  merkle: ["merkle"],
  yieldSources: ["yield_sources"],
  pendingChanges: ["pending_changes"],
  contractRoles: ["contract_roles"],
  implementation: ["implementation"],
  allocations: ["allocations"],
  liquidity: ["liquidity"],
  lostAssets: ["lost_assets"],
  feeRates: ["fee_rates"],
  nav: ["nav"],
};

/** What can be unread: the decimals of the price are known beforehand, and its further digits are kept with its points alone. */
const FIELDS = (Object.keys(COLUMNS_OF) as ReadingField[]).filter((field) => COLUMNS_OF[field].length > 0);

/** Snake case, as in the columns. */
function nameOf(field: ReadingField): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const PLACE = {
  chain_id: "bigint",
  block_number: "bigint",
  vault_address: "text",
  is_whole: "boolean",
} as const;

const COLUMNS: Columns<StateRow> = {
  chain_id: "bigint",
  block_number: "bigint",
  vault_address: "text",
  pps: "numeric",
  pps_decimals: "smallint",
  total_assets: "numeric",
  total_supply: "numeric",
  escrowed_assets: "numeric",
  free_assets: "numeric",
  is_paused: "boolean",
  last_pps_update: "timestamptz",
  pps_expiration_seconds: "bigint",
  max_staleness_seconds: "bigint",
  min_update_interval_seconds: "bigint",
  is_pps_stale_flag: "boolean",
  hwm_pps: "numeric",
  performance_fee_bps: "numeric",
  management_fee_bps: "numeric",
  fee_recipient: "text",
  primary_manager: "text",
  secondary_managers: "text[]",
  has_upkeep: "boolean",
  upkeep_balance: "numeric",
  upkeep_required: "numeric",
  upkeep_token: "text",
  merkle: "jsonb",
  yield_sources: "jsonb",
  pending_changes: "jsonb",
  contract_roles: "jsonb",
  implementation: "text",
  allocations: "jsonb",
  liquidity: "jsonb",
  lost_assets: "numeric",
  fee_rates: "jsonb",
  nav: "jsonb",
  unread: "jsonb",
  as_of_block: "bigint",
};

function writtenOrNull(seconds: number | null): number | null {
  return seconds !== null && seconds !== 0 && seconds <= MAX_SECONDS ? seconds : null;
}
