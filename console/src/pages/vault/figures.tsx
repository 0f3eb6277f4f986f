import { Amount, Percent, Pps, Usd } from "../../ui/amount.tsx";
import { Stat, Stats } from "../../ui/panel.tsx";
import { Countdown, Time } from "../../ui/time.tsx";
import type { VaultState } from "./queries.ts";

const WINDOWS = [
  ["apy_1d", "24 h"],
  ["apy_30d", "30 d"],
  ["apy_inception", "all"],
] as const;

/** The figures under the vault's name. */
export function VaultFigures({ vault }: { vault: VaultState }) {
  const {
    underlying_asset_symbol: asset,
    underlying_asset_decimals: decimals,
    unavailable_reasons: reasons,
  } = vault;
  return (
    <Stats>
      <Stat
        name="TVL"
        note={<Amount raw={vault.tvl} decimals={decimals} symbol={asset} reason={reasons.tvl} />}
      >
        <Usd value={vault.tvl_usd} reason={vault.tvl_usd_unavailable_reason} />
      </Stat>
      <Stat
        name="APY, 7 d"
        tip="realised, net of fees, from prices onchain"
        note={
          <span className="flex flex-wrap gap-x-2">
            {WINDOWS.map(([key, label]) => (
              <span key={key}>
                {label} <Percent value={vault[key]} reason={reasons[key]} />
              </span>
            ))}
          </span>
        }
      >
        <Percent value={vault.apy_7d} reason={reasons.apy_7d} tip="over 7 days" />
      </Stat>
      <Stat
        name="Price per share"
        note={
          <Time
            at={vault.last_pps_update_timestamp}
            exact="hover"
            reason="the price is read from the contract"
          />
        }
      >
        <Pps
          raw={vault.current_pps}
          decimals={vault.pps_decimals}
          symbol={asset}
          reason={reasons.current_pps}
        />
      </Stat>
      <Stat
        name="Price fresh for"
        note={
          vault.pps_expires_at === null
            ? "no staleness rule"
            : `expires after ${hours(vault.pps_expiration_seconds)}`
        }
      >
        <Countdown until={vault.pps_expires_at} over="stale" reason="this vault has no staleness rule" />
      </Stat>
      <Stat name="Free assets" note="not in a yield source">
        <Amount raw={vault.free_assets} decimals={decimals} symbol={asset} reason={reasons.free_assets} />
      </Stat>
      <Stat
        name="Redemptions waiting"
        note={
          <Amount
            raw={vault.pending_redeems.shares}
            decimals={vault.vault_share_decimals}
            symbol={vault.symbol}
          />
        }
      >
        {vault.pending_redeems.count}
      </Stat>
    </Stats>
  );
}

const hours = (seconds: number | null): string =>
  seconds === null ? "–" : `${Math.round(seconds / 360) / 10} h`;
