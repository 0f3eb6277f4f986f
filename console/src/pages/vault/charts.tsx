import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { VaultId } from "../../api/vaults.ts";
import {
  exactUnits,
  groupedUnits,
  percent,
  pricePerShare,
  shortUnits,
  usdShort,
} from "../../format/amount.ts";
import { Chart, type ChartPoint } from "../../ui/chart.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { type ApyPoint, apyQuery, type PpsPoint, ppsQuery, type VaultState, type Window } from "./queries.ts";

interface VaultChartsProps {
  id: VaultId;
  vault: VaultState;
  window: Window;
}

/** Price, TVL and APY through the window, under one crosshair. */
export function VaultCharts({ id, vault, window }: VaultChartsProps) {
  const pps = useQuery(ppsQuery(id, window));
  const apy = useQuery(apyQuery(id, window));
  return (
    <div className="grid gap-x-6 gap-y-4 lg:grid-cols-3">
      <Loaded query={pps} rows={6}>
        {(points) => <PriceChart points={points} vault={vault} />}
      </Loaded>
      <Loaded query={pps} rows={6}>
        {(points) => <TvlChart points={points} vault={vault} />}
      </Loaded>
      <Loaded query={apy} rows={6}>
        {(points) => <ApyChart points={points} />}
      </Loaded>
    </div>
  );
}

const GROUP = "vault";

function PriceChart({ points, vault }: { points: readonly PpsPoint[]; vault: VaultState }) {
  const { pps_decimals: decimals, underlying_asset_symbol: asset } = vault;
  const drawn = useMemo(
    () =>
      points.map(
        ({ timestamp, pps }): ChartPoint => ({
          at: timestamp,
          y: pps === null ? null : Number(exactUnits(pps, decimals)),
          text: pps === null ? "no supply" : `${pricePerShare(pps, decimals)} ${asset ?? ""}`,
        }),
      ),
    [points, decimals, asset],
  );
  if (drawn.length === 0) return <None of="price" />;
  return <Chart title="Price per share" points={drawn} axis={plain} colour="--chart-1" group={GROUP} />;
}

function TvlChart({ points, vault }: { points: readonly PpsPoint[]; vault: VaultState }) {
  const { underlying_asset_decimals: decimals, underlying_asset_symbol: asset } = vault;
  // In dollars where every point has a price, else in the asset: never a mixture.
  const isPriced = points.every(({ tvl, tvl_usd: usd }) => tvl === null || usd !== null);
  const drawn = useMemo(
    () =>
      points.map(({ timestamp, tvl, tvl_usd: usd }): ChartPoint => {
        const amount = tvl === null ? "not known" : `${shortUnits(tvl, decimals)} ${asset ?? ""}`;
        if (!isPriced)
          return { at: timestamp, y: tvl === null ? null : Number(exactUnits(tvl, decimals)), text: amount };
        return { at: timestamp, y: usd, text: usd === null ? amount : `${usdShort(usd)} · ${amount}` };
      }),
    [points, decimals, asset, isPriced],
  );
  if (drawn.length === 0) return <None of="TVL" />;
  const axis = isPriced ? usdAxis : (value: number) => groupedUnits(BigInt(Math.round(value)), 0);
  return <Chart title="TVL" points={drawn} axis={axis} colour="--chart-2" group={GROUP} />;
}

function ApyChart({ points }: { points: readonly ApyPoint[] }) {
  const drawn = useMemo(
    () =>
      points.map(
        ({ timestamp, apy_7d: apy }): ChartPoint => ({
          at: timestamp,
          y: apy,
          text: apy === null ? "history too short" : percent(apy),
        }),
      ),
    [points],
  );
  if (drawn.length === 0) return <None of="APY" />;
  return <Chart title="APY, 7 d" points={drawn} axis={percentAxis} colour="--chart-3" group={GROUP} />;
}

function None({ of }: { of: string }) {
  return <Nothing>No {of} in this window.</Nothing>;
}

const AXIS = new Intl.NumberFormat("en", { maximumFractionDigits: 5, maximumSignificantDigits: 6 });
const AXIS_USD = new Intl.NumberFormat("en", { style: "currency", currency: "USD", notation: "compact" });
const plain = (value: number): string => AXIS.format(value);
const usdAxis = (value: number): string => AXIS_USD.format(value);
const percentAxis = (value: number): string => `${AXIS.format(value * 100)} %`;
