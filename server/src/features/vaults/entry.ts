// A vault's entry in the book: the texts that answers are put together from, made once for each state of the vault.
import type { Address } from "viem";
import { type StalenessRule, stalenessAt } from "../../judgements/staleness.ts";
import { weakEtagOf } from "../../platform/http/etag.ts";
import type { VaultRole } from "../../platform/permission.ts";
import { apysOf, publicVault, stalenessRuleOf, vaultRecord, windowsOf } from "./record.ts";
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
  /** Hash of `recordJson`. */
  tag: string;
  /** Of the rows that it was made from. */
  stamp: string;
  /** Finished records of the running second, by role. */
  finished: Map<VaultRole | null, FinishedRecord & { second: number }>;
}

export interface FinishedRecord {
  /** A text, not bytes: so short a body is sent together with its headers in one write. */
  body: string;
  /** Weak: it leaves the countdown out, and differs by role and by `is_pps_stale`. */
  etag: string;
}

export function buildEntry(row: VaultRow, stamp: string): Entry {
  const apys = apysOf(row);
  const record = vaultRecord(row, apys);
  const recordJson = JSON.stringify(record).slice(0, -1);
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
    tag: weakEtagOf(recordJson).slice(0, -1),
    stamp,
    finished: new Map(),
  };
}

/** The whole record as this caller gets it now. */
export function finishRecord(
  entry: Entry,
  role: VaultRole | null,
  nowMs: number,
  headSeconds: number | null,
): FinishedRecord {
  const second = Math.max(Math.floor(nowMs / 1000), headSeconds ?? 0);
  const kept = entry.finished.get(role);
  if (kept?.second === second) return kept;
  const { remainingSeconds, isStale, reason } = stalenessAt(entry.stalenessRule, nowMs, headSeconds);
  const rest = `,"role":${JSON.stringify(role)},"remaining_staleness_time":${remainingSeconds},"is_pps_stale":${isStale},"staleness_reason":${JSON.stringify(reason)}}`;
  const body = entry.recordJson + rest;
  const finished = { second, body, etag: `${entry.tag}.${role ?? "none"}.${isStale ? "stale" : "fresh"}"` };
  entry.finished.set(role, finished);
  return finished;
}

/** The short form for the list of the caller's vaults. */
export function summaryJson(
  entry: Entry,
  role: VaultRole | null,
  nowMs: number,
  headSeconds: number | null,
): string {
  const { remainingSeconds, isStale, reason } = stalenessAt(entry.stalenessRule, nowMs, headSeconds);
  return JSON.stringify({
    vault_id: `${entry.chainId}:${entry.address}`,
    vault_address: entry.address,
    chain_id: entry.chainId,
    role,
    name: entry.name,
    symbol: entry.symbol,
    is_paused: entry.isPaused,
    is_pps_stale: isStale,
    staleness_reason: reason,
    remaining_staleness_time: remainingSeconds,
  });
}
