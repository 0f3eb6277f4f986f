// The family `metamorpho`: vaults of MetaMorpho 1.0 and 1.1 over markets of Morpho Blue. 1.0 has fewer events and views, none that differ.
import type { Logger } from "pino";
import type { Family } from "../family/family.ts";
import { curatedActions } from "./actions.ts";
import { curatedFamily } from "./curated.ts";
import { creation, curatedDecoder } from "./decode.ts";
import { curatedRules, lossKeepingRules, skimRules } from "./events.ts";
import { MARKET_WORDS, marketLines } from "./markets.ts";

const decoder = curatedDecoder({
  family: "metamorpho",
  vault: [...curatedRules("bytes32"), ...lossKeepingRules, ...skimRules],
  factory: [creation("CreateMetaMorpho", "metaMorpho")],
  announcement: { name: "CreateMetaMorpho", vault: "metaMorpho" },
});

export function metamorphoFamily(log: Logger): Family {
  return {
    ...curatedFamily("metamorpho", decoder, marketLines(), log),
    actions: curatedActions(MARKET_WORDS),
  };
}
