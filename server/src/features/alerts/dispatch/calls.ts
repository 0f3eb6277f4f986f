// What alerts ask of the actions, which they may not know: whether a setting can be kept, and what its calls are now. `service/features.ts` hands it in.
import type { Address } from "viem";
import type { AlertDispatch } from "../../../events/types.ts";
import type { FieldError } from "../../../platform/errors.ts";
import type { VaultRef } from "../../../vault.ts";

interface Setting<P> {
  category: string;
  action: string;
  parameters: P;
  from: Address | null;
}

export interface DispatchCalls {
  /** As they are kept; faults name their place under `/dispatch`. */
  check(
    place: VaultRef,
    settings: readonly Setting<Record<string, unknown>>[],
  ): Promise<{ settings: Setting<Readonly<Record<string, unknown>>>[] } | { faults: FieldError[] }>;
  /** Of a critical alert. `wallet`: who set it. It bounds the time for which the node is asked; what goes wrong is a reason. */
  prepare(asked: {
    place: VaultRef;
    wallet: Address;
    setting: Setting<never>;
    alert: { subject: string; details: Readonly<Record<string, unknown>> };
  }): Promise<{ calls: AlertDispatch["calls"] } | { reason: string }>;
}
