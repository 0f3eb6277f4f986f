// The features, by hand: what the service serves and does beside following chains.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { auditFeature, originOf } from "../audit/feature.ts";
import { streamPlaces } from "../audit/streams/settings.ts";
import { witnessSettings } from "../audit/witnesses/settings.ts";
import type { Grants } from "../auth/grants.ts";
import { type EmbeddedIssuer, openEmbeddedIssuer } from "../auth/issuer/embedded.ts";
import { linkedCaller } from "../auth/linked-caller.ts";
import { membersFeature } from "../auth/members/routes.ts";
import { authFeature } from "../auth/routes.ts";
import { createCodeFlow } from "../auth/tokens/code-flow.ts";
import { giveRoles } from "../auth/tokens/limit.ts";
import type { Verifier } from "../auth/tokens/verify.ts";
import { createVaultAccess, type VaultAccess } from "../auth/vaults.ts";
import type { ChainClient } from "../chain/client/client.ts";
import { readTokens } from "../chain/client/tokens.ts";
import { createFamilies } from "../chain/families/registry.ts";
import { createPastSources } from "../chain/prices/past.ts";
import { createPrices } from "../chain/prices/price.ts";
import { createPriceSources } from "../chain/prices/sources.ts";
import { type Config, loadConfig } from "../config/load.ts";
import type { DeliveryQueue } from "../delivery/types.ts";
import type { Subscriber } from "../events/fan-out.ts";
import { actionsFeature } from "../features/actions/api/feature.ts";
import { alertsFeature } from "../features/alerts/feature.ts";
import { chainsFeature } from "../features/chains/routes.ts";
import { channelsFeature } from "../features/channels/feature.ts";
import { intentsFeature } from "../features/intents/feature.ts";
import { redemptionsFeature } from "../features/redemptions/feature.ts";
import { tokensFeature } from "../features/tokens/feature.ts";
import { vaultsFeature } from "../features/vaults/feature.ts";
import { webhooksFeature } from "../features/webhooks/feature.ts";
import { sourcesOf } from "../ingest/configure.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import type { Notifier } from "../platform/db/notifier.ts";
import type { SqlReads } from "../platform/db/replica.ts";
import type { Egress } from "../platform/egress/egress.ts";
import type { Idempotency } from "../platform/http/idempotency.ts";
import type { Feature } from "../platform/lifecycle/feature.ts";
import { type Logger, silentLogger } from "../platform/log.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import { describeApi } from "./app.ts";
import { engineFeature } from "./engine.ts";
import { createForeteller } from "./foretelling.ts";

export interface FeatureParts {
  config: Config;
  db: Database;
  /** Where the audit log is read from. */
  auditReader: Database;
  /** Reads that may lag: those of a replica where there is one. */
  reads: SqlReads;
  auditReads: SqlReads;
  log: Logger;
  clock: Clock;
  notifier: Notifier;
  egress: Egress;
  metrics: Registry;
  clients: ReadonlyMap<number, ChainClient>;
  grants: Grants;
  verifier: Verifier;
  vaults: VaultAccess;
  embedded: EmbeddedIssuer | null;
  /** Seals what is secret at rest. */
  box: SecretBox;
  idempotency: Idempotency;
}

/** A feature that may hear of events and may send to targets of its own. */
export interface ServiceFeature extends Feature {
  subscriber?: Subscriber;
  queue?: DeliveryQueue;
}

export function createFeatures(parts: FeatureParts): ServiceFeature[] {
  const { config, db, reads, log, clock, notifier, egress, clients, grants, vaults, embedded } = parts;
  const prices = createPrices(
    createPriceSources(config.prices, { clients, fetchJson: egress.fetchJson, clock }),
  );
  const actions = actionsFeature({
    db,
    clock,
    log,
    families: createFamilies(log),
    foreteller: createForeteller({ config, db, clients, clock, log }),
    clients,
    notifier,
  });
  const alerts = alertsFeature({
    db,
    clock,
    log,
    notifier,
    metrics: parts.metrics,
    vaults,
    publicUrl: config.http.public_url as string,
    rules: config.alerts.rules,
    chains: config.chains.map((chain) => ({
      chainId: chain.chain_id,
      maxLagSeconds: chain.max_lag_seconds,
      confirmations: chain.confirmations,
      sources: sourcesOf(chain),
    })),
    calls: actions.dispatchCalls,
    historyDays: config.alerts.history_days,
  });
  return [
    authFeature({ issuers: config.auth.issuers, embedded, codeFlow: codeFlowOf(parts) }),
    ...(embedded ? [embedded.feature] : []),
    chainsFeature({ db, clock, chains: config.chains }),
    vaultsFeature({ db, reads, clock, log, notifier, publicUrl: config.http.public_url as string }),
    tokensFeature({
      db,
      reads,
      clock,
      log,
      notifier,
      readTokens: async (chainId, addresses) => {
        const client = clients.get(chainId);
        return client ? readTokens(client, addresses, "latest") : new Map();
      },
      latestPrices: (tokens) => prices.latestPrices(tokens),
      pastSources: createPastSources(config.prices, clients),
      tokenLists: config.token_lists,
      fetchJson: egress.fetchJson,
    }),
    membersFeature({ db, grants }),
    channelsFeature({
      db,
      clock,
      log,
      egress,
      egressSettings: {
        allowedNetworks: config.egress.allowed_networks,
        allowHttp: config.egress.allow_http,
      },
      box: parts.box,
      idempotency: parts.idempotency,
      publicUrl: config.http.public_url as string,
      smtp: config.smtp,
      systemChannels: config.alerts.system_channels,
      collectSeconds: config.alerts.collect_seconds,
      chainNames: new Map(config.chains.map(({ chain_id, name }) => [chain_id, name])),
      answerAlert: alerts.answer,
      alertsById: alerts.byId,
      callerOf: (linked) => linkedCaller(grants, linked),
    }),
    engineFeature({
      db,
      clock,
      log,
      tokens: config.ingest.tokens,
      requestsPerToken: config.ingest.requests_per_token,
      historyDays: config.ingest.history_days,
      metrics: parts.metrics,
    }),
    intentsFeature({ db, reads, clock, log, notifier, clients, findVisible: vaults.visible }),
    redemptionsFeature({ db: reads, findVisible: vaults.visible }),
    webhooksFeature({
      db,
      clock,
      log,
      egress,
      egressSettings: {
        allowedNetworks: config.egress.allowed_networks,
        allowHttp: config.egress.allow_http,
      },
      box: parts.box,
      idempotency: parts.idempotency,
      vaults,
    }),
    auditFeature({
      db,
      reader: parts.auditReader,
      lagging: parts.auditReads,
      notifier,
      log,
      findVisible: vaults.visible,
      withRoles: async (caller) => giveRoles({ ...caller }, await grants.of(caller.wallet)),
      streamLimits: { perWallet: config.http.streams.per_wallet, total: config.http.streams.total },
      folder: join(config.data_dir, "audit"),
      signingKeys: () => config.audit.signing_keys,
      origin: originOf(config.http.public_url as string),
      checkpointFile: config.audit.checkpoint_file,
      partitionEntries: config.audit.partition_entries,
      witnesses: { ...witnessSettings(config.audit), request: egress.request },
      onWitnesses: alerts.onWitnesses,
      streams: { places: streamPlaces(config.audit), request: egress.request, clock },
      onStreams: alerts.onStreams,
      onVerification: alerts.onVerification,
      onSigning: alerts.onSigning,
      onCheckpointFile: alerts.onCheckpointFile,
    }),
    alerts,
    actions,
  ];
}

function codeFlowOf({ config, egress, verifier, clock, log }: FeatureParts) {
  return createCodeFlow({
    clients: config.auth.issuers.flatMap(({ issuer, console: { client_id: clientId, scope } }) =>
      clientId === null ? [] : [{ issuer, clientId, scope }],
    ),
    redirectUri: `${config.http.public_url}/sign-in`,
    egress,
    verifier,
    clock,
    log,
  });
}

/** The text of openapi.json: what a service with everything switched on serves. No handler is called, so nothing need be real. */
export async function describeFeatures(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "vaultops-describe-"));
  try {
    const absent = {} as never;
    const vaults = createVaultAccess(absent);
    const common = {
      db: absent,
      auditReader: absent,
      reads: absent,
      auditReads: absent,
      log: silentLogger(),
      clock: systemClock,
    };
    const embedded = await openEmbeddedIssuer({
      ...common,
      authUrl: "http://127.0.0.1:8080/identity",
      audience: "http://127.0.0.1:8080",
      dir,
      chainIds: [],
      verifyOnChain: async () => false,
    });
    return await describeApi(
      createFeatures({
        ...common,
        config: loadConfig({ env: {} }),
        notifier: absent,
        egress: absent,
        metrics: new Registry(),
        clients: new Map(),
        grants: absent,
        verifier: absent,
        vaults,
        embedded,
        box: absent,
        idempotency: absent,
      }),
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
