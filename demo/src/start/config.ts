/** The service's configuration for the demo, as a file that a reader can open and start the service from. */
import { writeFile } from "node:fs/promises";
import { stringify } from "yaml";
import { ASSETS, type AssetKey, CURATED_FAMILIES } from "../deployment.ts";
import { ENGINE_SOURCE } from "../engine/engine.ts";
import type { DemoDeployment } from "../saved/deployment.ts";

export interface DemoConfigOptions {
  path: string;
  dataDir: string;
  host: string;
  port: number;
  adminPort: number;
  rpcUrl: string;
  deployment: DemoDeployment;
  /** SHA-256 of the token with which the demo's engine reports, in hex. */
  ingestTokenSha256: string;
  /** Where the demo's receiver takes mail. */
  smtpUrl: string;
}

/** What an incident did once is over within the minutes that it is watched. */
const RESOLVE_AFTER = { resolve_after_seconds: 120 };
/** Close enough that an incident trips them: it takes a hundredth of a vault's assets, and a limit that is full to a thousandth. */
const ALERT_RULES = {
  governance: RESOLVE_AFTER,
  losses: RESOLVE_AFTER,
  flows: RESOLVE_AFTER,
  tvl: { window_seconds: 60, change_fraction: 0.005 },
  allocation: { cap_fraction: 0.99 },
};

/** Blocks that must stand on a block before its audit entries are written: enough to show a reorganisation, few enough to watch. */
export const DEMO_CONFIRMATIONS = 3;

export async function writeDemoConfig(options: DemoConfigOptions): Promise<void> {
  const { deployment } = options;
  const config = {
    http: {
      host: options.host,
      port: options.port,
      public_url: `http://${options.host}:${options.port}`,
      // Its set-up binds every channel to every vault as one wallet, and who tries it out goes on at once.
      rate_limits: { recorded_per_wallet: 1_000 },
    },
    admin: { host: options.host, port: options.adminPort },
    data_dir: options.dataDir,
    auth: { embedded: { enabled: true } },
    // A channel or webhook of the demo may lead to this machine, where whoever tries it out listens.
    egress: { allowed_networks: ["127.0.0.0/8"], allow_http: true },
    smtp: {
      url: options.smtpUrl,
      from: "VaultOps demo <alerts@vaults.example>",
      // The demo's own mailbox need not be asked whether it wants mail.
      allowed_domains: ["vaults.example"],
    },
    alerts: { rules: ALERT_RULES },
    chains: [
      {
        chain_id: deployment.chainId,
        name: "Demo chain",
        rpc_urls: [options.rpcUrl],
        confirmations: DEMO_CONFIRMATIONS,
        start_block: 0,
        pps_sample_seconds: 30,
        max_lag_seconds: 60,
        sources: [
          { family: "supervault", aggregator: deployment.system.aggregator },
          {
            family: "erc4626",
            vaults: [deployment.plain, deployment.async].map(({ vault }) => ({ address: vault })),
          },
          ...CURATED_FAMILIES.map((family) => ({ family, factory: deployment.curated[family].factory })),
        ],
      },
    ],
    ingest: {
      tokens: [
        {
          source: ENGINE_SOURCE,
          token_sha256: options.ingestTokenSha256,
          chains: [deployment.chainId],
          vaults: [],
        },
      ],
    },
    prices: [
      ...assetKeys().map((key) => ({
        source: "chainlink",
        chain_id: deployment.chainId,
        address: deployment.tokens[key],
        feed: deployment.feeds[key],
        max_age_seconds: 7 * 86_400,
      })),
      ...assetKeys().map((key) => ({
        source: "static",
        chain_id: deployment.chainId,
        address: deployment.tokens[key],
        usd: Number(ASSETS[key].usdE8) / 1e8,
      })),
    ],
  };
  const head =
    "# Written by `npm run demo`. The service can be started from it alone while the demo's node runs.\n";
  await writeFile(options.path, head + stringify(config, { aliasDuplicateObjects: false }));
}

function assetKeys(): AssetKey[] {
  return Object.keys(ASSETS) as AssetKey[];
}
