// The families, by hand. A new one is a folder and a line here; conformance.ts holds it to what every family promises.
import type { Logger } from "pino";
import { erc4626Family } from "./erc4626/family.ts";
import type { Family, FamilyName } from "./family/family.ts";
import { supervaultFamily } from "./supervault/family.ts";

export function createFamilies(log: Logger): Readonly<Record<FamilyName, Family>> {
  return { supervault: supervaultFamily(log), erc4626: erc4626Family(log) };
}
