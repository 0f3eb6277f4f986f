// What may be done to a vault, by what the caller may: a form for the chosen action, which prepares it, and what was prepared lately.
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Clock, Lock } from "lucide-react";
import { catalogueQuery, type Offer, type VaultPlace } from "../../api/actions.ts";
import { vaultQuery } from "../../api/vaults.ts";
import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import type { Units } from "../../parts/action-fields.ts";
import { VaultName } from "../../parts/vault-name.tsx";
import { Badge } from "../../ui/badge.tsx";
import { cx } from "../../ui/class-names.ts";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { ActionForm } from "./action-form.tsx";
import { recentQuery } from "./queries.ts";
import { ActionStatus } from "./status-panel.tsx";

const route = getRouteApi("/vaults/$chainId/$address/actions");

export function ActionsPage() {
  const { chainId, address } = route.useParams();
  const { action: chosen } = route.useSearch();
  const place: VaultPlace = { chain_id: chainId, vault: address };
  const { data: vault } = useSuspenseQuery(vaultQuery({ chain_id: chainId, address }));
  const {
    data: { actions },
  } = useSuspenseQuery(catalogueQuery(place));
  const offer = actions.find(({ action }) => action === chosen);
  const units: Units = {
    asset: { decimals: vault.underlying_asset_decimals, symbol: vault.underlying_asset_symbol },
    shares: { decimals: vault.vault_share_decimals, symbol: vault.symbol },
  };
  return (
    <>
      <PageHeader
        title="Actions"
        description={
          <span>
            on <VaultName chainId={chainId} address={address} name={vault.name} />. Prepared and foretold
            here, signed elsewhere.
          </span>
        }
      />
      {actions.length === 0 ? (
        <EmptyState title="Nothing can be prepared for this vault">
          There is no action for vaults of its family.
        </EmptyState>
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
          <Catalogue actions={actions} chosen={chosen} />
          <div className="flex min-w-0 flex-col gap-4">
            {offer ? (
              <ActionForm key={offer.action} offer={offer} place={place} units={units} />
            ) : (
              <Panel>
                <Nothing>
                  {chosen === undefined ? "Choose what is to be done." : "There is no such action here."}
                </Nothing>
              </Panel>
            )}
            <Recent place={place} />
          </div>
        </div>
      )}
    </>
  );
}

/** What the caller can do stands first; of the rest it is said why not. */
function Catalogue({ actions, chosen }: { actions: readonly Offer[]; chosen: string | undefined }) {
  const parts = [
    ["You can", actions.filter(({ can_do: can }) => can)],
    ["Others can", actions.filter(({ can_do: can }) => !can)],
  ] as const;
  return (
    <Panel title="What can be done" isFlush>
      {parts.map(
        ([title, list]) =>
          list.length > 0 && (
            <section key={title} className="border-b last:border-b-0">
              <h3 className="px-3.5 pt-2.5 text-xs font-medium text-ink-3">{title}</h3>
              <ul aria-label={title} className="p-1.5">
                {list.map((offer) => (
                  <Choice key={offer.action} offer={offer} isChosen={offer.action === chosen} />
                ))}
              </ul>
            </section>
          ),
      )}
    </Panel>
  );
}

function Choice({ offer, isChosen }: { offer: Offer; isChosen: boolean }) {
  const navigate = useNavigate({ from: "/vaults/$chainId/$address/actions" });
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={() => void navigate({ search: { action: offer.action }, replace: true, resetScroll: false })}
        className={cx(
          "flex w-full flex-col gap-0.5 rounded-md px-2 py-1.5 text-left hover:bg-hover",
          isChosen && "bg-raised",
        )}
      >
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          {!offer.can_do && <Lock aria-hidden className="size-3 text-ink-3" />}
          {offer.title}
          {offer.is_timelocked && (
            <Badge icon={Clock} tip="What it does has to wait before it can be executed.">
              {offer.delay_seconds === null ? "waits" : duration(offer.delay_seconds)}
            </Badge>
          )}
        </span>
        <span className="text-xs text-ink-3">
          {offer.why_not ?? (offer.who.length === 0 ? "anybody may" : offer.who.map(words).join(", "))}
        </span>
      </button>
    </li>
  );
}

function Recent({ place }: { place: VaultPlace }) {
  const query = useQuery(recentQuery(place));
  return (
    <Panel title="Prepared lately">
      <Loaded query={query}>
        {({ prepared_actions: list }) =>
          list.length === 0 ? (
            <Nothing>You have prepared nothing here yet.</Nothing>
          ) : (
            <ul aria-label="Prepared lately" className="-my-1.5 flex flex-col divide-y">
              {list.map(({ id, title, status, created_at: at }) => (
                <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 py-1.5">
                  <Link
                    to="/vaults/$chainId/$address/actions/$actionId"
                    params={{ chainId: place.chain_id, address: place.vault, actionId: id }}
                    className="font-medium hover:text-accent hover:underline"
                  >
                    {title}
                  </Link>
                  <span className="flex items-center gap-2 text-ink-2">
                    <Time at={at} exact="hover" />
                    <ActionStatus status={status} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
