import { exactUnits, percent } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { VaultState } from "./queries.ts";

type Allocation = VaultState["allocations"][number];

/** Where the assets are: each adapter, market or strategy with its share, against its caps, and what lies idle. */
export function AllocationsPanel({ vault }: { vault: VaultState }) {
  const { allocations, liquidity, unavailable_reasons: reasons } = vault;
  const unit = { decimals: vault.underlying_asset_decimals, symbol: vault.underlying_asset_symbol };
  const rows = [...allocations].sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  return (
    <Panel title="Allocation" aside={allocations.length > 0 && `${allocations.length} with caps or assets`}>
      {allocations.length === 0 ? (
        <Nothing>{reasons.allocations ?? "Nothing is allocated, and no cap is set."}</Nothing>
      ) : (
        <ul className="flex flex-col gap-3">
          {rows.map((allocation) => (
            <li key={allocation.id}>
              <div className="flex items-center justify-between gap-2">
                <span className="flex min-w-0 flex-wrap items-center gap-1.5">
                  <Named allocation={allocation} chainId={vault.chain_id} />
                  <Badge>{words(allocation.kind)}</Badge>
                </span>
                <Amount
                  raw={allocation.assets}
                  {...unit}
                  reason="it does not tell what the position is worth"
                />
              </div>
              <Share of={allocation.share} />
              <Caps allocation={allocation} unit={unit} />
            </li>
          ))}
        </ul>
      )}
      {liquidity !== null && (
        <p className="mt-3 flex flex-wrap justify-between gap-x-3 border-t pt-2.5 text-ink-2">
          <span>
            Idle <Amount raw={liquidity.idle_assets} {...unit} />
          </span>
          <span>
            Can be withdrawn now{" "}
            <Amount raw={liquidity.withdrawable_assets} {...unit} reason="exit is by request" />
          </span>
        </p>
      )}
    </Panel>
  );
}

function Named({ allocation, chainId }: { allocation: Allocation; chainId: number }) {
  const { label, address, id } = allocation;
  if (label !== null) return <span className="truncate">{label}</span>;
  if (address !== null) return <Address value={address} chainId={chainId} label={allocation.kind} />;
  return <code className="truncate text-xs">{id}</code>;
}

function Share({ of }: { of: number | null }) {
  if (of === null) return null;
  return (
    <div className="mt-1 flex items-center gap-2">
      <div aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-full bg-raised">
        <div className="h-full rounded-full bg-accent-solid" style={{ width: `${Math.min(of, 1) * 100}%` }} />
      </div>
      <span className="num w-14 text-right text-xs text-ink-2">{percent(of)}</span>
    </div>
  );
}

interface CapsProps {
  allocation: Allocation;
  unit: { decimals: number; symbol: string | null };
}

/** How full each cap is; an unlimited one says so. */
function Caps({ allocation, unit }: CapsProps) {
  const { assets, absolute_cap: absolute, is_absolute_capped: isCapped, relative_cap: relative } = allocation;
  const full = isCapped && assets !== null && absolute !== null ? fullness(assets, absolute) : null;
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
      {isCapped ? (
        <span>
          cap <Amount raw={absolute} {...unit} />
          {full !== null && `, ${full} full`}
        </span>
      ) : (
        <span>no absolute cap</span>
      )}
      {relative !== null && <span>at most {percent(Number(relative))} of the vault</span>}
    </p>
  );
}

function fullness(assets: string, cap: string): string {
  if (BigInt(cap) === 0n) return BigInt(assets) === 0n ? "0 %" : "over";
  return `${exactUnits((BigInt(assets) * 1000n) / BigInt(cap), 1)} %`;
}
