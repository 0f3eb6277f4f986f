// One intent: what it was to do, its life as a timeline, and its fills with what the chain says of each.
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { count, groupedUnits } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { VaultName } from "../../parts/vault-name.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import { tookOf } from "./columns.tsx";
import { FillList } from "./fills.tsx";
import { eventsQuery, fillsQuery, type Intent, intentQuery } from "./queries.ts";
import { StateBadge, toneOf } from "./state.tsx";
import { Timeline } from "./timeline.tsx";

const route = getRouteApi("/intents/$intentId");

export function IntentPage() {
  const { intentId } = route.useParams();
  const { data: intent } = useSuspenseQuery(intentQuery(intentId));
  const events = useQuery(eventsQuery(intentId));
  const fills = useQuery(fillsQuery(intentId));
  return (
    <>
      <PageHeader
        title={intent.action === null ? "Intent" : words(intent.action)}
        lead={
          <Link
            to="/intents"
            aria-label="All intents"
            className="grid size-8 place-items-center rounded-md border text-ink-2 hover:bg-hover"
          >
            <ArrowLeft aria-hidden className="size-4" />
          </Link>
        }
        badges={<StateBadge state={intent.state} />}
        description={
          <span className="inline-flex items-center gap-1">
            <span className="break-all font-mono text-xs">{intent.intent_id}</span>
            <CopyButton text={intent.intent_id} label="intent id" />
          </span>
        }
      />
      {intent.error_code !== null || intent.error_message !== null ? (
        <p
          className={`mb-4 rounded-lg border px-3.5 py-2.5 ${toneOf(intent.state) === "critical" ? "bg-critical-wash text-critical" : "bg-warning-wash text-warning"}`}
        >
          <strong className="font-semibold">{intent.error_code ?? "Error"}</strong>
          {intent.error_message && <span className="break-words">: {intent.error_message}</span>}
        </p>
      ) : null}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Timeline" aside={<Took intent={intent} />}>
            <Loaded query={events} rows={5}>
              {({ events: list }) => <Timeline intent={intent} events={list} />}
            </Loaded>
          </Panel>
          <Panel title="Fills" isFlush aside={`${count(intent.fills_count)} reported`}>
            <Loaded query={fills} rows={2}>
              {({ fills: list }) =>
                list.length === 0 ? (
                  <div className="p-3.5">
                    <Nothing>No fill was reported.</Nothing>
                  </div>
                ) : (
                  <FillList fills={list} />
                )
              }
            </Loaded>
          </Panel>
        </div>
        <Panel title="Details">
          <Facts>
            <Fact name="Vault">
              <VaultName chainId={intent.chain_id} address={intent.vault_address} />
            </Fact>
            <Fact name="Strategy">{textOf(intent.strategy_id)}</Fact>
            <Fact name="Execution">{textOf(intent.execution_id)}</Fact>
            <Fact name="Correlation">{textOf(intent.correlation_id)}</Fact>
            <Fact name="Amount in" tip="raw units, as the engine reports them">
              {rawOf(intent.total_amount_in)}
            </Fact>
            <Fact name="Amount out" tip="raw units, as the engine reports them">
              {rawOf(intent.total_amount_out)}
            </Fact>
            <Fact name="Gas used">{rawOf(intent.gas_used_total)}</Fact>
            <Fact name="Created">
              <Time at={intent.created_at} />
            </Fact>
            <Fact name="Ended">
              <Time at={intent.terminal_at} reason="it has not finished" />
            </Fact>
          </Facts>
        </Panel>
      </div>
    </>
  );
}

function Took({ intent }: { intent: Intent }) {
  if (intent.terminal_at === null) return <>under way</>;
  return <>ended after {tookOf(intent.created_at, intent.terminal_at)}</>;
}

function textOf(value: string | null): ReactNode {
  return value === null ? <Unknown /> : <span className="break-all font-mono text-xs">{value}</span>;
}

function rawOf(value: string | null): ReactNode {
  return value === null ? <Unknown /> : <span className="num break-all">{groupedUnits(value, 0)}</span>;
}
