// One endpoint: what it gets, whether it takes it, and what went out to it.
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { words } from "../../format/words.ts";
import { TestFailure, TestOutcome } from "../../parts/test-outcome.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Countdown, Time } from "../../ui/time.tsx";
import { EndpointActions } from "./actions.tsx";
import { EndpointDeliveries } from "./deliveries-panel.tsx";
import { DISABLED_REASONS, EndpointState } from "./endpoint-state.tsx";
import { type Endpoint, type EndpointTest, endpointQuery } from "./queries.ts";

const route = getRouteApi("/webhooks/$webhookId");

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const { data: endpoint } = useSuspenseQuery(endpointQuery(webhookId));
  const [outcome, setOutcome] = useState<EndpointTest | null>(null);
  return (
    <>
      <PageHeader
        title={hostOf(endpoint.url)}
        lead={<BackLink to="/webhooks" label="All webhooks" />}
        badges={<EndpointState endpoint={endpoint} />}
        description={
          <span className="flex min-w-0 items-center gap-1">
            <span className="min-w-0 break-all font-mono text-xs">{endpoint.url}</span>
            <CopyButton text={endpoint.url} label="URL" />
          </span>
        }
        actions={<EndpointActions endpoint={endpoint} onTested={setOutcome} />}
      />
      {endpoint.disabled_reason !== null && (
        <p className="mb-4 rounded-lg border bg-critical-wash px-3.5 py-2.5 text-critical">
          The service disabled it <Time at={endpoint.disabled_at} />.{" "}
          {DISABLED_REASONS[endpoint.disabled_reason]} Nothing is sent until you enable it; replay brings back
          what it missed.
        </p>
      )}
      {endpoint.secret_error !== null && (
        <p role="alert" className="mb-4 rounded-lg border bg-critical-wash px-3.5 py-2.5 text-critical">
          {endpoint.secret_error}
        </p>
      )}
      {outcome !== null && <Outcome outcome={outcome} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div className="min-w-0 lg:order-last">
          <Settings endpoint={endpoint} />
        </div>
        <EndpointDeliveries endpoint={endpoint} />
      </div>
    </>
  );
}

/** Short enough for a heading; the whole URL stands below. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function Outcome({ outcome }: { outcome: EndpointTest }) {
  if ("error" in outcome) return <TestFailure error={outcome.error} />;
  const { status, attempts } = outcome.delivery;
  const last = attempts.at(-1);
  const isWell = status === "delivered";
  const says = [
    last?.status_code && `Answered ${last.status_code}`,
    last?.error,
    last?.duration_ms !== null && last !== undefined && `after ${last.duration_ms} ms`,
  ];
  return (
    <TestOutcome
      isWell={isWell}
      title={isWell ? "The test was accepted" : "The test was not accepted"}
      says={says.filter(Boolean).join(", ")}
      excerpt={last?.response_excerpt}
    />
  );
}

function Settings({ endpoint }: { endpoint: Endpoint }) {
  const old = endpoint.old_secrets_valid_until;
  return (
    <Panel title="Settings">
      <Facts>
        {endpoint.description && <Fact name="Description">{endpoint.description}</Fact>}
        <Fact name="Events">
          {endpoint.is_all_event_types ? (
            <span data-tip={endpoint.event_types.join("\n")}>all, those added later too</span>
          ) : (
            <span className="flex flex-wrap justify-end gap-1">
              {endpoint.event_types.map((type) => (
                <Badge key={type}>{type}</Badge>
              ))}
            </span>
          )}
        </Fact>
        <Fact name="Vaults">
          <span className="flex flex-col items-end">
            {endpoint.is_all_vaults && <span>every vault that you manage</span>}
            {endpoint.vaults.map((id) => {
              const [chain = "", address = ""] = id.split(":");
              return (
                <span key={id} className="flex min-h-6 items-center text-xs text-ink-2">
                  <VaultName chainId={Number(chain)} address={address} />
                </span>
              );
            })}
          </span>
        </Fact>
        <Fact name="Retries">{words(endpoint.retry_schedule)}</Fact>
        <Fact name="Sends a second">
          {endpoint.rate_limit === null ? (
            "no limit"
          ) : (
            <span className="num">{endpoint.rate_limit} at most</span>
          )}
        </Fact>
        {old.map((until) => (
          <Fact key={until} name="An old secret signs for" tip="Until then deliveries are signed with both">
            <Countdown until={until} over="no longer" />
          </Fact>
        ))}
        <Fact name="Made">
          <Time at={endpoint.created_at} />
        </Fact>
        <Fact name="Changed">
          <Time at={endpoint.updated_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
