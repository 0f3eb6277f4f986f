// What may be done to a Lagoon vault: settling with the total assets that were proposed, and pausing.
import type { Action, ActionContext, Parameter, Precondition } from "../family/action.ts";
import { action, callOf, fn, givenNumber, must } from "../family/action-call.ts";

const TOTAL_ASSETS: Parameter = {
  kind: "assets",
  title: "Total assets",
  description: "Exactly those that were proposed; left out, they are.",
  isOptional: true,
};

export const ACTIONS: readonly Action[] = [
  settle("deposit", "Settle deposits, and redemptions as far as the Safe can pay"),
  settle("redeem", "Settle redemptions"),
  pausing(true),
  pausing(false),
];

function settle(what: "deposit" | "redeem", title: string): Action {
  const signature =
    what === "deposit" ? "settleDeposit(uint256 newTotalAssets)" : "settleRedeem(uint256 newTotalAssets)";
  return action({
    name: `settle_${what}`,
    title,
    description:
      "The Safe takes the proposed total assets over. Where it holds less than redemptions are owed, those settle nothing and say nothing.",
    who: ["safe"],
    parameters: { total_assets: TOTAL_ASSETS },
    functions: [fn("vault", signature, { newTotalAssets: { label: "Total assets", kind: "assets" } })],
    plan: async (context) => {
      const proposed = context.reading.nav?.proposedTotalAssets ?? null;
      const wanted = "total_assets" in context.parameters ? givenNumber(context, "total_assets") : proposed;
      const { liquidity, nav } = context.reading;
      const owed = nav?.owedAssets ?? 0n;
      return {
        calls: wanted === null ? [] : [callOf(context.vault.address, signature, [wanted])],
        preconditions: [
          must(
            proposed !== null,
            "Total assets are proposed.",
            "No total assets are proposed: the valuation manager does that first.",
          ),
          must(
            proposed === null || wanted === proposed,
            "They are those that were proposed.",
            `${proposed} were proposed: the contract takes no others.`,
          ),
          isPaused(context, false),
          ...(what === "redeem"
            ? [
                must(
                  liquidity === null || liquidity.idleAssets >= owed,
                  "The Safe can pay what is owed.",
                  `The Safe holds ${liquidity?.idleAssets}, and ${owed} are owed: nothing would be settled.`,
                ),
              ]
            : []),
        ],
      };
    },
  });
}

function pausing(isPause: boolean): Action {
  const signature = isPause ? "pause()" : "unpause()";
  return action({
    name: isPause ? "pause" : "unpause",
    title: isPause ? "Pause the vault" : "Unpause the vault",
    description: isPause
      ? "No requests, no settlements, no claims."
      : "Requests and settlements are taken again.",
    who: ["owner"],
    ...(isPause && { deRisks: true as const }),
    functions: [fn("vault", signature)],
    plan: async (context) => ({
      calls: [callOf(context.vault.address, signature, [])],
      preconditions: [isPaused(context, !isPause)],
    }),
  });
}

function isPaused({ reading }: ActionContext, wanted: boolean): Precondition {
  return must(
    reading.isPaused === wanted,
    wanted ? "The vault is paused." : "The vault is not paused.",
    wanted ? "The vault is not paused." : "The vault is paused.",
  );
}

export const ERRORS = [
  "NewTotalAssetsMissing()",
  "WrongNewTotalAssets()",
  "OnlySafe(address safe)",
  "NotOpen(uint8 currentState)",
  "NotClosing(uint8 currentState)",
  "Closed()",
  "ValuationUpdateNotAllowed()",
];
