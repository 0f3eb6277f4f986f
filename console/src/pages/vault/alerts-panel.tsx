import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { VaultId } from "../../api/vaults.ts";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { SeverityBadge } from "../alerts/badges.tsx";
import { RulesButton } from "../alerts/rules-dialog.tsx";
import { openAlertsQuery } from "./queries.ts";

/** The vault's open alerts, each leading to its page. */
export function AlertsPanel({ id }: { id: VaultId }) {
  const query = useQuery(openAlertsQuery(id));
  return (
    <Panel
      title="Open alerts"
      aside={
        <>
          {query.data && query.data.total > 0 && `${query.data.total} open`}
          <RulesButton id={id} size="small" />
        </>
      }
    >
      <Loaded query={query} rows={1}>
        {({ alerts }) =>
          alerts.length === 0 ? (
            <Nothing>Nothing is firing.</Nothing>
          ) : (
            <ul className="-my-1 flex flex-col divide-y">
              {alerts.map((alert) => (
                <li key={alert.id} className="py-1.5">
                  <div className="flex items-start justify-between gap-2">
                    <Link
                      to="/alerts/$alertId"
                      params={{ alertId: alert.id }}
                      className="font-medium hover:text-accent"
                    >
                      {alert.title}
                    </Link>
                    <SeverityBadge severity={alert.severity} />
                  </div>
                  <p className="text-xs text-ink-3">
                    <Time at={alert.started_at} exact="hover" />
                    {alert.status === "acknowledged" && ", acknowledged"}
                    {alert.is_unconfirmed && ", unconfirmed"}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
