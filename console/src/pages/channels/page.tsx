// Channels: where alerts go. Those that the caller made, and those bound to vaults that the caller manages.
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, Send } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/roles.ts";
import { words } from "../../format/words.ts";
import { LAST_DELIVERY } from "../../parts/deliveries.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel, PanelCount } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { type Bindings, useBindings } from "./bindings.ts";
import { NewChannelDialog } from "./channel-form.tsx";
import { LinksPanel } from "./links-panel.tsx";
import { type Channel, listQuery } from "./queries.ts";

export function ChannelsPage() {
  const { data: channels } = useSuspenseQuery(listQuery);
  const bindings = useBindings();
  const me = useMe();
  const navigate = useNavigate();
  const [isMaking, setIsMaking] = useState(false);
  const mayMake = me?.is_manager === true && me.scope === "full";
  const goTo = ({ id }: Pick<Channel, "id">) =>
    void navigate({ to: "/channels/$channelId", params: { channelId: id } });
  const make = (
    <Button look="primary" icon={Plus} onClick={() => setIsMaking(true)}>
      New channel
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Channels"
        description="Where alerts go: each to the vaults that it is bound to."
        actions={mayMake && make}
      />
      <Panel isFlush>
        <DataTable<Channel>
          caption="Channels"
          columns={columns(bindings)}
          rows={channels}
          rowKey={({ id }) => id}
          rowTone={(channel) =>
            channel.disabled_reason !== null || channel.last_delivery?.status === "dead"
              ? "critical"
              : bindings.of(channel.id).some(({ binding }) => binding.needs_confirmation)
                ? "warning"
                : undefined
          }
          onRowClick={(channel) => goTo(channel)}
          empty={
            <EmptyState icon={Send} title="No channel yet" action={mayMake && make}>
              {mayMake
                ? "Create one for Slack, PagerDuty, mail or whatever wakes you, and bind it to your vaults."
                : "Only managers of vaults can create and see channels."}
            </EmptyState>
          }
        />
        <PanelCount total={channels.length} noun="channel" />
      </Panel>
      <div className="mt-4">
        <LinksPanel />
      </div>
      <NewChannelDialog isOpen={isMaking} onClose={() => setIsMaking(false)} onMade={goTo} />
    </>
  );
}

const columns = (bindings: Bindings): readonly Column<Channel>[] => [
  {
    id: "name",
    header: "Channel",
    className: "w-full max-w-0",
    cell: ({ id, name, provider }) => (
      <div className="min-w-0 py-0.5">
        <Link
          to="/channels/$channelId"
          params={{ channelId: id }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {name}
        </Link>
        <span className="text-xs text-ink-3 sm:hidden">{words(provider)}</span>
      </div>
    ),
  },
  {
    id: "provider",
    header: "Provider",
    from: "sm",
    cell: ({ provider }) => <Badge>{words(provider)}</Badge>,
  },
  { id: "state", header: "State", cell: (channel) => <StateBadge channel={channel} /> },
  {
    id: "vaults",
    header: "Bound to",
    from: "md",
    className: "whitespace-nowrap",
    cell: ({ id }) => <BoundTo bindings={bindings} id={id} />,
  },
  LAST_DELIVERY,
  {
    id: "created",
    header: "Made",
    align: "right",
    from: "lg",
    cell: ({ created_at: createdAt }) => <Time at={createdAt} exact="hover" />,
  },
];

function BoundTo({ bindings, id }: { bindings: Bindings; id: string }) {
  const bound = bindings.of(id);
  if (bound.length === 0)
    return <span className="text-ink-3">{bindings.isKnown ? "none of your vaults" : "…"}</span>;
  const names = bound.map(({ name }) => name);
  const waits = bound.filter(({ binding }) => binding.needs_confirmation).length;
  return (
    <span className="inline-flex items-center gap-2" data-tip={names.join("\n")}>
      {names.length === 1 ? names[0] : `${names.length} vaults`}
      {waits > 0 && <Badge tone="warning">Confirm</Badge>}
    </span>
  );
}

export function StateBadge({ channel }: { channel: Pick<Channel, "is_enabled" | "disabled_reason"> }) {
  if (channel.is_enabled) return <Badge tone="good">On</Badge>;
  return channel.disabled_reason === null ? (
    <Badge tip="A manager switched it off.">Off</Badge>
  ) : (
    <Badge tone="critical" tip={channel.disabled_reason}>
      Disabled
    </Badge>
  );
}
