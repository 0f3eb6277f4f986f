import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { History, RotateCcw } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useMe } from "../../api/roles.ts";
import { DeliveryTable } from "../../parts/delivery-table.tsx";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/form/field.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import {
  deliveriesQuery,
  type Endpoint,
  EVENT_TYPES,
  type EventType,
  isOfWebhooks,
  type Search,
} from "./queries.ts";
import { ReplayDialog } from "./replay-dialog.tsx";
import { SentRequest } from "./request.tsx";

const route = getRouteApi("/webhooks/$webhookId");

/** What went out to the endpoint in the last 30 days, with every attempt; each can be sent once more, or a range of them. */
export function EndpointDeliveries({ endpoint }: { endpoint: Endpoint }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/webhooks/$webhookId" });
  const me = useMe();
  const query = useQuery(deliveriesQuery(endpoint.id, search));
  const [isReplaying, setIsReplaying] = useState(false);
  const mayReplay = me?.scope === "full" && endpoint.is_enabled;
  const change = (next: Partial<Search>) =>
    void navigate({
      search: ({ offset: _, ...before }) => ({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <DeliveryTable
        query={query}
        search={search}
        onStatus={(status) => change({ status })}
        onOffset={(offset) =>
          void navigate({ search: (before) => ({ ...before, offset }), resetScroll: false })
        }
        isNarrowed={search.type !== undefined}
        hint="What happens on its vaults is posted as it happens."
        filters={
          <>
            <Select
              aria-label="Type of events"
              className="!h-7 !w-auto text-xs"
              value={search.type ?? ""}
              onChange={(event) =>
                change({ type: (event.target.value || undefined) as EventType | undefined })
              }
            >
              <option value="">Any event</option>
              {EVENT_TYPES.map((type) => (
                <option key={type} value={type}>
                  {type}
                </option>
              ))}
            </Select>
            {mayReplay && (
              <Button size="small" icon={History} onClick={() => setIsReplaying(true)}>
                Replay a range
              </Button>
            )}
          </>
        }
        more={({ request }) => <SentRequest request={request} />}
        actions={({ id, status }) =>
          mayReplay && status !== "pending" && status !== "failed" && <ReplayButton id={id} />
        }
      />
      <ReplayDialog endpoint={endpoint} isOpen={isReplaying} onClose={() => setIsReplaying(false)} />
    </>
  );
}

function ReplayButton({ id }: { id: string }) {
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call("POST /api/v1/webhook-deliveries/{id}/replay", { path: { id } }),
    onSuccess: () => toast({ tone: "good", title: "Sent again" }),
    onError: (error) => toastError("It was not replayed", error),
    onSettled: () => queries.invalidateQueries({ predicate: isOfWebhooks }),
  });
  return (
    <Button
      size="small"
      icon={RotateCcw}
      aria-label="Replay"
      data-tip="Replay: sends the same bytes again"
      isBusy={isPending}
      onClick={() => mutate()}
    />
  );
}
