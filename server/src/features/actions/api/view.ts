// A prepared action as it is served.
import type { AbiFunction, Address } from "viem";
import type { Progress } from "../follow/progress.ts";
import { type SafeVersion, safeVersionOf } from "../formats/multi-send.ts";
import type { PreparedRow } from "../prepare/store.ts";
import { formatsOf } from "./formatted.ts";

export interface ViewParts {
  functions: ReadonlyMap<string, AbiFunction>;
  titleOf(family: string, action: string): string;
  /** Where a Safe of that version puts several calls together; null where no such contract is known. */
  multiSendOf(chainId: number, version: SafeVersion): Promise<Address | null>;
}

/** What is known beside the action of the Safe that acts. */
export interface SafeOwners {
  /** Those that are Safes themselves. */
  ownerSafes: readonly Address[];
  /** Of the transaction by which one approves; null: not told. */
  ownerNonce: bigint | null;
}

export const hasSafeTransaction = ({ from_kind, safe_nonce }: PreparedRow): boolean =>
  from_kind === "safe" && safe_nonce !== null;

export async function preparedView(
  row: PreparedRow,
  progress: Progress,
  owners: SafeOwners,
  { functions, titleOf, multiSendOf }: ViewParts,
) {
  const title = titleOf(row.family, row.action);
  const version = row.from_version === null ? null : safeVersionOf(row.from_version);
  const needsMultiSend = hasSafeTransaction(row) && row.calls.length > 1;
  const formats = formatsOf(
    {
      chainId: row.chain_id,
      title,
      from: row.from_address,
      isSafe: row.from_kind === "safe",
      version,
      safeNonce: row.safe_nonce,
      ...owners,
      createdAtMs: Date.parse(row.created_at),
      calls: row.calls.map(({ to, value, data }) => ({ to, value: BigInt(value), data })),
      multiSend: needsMultiSend && version ? await multiSendOf(row.chain_id, version) : null,
    },
    functions,
  );
  return {
    id: row.id,
    chain_id: row.chain_id,
    vault_address: row.vault_address,
    action: row.action,
    title,
    parameters: row.parameters,
    from: row.from_address,
    calls: row.calls,
    preconditions: row.preconditions.map(({ ok, text }) => ({ ok, text })),
    simulation: row.simulation,
    simulation_unavailable_reason: row.simulation_unavailable_reason,
    formats,
    ...progress,
    created_at: row.created_at,
    expires_at: row.expires_at,
  };
}
