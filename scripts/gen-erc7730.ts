// docs/erc7730/: how wallets show what actions sign, a file for each family and kind of contract, out of the same table as the catalogue.

import { CONTROLLER_ACTIONS } from "../server/src/chain/controllers/actions.ts";
import { createFamilies } from "../server/src/chain/families/registry.ts";
import { descriptorsOf } from "../server/src/features/actions/formats/erc-7730.ts";
import { silentLogger } from "../server/src/platform/log.ts";

const NAMES: Record<string, string> = {
  supervault: "SuperVault",
  morpho_vault_v2: "Morpho Vault V2",
  metamorpho: "MetaMorpho",
  euler_earn: "Euler Earn",
  lagoon: "Lagoon",
  yearn_v3: "Yearn V3",
  openzeppelin: "OpenZeppelin",
};

/** Path (from the root) and content of every descriptor. */
export function descriptorFiles(): Map<string, string> {
  const files = new Map<string, string>();
  const families = Object.values(createFamilies(silentLogger()));
  for (const { name, actions = [] } of [...families, { name: "openzeppelin", actions: CONTROLLER_ACTIONS }])
    for (const [contract, descriptor] of descriptorsOf(NAMES[name] ?? name, actions))
      files.set(
        `docs/erc7730/calldata-${name.replaceAll("_", "-")}-${contract}.json`,
        `${JSON.stringify(descriptor, null, 2)}\n`,
      );
  return files;
}
