// For tests: reports as the ingest endpoint hands them on, and their handlers run as it runs them.
import type { Hash } from "viem";
import type { Database } from "../src/platform/db/db.ts";
import type { EventData, EventType } from "../src/reports/events.ts";
import type { Effects, Rejection, Report, ReportHandler } from "../src/reports/handler.ts";
import type { VaultRef } from "../src/vault.ts";

const EPOCH_MS = Date.UTC(2026, 4, 9, 10);

/** The API's form of a moment so many seconds after the tests' beginning of time. */
export function at(seconds: number): string {
  return `${new Date(EPOCH_MS + seconds * 1000).toISOString().slice(0, 19)}.000000Z`;
}

export function report<T extends EventType>(
  type: T,
  vault: VaultRef,
  id: string,
  seconds: number,
  data: EventData<T>,
): Report<T> {
  return { type, source: "/engine/test", id, time: at(seconds), vault, data };
}

export function txHash(number: number): Hash {
  return `0x${number.toString(16).padStart(64, "0")}`;
}

export function fill(
  intentId: string,
  fillId: string,
  more: Partial<EventData<"vaultops.intent.fill">> = {},
): EventData<"vaultops.intent.fill"> {
  return {
    fill_id: fillId,
    intent_id: intentId,
    chain_id: 31337,
    tx_hash: txHash(1),
    token_in: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    token_out: "0x4200000000000000000000000000000000000006",
    amount_in: "1000000",
    amount_out: "280000000000000",
    fill_time: at(0),
    ...more,
  };
}

export function execution(
  executionId: string,
  more: Partial<EventData<"vaultops.redemption.execution">> = {},
): EventData<"vaultops.redemption.execution"> {
  return {
    execution_id: executionId,
    status: "success",
    controllers_count: 2,
    total_shares_fulfilled: "500000",
    total_assets_out: "525000",
    pps_at_fulfillment: "1050000",
    created_at: at(0),
    ...more,
  };
}

/** Applies reports in one transaction, as one request. */
export function applyReports<T extends EventType>(
  db: Pick<Database, "transaction">,
  handler: ReportHandler<T>,
  reports: readonly Report<T>[],
): Promise<(Rejection | null)[]> {
  const effects = { latest: at(1e6), audit: () => {} } as unknown as Effects;
  return db.transaction((tx) => handler.apply(tx, reports, effects));
}
