// The families, by hand. A new one is a folder and a line here; conformance.ts holds it to what every family promises.
import type { Logger } from "pino";
import { erc4626Family } from "./erc4626/family.ts";
import { eulerEarnFamily } from "./euler-earn/family.ts";
import type { Families, Family, FamilyName } from "./family/family.ts";
import { lagoonFamily } from "./lagoon/family.ts";
import { metamorphoFamily } from "./metamorpho/family.ts";
import { morphoVaultV2Family } from "./morpho-vault-v2/family.ts";
import { supervaultFamily } from "./supervault/family.ts";
import { yearnV3Family } from "./yearn-v3/family.ts";

const FAMILIES = {
  supervault: supervaultFamily,
  erc4626: erc4626Family,
  metamorpho: metamorphoFamily,
  euler_earn: eulerEarnFamily,
  morpho_vault_v2: morphoVaultV2Family,
  yearn_v3: yearnV3Family,
  lagoon: lagoonFamily,
} satisfies Partial<Record<FamilyName, (log: Logger) => Family>>;

export type RegisteredFamily = keyof typeof FAMILIES;

/** The families whose sources can be configured. */
export const REGISTERED = Object.keys(FAMILIES) as RegisteredFamily[];

export function createFamilies(log: Logger): Families {
  const made = REGISTERED.map((name) => [name, FAMILIES[name](log)] as const);
  return Object.fromEntries(made) as Families;
}
