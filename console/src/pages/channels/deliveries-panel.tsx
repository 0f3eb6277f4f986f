import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { words } from "../../format/words.ts";
import { DELIVERY_STATUSES, DeliveryList, type DeliveryStatus } from "../../ui/deliveries.tsx";
import { Select } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Channel, deliveriesQuery, PAGE_SIZE } from "./queries.ts";

const route = getRouteApi("/channels/$channelId");

/** What was sent to the channel in the last 30 days, with every attempt. */
export function ChannelDeliveries({ channel }: { channel: Channel }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/channels/$channelId" });
  const query = useQuery(deliveriesQuery(channel.id, search));
  return (
    <Panel
      title="Deliveries"
      isFlush
      aside={
        <Select
          aria-label="Status of deliveries"
          className="!h-7 !w-auto text-xs"
          value={search.status ?? ""}
          onChange={(event) => {
            const status = (event.target.value || undefined) as DeliveryStatus | undefined;
            void navigate({ search: status ? { status } : {}, replace: true, resetScroll: false });
          }}
        >
          <option value="">Any status</option>
          {DELIVERY_STATUSES.map((status) => (
            <option key={status} value={status}>
              {words(status)}
            </option>
          ))}
        </Select>
      }
    >
      <Loaded query={query} rows={5}>
        {({ deliveries, total }) =>
          total === 0 ? (
            <EmptyState title={search.status ? "Nothing with this status" : "Nothing was sent yet"}>
              A test is a delivery too. Deliveries are kept for 30 days.
            </EmptyState>
          ) : (
            <>
              <DeliveryList label="Deliveries" deliveries={deliveries} />
              <Pager
                noun="deliveries"
                offset={search.offset ?? 0}
                shown={deliveries.length}
                limit={PAGE_SIZE}
                total={total}
                onOffset={(offset) =>
                  void navigate({
                    search: (before) => ({ ...before, offset: offset || undefined }),
                    resetScroll: false,
                  })
                }
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
