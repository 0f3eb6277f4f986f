// Which of the changes that wait an alert of governance tells of, by what the alert says of the submission. Pure.
//
// Guarantee: a change is named only where it is the one: where two could be meant, none is.
import type { Action } from "../../../chain/families/family/action.ts";
import type { Json } from "../../../chain/governance.ts";
import type { PendingChange } from "../../../chain/reading.ts";

/** Of an alert. */
export interface AlertedChange {
  subject: string;
  details: Readonly<Record<string, unknown>>;
}

/** How the ids of MetaMorpho's and Euler Earn's changes begin, by what the alert says was done. Other families' ids begin with none of these. */
const KINDS: ReadonlyMap<unknown, string> = new Map([
  ["guardian_change_propose", "guardian:"],
  ["timelock_submit", "timelock:"],
  ["cap_change_propose", "cap:"],
  ["market_removal_propose", "removal:"],
]);

function isOfOtherKind(id: string | undefined, action: unknown): boolean {
  const kind = [...KINDS.values()].find((each) => id?.startsWith(each));
  return kind !== undefined && KINDS.has(action) && KINDS.get(action) !== kind;
}

/** The value of a parameter that names what waits; null where the alert does not tell. */
export function alertedValue(
  waits: NonNullable<Action["parameters"][string]["waits"]>,
  alert: AlertedChange,
  pending: readonly PendingChange[],
): Json {
  if (alert.details.life !== "submitted") return null;
  if (waits === "operation") return typeof alert.details.id === "string" ? alert.details.id : null;
  return alertedChange(alert, pending)?.id ?? null;
}

function alertedChange({ subject, details }: AlertedChange, pending: readonly PendingChange[]) {
  const own = pending.filter(({ id }) => id === subject);
  if (own.length === 1) return own[0]!;
  const atSeconds = Date.parse(String(details.happened_at)) / 1000;
  const calldata = (details.call as { calldata?: unknown } | null | undefined)?.calldata ?? null;
  const about = typeof details.id === "string" ? details.id : null;
  const meant = pending.filter(
    (change) =>
      !isOfOtherKind(change.id, details.action) &&
      change.submittedAt === atSeconds &&
      change.submittedBy === details.actor &&
      (calldata === null || change.calldata === calldata) &&
      (about === null || change.id?.includes(about) === true || calldata !== null),
  );
  return meant.length === 1 ? meant[0]! : null;
}
