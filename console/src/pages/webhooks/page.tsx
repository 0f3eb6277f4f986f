// Webhooks: the caller's endpoints, to which events of the caller's vaults are posted.

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus, Webhook } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useMe } from "../../api/roles.ts";
import { counted } from "../../format/amount.ts";
import { LAST_DELIVERY } from "../../parts/deliveries.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel, PanelCount } from "../../ui/panel.tsx";
import { EmptyState, PageSkeleton } from "../../ui/states.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointState } from "./endpoint-state.tsx";
import { type Endpoint, isOfWebhooks, listQuery } from "./queries.ts";
import { SecretDialog } from "./secret-dialog.tsx";

export function WebhooksPage() {
  const me = useMe();
  if (me === undefined) return <PageSkeleton />;
  if (me.is_manager) return <Endpoints mayMake={me.scope === "full"} />;
  return (
    <>
      <PageHeader title="Webhooks" />
      <Panel isFlush>
        <EmptyState icon={Webhook} title="For managers of vaults">
          The managers of a vault can have its events posted to an endpoint. Your wallet manages none.
        </EmptyState>
      </Panel>
    </>
  );
}

function Endpoints({ mayMake }: { mayMake: boolean }) {
  const { data } = useSuspenseQuery(listQuery);
  const navigate = useNavigate();
  const [isMaking, setIsMaking] = useState(false);
  const goTo = (id: string) => void navigate({ to: "/webhooks/$webhookId", params: { webhookId: id } });
  const make = mayMake && (
    <Button look="primary" icon={Plus} onClick={() => setIsMaking(true)}>
      New endpoint
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Events of the vaults that you manage, posted to your endpoints."
        actions={make}
      />
      <Panel isFlush>
        <DataTable<Endpoint>
          caption="Webhook endpoints"
          columns={COLUMNS}
          rows={data.webhooks}
          rowKey={({ id }) => id}
          rowTone={({ disabled_reason: reason, secret_error: secretError, last_delivery: last }) =>
            reason !== null || secretError !== null || last?.status === "dead" ? "critical" : undefined
          }
          onRowClick={({ id }) => goTo(id)}
          empty={
            <EmptyState icon={Webhook} title="No endpoint yet" action={make}>
              Each event is signed, retried when it is not accepted, and can be replayed for 30 days.
            </EmptyState>
          }
        />
        <PanelCount total={data.total} noun="endpoint" />
      </Panel>
      <NewEndpoint isOpen={isMaking} onClose={() => setIsMaking(false)} onMade={goTo} />
    </>
  );
}

interface NewEndpointProps {
  isOpen: boolean;
  onClose(): void;
  onMade(id: string): void;
}

function NewEndpoint({ isOpen, onClose, onMade }: NewEndpointProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: (body: Parameters<Parameters<typeof EndpointForm>[0]["onSubmit"]>[0]) =>
      call("POST /api/v1/webhooks", { body }),
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries({ predicate: isOfWebhooks });
    },
  });
  return (
    <>
      <Dialog
        title="New endpoint"
        description="It receives events from now on."
        isOpen={isOpen}
        onClose={onClose}
      >
        <EndpointForm
          action="Make endpoint"
          isBusy={isPending}
          error={error}
          onSubmit={mutate}
          onClose={onClose}
        />
      </Dialog>
      <SecretDialog
        secret={data?.secret ?? null}
        onClose={() => {
          const id = data?.id;
          // The secret leaves the page's memory with it.
          reset();
          if (id) onMade(id);
        }}
      />
    </>
  );
}

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    id: "url",
    header: "Endpoint",
    className: "w-full max-w-0",
    cell: ({ id, url, description }) => (
      <div className="min-w-0 py-0.5">
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId: id }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {url}
        </Link>
        {description && <p className="truncate text-xs text-ink-3">{description}</p>}
      </div>
    ),
  },
  { id: "state", header: "State", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  {
    id: "events",
    header: "Events",
    from: "md",
    className: "whitespace-nowrap",
    cell: ({ event_types: types, is_all_event_types: isAll }) => (
      <span data-tip={types.join("\n")}>{isAll ? "all" : counted(types.length, "type")}</span>
    ),
  },
  {
    id: "vaults",
    header: "Vaults",
    from: "md",
    className: "whitespace-nowrap",
    cell: ({ vaults, is_all_vaults: isAll }) =>
      isAll ? <Badge>All, {vaults.length}</Badge> : <Badge>{vaults.length}</Badge>,
  },
  LAST_DELIVERY,
];
