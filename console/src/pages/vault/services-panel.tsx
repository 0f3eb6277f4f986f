import { useQuery } from "@tanstack/react-query";
import type { VaultId } from "../../api/vaults.ts";
import { percent } from "../../format/amount.ts";
import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import { Badge } from "../../ui/badge.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { MoreLink } from "../../ui/more-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { SERVICE_TONES } from "../services/columns.tsx";
import { servicesQuery } from "./queries.ts";

/** The keepers that work for the vault: state, success, last run. */
export function ServicesPanel({ id }: { id: VaultId }) {
  const query = useQuery(servicesQuery(id));
  const healthy = query.data?.filter(({ status }) => status === "healthy").length ?? 0;
  return (
    <Panel
      title="Services"
      aside={
        query.data && (
          <MoreLink to="/services" search={{ vault: `${id.chain_id}:${id.address}` }}>
            {healthy} of {query.data.length} healthy
          </MoreLink>
        )
      }
    >
      <Loaded query={query} rows={6}>
        {(services) =>
          services.length === 0 ? (
            <Nothing>No service has reported on this vault.</Nothing>
          ) : (
            <ul className="-my-1 flex flex-col divide-y">
              {services.map((service) => (
                <li key={service.name} className="py-1.5">
                  <div className="flex items-center justify-between gap-2">
                    <span className="truncate font-medium">{service.display_name}</span>
                    <Badge tone={SERVICE_TONES[service.status]}>{words(service.status)}</Badge>
                  </div>
                  <p className="num flex flex-wrap gap-x-3 text-xs text-ink-3">
                    <span data-tip="of the last 100 runs that succeeded or failed">
                      {service.success_rate === null
                        ? "no runs yet"
                        : `${percent(service.success_rate)} succeed`}
                    </span>
                    {service.last_run && (
                      <span>
                        ran <Time at={service.last_run} exact="hover" />
                      </span>
                    )}
                    {service.schedule_seconds !== null && (
                      <span>every {duration(service.schedule_seconds)}</span>
                    )}
                  </p>
                  {service.last_error && service.status !== "healthy" && (
                    <p className="break-words text-xs text-ink-2">{service.last_error}</p>
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
