import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { DeliveryTable } from "../../parts/delivery-table.tsx";
import { type Channel, deliveriesQuery } from "./queries.ts";

const route = getRouteApi("/channels/$channelId");

export function ChannelDeliveries({ channel }: { channel: Channel }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/channels/$channelId" });
  return (
    <DeliveryTable
      query={useQuery(deliveriesQuery(channel.id, search))}
      search={search}
      onStatus={(status) =>
        void navigate({ search: status ? { status } : {}, replace: true, resetScroll: false })
      }
      onOffset={(offset) =>
        void navigate({ search: (before) => ({ ...before, offset }), resetScroll: false })
      }
      hint="A test is a delivery too."
    />
  );
}
