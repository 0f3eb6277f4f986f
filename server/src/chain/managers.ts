// Who manages a vault, from one change to the next: pure. What ingestion remembers, the roles and the family's look back at a
// deployment all follow these rules, so that they end with the same managers.
import { type Address, isAddress, zeroAddress } from "viem";
import type { FactBody, FactKind, FactOf } from "./facts.ts";
import type { GovernanceBody } from "./governance.ts";

export interface Managers {
  /** null: nobody, or not known. */
  primary: Address | null;
  /** Of families in which several roles manage as primary: the others. */
  furtherPrimary?: readonly Address[];
  secondary: readonly Address[];
}

export const NO_MANAGERS: Managers = { primary: null, secondary: [] };

/** The kinds that change who manages a vault. The index `facts_manager_changes` covers exactly these. */
export const MANAGER_KINDS = [
  "vault_deployed",
  "primary_manager_changed",
  "old_primary_manager_removed",
  "secondary_manager_added",
  "secondary_manager_removed",
  "ownership_transferred",
] as const satisfies readonly FactKind[];

export type ManagerChange = FactOf<(typeof MANAGER_KINDS)[number]>;

const KINDS: ReadonlySet<FactKind> = new Set(MANAGER_KINDS);

export function changesManagers(body: FactBody): body is ManagerChange {
  return KINDS.has(body.kind);
}

export function managersAfter({ primary, secondary }: Managers, change: ManagerChange): Managers {
  switch (change.kind) {
    case "vault_deployed":
      return managersOf(change.primaryManager, change.secondaryManagers);
    case "primary_manager_changed":
      // The event with a fee recipient is of the versions that clear the secondary managers, without an event of its own. The
      // others keep them; that they may make the old primary manager a secondary one is not assumed: nobody manages by guess.
      return managersOf(
        change.newManager,
        change.feeRecipient === null ? without(secondary, change.newManager) : [],
      );
    case "old_primary_manager_removed":
      return managersOf(
        primary === change.oldManager ? null : primary,
        without(secondary, change.oldManager),
      );
    case "secondary_manager_added":
      return managersOf(primary, [...secondary, change.manager]);
    case "secondary_manager_removed":
      return managersOf(primary, without(secondary, change.manager));
    case "ownership_transferred":
      // Where the owner manages, nobody else does.
      return managersOf(change.newOwner, []);
  }
}

/**
 * The managers before a change. Whom it dropped without an event of their own, it does not say; applied again, the change
 * leads to the same managers all the same.
 */
export function managersBefore(after: Managers, change: ManagerChange): Managers {
  const { primary, secondary } = after;
  switch (change.kind) {
    case "vault_deployed":
      return NO_MANAGERS;
    case "primary_manager_changed":
      return managersOf(change.oldManager, secondary);
    case "old_primary_manager_removed":
      return after;
    case "secondary_manager_added":
      return managersOf(primary, without(secondary, change.manager));
    case "secondary_manager_removed":
      return managersOf(primary, [...secondary, change.manager]);
    case "ownership_transferred":
      return managersOf(change.previousOwner, []);
  }
}

/** Whom a change itself names as a manager: until then, and from then on. */
export function managersNamed(change: ManagerChange): { until: Address[]; since: Address[] } {
  switch (change.kind) {
    case "vault_deployed":
      return named([], [change.primaryManager, ...change.secondaryManagers]);
    case "primary_manager_changed":
      return named([change.oldManager], [change.newManager]);
    case "old_primary_manager_removed":
      return named([change.oldManager], []);
    case "secondary_manager_added":
      return named([], [change.manager]);
    case "secondary_manager_removed":
      return named([change.manager], []);
    case "ownership_transferred":
      return named([change.previousOwner], [change.newOwner]);
  }
}

/** Whom an event of a contract with roles of its own names as a holder of one, be it from then on or until then. */
export function holdersNamed({ effects }: Pick<GovernanceBody, "effects">): Address[] {
  const accounts = effects
    .filter(({ action, role }) => role !== undefined && !action.endsWith("_propose"))
    .flatMap(({ account, old }) =>
      [account, old].filter((each) => typeof each === "string" && isAddress(each)),
    );
  return [...new Set(without(accounts as Address[], zeroAddress))];
}

/** The zero address stands for nobody, and nobody is named twice. */
function managersOf(primary: Address | null, secondary: readonly Address[]): Managers {
  return {
    primary: primary === zeroAddress ? null : primary,
    secondary: [...new Set(without(secondary, zeroAddress))],
  };
}

function without(wallets: readonly Address[], wallet: Address): Address[] {
  return wallets.filter((each) => each !== wallet);
}

function named(until: Address[], since: Address[]) {
  return { until: without(until, zeroAddress), since: without(since, zeroAddress) };
}
