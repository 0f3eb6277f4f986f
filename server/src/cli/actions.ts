// What `vaultops actions` does: asks the service, and prints its answer as it is or for people. Texts of the chain's may hold anything, so what
// is printed for people has no control characters.
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { tokenCommand } from "./sign-in.ts";

export interface ActionClientOptions {
  baseUrl: string;
  token: string | null;
  /** To sign in with, where there is no token. */
  privateKey: Hex | null;
  isJson: boolean;
  format: "eip5792" | "safe_transaction_builder" | "safe" | null;
  print(line: string): void;
  pauseMs?: number;
}

export type ActionClient = ReturnType<typeof createActionClient>;

interface Offer {
  action: string;
  title: string;
  can_do: boolean;
  why_not: string | null;
  delay_seconds: number | null;
}

interface Outcome {
  ok: boolean | null;
  error: { name: string | null; selector: string | null } | null;
  changes: { field: string; before: unknown; after: unknown; moves_with_time: boolean }[] | null;
  entries: { action_type: string }[] | null;
  alerts: { severity: string; title: string }[] | null;
}

interface Prepared {
  id: string;
  action: string;
  title: string;
  from: string;
  status: string;
  calls: { to: string; value: string; function: string; arguments: Record<string, unknown> }[];
  preconditions: { ok: boolean; text: string }[];
  simulation: (Outcome & { at_execution: Outcome | null }) | null;
  simulation_unavailable_reason: string | null;
  formats: Record<string, unknown>;
  transaction_hash: string | null;
  entry_ids: string[];
  created_at: string;
}

const PAUSE_MS = 3_000;
/** In these a prepared action stays, as long as nobody does anything more. */
const OVER = new Set(["confirmed", "failed", "replaced", "expired"]);

export function createActionClient(options: ActionClientOptions) {
  const { isJson, format } = options;
  const print = (line: string) => options.print(printable(line));
  const ask = asker(options);

  function tell(action: Prepared): void {
    if (format !== null) {
      const form = action.formats[format];
      if (form === undefined || form === null)
        throw new Error(`The action has no form "${format}". That of a Safe needs --safe-nonce.`);
      options.print(JSON.stringify(form, null, 2));
    } else if (isJson) options.print(JSON.stringify(action, null, 2));
    else for (const line of linesOf(action)) print(line);
  }

  return {
    async list(vault: string) {
      const answer = await ask<{ actions: Offer[] }>(`${placeOf(vault)}/actions`);
      if (isJson) options.print(JSON.stringify(answer, null, 2));
      else
        for (const { action, title, can_do, why_not, delay_seconds: delay } of answer.actions) {
          const wait = delay ? ` (waits ${delay} s)` : "";
          print(`${can_do ? "+" : "-"} ${action}  ${title}${wait}${can_do ? "" : `: ${why_not}`}`);
        }
      return 0;
    },
    async listPrepared(vault: string) {
      const answer = await ask<{ prepared_actions: Prepared[] }>(`${placeOf(vault)}/prepared-actions`);
      if (isJson) options.print(JSON.stringify(answer, null, 2));
      else
        for (const each of answer.prepared_actions)
          print(`${each.id}  ${each.created_at}  ${each.status}  ${each.title}`);
      return 0;
    },
    async prepare(vault: string, body: object) {
      tell(await ask<Prepared>(`${placeOf(vault)}/prepared-actions`, body));
      return 0;
    },
    async show(vault: string, id: string, ownerNonce?: string) {
      const path = `${placeOf(vault)}/prepared-actions/${encodeURIComponent(id)}`;
      const query = ownerNonce === undefined ? "" : `?owner_nonce=${encodeURIComponent(ownerNonce)}`;
      tell(await ask<Prepared>(`${path}${query}`));
      return 0;
    },
    async submit(vault: string, id: string, body: object) {
      const path = `${placeOf(vault)}/prepared-actions/${encodeURIComponent(id)}/submissions`;
      tell(await ask<Prepared>(path, body));
      return 0;
    },
    async watch(vault: string, id: string, signal: AbortSignal) {
      const path = `${placeOf(vault)}/prepared-actions/${encodeURIComponent(id)}`;
      for (let told = ""; !signal.aborted; ) {
        const action = await ask<Prepared>(path);
        if (action.status !== told) {
          told = action.status;
          if (isJson) options.print(JSON.stringify(action));
          else
            print([action.status, action.transaction_hash, ...action.entry_ids].filter(Boolean).join("  "));
        }
        if (OVER.has(told)) return told === "confirmed" ? 0 : 1;
        await sleep(options.pauseMs ?? PAUSE_MS, null, { signal }).catch(() => {});
      }
      return 1;
    },
  };
}

function placeOf(vault: string): string {
  const [chain = "", address = "", ...more] = vault.split(":");
  if (more.length > 0 || !/^\d+$/.test(chain) || !/^0x[0-9a-fA-F]{40}$/.test(address))
    throw new Error(`"${vault}" is no vault id: write {chain_id}:{vault_address}, such as 8453:0x….`);
  return `/api/v1/vaults/${chain}/${address}`;
}

function linesOf(action: Prepared): string[] {
  const { simulation, title, from, status } = action;
  return [
    `${action.id}  ${title}`,
    `status  ${status}${action.transaction_hash ? `  ${action.transaction_hash}` : ""}`,
    ...action.entry_ids.map((id) => `entry  ${id}`),
    `from  ${from}`,
    ...action.calls.map(({ to, value, function: name, arguments: args }) => {
      const paid = value === "0" ? "" : ` with ${value} wei`;
      return `call  ${to}  ${name} ${JSON.stringify(args)}${paid}`;
    }),
    ...action.preconditions.map(({ ok, text }) => `${ok ? "holds" : "FAILS"}  ${text}`),
    ...(simulation === null
      ? [`not simulated  ${action.simulation_unavailable_reason ?? ""}`]
      : outcomeLines(simulation, "")),
    ...(simulation?.at_execution ? outcomeLines(simulation.at_execution, "at execution: ") : []),
  ];
}

function outcomeLines(outcome: Outcome, when: string): string[] {
  const { ok, error, changes, entries, alerts } = outcome;
  return [
    ...(ok === false ? [`${when}REVERTS  ${error?.name ?? error?.selector ?? "without a reason"}`] : []),
    ...(changes ?? []).map(
      ({ field, before, after, moves_with_time: moves }) =>
        `${when}change  ${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}${moves ? " (moves with time)" : ""}`,
    ),
    ...(entries ?? []).map(({ action_type }) => `${when}entry  ${action_type}`),
    ...(alerts ?? []).map((alert) => `${when}alert  ${alert.severity}: ${alert.title}`),
  ];
}

function printable(line: string): string {
  return line.replaceAll(/\p{C}/gu, "�");
}

function asker({ baseUrl, token, privateKey }: ActionClientOptions) {
  let held = token;
  return async <T>(path: string, body?: object): Promise<T> => {
    held ??= privateKey === null ? null : await tokenCommand({ baseUrl, privateKey });
    if (held === null)
      throw new Error("Set VAULTOPS_TOKEN in the environment (`vaultops token` prints one).");
    const response = await fetch(new URL(path, baseUrl), {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${held}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(30_000),
    });
    const answer = (await response.json().catch(() => null)) as
      | (T & { detail?: string; code?: string })
      | null;
    if (!response.ok || answer === null)
      throw new Error(
        `${answer?.detail ?? "The service did not say why."} (${answer?.code ?? response.status})`,
      );
    return answer;
  };
}
