// A finding with the vault that it is about, and what names its alert among those that are open.
import type { Address } from "viem";
import type { DomainEvent } from "../../../events/types.ts";
import type { Listening } from "../../../judgements/listening.ts";
import type { AlertRules } from "../../../monitors/alert-rules.ts";
import type { Finding, Judged } from "../../../monitors/base/finding.ts";
import type { NamedVault, Source } from "../../../monitors/base/monitor.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import { MONITORS } from "../../../monitors/registry.ts";
import { vaultIdOf } from "../../../vault.ts";

/** A monitor, whatever it is shown and whatever its rule. */
export interface AnyMonitor {
  category: keyof AlertRules;
  source: Source<NamedVault, AlertRules>;
  judge(state: NamedVault, rule: AlertRules[keyof AlertRules], listening: Listening): Judged;
  events?: ConditionEvents;
}

export type ConditionEvents = (finding: Finding, added: readonly string[], nowMs: number) => EventOf[];

/** An event without its place and time. */
type EventOf = DomainEvent extends infer E
  ? E extends DomainEvent
    ? Pick<E, "type" | "data">
    : never
  : never;

/** Here it is checked that sources ask for no rule that there is not, and that events are those that webhooks know. */
export const ALL_MONITORS: readonly AnyMonitor[] = MONITORS;

export interface Signal extends Finding {
  chainId: number;
  vaultAddress: Address;
  vaultName: string | null;
  category: AlertCategory;
  /** `{explorer_url}/tx/{hash}` */
  transactionUrl: string | null;
  /** The events that webhooks get when conditions are added. */
  events?: ConditionEvents | undefined;
}

export function keyOf(of: {
  chainId: number;
  vaultAddress: string;
  category: string;
  subject: string;
}): string {
  return `${vaultIdOf(of)}:${of.category}:${of.subject}`;
}
