import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useMayManage } from "../../api/permissions.ts";
import { Address } from "../../parts/address.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { Button } from "../../ui/button.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Countdown } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { type Alert, categoryName, isOfAlerts, type Silence, silencesQuery } from "./queries.ts";

interface SilencesPanelProps {
  vault?: string | undefined;
  /** Shown only where there is one. */
  isShy?: boolean;
  className?: string;
}

/** What nobody is told of now, and until when. */
export function SilencesPanel({ vault, isShy, className }: SilencesPanelProps) {
  const query = useQuery(silencesQuery(vault));
  if (isShy && !query.error && !query.data?.total) return null;
  return (
    <Panel
      title="Silences"
      {...(className && { className })}
      aside={query.data && query.data.total > 0 && `${query.data.total} active`}
    >
      <Loaded query={query} rows={1}>
        {({ silences }) =>
          silences.length === 0 ? (
            <Nothing>Nothing is silenced.</Nothing>
          ) : (
            <ul aria-label="Active silences" className="-my-1 flex flex-col divide-y">
              {silences.map((silence) => (
                <OneSilence key={silence.id} silence={silence} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function OneSilence({ silence }: { silence: Silence }) {
  const mayManage = useMayManage();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call("DELETE /api/v1/silences/{id}", { path: { id: silence.id } }),
    onSuccess: () => toast({ tone: "good", title: "The silence has ended" }),
    onError: (error) => toastError("The silence was not ended", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfAlerts }),
  });
  const { chain_id: chainId, vault_address: address, category, reason } = silence;
  return (
    <li className="flex items-start justify-between gap-3 py-2">
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">
            {chainId === 0 ? "No vault" : <VaultName chainId={chainId} address={address} />}
          </span>
          <span className="text-ink-2">{category === null ? "every category" : categoryName(category)}</span>
          <span className="text-xs text-ink-3">
            ends in <Countdown until={silence.ends_at} over="no time" />
          </span>
        </p>
        <p className="break-words text-ink-2">{reason}</p>
        <p className="flex items-center gap-1 text-xs text-ink-3">
          by <Address value={silence.created_by} chainId={chainId} label="who silenced it" />
        </p>
      </div>
      {mayManage(silence) && (
        <Button size="small" isBusy={isPending} onClick={() => mutate()}>
          End
        </Button>
      )}
    </li>
  );
}

/** Whether a silence covers the alert. */
export function useIsSilenced(): (alert: Alert) => boolean {
  const { data } = useQuery(silencesQuery());
  return (alert) =>
    data?.silences.some(
      ({ chain_id, vault_address, category }) =>
        chain_id === alert.chain_id &&
        vault_address === alert.vault_address &&
        (category === null || category === alert.category),
    ) ?? false;
}
