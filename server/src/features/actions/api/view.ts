// A prepared action as it is served.
import type { AbiFunction, Address } from "viem";
import type { Progress } from "../follow/progress.ts";
import type { PreparedRow } from "../prepare/store.ts";
import { formatsOf } from "./formatted.ts";

export interface ViewParts {
  functions: ReadonlyMap<string, AbiFunction>;
  titleOf(family: string, action: string): string;
  /** Where a Safe of that version puts several calls together; null where no such contract is known. */
  multiSendOf(chainId: number, version: string | null): Promise<Address | null>;
}

export async function preparedView(
  row: PreparedRow,
  progress: Progress,
  { functions, titleOf, multiSendOf }: ViewParts,
) {
  const title = titleOf(row.family, row.action);
  const isSafe = row.from_kind === "safe";
  const needsMultiSend = isSafe && row.safe_nonce !== null && row.calls.length > 1;
  const formats = formatsOf(
    {
      chainId: row.chain_id,
      title,
      from: row.from_address,
      isSafe,
      safeNonce: row.safe_nonce,
      createdAtMs: Date.parse(row.created_at),
      calls: row.calls.map(({ to, value, data }) => ({ to, value: BigInt(value), data })),
      multiSend: needsMultiSend ? await multiSendOf(row.chain_id, row.from_version) : null,
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
