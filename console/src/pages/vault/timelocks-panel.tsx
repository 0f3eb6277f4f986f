import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { Address, Hash } from "../../parts/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Countdown, Time } from "../../ui/time.tsx";
import { CallLine } from "./call-line.tsx";
import { type ChangeValue, changeLines, changeTitle } from "./change.ts";
import { tokensQuery, type VaultState } from "./queries.ts";

/** What is proposed and waits for its timelock: from what to what, by whom, and when it can be carried out. */
export function TimelocksPanel({ vault }: { vault: VaultState }) {
  const changes = [...vault.pending_changes].sort((a, b) =>
    (a.executable_at ?? "9").localeCompare(b.executable_at ?? "9"),
  );
  return (
    <Panel title="Pending changes" aside={changes.length > 0 && `${changes.length} under a timelock`}>
      {changes.length === 0 ? (
        <Nothing>Nothing is proposed.</Nothing>
      ) : (
        <ul className="-my-1 flex flex-col divide-y">
          {changes.map((change) => (
            <li key={change.id} className="py-2">
              <div className="flex items-baseline justify-between gap-3">
                <h3 className="font-medium">{changeTitle(change)}</h3>
                <span className="text-ink-2">
                  {change.status === "blocked" ? (
                    <Badge tip="Its function was given up, or what it waits for was cancelled.">
                      Blocked
                    </Badge>
                  ) : (
                    <Countdown
                      until={change.executable_at}
                      over="can be carried out"
                      reason="no time is set"
                    />
                  )}
                </span>
              </div>
              {changeLines(change).map(({ name, from, to }) => (
                <p key={name} className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-ink-2">
                  {name && <span className="text-ink-3">{name}</span>}
                  {from ? <Value {...from} vault={vault} /> : <span className="text-ink-3">none</span>}
                  <ArrowRight aria-label="to" className="size-3.5 text-ink-3" />
                  <span className="text-ink">
                    <Value {...to} vault={vault} />
                  </span>
                </p>
              ))}
              {change.calldata !== null && <CallLine call={change} chainId={vault.chain_id} />}
              {change.earliest_effect_at !== null && change.earliest_effect_at !== change.executable_at && (
                <p className="text-xs text-ink-3">
                  the same effect can be had <Time at={change.earliest_effect_at} exact="hover" />
                </p>
              )}
              {change.proposer && (
                <p className="flex items-center gap-1 text-xs text-ink-3">
                  proposed by <Address value={change.proposer} chainId={vault.chain_id} label="proposer" />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Value({ as, value, vault }: ChangeValue & { vault: VaultState }) {
  const { data: tokens } = useQuery(tokensQuery(vault.chain_id));
  if (as === "address") return <Address value={value} chainId={vault.chain_id} />;
  if (as === "hash") return <Hash value={value} label="root" />;
  if (as === "text") return <span className="num">{value}</span>;
  const token = tokens?.find(({ address }) => address === vault.upkeep_info?.token);
  return <Amount raw={value} decimals={token?.decimals ?? 0} symbol={token?.symbol ?? "raw units"} />;
}
