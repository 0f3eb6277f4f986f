// What of a vault needs attention, worst first. Pure: the same records give the same list.
import { shortUnits } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import type { Merkle, Redeems, Service, SessionKey, Shard, VaultState } from "./queries.ts";

export interface Need {
  id: string;
  tone: "critical" | "warning";
  title: string;
  /** What it means, or what is known of it. */
  detail: string;
  /** Since when, or until when. */
  since?: string | null;
  until?: string | null;
}

export interface Known {
  vault: VaultState;
  services?: readonly Service[] | undefined;
  redeems?: Redeems | undefined;
  shard?: Shard | undefined;
  sessionKey?: SessionKey | undefined;
  merkle?: Merkle | undefined;
  /** What upkeep is paid in. */
  upkeepToken?: { symbol: string | null; decimals: number | null } | undefined;
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

export function needsOf(known: Known, nowMs: number): Need[] {
  const needs = [
    ...ofVault(known, nowMs),
    ...ofEngine(known, nowMs),
    ...(known.services ?? []).flatMap(ofService),
  ];
  return needs.sort((a, b) => Number(a.tone === "warning") - Number(b.tone === "warning"));
}

function ofVault({ vault, upkeepToken: token }: Known, nowMs: number): Need[] {
  const needs: Need[] = [];
  const { emergency_exit: exit, upkeep_info: upkeep, activation } = vault;
  if (exit.is_armed)
    needs.push({
      id: "exit",
      tone: "critical",
      title: "Emergency exit is armed",
      detail: "Positions are being unwound.",
      since: exit.since,
    });
  if (vault.is_paused)
    needs.push({
      id: "paused",
      tone: "critical",
      title: "Paused",
      detail: "Deposits and redemptions are stopped.",
      since: vault.is_paused_since,
    });
  if (vault.is_pps_stale)
    needs.push({
      id: "stale",
      tone: "critical",
      title: "The price is stale",
      detail:
        vault.staleness_reason === "flagged"
          ? "Its contract flags it, as from a pause until the next update; redemptions at it stop."
          : "It has not been updated within its time; redemptions at it stop.",
      since: vault.last_pps_update_timestamp,
    });
  else if (vault.pps_expires_at !== null) needs.push(...nearlyStale(vault, vault.pps_expires_at, nowMs));
  if (activation && !activation.is_active)
    needs.push({
      id: "activation",
      tone: "critical",
      title: "Not active",
      detail: activation.reason ?? words(activation.status),
    });
  if (BigInt(upkeep?.threshold.shortfall ?? 0) > 0n)
    needs.push({
      id: "upkeep",
      tone: "critical",
      title: "Upkeep falls short",
      detail: token?.decimals
        ? `${shortUnits(upkeep?.threshold.shortfall ?? "0", token.decimals)} ${token.symbol ?? ""} are missing from what is required.`
        : "The balance is under what is required.",
    });
  if (vault.merkle?.is_vetoed)
    needs.push({
      id: "veto",
      tone: "critical",
      title: "The hooks root is vetoed",
      detail: "The strategy cannot act until a root stands.",
    });
  if (vault.merkle?.is_global_root_vetoed)
    needs.push({
      id: "global-veto",
      tone: "critical",
      title: "The global hooks root is vetoed",
      detail: "The contract refuses deposits while the veto stands.",
    });
  for (const { kind, effective_at: at } of vault.pending_changes) {
    if (kind !== "primary_manager" && kind !== "upkeep_withdrawal") continue;
    needs.push({
      id: `pending-${kind}`,
      tone: "warning",
      title:
        kind === "primary_manager" ? "A new primary manager is proposed" : "An upkeep withdrawal is proposed",
      detail: "It can be carried out once its timelock is over.",
      until: at,
    });
  }
  return needs;
}

/** Warns at an hour or a quarter of the expiry, is critical at ten minutes or a tenth, whichever is less. */
function nearlyStale(vault: VaultState, expiresAt: string, nowMs: number): Need[] {
  const seconds = (Date.parse(expiresAt) - nowMs) / 1000;
  const expiry = vault.pps_expiration_seconds ?? Number.POSITIVE_INFINITY;
  const isCritical = seconds <= Math.min(600, expiry / 10);
  if (!isCritical && seconds > Math.min(HOUR_SECONDS, expiry / 4)) return [];
  return [
    {
      id: "stale",
      tone: isCritical ? "critical" : "warning",
      title: "The price goes stale soon",
      detail: "A keeper should have updated it.",
      until: expiresAt,
    },
  ];
}

function ofEngine({ shard, sessionKey, merkle, redeems }: Known, nowMs: number): Need[] {
  const needs: Need[] = [];
  const locks = shard?.emergency_locks ?? [];
  if (locks.length > 0)
    needs.push({
      id: "locks",
      tone: "critical",
      title: `${locks.length} emergency ${locks.length === 1 ? "lock" : "locks"}`,
      detail:
        [...new Set(locks.map(({ reason }) => reason).filter(Boolean))].join("; ") ||
        "No reason was reported.",
      since: locks.map(({ started_at }) => started_at).sort()[0] ?? null,
    });
  if (shard?.is_stale)
    needs.push({
      id: "shard",
      tone: "warning",
      title: "The engine's shard is silent",
      detail: "Its state below is the last that it reported.",
      since: shard.reported_at,
    });
  if (sessionKey) needs.push(...ofSessionKey(sessionKey, nowMs));
  const failed = merkle?.jobs[0]?.status === "failed" ? merkle.jobs[0] : undefined;
  if (failed)
    needs.push({
      id: "merkle",
      tone: "warning",
      title: `The newest merkle job (${failed.kind}) failed`,
      detail: failed.error ?? "No error was reported.",
      since: failed.finished_at,
    });
  const oldest = Math.max(0, ...(redeems?.redeems ?? []).map(({ age_seconds: age }) => age ?? 0));
  if (oldest > DAY_SECONDS)
    needs.push({
      id: "redeems",
      tone: "warning",
      title: "Redemptions wait for more than a day",
      detail: `${redeems?.redeems.filter(({ age_seconds: age }) => (age ?? 0) > DAY_SECONDS).length} of ${redeems?.total} in the queue.`,
      since: redeems?.redeems.find(({ age_seconds: age }) => age === oldest)?.requested_at ?? null,
    });
  return needs;
}

function ofSessionKey(key: SessionKey, nowMs: number): Need[] {
  // Null: no engine has reported on it.
  if (key.is_ready === false || key.is_expired)
    return [
      {
        id: "session-key",
        tone: "critical",
        title: key.is_expired ? "The session key has expired" : "The session key is not ready",
        detail: key.reason ?? "The engine cannot sign for this vault.",
        since: key.is_expired ? key.expires_at : key.reported_at,
      },
    ];
  if (key.pending_rotation)
    return [
      {
        id: "session-key",
        tone: "warning",
        title: "A session key rotation is pending",
        detail: key.reason ?? "",
      },
    ];
  if (key.expires_at !== null && Date.parse(key.expires_at) - nowMs < DAY_SECONDS * 1000)
    return [
      {
        id: "session-key",
        tone: "warning",
        title: "The session key expires soon",
        detail: "Grant a new one before it does.",
        until: key.expires_at,
      },
    ];
  return [];
}

function ofService(service: Service): Need[] {
  const { name, display_name: title, status, last_error: error, last_run: lastRun } = service;
  if (status !== "critical" && status !== "warning" && !service.is_paused) return [];
  return [
    {
      id: `service-${name}`,
      tone: status === "critical" ? "critical" : "warning",
      title: service.is_paused
        ? `${title} is paused`
        : `${title} is ${status === "critical" ? "failing" : "degraded"}`,
      detail: (service.is_paused ? service.paused_reason : error) ?? "",
      since: service.is_paused ? service.paused_at : lastRun,
    },
  ];
}
