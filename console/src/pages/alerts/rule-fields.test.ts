import { expect, it } from "vitest";
import { draftOf, rulesOf } from "./rule-fields.ts";

it("gives back the rules that it was made of, shares and raw amounts without loss", () => {
  const own = {
    upkeep: { is_enabled: false, reserve: "340282366920938463463374607431768211455" },
    pps_staleness: { warning_seconds: 1800, warning_fraction: 0.07 },
    keeper_run: { critical_success_rate: 0.805 },
    flows: { single_usd: 250_000 },
    liquidity: { max_pending_fraction: null, max_utilisation_fraction: 0.95 },
    allocation: { targets: { "0xab": 0.25, "1:0xcd": 0.07 } },
  };
  const draft = draftOf(own);
  expect(draft["pps_staleness/warning_fraction"]).toBe("7");
  expect(draft["keeper_run/critical_success_rate"]).toBe("80.5");
  expect(draft["liquidity/max_pending_fraction"]).toBe("off");
  expect(draft["allocation/targets"]).toBe("0xab: 25, 1:0xcd: 7");
  expect(rulesOf(draft)).toEqual(own);
});

it("leaves out what was emptied, so that it follows the configuration again", () => {
  const draft = { ...draftOf({ merkle: { is_enabled: true }, execution: { failures: 5 } }) };
  expect(rulesOf({ ...draft, "execution/failures": " ", "merkle/is_enabled": "" })).toEqual({});
});
