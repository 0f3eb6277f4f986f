// What waits at a Lagoon vault: an owner who has yet to accept, rates whose cooldown runs (0.5.1), and what its proxy's admin holds back:
// another implementation, another delay.
import type { Address } from "viem";
import { isZero } from "../../address.ts";
import type { KnownVault } from "../../directory.ts";
import type { Json, Tracked } from "../../governance.ts";
import type { PendingChange } from "../../reading.ts";
import { toSeconds, type ViewBatch } from "../family/view.ts";
import { amountOf, remembered } from "./track.ts";
import { ADMIN_VIEWS, adminCandidate, type Rates } from "./views.ts";

/** What was asked of a vault and its admin. */
interface Asked {
  vault: KnownVault;
  owner: () => Address | null;
  pendingOwner: () => Address | null;
  rates: () => Rates | null;
  admin: ReturnType<typeof addAdmin>;
}

/** The admin's views; where the vault's events did not name it, it is where the proxy makes it. */
export function addAdmin(batch: ViewBatch, vault: KnownVault, tracked: Tracked | undefined) {
  const named = [...(tracked?.contract ?? [])].find(([, value]) => value.role === "proxy_admin")?.[0];
  const address = (named as Address | undefined) ?? adminCandidate(vault.address);
  return {
    address,
    owner: batch.add(address, ADMIN_VIEWS.owner),
    newImplementation: batch.add(address, ADMIN_VIEWS.newImplementation),
    implementationUpdateTime: batch.add(address, ADMIN_VIEWS.implementationUpdateTime),
    delay: batch.add(address, ADMIN_VIEWS.delay),
    newDelay: batch.add(address, ADMIN_VIEWS.newDelay),
    delayUpdateTime: batch.add(address, ADMIN_VIEWS.delayUpdateTime),
  };
}

export function pendingChanges(views: Asked, tracked: Tracked | undefined): PendingChange[] {
  return [
    ...ownerChange(views),
    ...ratesChange(views, tracked),
    ...upgrade(views, tracked),
    ...delayChange(views, tracked),
  ];
}

/** He may accept at any time. */
function ownerChange({ owner, pendingOwner }: Asked): PendingChange[] {
  const [current, proposed] = [owner(), pendingOwner()];
  if (proposed === null || isZero(proposed)) return [];
  return [{ kind: "primary_manager", current, proposed, proposer: current, effectiveAt: null }];
}

/** Rates that were announced and do not count yet. */
function ratesChange({ rates, owner }: Asked, tracked: Tracked | undefined): PendingChange[] {
  const announced = remembered(tracked, "rates");
  const proposed = announced?.new as Readonly<Record<string, Json>> | null | undefined;
  const current = rates();
  const from = toSeconds(amountOf(announced, "from"));
  if (!proposed || current === null || from === null) return [];
  const management = current.managementBps.toString();
  const performance = current.performanceBps.toString();
  if (proposed.management_bps === management && proposed.performance_bps === performance) return [];
  return [
    {
      kind: "fee_config",
      current: { management_fee_bps: management, performance_fee_bps: performance },
      proposed: {
        management_fee_bps: proposed.management_bps,
        performance_fee_bps: proposed.performance_bps,
      },
      proposer: owner(),
      effectiveAt: from,
    },
  ];
}

function upgrade({ admin, vault }: Asked, tracked: Tracked | undefined): PendingChange[] {
  const [implementation, at] = [admin.newImplementation(), admin.implementationUpdateTime()];
  if (implementation === null || at === null || isZero(implementation)) return [];
  return [
    waiting(admin, "implementation", "upgradeAndCall", { proxy: vault.address, implementation }, at, tracked),
  ];
}

function delayChange({ admin }: Asked, tracked: Tracked | undefined): PendingChange[] {
  const [delay, newDelay, at] = [admin.delay(), admin.newDelay(), admin.delayUpdateTime()];
  if (newDelay === null || at === null || newDelay === 0n) return [];
  const args = { delay_seconds: newDelay.toString(), current_delay_seconds: delay?.toString() ?? null };
  return [waiting(admin, "delay", "updateDelay", args, at, tracked)];
}

/** Only the owner can do it, and only by another submission can it be replaced. */
function waiting(
  admin: Asked["admin"],
  what: "implementation" | "delay",
  name: string,
  args: Readonly<Record<string, Json>>,
  at: bigint,
  tracked: Tracked | undefined,
): PendingChange {
  const submitted = remembered(tracked, what);
  const executableAt = toSeconds(at);
  const owner = admin.owner();
  const by = (submitted?.by as Address | undefined) ?? null;
  return {
    kind: "call",
    current: null,
    proposed: { function: name, arguments: args },
    proposer: by,
    effectiveAt: executableAt,
    id: `${admin.address}:${what}:${at}`,
    target: admin.address,
    function: name,
    arguments: args,
    submittedAt: toSeconds(amountOf(submitted, "at")),
    submittedBy: by,
    executableAt,
    earliestEffectAt: executableAt,
    isBlocked: false,
    revocableBy: owner === null || isZero(owner) ? [] : [owner],
  };
}
