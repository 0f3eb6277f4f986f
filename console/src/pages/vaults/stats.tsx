import { counted, usdExact, usdShort } from "../../format/amount.ts";
import { Dot } from "../../ui/badge.tsx";
import { Stat, Stats } from "../../ui/panel.tsx";
import { Countdown } from "../../ui/time.tsx";
import type { ListedVault } from "./listed-vaults.ts";

/** The figures over the list: what is held, and what needs a look. */
export function VaultStats({ vaults }: { vaults: readonly ListedVault[] }) {
  const priced = vaults.filter(({ vault }) => vault.tvl_usd !== null);
  const total = priced.reduce((sum, { vault }) => sum + (vault.tvl_usd ?? 0), 0);
  const told = vaults.filter(({ attention }) => attention !== null);
  const troubled = told.filter(({ attention }) => attention?.[0] !== undefined);
  const mine = vaults.filter(({ role }) => role !== null);
  const next = vaults
    .filter(({ own }) => own?.pps_expires_at && !own.is_pps_stale)
    .sort((a, b) => String(a.own?.pps_expires_at).localeCompare(String(b.own?.pps_expires_at)))[0];
  return (
    <Stats>
      <Stat
        name="Total value"
        note={
          priced.length < vaults.length
            ? `${vaults.length - priced.length} without a price`
            : `in ${counted(vaults.length, "vault")}`
        }
      >
        <span data-tip={usdExact(total)}>{usdShort(total)}</span>
      </Stat>
      {told.length > 0 && (
        <Stat
          name="Needs attention"
          note={
            troubled.length === 0 ? "no open alerts" : troubled.map(({ vault }) => vault.symbol).join(", ")
          }
        >
          <span className="inline-flex items-center gap-2">
            <Dot tone={worstOf(troubled)} />
            {troubled.length}
          </span>
        </Stat>
      )}
      {mine.length > 0 && (
        <Stat name="Yours" note={<span data-tip={usdExact(sumOf(mine))}>{usdShort(sumOf(mine))}</span>}>
          {mine.length}
        </Stat>
      )}
      {next && (
        <Stat name="Next price to go stale" note={next.vault.name}>
          <Countdown until={next.own?.pps_expires_at} over="stale" />
        </Stat>
      )}
    </Stats>
  );
}

function worstOf(vaults: readonly ListedVault[]): "critical" | "warning" | "good" {
  if (vaults.length === 0) return "good";
  return vaults.some(({ attention }) => attention?.[0]?.severity === "critical") ? "critical" : "warning";
}

function sumOf(vaults: readonly ListedVault[]): number {
  return vaults.reduce((sum, { vault }) => sum + (vault.tvl_usd ?? 0), 0);
}
