// One channel: how it is set up, whether it works, what it is bound to, what was sent to it.
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FlaskConical, Pencil, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useMe } from "../../api/roles.ts";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { TestFailure, TestOutcome } from "../../parts/test-outcome.tsx";
import { BackLink } from "../../ui/back-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { ConfirmByName } from "../../ui/form/dialog.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { BindingsPanel } from "./bindings-panel.tsx";
import { EditChannelDialog } from "./channel-form.tsx";
import { ChannelDeliveries } from "./deliveries-panel.tsx";
import { LinksPanel } from "./links-panel.tsx";
import { StateBadge } from "./page.tsx";
import { type Channel, channelQuery, isOfChannels, providersQuery, type TestResult } from "./queries.ts";
import { fieldsOf } from "./schema.ts";

const route = getRouteApi("/channels/$channelId");

export function ChannelPage() {
  const { channelId } = route.useParams();
  const { data: channel } = useSuspenseQuery(channelQuery(channelId));
  const mayWrite = useMe()?.scope === "full";
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => call("POST /api/v1/notification-channels/{id}/test", { path: { id: channel.id } }),
    onSettled: () => queries.invalidateQueries({ predicate: isOfChannels }),
  });
  return (
    <>
      <PageHeader
        title={channel.name}
        lead={<BackLink to="/channels" label="All channels" />}
        badges={
          <>
            <Badge>{words(channel.provider)}</Badge>
            <StateBadge channel={channel} />
          </>
        }
        actions={
          <>
            {mayWrite && (
              <Button
                icon={FlaskConical}
                isBusy={test.isPending}
                disabled={!channel.is_enabled}
                onClick={() => test.mutate()}
              >
                Test
              </Button>
            )}
            {mayWrite && channel.can_manage && <ChangeActions channel={channel} />}
          </>
        }
      />
      {channel.disabled_reason !== null && (
        <p className="mb-4 rounded-lg border bg-critical-wash px-3.5 py-2.5 text-critical">
          The service disabled it: {channel.disabled_reason}. Nothing is sent until somebody enables it.
        </p>
      )}
      <Unconfirmed channel={channel} mayAsk={mayWrite && channel.can_manage} />
      <Outcome result={test.data} error={test.error} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
        <div className="flex min-w-0 flex-col gap-4 lg:order-last">
          <BindingsPanel channel={channel} />
          {channel.interactive && <LinksPanel channel={channel} />}
          <Configuration channel={channel} />
        </div>
        <ChannelDeliveries channel={channel} />
      </div>
    </>
  );
}

/** Mail addresses that get nothing yet. */
function Unconfirmed({ channel, mayAsk }: { channel: Channel; mayAsk: boolean }) {
  const queries = useQueryClient();
  const ask = useMutation({
    mutationFn: () =>
      call("POST /api/v1/notification-channels/{id}/confirmations", { path: { id: channel.id } }),
    onSuccess: ({ asked }) =>
      toast({ tone: "good", title: "Confirmation mails sent", detail: asked.join(", ") }),
    onError: (error) => toastError("The confirmation mails were not sent", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfChannels }),
  });
  const waiting = channel.unconfirmed_addresses;
  if (waiting.length === 0) return null;
  return (
    <section
      aria-label="Addresses to be confirmed"
      className="mb-4 flex flex-wrap items-center justify-between gap-2.5 rounded-lg border bg-warning-wash px-3.5 py-2.5 text-warning"
    >
      <div className="min-w-0 break-words">
        <p>
          Nothing is sent to {waiting.join(", ")} until confirmed by the link in the mail that was sent there.
        </p>
        {channel.failed_confirmations.map(({ address, status, error }) => (
          <p key={address}>
            The mail to {address} did not go out: {error}.{" "}
            {status === "failed" ? "It is tried again." : "Check the address, then ask again."}
          </p>
        ))}
      </div>
      {mayAsk && (
        <Button isBusy={ask.isPending} onClick={() => ask.mutate()}>
          Ask again
        </Button>
      )}
    </section>
  );
}

function ChangeActions({ channel }: { channel: Channel }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const turn = useMutation({
    mutationFn: () =>
      call("PATCH /api/v1/notification-channels/{id}", {
        path: { id: channel.id },
        body: { is_enabled: !channel.is_enabled },
      }),
    onSuccess: ({ is_enabled: isOn }) =>
      toast({ tone: "good", title: isOn ? "Enabled" : "Disabled", detail: channel.name }),
    onError: (error) => toastError("The channel was not changed", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfChannels }),
  });
  const remove = useMutation({
    mutationFn: () => call("DELETE /api/v1/notification-channels/{id}", { path: { id: channel.id } }),
    onSuccess: async () => {
      toast({ tone: "good", title: "The channel is deleted", detail: channel.name });
      await navigate({ to: "/channels" });
      await queries.invalidateQueries({ predicate: isOfChannels });
    },
    onError: (error) => toastError("The channel was not deleted", error),
  });
  return (
    <>
      <Button icon={Power} isBusy={turn.isPending} onClick={() => turn.mutate()}>
        {channel.is_enabled ? "Disable" : "Enable"}
      </Button>
      <Button icon={Pencil} onClick={() => setDialog("edit")}>
        Change
      </Button>
      <Button icon={Trash2} onClick={() => setDialog("delete")}>
        Delete
      </Button>
      <EditChannelDialog channel={channel} isOpen={dialog === "edit"} onClose={() => setDialog(null)} />
      <ConfirmByName
        title="Delete the channel"
        name={channel.name}
        action="Delete"
        isOpen={dialog === "delete"}
        isBusy={remove.isPending}
        onClose={() => setDialog(null)}
        onConfirm={() => remove.mutate()}
      >
        This also deletes its bindings and secrets and cannot be undone. Pending deliveries are canceled, and
        open alerts are not resolved there; to have them resolved, unbind the channel first.
      </ConfirmByName>
    </>
  );
}

/** What came of a test, until the next one. */
function Outcome({ result, error }: { result: TestResult | undefined; error: unknown }) {
  if (error) return <TestFailure error={error} />;
  if (result === undefined) return null;
  const isWell = result.status === "delivered";
  const says = [result.status_code !== null && `Answered ${result.status_code}`, result.error];
  return (
    <TestOutcome
      isWell={isWell}
      title={isWell ? "The test arrived" : "The test did not arrive"}
      says={says.filter(Boolean).join(": ")}
      excerpt={result.response_excerpt}
    />
  );
}

function Configuration({ channel }: { channel: Channel }) {
  const { data: providers } = useQuery(providersQuery);
  const provider = providers?.find((one) => one.provider === channel.provider);
  const fields = provider ? fieldsOf(provider) : [];
  return (
    <Panel title="Configuration">
      <Facts>
        {Object.entries(channel.config).map(([name, value]) => {
          const field = fields.find((one) => one.name === name);
          return (
            <Fact key={name} name={field?.title ?? words(name)}>
              <span className="break-all font-mono text-xs">{value}</span>
            </Fact>
          );
        })}
        {channel.inbound_url !== null && (
          <Fact
            name="Answers come to"
            tip={
              channel.provider === "slack"
                ? "Set it as the Request URL of your Slack app: Interactivity & Shortcuts."
                : "The bot's webhook leads there."
            }
          >
            <span className="break-all font-mono text-xs">{channel.inbound_url}</span>{" "}
            <CopyButton text={channel.inbound_url} label="the address of answers" />
          </Fact>
        )}
        <Fact name="Made">
          <Time at={channel.created_at} />
        </Fact>
        <Fact name="By">
          <Address value={channel.created_by} chainId={0} label="who made it" />
        </Fact>
        <Fact name="Changed">
          <Time at={channel.updated_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}
