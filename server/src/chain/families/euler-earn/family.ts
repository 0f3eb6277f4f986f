// The family `euler_earn`: what MetaMorpho is, over ERC-4626 strategies that the factory's perspective allows. Who acts through Euler's
// connector is the account that it acts for, which the events name.
import type { Logger } from "pino";
import type { Family } from "../family/family.ts";
import { governed } from "../family/governed.ts";
import { curatedActions } from "../metamorpho/actions.ts";
import { curatedFamily } from "../metamorpho/curated.ts";
import { creation, curatedDecoder } from "../metamorpho/decode.ts";
import { curatedRules, lossKeepingRules } from "../metamorpho/events.ts";
import { STRATEGY_WORDS, strategyLines } from "./strategies.ts";

const decoder = curatedDecoder({
  family: "euler_earn",
  vault: [...curatedRules("address"), ...lossKeepingRules],
  factory: [
    creation("CreateEulerEarn", "eulerEarn"),
    governed("factory", "SetPerspective(address perspective)", (perspective) => [
      { action: "registry_change", new: perspective },
    ]),
  ],
  announcement: { name: "CreateEulerEarn", vault: "eulerEarn" },
});

export function eulerEarnFamily(log: Logger): Family {
  return {
    ...curatedFamily("euler_earn", decoder, strategyLines(), log),
    actions: curatedActions(STRATEGY_WORDS),
  };
}
