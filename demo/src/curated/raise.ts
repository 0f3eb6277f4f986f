/** One vault of each family that curators run, with what stands behind it. */
import type { DemoChain } from "../chain.ts";
import { type CouncilParts, raiseCouncil } from "./council.ts";
import { type DemoEulerVault, raiseEuler } from "./euler.ts";
import type { Grounds } from "./grounds.ts";
import { type DemoLagoonVault, raiseLagoon } from "./lagoon.ts";
import { type DemoMetaMorpho, raiseMetaMorpho } from "./metamorpho.ts";
import { type DemoMorphoVault, raiseMorpho } from "./morpho.ts";
import { type DemoYearnVault, raiseYearn } from "./yearn.ts";

export interface CuratedVaults extends CouncilParts {
  readonly morpho_vault_v2: DemoMorphoVault;
  readonly metamorpho: DemoMetaMorpho;
  readonly euler_earn: DemoEulerVault;
  readonly lagoon: DemoLagoonVault;
  readonly yearn_v3: DemoYearnVault;
}

export async function raiseCurated(
  chain: DemoChain,
  assets: Pick<Grounds, "tokens" | "feeds">,
): Promise<CuratedVaults> {
  const parts = await raiseCouncil(chain);
  const grounds = { ...assets, ...parts };
  return {
    ...parts,
    morpho_vault_v2: await raiseMorpho(chain, grounds),
    metamorpho: await raiseMetaMorpho(chain, grounds),
    euler_earn: await raiseEuler(chain, grounds),
    lagoon: await raiseLagoon(chain, grounds),
    yearn_v3: await raiseYearn(chain, grounds),
  };
}
