/** What the demo prints once it runs: what to open, who can sign in, and commands that work as they stand. */
import { demoAccount } from "../accounts.ts";
import type { DemoDeployment } from "../saved/deployment.ts";

export interface WelcomeFacts {
  url: string;
  adminUrl: string;
  rpcUrl: string;
  receiverUrl: string;
  deployment: DemoDeployment;
  logPath: string;
  configPath: string;
}

const PEOPLE = [
  "primary manager of most vaults",
  "secondary manager of the same",
  "may view one vault",
  "has no role",
];

export function welcome({
  url,
  adminUrl,
  rpcUrl,
  receiverUrl,
  deployment,
  logPath,
  configPath,
}: WelcomeFacts): string {
  const { vault } = deployment.trios.prime;
  const people = PEOPLE.map((part, index) => {
    const { address, privateKey } = demoAccount(index);
    return `  ${index}  ${part.padEnd(30)} ${address}\n     ${"".padEnd(30)} ${privateKey}`;
  });
  return `
VaultOps runs on a chain of its own (chain id ${deployment.chainId}).

Open
  ${url.padEnd(44)} the console; one click signs in as each account below
  ${`${url}/docs`.padEnd(44)} the API, to read and try
  ${`${url}/api/v1/public/vaults`.padEnd(44)} every vault with TVL and APY
  ${receiverUrl.padEnd(44)} what its channels and its webhook delivered, one channel of each provider
  ${`${adminUrl}/metrics`.padEnd(44)} metrics

Accounts (the node's well-known test keys; use them nowhere else)
${people.join("\n")}

Try, in another terminal, in this folder
  # sign in from the shell with the primary manager's key
  TOKEN=$(VAULTOPS_PRIVATE_KEY=${demoAccount(0).privateKey} npx vaultops token --url ${url})

  # who am I, and which vaults do I manage?
  curl -s -H "Authorization: Bearer $TOKEN" ${url}/api/v1/auth/me

  # the newest operations of my vaults
  curl -s -H "Authorization: Bearer $TOKEN" "${url}/api/v1/audit/logs?limit=5"

  # one vault's state, with the seconds until its price expires
  curl -s -H "Authorization: Bearer $TOKEN" ${url}/api/v1/vaults/${deployment.chainId}/${vault}

  # how the keepers of that vault are doing
  curl -s -H "Authorization: Bearer $TOKEN" ${url}/api/v1/vaults/${deployment.chainId}/${vault}/services

  # what the engine set out to do last, and the outcome
  curl -s -H "Authorization: Bearer $TOKEN" "${url}/api/v1/intents?limit=5"

  # redemptions paid out, reported and seen onchain
  curl -s -H "Authorization: Bearer $TOKEN" "${url}/api/v1/fulfill-redeems/executions?limit=5"

  # the shard of a vault under an emergency exit, with its locks
  curl -s -H "Authorization: Bearer $TOKEN" ${url}/api/v1/engine/shards/${deployment.chainId}:${deployment.trios.exiting.vault}/state

  # the channels that get that vault's alerts
  curl -s -H "Authorization: Bearer $TOKEN" ${url}/api/v1/vaults/${deployment.chainId}/${vault}/notification-channels

The chain's node answers at ${rpcUrl}
Configuration: ${configPath}
Log:           ${logPath}

Ctrl-C ends it; the next start continues from there.
`;
}
