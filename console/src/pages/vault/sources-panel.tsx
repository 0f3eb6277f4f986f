import { counted, exactUnits } from "../../format/amount.ts";
import { Address } from "../../parts/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { VaultState } from "./queries.ts";

/** Where the assets are: each yield source with its share, and what is free. */
export function SourcesPanel({ vault }: { vault: VaultState }) {
  const { yield_sources: sources, free_assets: free, total_assets: total } = vault;
  const unit = { decimals: vault.underlying_asset_decimals, symbol: vault.underlying_asset_symbol };
  const rows = [...sources].sort((a, b) => compare(b.allocation_assets, a.allocation_assets));
  return (
    <Panel title="Allocation" aside={counted(sources.length, "yield source")}>
      {sources.length === 0 ? (
        <Nothing>No yield sources are known of this vault.</Nothing>
      ) : (
        <ul className="flex flex-col gap-3">
          {rows.map(({ address, oracle, added_at: addedAt, allocation_assets: assets }) => (
            <li key={address}>
              <div className="flex items-center justify-between gap-2">
                <span data-tip={`oracle ${oracle}`}>
                  <Address value={address} chainId={vault.chain_id} label="yield source" />
                </span>
                <Amount raw={assets} {...unit} reason="its oracle does not answer" />
              </div>
              <Share of={assets} total={total} colour="bg-accent-solid" />
              <p className="mt-0.5 text-xs text-ink-3">
                added <Time at={addedAt} exact="hover" />
              </p>
            </li>
          ))}
          <li>
            <div className="flex items-center justify-between gap-2">
              <span>Free</span>
              <Amount raw={free} {...unit} reason={vault.unavailable_reasons.free_assets} />
            </div>
            <Share of={free} total={total} colour="bg-ink-3" />
          </li>
        </ul>
      )}
    </Panel>
  );
}

function Share({ of, total, colour }: { of: string | null; total: string | null; colour: string }) {
  if (of === null || total === null || BigInt(total) === 0n) return null;
  const hundredths = (BigInt(of) * 10_000n) / BigInt(total);
  return (
    <div className="mt-1 flex items-center gap-2">
      <div aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-full bg-raised">
        <div className={`h-full rounded-full ${colour}`} style={{ width: `${Number(hundredths) / 100}%` }} />
      </div>
      <span className="num w-14 text-right text-xs text-ink-2">{exactUnits(hundredths, 2)} %</span>
    </div>
  );
}

function compare(a: string | null, b: string | null): number {
  const [left, right] = [BigInt(a ?? -1), BigInt(b ?? -1)];
  return left < right ? -1 : left > right ? 1 : 0;
}
