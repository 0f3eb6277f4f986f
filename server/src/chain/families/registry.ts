// The families, by hand. A new one is a folder and a line here; conformance.ts holds it to what every family promises.
import type { Logger } from "pino";
import { erc4626Family } from "./erc4626/family.ts";
import { eulerEarnFamily } from "./euler-earn/family.ts";
import type { Families } from "./family/family.ts";
import { metamorphoFamily } from "./metamorpho/family.ts";
import { morphoVaultV2Family } from "./morpho-vault-v2/family.ts";
import { supervaultFamily } from "./supervault/family.ts";

/** Of the families whose sources can be configured. */
export function createFamilies(log: Logger): Families {
  const families: Partial<Families> = {
    supervault: supervaultFamily(log),
    erc4626: erc4626Family(log),
    metamorpho: metamorphoFamily(log),
    euler_earn: eulerEarnFamily(log),
    morpho_vault_v2: morphoVaultV2Family(log),
  };
  return families as Families;
}
