// What bots are handed with a critical alert: the calls of what a vault's rules name, planned as the chain is now and tried on top of its newest block.
//
// Guarantee: only calls of de-risking actions that were seen to succeed are handed out, from an account that may send them; whatever else comes of it
// is a reason, in words that hold nothing but what the chain says. Nothing is stored, and nothing here signs or sends.
import type { Address, Hash } from "viem";
import type { Action } from "../../../chain/families/family/action.ts";
import { readParameters } from "../../../chain/families/family/parameters.ts";
import { decodeRevert } from "../../../chain/families/family/reverts.ts";
import type { Json } from "../../../chain/governance.ts";
import { isChainFault } from "../../../chain/rpc/fault.ts";
import { type FieldError, Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { VaultRef } from "../../../vault.ts";
import { actionsOf } from "../prepare/catalogue.ts";
import { checkSetting, type DispatchSetting, isLeftToAlert } from "../prepare/derisking.ts";
import type { Standing } from "../prepare/foreteller.ts";
import { planOf, standingFor, within } from "../prepare/plan.ts";
import type { PrepareParts } from "../prepare/prepare.ts";
import { loadHolders } from "../prepare/store.ts";
import { type AlertedChange, alertedValue } from "./alerted-change.ts";

export interface HandedCall {
  action: string;
  from: Address;
  to: Address;
  value: string;
  data: string;
  function: string;
  arguments: Readonly<Record<string, Json>>;
  simulation: { method: "eth_simulateV1" | "eth_call"; block_number: number; block_hash: Hash; ok: true };
  valid_until: string;
}

export interface AskedCalls {
  place: VaultRef;
  /** Who set it. */
  wallet: Address;
  setting: DispatchSetting;
  alert: AlertedChange;
}

export interface DispatchCalls {
  /** Faults name their place under `/dispatch`. */
  check(
    place: VaultRef,
    settings: readonly (Omit<DispatchSetting, "parameters"> & {
      parameters: Readonly<Record<string, unknown>>;
    })[],
  ): Promise<{ settings: DispatchSetting[] } | { faults: FieldError[] }>;
  prepare(asked: AskedCalls): Promise<{ calls: HandedCall[] } | { reason: string }>;
}

const VALID_MS = 600_000;
/** Of all calls of an action: what somebody else submitted may be of any length. */
const MOST_DIGITS = 65_536;

export function createDispatchCalls(parts: PrepareParts): DispatchCalls {
  const { db, families, log } = parts;
  const actionsAt = async ({ chainId, vaultAddress }: VaultRef) => {
    const { family, ...holders } = await loadHolders(db, chainId, vaultAddress);
    return actionsOf(families, family, holders);
  };
  return {
    async check(place, settings) {
      if (settings.length === 0) return { settings: [] };
      const actions = await actionsAt(place);
      const checked = settings.map((setting, index) => checkSetting(actions, setting, `/dispatch/${index}`));
      const faults = checked.flatMap((each) => ("faults" in each ? each.faults : []));
      if (faults.length > 0) return { faults };
      return { settings: checked.flatMap((each) => ("setting" in each ? [each.setting] : [])) };
    },
    async prepare(asked) {
      try {
        const action = (await actionsAt(asked.place)).find(({ name }) => name === asked.setting.action);
        if (action?.deRisks === undefined) return { reason: "It is no de-risking action of the vault now." };
        // What was set may have been stored when more was allowed.
        const checked = checkSetting([action], asked.setting, "");
        if ("faults" in checked && checked.faults[0] !== undefined)
          return { reason: `${checked.faults[0].path.slice(1)} ${checked.faults[0].message}.` };
        return await handed(parts, asked, action);
      } catch (error) {
        if (error instanceof Problem)
          return { reason: error.code === "from_required" ? FROM_REQUIRED : error.message };
        if (isChainFault(error))
          return { reason: `The chain's node did not simulate the calls (${error.code}).` };
        log.error({ err: error, action: asked.setting.action }, "calls for an alert could not be prepared");
        return { reason: "The service could not prepare the calls." };
      }
    },
  };
}

const FROM_REQUIRED =
  "Neither whoever set it holds a role that may do this, nor exactly one Safe for which they sign: name the account that will send it as from.";

async function handed(
  { foreteller, nowMs, nodeMs }: PrepareParts,
  { place, wallet, setting, alert }: AskedCalls,
  action: Action,
): Promise<{ calls: HandedCall[] } | { reason: string }> {
  const deadline = AbortSignal.timeout(nodeMs);
  const asked = { ...place, wallet, from: setting.from };
  const standing = await standingFor(foreteller, asked, deadline);
  const told = Object.entries(action.parameters).flatMap(([name, { waits }]) =>
    waits !== undefined && isLeftToAlert(action, setting, name)
      ? [[name, alertedValue(waits, alert, standing.reading.pendingChanges)] as const]
      : [],
  );
  if (told.some(([, value]) => value === null)) return { reason: "The alert tells of no change that waits." };
  const read = readParameters(action.parameters, { ...setting.parameters, ...Object.fromEntries(told) });
  if ("faults" in read) return { reason: `${read.faults[0]!.path} ${read.faults[0]!.message}.` };
  const { sender, plan } = await planOf(
    foreteller,
    asked,
    { action, values: read.values },
    standing,
    deadline,
  );
  if (plan.calls.reduce((sum, { data }) => sum + data.length, 0) > MOST_DIGITS)
    return { reason: "The calls are too long to be sent along." };
  const attempt = await within(
    deadline,
    standing.attempt({ from: sender.address, calls: plan.calls }, deadline),
    "The calls were not simulated in time.",
  );
  if (attempt.reverted) return { reason: revertOf(attempt.reverted, standing) };
  const { number, hash } = standing.block;
  return {
    calls: plan.calls.map(({ to, value, data, function: name, arguments: args }) => ({
      action: action.name,
      from: sender.address,
      to,
      value: value.toString(),
      data,
      function: name,
      arguments: args,
      simulation: { method: attempt.method, block_number: number, block_hash: hash, ok: true },
      valid_until: timestampOfMs(nowMs() + VALID_MS),
    })),
  };
}

function revertOf({ data }: { data: `0x${string}` }, { family }: Standing): string {
  const { name, selector } = decodeRevert(data, family.errors);
  const why = name ?? selector;
  return `The calls would revert${why === null ? "" : ` (${why})`}.`;
}
