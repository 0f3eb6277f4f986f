import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMayManage } from "../../api/permissions.ts";
import type { VaultId } from "../../api/vaults.ts";
import { counted } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { Badge } from "../../ui/badge.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { categoryName } from "../alerts/queries.ts";
import { boundChannelsQuery } from "./queries.ts";

/** Where the vault's alerts go, and whether the last one arrived. */
export function ChannelsPanel({ id }: { id: VaultId }) {
  const query = useQuery(boundChannelsQuery(id));
  const isManager = useMayManage()({ chain_id: id.chain_id, vault_address: id.address });
  return (
    <Panel title="Bound channels">
      <Loaded query={query} rows={1}>
        {(channels) =>
          channels.length === 0 ? (
            <Nothing>No channel is bound: nobody is notified of this vault's alerts.</Nothing>
          ) : (
            <ul className="-my-1 flex flex-col divide-y">
              {channels.map((channel) => (
                <li key={channel.id} className="py-1.5">
                  <div className="flex items-center justify-between gap-2">
                    <ChannelName channel={channel} isLinked={isManager} />
                    <Badge>{words(channel.provider)}</Badge>
                  </div>
                  <p
                    className="text-xs text-ink-3"
                    data-tip={channel.categories.map(categoryName).join("\n")}
                  >
                    {counted(channel.categories.length, "category", "categories")}, from{" "}
                    {channel.min_severity} up
                    {channel.last_delivery && (
                      <>
                        , last {channel.last_delivery.status}{" "}
                        <Time at={channel.last_delivery.at} exact="hover" />
                      </>
                    )}
                  </p>
                  {(channel.needs_confirmation || !channel.is_enabled) && (
                    <p className="text-xs text-warning">
                      {channel.needs_confirmation
                        ? "Whoever bound it has lost the role: confirm it."
                        : (channel.disabled_reason ?? "It is switched off.")}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Managers of the vault see the channel's page; others only that there is one. */
function ChannelName({ channel, isLinked }: { channel: { id: string; name: string }; isLinked: boolean }) {
  if (!isLinked) return <span className="truncate font-medium">{channel.name}</span>;
  return (
    <Link
      to="/channels/$channelId"
      params={{ channelId: channel.id }}
      className="truncate font-medium hover:text-accent"
    >
      {channel.name}
    </Link>
  );
}
