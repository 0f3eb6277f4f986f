// What a vault's record says of who holds which role, where the assets are, what can be withdrawn, and what waits in a timelock. Pure.
import { createHash } from "node:crypto";
import type { Address } from "viem";
import { scheduledChangesOf } from "./controllers.ts";
import type { IntervalState, PendingChangeState, VaultRow } from "./store.ts";

/** In the family's own words; `since` is the last event that gave the account the role, else the vault's beginning where it is known. */
export function contractRolesOf(row: VaultRow) {
  return (row.contract_roles ?? []).map(({ role, account }) => ({
    role,
    account,
    since: row.roles_since[`${role}:${account}`] ?? row.created_at,
  }));
}

/** As the family lists them; yield sources are allocations too. `share` is of the total assets. */
export function allocationsOf(
  row: VaultRow,
  yieldSources: readonly { address: Address; allocation_assets: string | null }[],
) {
  const listed = row.allocations ?? [];
  const all = listed.length > 0 ? listed : yieldSources.map(allocationOfSource);
  return all.map(({ relative_cap_e18, ...allocation }) => ({
    ...allocation,
    relative_cap: decimalOfE18(relative_cap_e18),
    share: shareOf(allocation.assets, row.total_assets),
  }));
}

function allocationOfSource({
  address,
  allocation_assets,
}: {
  address: Address;
  allocation_assets: string | null;
}) {
  return {
    id: address,
    kind: "strategy",
    address,
    label: null,
    assets: allocation_assets,
    absolute_cap: null,
    is_absolute_capped: false,
    relative_cap_e18: null,
    is_relative_capped: false,
  };
}

/** `utilisation` is what could not be paid out at once, of the total assets; null where nobody is paid at once. */
export function liquidityOf({ liquidity, total_assets }: VaultRow) {
  if (!liquidity) return null;
  const { idle_assets, withdrawable_assets, is_exit_immediate } = liquidity;
  const withdrawable = is_exit_immediate ? shareOf(withdrawable_assets, total_assets) : null;
  return {
    idle_assets,
    withdrawable_assets,
    utilisation: withdrawable === null ? null : Math.max(0, Number((1 - withdrawable).toFixed(12))),
  };
}

/** As exact as the contract has them; of a family that counts in basis points, from these. */
export function feesOf(row: VaultRow) {
  const { fee_rates: rates, performance_fee_bps: performance, management_fee_bps: management } = row;
  if (rates)
    return {
      performance_fee: decimalOfE18(rates.performance_fee_e18),
      performance_fee_recipient: rates.performance_fee_recipient,
      management_fee: decimalOfE18(rates.management_fee_e18),
      management_fee_recipient: rates.management_fee_recipient,
    };
  if (performance === null && management === null) return null;
  return {
    performance_fee: performance === null ? null : decimalOfE18((performance * E14).toString()),
    performance_fee_recipient: row.fee_recipient,
    management_fee: management === null ? null : decimalOfE18((management * E14).toString()),
    management_fee_recipient: row.fee_recipient,
  };
}

const E14 = 10n ** 14n;

/** An exact decimal without trailing zeros: "0.1" of 10^17. */
function decimalOfE18(value: string | null): string | null {
  if (value === null) return null;
  const digits = value.padStart(19, "0");
  const fraction = digits.slice(-18).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`;
}

const MILLIONTH_OF_MILLIONTH = 10n ** 12n;

/** To twelve places; null without a total. */
function shareOf(part: string | null, total: bigint | null): number | null {
  if (part === null || total === null || total === 0n) return null;
  return Number((BigInt(part) * MILLIONTH_OF_MILLIONTH) / total) / 1e12;
}

type PendingStatus = "pending" | "ready" | "blocked";

/** A change without its status, which is a matter of the second. */
export type PendingRecord = ReturnType<typeof pendingChangesOf>[number];

/** What is pending is what the contract's views say. Announcements add who proposed it and when, and what no view tells. */
export function pendingChangesOf(row: VaultRow, feeConfig: unknown) {
  const announced = new Map(
    row.intervals.filter(({ kind }) => kind === "pending_change").map((each) => [each.subject, each]),
  );
  const read = row.pending_changes?.map((change) => completed(change, announced.get(change.kind)));
  const added = [...announced.values()]
    .filter(({ subject }) => !read || KINDS_WITHOUT_VIEW.has(subject))
    .map((interval) =>
      completed(
        {
          kind: interval.subject,
          current: interval.subject === "fee_config" ? feeConfig : null,
          proposed: interval.data.proposed,
          proposer: null,
          effective_at: (interval.data.effective_at ?? null) as string | null,
        },
        interval,
      ),
    );
  return [...(read ?? []), ...added, ...scheduledChangesOf(row)];
}

const KINDS_WITHOUT_VIEW = new Set(["fee_config"]);

function completed(change: PendingChangeState, announced: IntervalState | undefined) {
  const { kind } = change;
  const announcer = (announced?.data.proposer ?? null) as Address | null;
  const submitted_by = change.submitted_by ?? change.proposer ?? announcer;
  const executable_at = change.executable_at ?? change.effective_at;
  return {
    id: change.id ?? idOf(change),
    kind,
    current: kind === "call" ? null : change.current,
    proposed:
      kind === "call"
        ? { function: change.function ?? null, arguments: change.arguments ?? null }
        : change.proposed,
    proposer: submitted_by,
    effective_at: executable_at,
    target: change.target ?? null,
    function: change.function ?? null,
    arguments: change.arguments ?? null,
    calldata: change.calldata ?? null,
    submitted_at: change.submitted_at ?? announced?.since ?? null,
    submitted_by,
    executable_at,
    earliest_effect_at: change.is_blocked ? null : (change.earliest_effect_at ?? executable_at),
    is_blocked: change.is_blocked ?? false,
    revocable_by: change.revocable_by ?? [],
  };
}

/** Of a change that its contract holds one of: it is another one when anything of it is. */
function idOf({ kind, proposed, effective_at }: PendingChangeState): string {
  const parts = JSON.stringify([kind, proposed, effective_at]);
  return `${kind}:${createHash("sha256").update(parts).digest("hex").slice(0, 16)}`;
}

/** By the clock, or the chain where it is ahead: at the second itself the contract lets it through. */
function pendingStatus({ is_blocked, executable_at }: PendingRecord, second: number): PendingStatus {
  if (is_blocked) return "blocked";
  return executable_at !== null && Date.parse(executable_at) <= second * 1000 ? "ready" : "pending";
}

/** As the record shows them in that second, and what tells two such texts apart. */
export function pendingJson(
  changes: readonly PendingRecord[],
  second: number,
): { json: string; tag: string } {
  const shown = changes.map(({ is_blocked: _, ...change }, index) => ({
    ...change,
    status: pendingStatus(changes[index]!, second),
  }));
  return { json: JSON.stringify(shown), tag: shown.map(({ status }) => status[0]).join("") };
}
