// The pages and their addresses. A page's code is fetched when it is first visited; its loader starts its queries beside that.
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { catalogueQuery } from "./api/actions.ts";
import { getSession } from "./api/session.ts";
import { chainsQuery, ownVaultStatesQuery, publicVaultsQuery, vaultQuery } from "./api/vaults.ts";
import { safeNext } from "./browser/paths.ts";
import { Shell } from "./layout/shell.tsx";
import * as actions from "./pages/actions/queries.ts";
import * as alerts from "./pages/alerts/queries.ts";
import * as audit from "./pages/audit/queries.ts";
import * as channels from "./pages/channels/queries.ts";
import * as intents from "./pages/intents/queries.ts";
import * as redemptions from "./pages/redemptions/queries.ts";
import * as services from "./pages/services/queries.ts";
import * as vault from "./pages/vault/queries.ts";
import * as vaults from "./pages/vaults/queries.ts";
import * as webhooks from "./pages/webhooks/queries.ts";
import { parseDeliverySearch } from "./parts/delivery-search.ts";
import { NotFound, PageError, PageSkeleton } from "./ui/states.tsx";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Shell });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: vaults.parseSearch,
  loader: ({ context: { queries } }) => {
    // With the listing, so that nothing moves when they come; the listing is shown without them too.
    const mine = getSession() === null ? [] : [queries.prefetchQuery(ownVaultStatesQuery)];
    return Promise.all([
      queries.ensureQueryData(publicVaultsQuery),
      queries.ensureQueryData(chainsQuery),
      ...mine,
    ]);
  },
  component: lazyRouteComponent(() => import("./pages/vaults/page.tsx"), "VaultsPage"),
});

const vaultPath = {
  parse: ({ chainId, address }: { chainId: string; address: string }) => ({
    chainId: Number(chainId),
    address,
  }),
  stringify: ({ chainId, address }: { chainId: number; address: string }) => ({
    chainId: String(chainId),
    address,
  }),
};

const oneVault = createRoute({
  getParentRoute: () => root,
  path: "/vaults/$chainId/$address",
  params: vaultPath,
  validateSearch: vault.parseSearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search: { window = "30d" } }) => ({ window }),
  loader: ({ context: { queries }, params: { chainId, address }, deps: { window } }) => {
    const id = { chain_id: chainId, address };
    void queries.prefetchQuery(vault.ppsQuery(id, window));
    void queries.prefetchQuery(vault.apyQuery(id, window));
    return queries.ensureQueryData(vaultQuery(id));
  },
  component: lazyRouteComponent(() => import("./pages/vault/page.tsx"), "VaultPage"),
});

const vaultActions = createRoute({
  getParentRoute: () => root,
  path: "/vaults/$chainId/$address/actions",
  params: vaultPath,
  validateSearch: actions.parseSearch,
  beforeLoad: requireSession,
  loader: ({ context: { queries }, params: { chainId, address } }) => {
    const place = { chain_id: chainId, vault: address };
    void queries.prefetchQuery(actions.recentQuery(place));
    return Promise.all([
      queries.ensureQueryData(vaultQuery({ chain_id: chainId, address })),
      queries.ensureQueryData(catalogueQuery(place)),
    ]);
  },
  component: lazyRouteComponent(() => import("./pages/actions/page.tsx"), "ActionsPage"),
});

const preparedAction = createRoute({
  getParentRoute: () => root,
  path: "/vaults/$chainId/$address/actions/$actionId",
  params: {
    parse: ({ actionId, ...rest }) => ({ ...vaultPath.parse(rest), actionId }),
    stringify: ({ actionId, ...rest }) => ({ ...vaultPath.stringify(rest), actionId }),
  },
  beforeLoad: requireSession,
  loader: ({ context: { queries }, params: { chainId, address, actionId } }) =>
    Promise.all([
      queries.ensureQueryData(vaultQuery({ chain_id: chainId, address })),
      queries.ensureQueryData(actions.preparedQuery({ chain_id: chainId, vault: address }, actionId)),
    ]),
  component: lazyRouteComponent(() => import("./pages/actions/prepared-page.tsx"), "PreparedActionPage"),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search): { next?: string } => {
    const next = safeNext(search.next);
    return next === undefined ? {} : { next };
  },
  beforeLoad: ({ search }) => {
    if (getSession() !== null) throw redirect({ href: search.next ?? "/" });
  },
  component: lazyRouteComponent(() => import("./pages/sign-in/page.tsx"), "SignInPage"),
});

const auditLog = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: audit.parseSearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search: { entry: _, ...filter } }) => filter,
  loader: ({ context: { queries }, deps }) => void queries.prefetchInfiniteQuery(audit.logQuery(deps)),
  component: lazyRouteComponent(() => import("./pages/audit/page.tsx"), "AuditPage"),
});

const intentList = createRoute({
  getParentRoute: () => root,
  path: "/intents",
  validateSearch: intents.parseSearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) =>
    Promise.all([
      queries.ensureQueryData(intents.listQuery(deps)),
      queries.ensureQueryData(intents.facetsQuery(deps)),
    ]),
  component: lazyRouteComponent(() => import("./pages/intents/page.tsx"), "IntentsPage"),
});

const intent = createRoute({
  getParentRoute: () => root,
  path: "/intents/$intentId",
  beforeLoad: requireSession,
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(intents.intentQuery(params.intentId)),
  component: lazyRouteComponent(() => import("./pages/intents/intent-page.tsx"), "IntentPage"),
});

const redemptionList = createRoute({
  getParentRoute: () => root,
  path: "/redemptions",
  validateSearch: redemptions.parseSearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) => queries.ensureQueryData(redemptions.executionsQuery(deps)),
  component: lazyRouteComponent(() => import("./pages/redemptions/page.tsx"), "RedemptionsPage"),
});

const serviceList = createRoute({
  getParentRoute: () => root,
  path: "/services",
  validateSearch: services.parseSearch,
  beforeLoad: requireSession,
  loader: ({ context: { queries } }) => queries.ensureQueryData(services.statusQuery),
  component: lazyRouteComponent(() => import("./pages/services/page.tsx"), "ServicesPage"),
});

const alertList = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: alerts.parseSearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, deps }) =>
    Promise.all([
      queries.ensureQueryData(alerts.openQuery(deps)),
      queries.ensureQueryData(alerts.historyQuery(deps)),
    ]),
  component: lazyRouteComponent(() => import("./pages/alerts/page.tsx"), "AlertsPage"),
});

const oneAlert = createRoute({
  getParentRoute: () => root,
  path: "/alerts/$alertId",
  beforeLoad: requireSession,
  loader: ({ context: { queries }, params }) => queries.ensureQueryData(alerts.alertQuery(params.alertId)),
  component: lazyRouteComponent(() => import("./pages/alerts/alert-page.tsx"), "AlertPage"),
});

const channelList = createRoute({
  getParentRoute: () => root,
  path: "/channels",
  beforeLoad: requireSession,
  loader: ({ context: { queries } }) => queries.ensureQueryData(channels.listQuery),
  component: lazyRouteComponent(() => import("./pages/channels/page.tsx"), "ChannelsPage"),
});

const channel = createRoute({
  getParentRoute: () => root,
  path: "/channels/$channelId",
  validateSearch: parseDeliverySearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { channelId }, deps }) => {
    void queries.prefetchQuery(channels.deliveriesQuery(channelId, deps));
    return queries.ensureQueryData(channels.channelQuery(channelId));
  },
  component: lazyRouteComponent(() => import("./pages/channels/channel-page.tsx"), "ChannelPage"),
});

const webhookList = createRoute({
  getParentRoute: () => root,
  path: "/webhooks",
  beforeLoad: requireSession,
  // Answered to managers alone; the page says so to others.
  loader: ({ context: { queries } }) => void queries.prefetchQuery(webhooks.listQuery),
  component: lazyRouteComponent(() => import("./pages/webhooks/page.tsx"), "WebhooksPage"),
});

const webhook = createRoute({
  getParentRoute: () => root,
  path: "/webhooks/$webhookId",
  validateSearch: webhooks.parseSearch,
  beforeLoad: requireSession,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { webhookId }, deps }) => {
    void queries.prefetchQuery(webhooks.deliveriesQuery(webhookId, deps));
    return queries.ensureQueryData(webhooks.endpointQuery(webhookId));
  },
  component: lazyRouteComponent(() => import("./pages/webhooks/webhook-page.tsx"), "WebhookPage"),
});

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      home,
      oneVault,
      vaultActions,
      preparedAction,
      signIn,
      auditLog,
      intentList,
      intent,
      redemptionList,
      serviceList,
      alertList,
      oneAlert,
      channelList,
      channel,
      webhookList,
      webhook,
    ]),
    context: { queries },
    defaultPreload: "intent",
    defaultPendingMs: 100,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

/** For `beforeLoad` of pages that need a session. */
export function requireSession({ location }: { location: { href: string } }): void {
  if (getSession() === null) throw redirect({ to: "/sign-in", search: { next: location.href } });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
