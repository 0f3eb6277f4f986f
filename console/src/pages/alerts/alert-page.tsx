// One alert: what happened, what to do next, what brought it about, and who is on it.
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BellOff } from "lucide-react";
import { useState } from "react";
import { useMayManage } from "../../api/permissions.ts";
import { span } from "../../format/time.ts";
import { subjectWords } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { AcknowledgeButton } from "./actions.tsx";
import { AlertMarks, SeverityBadge, StatusBadge } from "./badges.tsx";
import { Cause } from "./cause.tsx";
import { AlertDetails } from "./details.tsx";
import { type Alert, alertQuery, categoryName } from "./queries.ts";
import { RulesButton } from "./rules-dialog.tsx";
import { SilenceDialog } from "./silence-dialog.tsx";
import { SilencesPanel, useIsSilenced } from "./silences.tsx";

const route = getRouteApi("/alerts/$alertId");

const NOTICES = {
  opened: "that it began",
  severity_raised: "that it got worse",
  reminder: "a reminder",
} as const;

export function AlertPage() {
  const { alertId } = route.useParams();
  const { data: alert } = useSuspenseQuery(alertQuery(alertId));
  const isSilenced = useIsSilenced()(alert);
  const hasVault = alert.chain_id !== 0;
  const vaultId = `${alert.chain_id}:${alert.vault_address}`;
  return (
    <>
      <PageHeader
        title={alert.title}
        lead={<BackLink to="/alerts" label="All alerts" />}
        badges={
          <>
            <StatusBadge alert={alert} />
            <SeverityBadge severity={alert.severity} />
            <AlertMarks alert={alert} isSilenced={isSilenced} />
          </>
        }
        description={
          <span className="flex flex-wrap items-center gap-x-2">
            {hasVault ? (
              <VaultName chainId={alert.chain_id} address={alert.vault_address} name={alert.vault_name} />
            ) : (
              "It concerns no vault"
            )}
            <Lasting alert={alert} />
          </span>
        }
        actions={<Actions alert={alert} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="What happened">
            <p className="break-words">{alert.message}</p>
            {alert.next_step && (
              <p className="mt-2.5 break-words border-accent border-l-2 pl-3 text-ink-2">
                <strong className="block text-xs font-medium text-ink">What to do next</strong>
                {alert.next_step}
              </p>
            )}
          </Panel>
          <Panel title="Cause">
            <Cause alert={alert} />
          </Panel>
          <Panel title="What the monitor knows">
            <AlertDetails details={alert.details} chainId={alert.chain_id} />
          </Panel>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Details">
            <Facts>
              <Fact name="Category">{categoryName(alert.category)}</Fact>
              <Fact name="Subject">{alert.subject === "" ? "–" : subjectWords(alert.subject)}</Fact>
              <Fact name="Began">
                <Time at={alert.started_at} />
              </Fact>
              <Fact name="Last seen">
                <Time at={alert.last_seen_at} />
              </Fact>
              <Fact name="Resolved">
                <Time at={alert.resolved_at} reason="it is still open" />
              </Fact>
              <Fact name="Acknowledged">
                <Time at={alert.acknowledged_at} reason="nobody has" />
              </Fact>
              {alert.acknowledged_by && (
                <Fact name="By">
                  <Address
                    value={alert.acknowledged_by}
                    chainId={alert.chain_id}
                    label="who acknowledged it"
                  />
                </Fact>
              )}
              <Fact name="Last notice" tip="The last notice that the bound channels got of it">
                {alert.last_notice === null ? "nobody yet" : NOTICES[alert.last_notice]}
              </Fact>
            </Facts>
          </Panel>
          {hasVault && <SilencesPanel vault={vaultId} />}
        </div>
      </div>
    </>
  );
}

function Lasting({ alert }: { alert: Alert }) {
  if (alert.resolved_at !== null) {
    const seconds = (Date.parse(alert.resolved_at) - Date.parse(alert.started_at)) / 1000;
    return <span className="text-ink-3">lasted {span(seconds)}</span>;
  }
  return (
    <span className="text-ink-3">
      began <Time at={alert.started_at} />
    </span>
  );
}

function Actions({ alert }: { alert: Alert }) {
  const mayManage = useMayManage()(alert);
  const [isSilencing, setIsSilencing] = useState(false);
  if (alert.chain_id === 0) return <AcknowledgeButton alert={alert} />;
  return (
    <>
      <RulesButton id={{ chain_id: alert.chain_id, address: alert.vault_address }} />
      {mayManage ? (
        <Button icon={BellOff} onClick={() => setIsSilencing(true)}>
          Silence
        </Button>
      ) : (
        <span className="text-xs text-ink-3">Its managers can acknowledge and silence it.</span>
      )}
      <AcknowledgeButton alert={alert} />
      <SilenceDialog
        vault={`${alert.chain_id}:${alert.vault_address}`}
        category={alert.category}
        isOpen={isSilencing}
        onClose={() => setIsSilencing(false)}
      />
    </>
  );
}
