// Who manages a vault whose contract has roles of its own: by a table of its family, from who holds them.
import type { Address } from "viem";
import type { Managers } from "../../managers.ts";
import type { VaultReading } from "../../reading.ts";
import type { Access } from "./family.ts";

/** The reading with the managers that its roles make. A primary manager that the configuration names stands before them. */
export function withManagers(
  reading: VaultReading,
  access: Access,
  configured: Address | null,
): VaultReading {
  const isUnread = reading.unread.includes("contractRoles");
  if (isUnread) return { ...reading, unread: [...new Set([...reading.unread, "managers" as const])] };
  const held = (as: "primary" | "secondary") =>
    reading.contractRoles.filter(({ role }) => access[role] === as).map(({ account }) => account);
  const primaries = new Set(configured === null ? held("primary") : [configured]);
  const [primary = null, ...furtherPrimary] = primaries;
  const secondary = [...new Set(held("secondary"))].filter((account) => !primaries.has(account));
  const managers: Managers = { primary, furtherPrimary, secondary };
  return { ...reading, managers };
}
