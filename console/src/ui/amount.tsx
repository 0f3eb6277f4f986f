import { useExact } from "../browser/exact-amounts.ts";
import {
  groupedUnits,
  percent,
  percentExact,
  pricePerShare,
  shortUnits,
  usdExact,
  usdShort,
} from "../format/amount.ts";
import { Unknown } from "./unknown.tsx";

interface AmountProps {
  /** Raw units, as the API gives them; null where it does not know. */
  raw: string | null | undefined;
  decimals: number;
  symbol: string | null;
  /** Why it is null, where known. */
  reason?: string | null | undefined;
}

/** An onchain amount: short to read, exact with its raw integer on hover. */
export function Amount({ raw, decimals, symbol, reason }: AmountProps) {
  const isExact = useExact();
  if (raw === null || raw === undefined) return <Unknown reason={reason} />;
  const unit = symbol ?? "";
  return (
    <data
      value={raw}
      data-tip={`${groupedUnits(raw, decimals)} ${unit}\n${raw} raw units`}
      className="num whitespace-nowrap"
    >
      {isExact ? groupedUnits(raw, decimals) : shortUnits(raw, decimals)}
      {unit && <span className="text-ink-3"> {unit}</span>}
    </data>
  );
}

/** A price per share, in the asset per whole share. */
export function Pps({ raw, decimals, symbol, reason }: AmountProps) {
  const isExact = useExact();
  if (raw === null || raw === undefined) return <Unknown reason={reason} />;
  return (
    <data
      value={raw}
      data-tip={`${groupedUnits(raw, decimals)} ${symbol ?? ""} per share\n${raw} raw units`}
      className="num whitespace-nowrap"
    >
      {isExact ? groupedUnits(raw, decimals) : pricePerShare(raw, decimals)}
      {symbol && <span className="text-ink-3"> {symbol}</span>}
    </data>
  );
}

export function Usd({
  value,
  reason,
}: {
  value: number | null | undefined;
  reason?: string | null | undefined;
}) {
  const isExact = useExact();
  if (value === null || value === undefined) return <Unknown reason={reason} />;
  return (
    <data value={value} data-tip={usdExact(value)} className="num whitespace-nowrap">
      {isExact ? usdExact(value) : usdShort(value)}
    </data>
  );
}

/** A fraction as per cent: `tip` says over which window. */
export function Percent({
  value,
  reason,
  tip,
}: {
  value: number | null | undefined;
  reason?: string | null | undefined;
  tip?: string;
}) {
  const isExact = useExact();
  if (value === null || value === undefined) return <Unknown reason={reason} />;
  return (
    <data
      value={value}
      data-tip={[percentExact(value), tip].filter(Boolean).join("\n")}
      className="num whitespace-nowrap"
    >
      {isExact ? percentExact(value) : percent(value)}
    </data>
  );
}
