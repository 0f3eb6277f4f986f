// A prepared action: what it would do, what was found to hold, the calls, where they go from here, and what became of them.
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { Address } from "../../parts/address.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { Preview } from "./preview.tsx";
import { type PreparedAction, preparedQuery } from "./queries.ts";
import { SignPanel } from "./sign-panel.tsx";
import { ActionStatus, StatusPanel } from "./status-panel.tsx";
import { Value } from "./value.tsx";

const route = getRouteApi("/vaults/$chainId/$address/actions/$actionId");

/** What can still be sent. */
const OPEN: readonly PreparedAction["status"][] = ["prepared", "submitted", "replaced", "failed"];

export function PreparedActionPage() {
  const { chainId, address, actionId } = route.useParams();
  const place = { chain_id: chainId, vault: address };
  const { data: action } = useSuspenseQuery(preparedQuery(place, actionId));
  return (
    <>
      <PageHeader
        title={action.title}
        badges={<ActionStatus status={action.status} />}
        description={
          <span className="flex flex-wrap items-center gap-x-2">
            <span>
              on <VaultName chainId={chainId} address={address} />
            </span>
            <span>
              prepared <Time at={action.created_at} />
            </span>
          </span>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Preview action={action} />
          <Calls action={action} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <StatusPanel action={action} />
          {OPEN.includes(action.status) && <SignPanel action={action} place={place} />}
          <Preconditions action={action} />
        </div>
      </div>
    </>
  );
}

function Preconditions({ action: { preconditions } }: { action: PreparedAction }) {
  if (preconditions.length === 0) return null;
  return (
    <Panel title="What was found to hold">
      <ul className="flex flex-col gap-1.5">
        {preconditions.map(({ ok, text }) => (
          <li key={text} className="flex items-start gap-2">
            {ok ? (
              <CircleCheck aria-label="holds" className="mt-0.5 size-4 shrink-0 text-good" />
            ) : (
              <CircleX aria-label="does not hold" className="mt-0.5 size-4 shrink-0 text-critical" />
            )}
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What is signed, word by word. */
function Calls({ action: { calls, chain_id: chainId } }: { action: PreparedAction }) {
  return (
    <Panel title={calls.length === 1 ? "The call" : "The calls, in order"}>
      <ol className="flex flex-col divide-y">
        {calls.map((call, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their order is what they are.
          <li key={nth} className="flex flex-col gap-1 py-2 first:pt-0 last:pb-0">
            <p className="flex flex-wrap items-center gap-x-1.5">
              <code className="font-medium">{call.function}</code>
              <span className="text-ink-3">on</span>
              <Address value={call.to} chainId={chainId} label="target" />
              {call.value !== "0" && <span className="num">with {call.value} wei</span>}
            </p>
            <dl className="flex flex-col gap-0.5">
              {Object.entries(call.arguments).map(([name, value]) => (
                <div key={name} className="flex flex-wrap items-center gap-x-1.5">
                  <dt className="text-ink-3">{name}</dt>
                  <dd className="min-w-0">
                    <Value value={value} chainId={chainId} />
                  </dd>
                </div>
              ))}
            </dl>
            <p className="flex items-start gap-1">
              <code className="min-w-0 break-all text-2xs text-ink-3">{call.data}</code>
              <CopyButton text={call.data} label="the call's data" />
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
