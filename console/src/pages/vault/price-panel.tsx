import type { ReactNode } from "react";
import { exactUnits } from "../../format/amount.ts";
import { duration } from "../../format/time.ts";
import { Pps } from "../../ui/amount.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import type { VaultState } from "./queries.ts";

/** The three values of the price (onchain, high-water, last reported by the engine) and the rules of its updates. */
export function PricePanel({ vault }: { vault: VaultState }) {
  const { current_pps: onchain, hwm_pps: highWater, reported_pps: reported, pps_decimals: decimals } = vault;
  const symbol = vault.underlying_asset_symbol;
  return (
    <Panel title="Price per share">
      <Facts>
        <Fact name="Onchain">
          <Pps
            raw={onchain}
            decimals={decimals}
            symbol={symbol}
            reason={vault.unavailable_reasons.current_pps}
          />
        </Fact>
        <Fact name="High-water mark" tip="performance fees are taken above it">
          <Pps raw={highWater} decimals={decimals} symbol={symbol} reason="this family has none" />
          <Difference of={onchain} from={highWater} />
        </Fact>
        <Fact name="Last reported" tip="by the engine, from its own calculation">
          <Pps
            raw={reported?.value}
            decimals={decimals}
            symbol={symbol}
            reason="the engine has not reported one"
          />
          <Difference of={reported?.value ?? null} from={onchain} />
          {reported && (
            <span className="block text-xs text-ink-3">
              <Time at={reported.at} />
            </span>
          )}
        </Fact>
        <Fact name="Updated">
          <Time at={vault.last_pps_update_timestamp} reason="the price is read from the contract" />
        </Fact>
        <Fact name="Expires after">
          <Seconds value={vault.pps_expiration_seconds} />
        </Fact>
        <Fact name="Minimum time between updates">
          <Seconds value={vault.min_update_interval_seconds} />
        </Fact>
        <Fact name="Oldest report accepted">
          <Seconds value={vault.max_staleness_seconds} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function Seconds({ value }: { value: number | null }): ReactNode {
  if (value === null) return <Unknown reason="this family has no such rule" />;
  return <span className="num">{duration(value)}</span>;
}

/** How far one price is from another, in basis points, from the integers; nothing where they are equal. */
function Difference({ of, from }: { of: string | null; from: string | null }) {
  if (of === null || from === null || of === from || BigInt(from) === 0n) return null;
  const hundredths = ((BigInt(of) - BigInt(from)) * 1_000_000n) / BigInt(from);
  const text =
    hundredths === 0n ? "under 0.01 bps" : `${hundredths > 0n ? "+" : ""}${exactUnits(hundredths, 2)} bps`;
  return (
    <span className="num ml-2 text-xs text-ink-3" data-tip={`${of} against ${from}, raw`}>
      {text}
    </span>
  );
}
