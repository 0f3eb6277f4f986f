import { basisPoints } from "../../format/amount.ts";
import { Address } from "../../parts/address.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import type { VaultState } from "./queries.ts";

/** Who manages the vault, and what is charged. */
export function PeoplePanel({ vault }: { vault: VaultState }) {
  const { managers, fee_config: fees, chain_id: chainId } = vault;
  return (
    <>
      <Panel title="Managers">
        <Facts>
          <Fact name="Primary">
            {managers.primary === null ? (
              <Unknown reason="none is configured" />
            ) : (
              <Address value={managers.primary} chainId={chainId} label="primary manager" />
            )}
          </Fact>
          <Fact name="Secondary">
            {managers.secondary.length === 0 ? (
              <span className="text-ink-3">none</span>
            ) : (
              <span className="flex flex-col items-end gap-1.5">
                {managers.secondary.map((manager) => (
                  <Address key={manager} value={manager} chainId={chainId} label="secondary manager" />
                ))}
              </span>
            )}
          </Fact>
        </Facts>
      </Panel>
      {fees && (
        <Panel title="Fees">
          <Facts>
            <Fact name="Performance">
              <Fee bps={fees.performance_fee_bps} />
            </Fact>
            <Fact name="Management">
              <Fee bps={fees.management_fee_bps} />
            </Fact>
            <Fact name="Recipient">
              {fees.recipient === null ? (
                <Unknown />
              ) : (
                <Address value={fees.recipient} chainId={chainId} label="fee recipient" />
              )}
            </Fact>
          </Facts>
        </Panel>
      )}
    </>
  );
}

function Fee({ bps }: { bps: number | null }) {
  if (bps === null) return <Unknown />;
  return (
    <data value={bps} data-tip={`${bps} basis points`} className="num">
      {basisPoints(bps)}
    </data>
  );
}
