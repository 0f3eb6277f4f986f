// The redemption queue of a vault, step by step: how many shares of which controller wait to be fulfilled.
//
// Pending = requested − fulfilled − cancelled. A vault that announces fulfilment (RedeemClaimable) is counted by that; ERC-7540
// asks for no such event, so a controller without one is counted by what was claimed (Withdraw). The same for cancellation. A vault that
// settles by epochs names nobody: whose last request is no later than the epoch, waits no more. Where the contract, read at the head, says that
// something else is pending, that stands from there on.
import { sql } from "kysely";
import type { FactBody } from "../../chain/facts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { type Columns, insertRows } from "../../platform/db/rows.ts";

export type RedeemKind =
  | "request"
  | "claimable"
  | "claim"
  | "cancel"
  | "cancel_claim"
  | "reading"
  | "settlement";

export interface RedeemStep {
  chain_id: number;
  block_number: number;
  /** null of a reading, which stands for the end of its block. */
  log_index: number | null;
  vault_address: string;
  /** Of a settlement empty: it is everybody's. */
  controller: string;
  kind: RedeemKind;
  /** Of a reading: what is pending, as the contract says. Of a cancellation null where all that was pending came back, however much it was. */
  shares: bigint | null;
  /** Of a request; of a settlement the last that it settles. */
  request_id: bigint | null;
  block_timestamp: number;
}

/** All that a controller ever asked for and got, in shares. */
export interface ControllerTotals {
  requested_shares: bigint;
  claimable_shares: bigint;
  claimed_shares: bigint;
  cancelled_shares: bigint;
  cancel_claimed_shares: bigint;
  pending_shares: bigint;
  /** Unix seconds; null when nothing is pending. */
  pending_since: number | null;
}

export interface QueueTotals {
  vault_pending_shares: bigint;
  vault_pending_count: number;
}

type RowKind = Exclude<RedeemKind, "settlement">;
type RedeemRow = RedeemStep & { kind: RowKind; log_index: number; shares: bigint } & ControllerTotals &
  QueueTotals;

/** From here on the places of readings, behind every log of their block. */
const FIRST_READING = 2_000_000_000;

/** The step that a fact is, or null. `countsClaims` is true for a vault whose fulfilments may go unannounced. */
export function redeemStepOf(
  body: FactBody,
  countsClaims: boolean,
): Pick<RedeemStep, "kind" | "controller" | "shares" | "request_id"> | null {
  switch (body.kind) {
    case "redeem_requested":
      return {
        kind: "request",
        controller: body.controller,
        shares: body.shares,
        request_id: body.requestId,
      };
    case "redeem_claimable":
      return { kind: "claimable", controller: body.controller, shares: body.shares, request_id: null };
    case "withdraw":
      // ERC-7540: the owner of a Withdraw is the request's controller.
      return countsClaims && !body.isSynchronous
        ? { kind: "claim", controller: body.owner, shares: body.shares, request_id: null }
        : null;
    case "redeem_cancel_fulfilled":
      return { kind: "cancel", controller: body.controller, shares: body.shares, request_id: null };
    case "redeem_request_cancelled":
      return { kind: "cancel", controller: body.controller, shares: body.shares, request_id: null };
    case "governance":
      return body.settledThrough === undefined
        ? null
        : { kind: "settlement", controller: "", shares: null, request_id: BigInt(body.settledThrough) };
    case "redeem_cancel_claimed":
      return { kind: "cancel_claim", controller: body.controller, shares: body.shares, request_id: null };
    default:
      return null;
  }
}

/** A controller's totals after a step. */
export function afterStep(
  before: ControllerTotals,
  step: Pick<RedeemStep, "shares" | "block_timestamp"> & { kind: RowKind },
): ControllerTotals {
  const shares = step.shares ?? before.pending_shares;
  const after =
    step.kind === "reading"
      ? asRead(before, shares)
      : { ...before, [TOTAL_OF[step.kind]]: before[TOTAL_OF[step.kind]] + shares };
  const fulfilled = after.claimable_shares > 0n ? after.claimable_shares : after.claimed_shares;
  const cancelled = cancelledOf(after);
  const pending = after.requested_shares - fulfilled - cancelled;
  after.pending_shares = pending > 0n ? pending : 0n;
  after.pending_since = pending > 0n ? (before.pending_since ?? step.block_timestamp) : null;
  return after;
}

/** The totals by which so much is pending: the rest was fulfilled, or, where more is pending than was asked for, more was asked for. */
function asRead(before: ControllerTotals, pendingShares: bigint): ControllerTotals {
  const fulfilled = before.requested_shares - cancelledOf(before) - pendingShares;
  if (fulfilled >= before.claimed_shares) return { ...before, claimable_shares: fulfilled };
  return {
    ...before,
    claimable_shares: before.claimed_shares,
    requested_shares: before.claimed_shares + cancelledOf(before) + pendingShares,
  };
}

function cancelledOf({ cancelled_shares, cancel_claimed_shares }: ControllerTotals): bigint {
  return cancelled_shares > 0n ? cancelled_shares : cancel_claimed_shares;
}

/** Writes the steps of some blocks, in chain order, each with the totals that it leaves. */
export async function writeRedeemSteps(tx: Tx, chainId: number, steps: readonly RedeemStep[]): Promise<void> {
  if (steps.length === 0) return;
  const queues = await loadQueues(tx, chainId, steps);
  const places = await loadPlaces(tx, chainId, steps);
  const waiting = await loadWaiting(tx, chainId, steps);
  const controllers = await loadControllers(tx, chainId, steps);
  for (const { totals, ...place } of waiting) controllers.set(keyOf(place), totals);
  const lastRequests = new Map<string, LastRequest>(waiting.map((each) => [keyOf(each), each]));
  const rows: RedeemRow[] = [];
  const write = (step: RedeemStep & { kind: RowKind }, shares: bigint) => {
    const log_index = step.log_index ?? places.get(step.block_number) ?? FIRST_READING;
    if (step.log_index === null) places.set(step.block_number, log_index + 1);
    const totals = controllers.get(keyOf(step)) ?? NO_REDEEMS;
    rows.push({ ...step, shares, log_index, ...totals, ...(queues.get(step.vault_address) ?? EMPTY_QUEUE) });
  };
  const apply = (step: RedeemStep & { kind: RowKind }): bigint => {
    const before = controllers.get(keyOf(step)) ?? NO_REDEEMS;
    const after = afterStep(before, step);
    controllers.set(keyOf(step), after);
    const queue = queues.get(step.vault_address) ?? EMPTY_QUEUE;
    queues.set(step.vault_address, {
      vault_pending_shares: queue.vault_pending_shares + after.pending_shares - before.pending_shares,
      vault_pending_count:
        queue.vault_pending_count + Number(after.pending_shares > 0n) - Number(before.pending_shares > 0n),
    });
    return step.shares ?? before.pending_shares;
  };
  // A settlement is one log and many rows: they stand at the end of its block, with the totals that the block leaves.
  let settled: (RedeemStep & { kind: RowKind; shares: bigint })[] = [];
  const writeSettled = () => {
    for (const step of settled) write(step, step.shares);
    settled = [];
  };
  for (const step of steps) {
    const { kind } = step;
    if (kind === "reading" || settled[0]?.block_number !== step.block_number) writeSettled();
    if (kind === "settlement") {
      for (const each of [...lastRequests.values()]) {
        if (each.vault_address !== step.vault_address || each.request_id > step.request_id!) continue;
        lastRequests.delete(keyOf(each));
        const shares = controllers.get(keyOf(each))?.pending_shares ?? 0n;
        if (shares === 0n) continue;
        const { controller } = each;
        const claimable = {
          ...step,
          kind: "claimable",
          controller,
          shares,
          request_id: null,
          log_index: null,
        } as const;
        apply(claimable);
        settled.push(claimable);
      }
      continue;
    }
    if (kind === "request") {
      const { vault_address, controller, request_id } = step;
      lastRequests.set(keyOf(step), { vault_address, controller, request_id: request_id ?? 0n });
    }
    // A reading that agrees with the events adds nothing.
    if (kind === "reading" && step.shares === (controllers.get(keyOf(step)) ?? NO_REDEEMS).pending_shares)
      continue;
    const row = { ...step, kind };
    write(row, apply(row));
  }
  writeSettled();
  await insertRows(tx, "redeem_flows", COLUMNS, rows);
}

export const NO_REDEEMS: ControllerTotals = {
  requested_shares: 0n,
  claimable_shares: 0n,
  claimed_shares: 0n,
  cancelled_shares: 0n,
  cancel_claimed_shares: 0n,
  pending_shares: 0n,
  pending_since: null,
};
const EMPTY_QUEUE: QueueTotals = { vault_pending_shares: 0n, vault_pending_count: 0 };

const TOTAL_OF = {
  request: "requested_shares",
  claimable: "claimable_shares",
  claim: "claimed_shares",
  cancel: "cancelled_shares",
  cancel_claim: "cancel_claimed_shares",
} as const satisfies Record<Exclude<RowKind, "reading">, keyof ControllerTotals>;

const COLUMNS: Columns<RedeemRow> = {
  chain_id: "bigint",
  block_number: "bigint",
  log_index: "integer",
  vault_address: "text",
  controller: "text",
  kind: "text",
  shares: "numeric",
  request_id: "numeric",
  block_timestamp: "timestamptz",
  requested_shares: "numeric",
  claimable_shares: "numeric",
  claimed_shares: "numeric",
  cancelled_shares: "numeric",
  cancel_claimed_shares: "numeric",
  pending_shares: "numeric",
  pending_since: "timestamptz",
  vault_pending_shares: "numeric",
  vault_pending_count: "integer",
};

function keyOf(place: { vault_address: string; controller: string }): string {
  return `${place.vault_address}:${place.controller}`;
}

/** The next free place for what is no log, in each block: sources are applied to one block one after another. */
async function loadPlaces(
  tx: Tx,
  chainId: number,
  steps: readonly RedeemStep[],
): Promise<Map<number, number>> {
  const isNoLog = ({ kind }: RedeemStep) => kind === "reading" || kind === "settlement";
  const blocks = [...new Set(steps.filter(isNoLog).map((step) => step.block_number))];
  if (blocks.length === 0) return new Map();
  const { rows } = await sql<{ block_number: number; next: number }>`
    select block_number, max(log_index) + 1 as next from redeem_flows
    where chain_id = ${chainId} and block_number = any(${blocks}::bigint[]) and log_index >= ${FIRST_READING}
    group by block_number`.execute(tx);
  return new Map(rows.map(({ block_number, next }) => [block_number, next]));
}

interface LastRequest {
  vault_address: string;
  controller: string;
  request_id: bigint;
}

/** Who waits at the vaults that settle, with the last request of each: a controller has one epoch that waits. */
async function loadWaiting(
  tx: Tx,
  chainId: number,
  steps: readonly RedeemStep[],
): Promise<(LastRequest & { totals: ControllerTotals })[]> {
  const vaults = [
    ...new Set(steps.flatMap((step) => (step.kind === "settlement" ? [step.vault_address] : []))),
  ];
  if (vaults.length === 0) return [];
  const { rows } = await sql<ControllerTotals & LastRequest>`
    with recursive controllers as (
      select v.vault_address, (
        select f.controller from redeem_flows f where f.chain_id = ${chainId} and f.vault_address = v.vault_address
        order by f.controller limit 1
      ) as controller from unnest(${vaults}::text[]) as v (vault_address)
      union all
      select c.vault_address, (
        select f.controller from redeem_flows f
        where f.chain_id = ${chainId} and f.vault_address = c.vault_address and f.controller > c.controller
        order by f.controller limit 1
      ) from controllers c where c.controller is not null
    )
    select c.vault_address, c.controller, f.requested_shares, f.claimable_shares, f.claimed_shares, f.cancelled_shares,
      f.cancel_claimed_shares, f.pending_shares, extract(epoch from f.pending_since)::float8 as pending_since,
      coalesce(q.request_id, 0) as request_id
    from controllers c
    cross join lateral (
      select * from redeem_flows f
      where f.chain_id = ${chainId} and f.vault_address = c.vault_address and f.controller = c.controller
      order by f.block_number desc, f.log_index desc limit 1
    ) f
    left join lateral (
      select f.request_id from redeem_flows f
      where f.chain_id = ${chainId} and f.vault_address = c.vault_address and f.controller = c.controller
        and f.request_id is not null
      order by f.block_number desc, f.log_index desc limit 1
    ) q on true
    where f.pending_shares > 0`.execute(tx);
  return rows.map(({ vault_address, controller, request_id, ...totals }) => ({
    vault_address,
    controller,
    request_id: BigInt(request_id),
    totals,
  }));
}

async function loadControllers(
  tx: Tx,
  chainId: number,
  steps: readonly RedeemStep[],
): Promise<Map<string, ControllerTotals>> {
  const pairs = new Map(steps.map((step) => [keyOf(step), step]));
  const vaults = [...pairs.values()].map((step) => step.vault_address);
  const controllers = [...pairs.values()].map((step) => step.controller);
  const { rows } = await sql<ControllerTotals & { vault_address: string; controller: string }>`
    select p.vault_address, p.controller, f.requested_shares, f.claimable_shares, f.claimed_shares, f.cancelled_shares,
      f.cancel_claimed_shares, f.pending_shares, extract(epoch from f.pending_since)::float8 as pending_since
    from unnest(${vaults}::text[], ${controllers}::text[]) as p(vault_address, controller)
    cross join lateral (
      select * from redeem_flows f
      where f.chain_id = ${chainId} and f.vault_address = p.vault_address and f.controller = p.controller
      order by f.block_number desc, f.log_index desc limit 1
    ) f`.execute(tx);
  return new Map(
    rows.map(({ vault_address, controller, ...totals }) => [keyOf({ vault_address, controller }), totals]),
  );
}

async function loadQueues(
  tx: Tx,
  chainId: number,
  steps: readonly RedeemStep[],
): Promise<Map<string, QueueTotals>> {
  const vaults = [...new Set(steps.map((step) => step.vault_address))];
  const { rows } = await sql<QueueTotals & { vault_address: string }>`
    select v.vault_address, f.vault_pending_shares, f.vault_pending_count
    from unnest(${vaults}::text[]) as v(vault_address)
    cross join lateral (
      select * from redeem_flows f
      where f.chain_id = ${chainId} and f.vault_address = v.vault_address
      order by f.block_number desc, f.log_index desc limit 1
    ) f`.execute(tx);
  return new Map(rows.map(({ vault_address, ...totals }) => [vault_address, totals]));
}
