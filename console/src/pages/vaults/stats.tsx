import { usdExact, usdShort } from "../../format/amount.ts";
import { Dot } from "../../ui/badge.tsx";
import { Stat, Stats } from "../../ui/panel.tsx";
import { Countdown } from "../../ui/time.tsx";
import type { VaultRow } from "./rows.ts";

/** The figures over the list: what is held, and what needs a look. */
export function VaultStats({ rows }: { rows: readonly VaultRow[] }) {
  const priced = rows.filter(({ vault }) => vault.tvl_usd !== null);
  const total = priced.reduce((sum, { vault }) => sum + (vault.tvl_usd ?? 0), 0);
  const troubled = rows.filter(({ needs }) => needs.length > 0);
  const mine = rows.filter(({ role }) => role !== null);
  const next = rows
    .filter(({ own }) => own?.pps_expires_at && !own.is_pps_stale)
    .sort((a, b) => String(a.own?.pps_expires_at).localeCompare(String(b.own?.pps_expires_at)))[0];
  return (
    <Stats>
      <Stat
        name="Total value"
        note={
          priced.length < rows.length
            ? `${rows.length - priced.length} without a price`
            : `in ${rows.length} vaults`
        }
      >
        <span data-tip={usdExact(total)}>{usdShort(total)}</span>
      </Stat>
      <Stat
        name="Needs attention"
        note={troubled.length === 0 ? "all is well" : troubled.map(({ vault }) => vault.symbol).join(", ")}
      >
        <span className="inline-flex items-center gap-2">
          <Dot
            tone={
              troubled.length === 0
                ? "good"
                : troubled.some(({ tone }) => tone === "critical")
                  ? "critical"
                  : "warning"
            }
          />
          {troubled.length}
        </span>
      </Stat>
      {mine.length > 0 && (
        <Stat name="Yours" note={<span data-tip={usdExact(sumOf(mine))}>{usdShort(sumOf(mine))}</span>}>
          {mine.length}
        </Stat>
      )}
      {next && (
        <Stat name="Next price to go stale" note={next.vault.name}>
          <Countdown until={next.own?.pps_expires_at} over="stale" warnAt={3600} criticalAt={600} />
        </Stat>
      )}
    </Stats>
  );
}

function sumOf(rows: readonly VaultRow[]): number {
  return rows.reduce((sum, { vault }) => sum + (vault.tvl_usd ?? 0), 0);
}
