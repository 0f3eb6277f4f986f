// Where a vault's assets lie, against where they should: idle for long, away from their targets, and caps that are nearly full. All off
// until a rule says otherwise. By the newest confirmed reading.
import type { Static } from "typebox";
import { cleanText } from "../../chain/text.ts";
import { isApart, isMoreThan, percentWords } from "../../judgements/fractions.ts";
import type { Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { fractions, optionalShare, seconds, thresholds } from "../base/thresholds.ts";
import { amountWords, durationWords, vaultWords } from "../base/wording.ts";
import { type Held, type VaultHoldings, vaultHoldings } from "./vault-holdings.ts";

const rule = thresholds("Assets that lie where they should not.", {
  max_idle_fraction: optionalShare(
    "Warning when more is idle than",
    "Part of the total assets that is idle, above which for `idle_seconds` it is a warning; null: off.",
  ),
  idle_seconds: seconds("For", 86_400, "How long so much has to be idle.", 604_800, 10),
  targets: fractions("Targets", "The part of the total assets that each position should have, by its id."),
  drift_fraction: optionalShare(
    "Warning when a position is away from its target by more than",
    "Part of the total assets by which a position may be away from its target; null: off.",
  ),
  cap_fraction: optionalShare(
    "Tell when a cap is full by more than",
    "Part of a position's cap that is used, above which it is told; null: off.",
  ),
});
type Rule = Static<typeof rule>;

export const allocation = monitor({
  category: "allocation",
  name: "Allocation",
  subject: "`idle`, `drift:{id}`, `cap:{id}`",
  fires:
    "**warning**: more than `max_idle_fraction` of the total assets has been idle for longer than `idle_seconds`; a position is away from its part in `targets` by more than `drift_fraction` of the total assets. **info**: more than `cap_fraction` of a position's cap is used",
  rule,
  source: vaultHoldings,
  judge(vault, rule) {
    const drifting = rule.drift_fraction === null ? [] : Object.keys(rule.targets);
    const ids = [...new Set(vault.allocations.map(({ id }) => id))];
    if (!vault.isKnown || vault.totalAssets === null || vault.unread.has("total_assets"))
      return {
        findings: [],
        unknown: ["idle", ...drifting.map((id) => `drift:${id}`), ...ids.map((id) => `cap:${id}`)],
      };
    const unknown: string[] = [];
    const findings: Finding[] = [];
    if (vault.unread.has("liquidity")) unknown.push("idle");
    else findings.push(...idle(vault, rule));
    const isUnread = vault.unread.has("allocations");
    for (const id of drifting) {
      const held = heldIn(vault, id);
      if (isUnread || held === null) unknown.push(`drift:${id}`);
      else findings.push(...drift(vault, rule, id, held));
    }
    for (const position of vault.allocations) {
      if (isUnread || position.assets === null) unknown.push(`cap:${position.id}`);
      else findings.push(...cap(vault, rule, position, BigInt(position.assets)));
    }
    return { findings, unknown };
  },
});

function idle(vault: VaultHoldings, { max_idle_fraction: most, idle_seconds: window }: Rule): Finding[] {
  const least = vault.leastIdle[window];
  if (most === null || least === undefined || !isMoreThan(least.idle, least.total, most)) return [];
  // The newest reading is among those of the window.
  const { idle } = vault.liquidity ?? { idle: least.idle };
  const total = vault.totalAssets as bigint;
  return [
    {
      subject: "idle",
      severity: "warning",
      title: "Assets are idle",
      message: `${vaultWords(vault)}: ${amountWords(idle, vault.asset)} are idle, ${percentWords(idle, total)} of its assets, and it was never less than ${percentWords(least.idle, least.total)} for ${durationWords(window)}.`,
      nextStep: "Allocate them, or raise the caps that keep them where they are.",
      details: { idle_assets: idle.toString(), total_assets: total.toString(), idle_seconds: window },
      conditions: ["idle"],
    },
  ];
}

/** None where the vault has no such position; null where one is not known. */
function heldIn({ allocations }: VaultHoldings, id: string): bigint | null {
  const positions = allocations.filter((position) => position.id === id);
  if (positions.some(({ assets }) => assets === null)) return null;
  return positions.reduce((sum, { assets }) => sum + BigInt(assets as string), 0n);
}

function drift(
  vault: VaultHoldings,
  { targets, drift_fraction: most }: Rule,
  id: string,
  held: bigint,
): Finding[] {
  const total = vault.totalAssets as bigint;
  const target = targets[id] as number;
  if (most === null || total === 0n || !isApart(held, total, target, most)) return [];
  const name = positionWords(vault, id);
  return [
    {
      subject: `drift:${id}`,
      severity: "warning",
      title: "A position is away from its target",
      message: `${vaultWords(vault)}: ${name} has ${amountWords(held, vault.asset)}, ${percentWords(held, total)} of its assets, and should have ${Number((target * 100).toPrecision(12))} %.`,
      nextStep: "Allocate towards the target, or change it.",
      details: { id, assets: held.toString(), total_assets: total.toString(), target },
      conditions: ["drift"],
    },
  ];
}

function cap(vault: VaultHoldings, { cap_fraction: most }: Rule, position: Held, assets: bigint): Finding[] {
  if (most === null) return [];
  const cap = capOf(position, vault.totalAssets as bigint);
  if (cap === null || !isMoreThan(assets * cap.scale, cap.amount, most)) return [];
  const whole = cap.amount / cap.scale;
  return [
    {
      subject: `cap:${position.id}`,
      severity: "info",
      title: "A cap is nearly full",
      message: `${vaultWords(vault)}: ${positionWords(vault, position.id)} has ${amountWords(assets, vault.asset)} of at most ${amountWords(whole, vault.asset)}, which is ${percentWords(assets, whole)}.`,
      nextStep: "Raise the cap, or allocate elsewhere.",
      details: { id: position.id, assets: assets.toString(), cap_assets: whole.toString() },
      conditions: ["cap"],
    },
  ];
}

const E18 = 10n ** 18n;

/** The lower of both caps, as `amount / scale`; null where there is none, or nothing may be there at all. */
function capOf(position: Held, total: bigint): { amount: bigint; scale: bigint } | null {
  const { absolute_cap: absolute, relative_cap_e18: relative } = position;
  const caps = [
    ...(position.is_absolute_capped && absolute !== null ? [BigInt(absolute) * E18] : []),
    ...(position.is_relative_capped && relative !== null ? [BigInt(relative) * total] : []),
  ];
  const amount = caps.reduce<bigint | null>(
    (least, one) => (least === null || one < least ? one : least),
    null,
  );
  return amount === null || amount === 0n ? null : { amount, scale: E18 };
}

function positionWords({ allocations }: VaultHoldings, id: string): string {
  const label = cleanText(allocations.find((position) => position.id === id)?.label ?? "", 64);
  const shown = cleanText(id, 66);
  return label === "" ? `the position ${shown}` : `${label} (${shown})`;
}
