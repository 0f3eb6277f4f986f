// A vault's entry in the book: the texts that answers are put together from, made once for each state of the vault.
import type { Address } from "viem";
import { type StalenessRule, stalenessAt } from "../../judgements/staleness.ts";
import { weakEtagOf } from "../../platform/http/etag.ts";
import type { VaultRole } from "../../platform/permission.ts";
import { vaultIdOf } from "../../vault.ts";
import {
  apysOf,
  attentionOf,
  feeConfigOf,
  publicVault,
  stalenessRuleOf,
  vaultRecord,
  windowsOf,
} from "./record.ts";
import { type PendingRecord, pendingChangesOf, pendingJson } from "./record-governance.ts";
import type { VaultRow } from "./store.ts";

export interface Entry {
  chainId: number;
  address: Address;
  name: string | null;
  symbol: string | null;
  isPaused: boolean | null;
  tvlUsd: number | null;
  stalenessRule: StalenessRule;
  /** The public listing's entry, JSON. */
  publicJson: string;
  /** The record as JSON, but for what is the caller's and the second's: it ends where those follow. */
  recordJson: string;
  /** `windows` with what they were computed from, JSON. */
  windowsJson: string;
  /** What is wrong with it, JSON: for those who hold a role on it. */
  attentionJson: string;
  /** Shown with the status that each has in the second of the answer. */
  pendingChanges: readonly PendingRecord[];
  /** Hash of `recordJson` and of these. */
  tag: string;
  /** Of `attentionJson`. */
  attentionTag: string;
  /** Of the rows that it was made from. */
  stamp: string;
  /** Finished records of the running second. */
  finished: Map<Viewer, FinishedRecord & { second: number }>;
}

/** As what a caller sees the vault: by a role on it, as one who may see every vault, or as anybody. */
export type Viewer = VaultRole | "registry_maintainer" | null;

const roleOf = (viewer: Viewer): VaultRole | null => (viewer === "registry_maintainer" ? null : viewer);

export interface FinishedRecord {
  /** A text, not bytes: so short a body is sent together with its headers in one write. */
  body: string;
  /** Weak: it leaves the countdown out, and differs by role, by `is_pps_stale` and by what has become ready. */
  etag: string;
}

export function buildEntry(row: VaultRow, stamp: string, publicUrl: string): Entry {
  const apys = apysOf(row);
  const record = vaultRecord(row, apys);
  const recordJson = JSON.stringify(record).slice(0, -1);
  const attentionJson = JSON.stringify(attentionOf(row, publicUrl));
  const pendingChanges = pendingChangesOf(row, feeConfigOf(row));
  return {
    chainId: row.chain_id,
    address: row.address,
    name: row.name,
    symbol: row.symbol,
    isPaused: record.is_paused,
    tvlUsd: record.tvl_usd,
    stalenessRule: stalenessRuleOf(row),
    publicJson: JSON.stringify(publicVault(row, apys)),
    recordJson,
    windowsJson: JSON.stringify(windowsOf(row, apys)),
    attentionJson,
    pendingChanges,
    tag: weakEtagOf(`${recordJson} ${JSON.stringify(pendingChanges)}`).slice(0, -1),
    attentionTag: weakEtagOf(attentionJson).slice(3, -1),
    stamp,
    finished: new Map(),
  };
}

/** The whole record as this caller gets it now. */
export function finishRecord(
  entry: Entry,
  viewer: Viewer,
  nowMs: number,
  headSeconds: number | null,
): FinishedRecord {
  const second = Math.max(Math.floor(nowMs / 1000), headSeconds ?? 0);
  const kept = entry.finished.get(viewer);
  if (kept?.second === second) return kept;
  const { remainingSeconds, isStale, reason } = stalenessAt(entry.stalenessRule, nowMs, headSeconds);
  const attention = viewer === null ? "null" : entry.attentionJson;
  const pending = pendingJson(entry.pendingChanges, second);
  const rest = `,"pending_changes":${pending.json},"role":${JSON.stringify(roleOf(viewer))},"attention":${attention},"remaining_staleness_time":${remainingSeconds},"is_pps_stale":${isStale},"staleness_reason":${JSON.stringify(reason)}}`;
  const body = entry.recordJson + rest;
  const finished = {
    second,
    body,
    etag: `${entry.tag}.${viewer === null ? "none" : `${viewer}.${entry.attentionTag}`}.${isStale ? "stale" : "fresh"}.${pending.tag}"`,
  };
  entry.finished.set(viewer, finished);
  return finished;
}

/** What a list shows of a vault that the caller has not accepted: alerts of it are told where it is named. */
export function withoutAttention(entry: Entry, { body, etag }: FinishedRecord): FinishedRecord {
  return {
    body: body.replace(`,"attention":${entry.attentionJson},`, () => ',"attention":null,'),
    etag: etag.replace(`.${entry.attentionTag}.`, ".untold."),
  };
}

/** The short form for the list of the caller's vaults. */
export function summaryJson(
  entry: Entry,
  { viewer, isTold }: { viewer: Viewer; isTold: boolean },
  nowMs: number,
  headSeconds: number | null,
): string {
  const { remainingSeconds, isStale, reason } = stalenessAt(entry.stalenessRule, nowMs, headSeconds);
  const summary = JSON.stringify({
    vault_id: vaultIdOf({ chainId: entry.chainId, vaultAddress: entry.address }),
    vault_address: entry.address,
    chain_id: entry.chainId,
    role: roleOf(viewer),
    name: entry.name,
    symbol: entry.symbol,
    is_paused: entry.isPaused,
    is_pps_stale: isStale,
    staleness_reason: reason,
    remaining_staleness_time: remainingSeconds,
  });
  return `${summary.slice(0, -1)},"attention":${viewer === null || !isTold ? "null" : entry.attentionJson}}`;
}
