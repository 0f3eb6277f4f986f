// Large deposits and withdrawals, each transaction alone against the supply before it, and shares that were made for nothing. Each is told
// once. Only confirmed transactions are told.
import type { Static } from "typebox";
import { isMoreThan, percentWords } from "../../judgements/fractions.ts";
import { listenedMs, silentAtMs } from "../../judgements/listening.ts";
import { readableTime, timestampOfMs } from "../../platform/http/time.ts";
import { earliest, type Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { RESOLVE_AFTER, share, thresholds, usd } from "../base/thresholds.ts";
import { amountWords, dollarWords, vaultWords } from "../base/wording.ts";
import {
  type Flow,
  LEAST_USD,
  type Moved,
  type RecentFlows,
  recentFlows,
  SUPPLY_WINDOW_MS,
} from "./recent-flows.ts";

const rule = thresholds("Large deposits and withdrawals, and shares that were made for nothing.", {
  single_usd: usd(
    "Tell of a flow of more than",
    500_000,
    "US dollars that one transaction brought or took, above which it is told; where no price of the asset is known it is not asked.",
  ),
  single_fraction: share(
    "Warning at a flow of more than",
    0.1,
    "Part of the shares before it that one transaction made or destroyed, above which it is a warning; where the price of the asset is known, only above 50,000 US dollars.",
  ),
  supply_fraction: share(
    "Critical when shares grow for nothing by more than",
    0.05,
    "Part of the shares that were made within an hour without deposits, fees or settlements, above which it is critical.",
  ),
  resolve_after_seconds: RESOLVE_AFTER,
});
type Rule = Static<typeof rule>;

export const flows = monitor({
  category: "flows",
  name: "Flows",
  subject: "`{transaction}:deposit`, `{transaction}:withdrawal`, `{transaction}:supply`",
  fires:
    "one transaction deposited or withdrew more than `single_usd` (**info**), or more than `single_fraction` of the shares before it and, where there is a price, 50,000 US dollars (**warning**); within an hour more than `supply_fraction` of the shares were made without deposits, fees or settlements (**critical**). Told once; resolves when it is acknowledged or after `resolve_after_seconds`",
  rule,
  source: recentFlows,
  judge(vault, rule, listening) {
    const findings: Finding[] = [];
    const wakes: number[] = [];
    const lastsMs = rule.resolve_after_seconds * 1000;
    const told = [...vault.flows.flatMap((flow) => flowsIn(vault, flow, rule)), ...growths(vault, rule)];
    for (const { flow, finding } of told) {
      if (listenedMs(flow.atMs, listening.nowMs, listening.gaps) >= lastsMs) continue;
      wakes.push(silentAtMs(listening, flow.atMs, lastsMs, 0));
      findings.push(finding);
    }
    return { findings, wakeMs: earliest(...wakes) };
  },
});

interface Told {
  flow: Flow;
  finding: Finding;
}

function flowsIn(vault: RecentFlows, flow: Flow, rule: Rule): Told[] {
  return (["deposit", "withdrawal"] as const).flatMap((kind) => {
    const moved = kind === "deposit" ? flow.deposited : flow.withdrawn;
    const isPart =
      flow.supply !== null &&
      flow.supply > 0n &&
      isMoreThan(moved.shares, flow.supply, rule.single_fraction) &&
      isWorthMore(vault, flow, moved, LEAST_USD) !== false;
    if (!isPart && isWorthMore(vault, flow, moved, rule.single_usd) !== true) return [];
    return [{ flow, finding: flowFinding(vault, flow, kind, moved, isPart) }];
  });
}

/** Dollars × 10^18 × 10^decimals; null where there is no price. */
function worthOf({ asset }: RecentFlows, { priceE18 }: Flow, { assets }: Moved): bigint | null {
  return priceE18 === null || asset.decimals === null ? null : assets * priceE18;
}

function isWorthMore(vault: RecentFlows, flow: Flow, moved: Moved, usd: number): boolean | null {
  const worth = worthOf(vault, flow, moved);
  return worth === null ? null : worth > BigInt(usd) * 10n ** BigInt(18 + (vault.asset.decimals as number));
}

function flowFinding(
  vault: RecentFlows,
  flow: Flow,
  kind: "deposit" | "withdrawal",
  moved: Moved,
  isPart: boolean,
): Finding {
  const worth = worthOf(vault, flow, moved);
  const usdE18 = worth === null ? null : worth / 10n ** BigInt(vault.asset.decimals as number);
  const part =
    flow.supply === null || flow.supply === 0n
      ? ""
      : `, ${percentWords(moved.shares, flow.supply)} of the shares before it`;
  const at = timestampOfMs(flow.atMs);
  return {
    subject: `${flow.txHash}:${kind}`,
    isOnce: true,
    severity: isPart ? "warning" : "info",
    title: `A large ${kind}`,
    message: `${vaultWords(vault)}: ${flow.actor} ${kind === "deposit" ? "deposited" : "withdrew"} ${amountWords(moved.assets, vault.asset)}${usdE18 === null ? "" : ` (${dollarWords(usdE18)})`}${part}, at ${readableTime(at)}.`,
    nextStep:
      kind === "deposit"
        ? "Allocate it, and make sure that whoever came may come."
        : "Make sure that those who are left can be paid too.",
    details: {
      assets: moved.assets.toString(),
      shares: moved.shares.toString(),
      total_supply: flow.supply?.toString() ?? null,
      usd_e18: usdE18?.toString() ?? null,
      actor: flow.actor,
      happened_at: at,
    },
    conditions: isPart ? ["large", "large_part"] : ["large"],
    block: flow.block,
    txHash: flow.txHash,
  };
}

/** The first of those that follow each other within an hour, each of them too much with those of the hour before it, stands for all. */
function growths(vault: RecentFlows, rule: Rule): Told[] {
  const told: Told[] = [];
  const made = vault.flows.filter(({ unexplainedShares }) => unexplainedShares > 0n);
  let lastMs = Number.NEGATIVE_INFINITY;
  made.forEach((flow, at) => {
    const within = made.slice(0, at + 1).filter(({ atMs }) => flow.atMs - atMs < SUPPLY_WINDOW_MS);
    const before = within[0]?.supply ?? null;
    const shares = within.reduce((sum, { unexplainedShares }) => sum + unexplainedShares, 0n);
    if (before === null || !isMoreThan(shares, before, rule.supply_fraction)) return;
    if (flow.atMs - lastMs >= SUPPLY_WINDOW_MS)
      told.push({ flow, finding: growthFinding(vault, flow, shares, before) });
    lastMs = flow.atMs;
  });
  return told;
}

function growthFinding(vault: RecentFlows, flow: Flow, made: bigint, before: bigint): Finding {
  const at = timestampOfMs(flow.atMs);
  const shares = { decimals: vault.shareDecimals, symbol: "shares" };
  return {
    subject: `${flow.txHash}:supply`,
    isOnce: true,
    severity: "critical",
    title: "Shares were made for nothing",
    message: `${vaultWords(vault)}: ${amountWords(made, shares)}, ${percentWords(made, before)} of those before, were made within an hour without a deposit, a fee or a settlement, the last at ${readableTime(at)} by ${flow.actor}.`,
    nextStep: "Pause the vault, and look at who made them and how.",
    details: { shares: made.toString(), total_supply: before.toString(), actor: flow.actor, happened_at: at },
    conditions: ["made_for_nothing"],
    block: flow.block,
    txHash: flow.txHash,
  };
}
