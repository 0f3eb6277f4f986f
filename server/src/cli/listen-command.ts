// The command `vaultops listen`: with a private key it makes an endpoint at the service for as long as it runs.
import type { Hex } from "viem";
import { isWebhookSecret } from "../delivery/standard-webhooks.ts";
import { listen } from "./listen.ts";
import { type TokenRequestOptions, tokenCommand } from "./sign-in.ts";

export interface ListenCommandOptions {
  port: number;
  forwardTo: string | null;
  baseUrl: string;
  /** A manager's; null: no endpoint is made. */
  privateKey: string | null;
  /** Of an endpoint that exists; null: nothing is verified. */
  secret: string | null;
  print(line: string): void;
  signal: AbortSignal;
}

export async function listenCommand(options: ListenCommandOptions): Promise<number> {
  const { print, privateKey, baseUrl, forwardTo } = options;
  let { secret } = options;
  if (secret !== null && !isWebhookSecret(secret))
    throw new Error("VAULTOPS_WEBHOOK_SECRET is not whsec_ and a key in base64.");
  if (forwardTo !== null && URL.parse(forwardTo) === null) throw new Error("--forward-to is not a URL.");
  let endpoint: Endpoint | null = null;
  try {
    await listen({ ...options, secret: () => secret }, async (url) => {
      if (privateKey !== null) {
        endpoint = await makeEndpoint({ baseUrl, privateKey: privateKey as Hex }, url);
        secret = endpoint.secret;
      }
      print(`listening on ${url}${endpoint === null ? "" : ` for ${baseUrl}`}`);
    });
  } finally {
    await (endpoint as Endpoint | null)?.remove();
  }
  return 0;
}

interface Endpoint {
  secret: string;
  remove(): Promise<void>;
}

/** An endpoint of the service at that URL. */
async function makeEndpoint(account: TokenRequestOptions, url: string): Promise<Endpoint> {
  const collection = new URL("/api/v1/webhooks", account.baseUrl);
  const response = await fetch(collection, {
    method: "POST",
    headers: { authorization: `Bearer ${await tokenCommand(account)}`, "content-type": "application/json" },
    body: JSON.stringify({ url, description: "vaultops listen" }),
  });
  const made = (await response.json()) as { id: string; secret: string; detail?: string };
  if (response.status !== 201)
    throw new Error(`The service made no endpoint: ${made.detail ?? response.status}`);
  return { secret: made.secret, remove: () => removeEndpoint(account, `${collection}/${made.id}`) };
}

async function removeEndpoint(account: TokenRequestOptions, endpoint: string): Promise<void> {
  try {
    // Signed in again: a session lasts an hour, and who develops listens longer.
    const headers = { authorization: `Bearer ${await tokenCommand(account)}` };
    const { status } = await fetch(endpoint, { method: "DELETE", headers });
    if (status !== 204 && status !== 404) throw new Error(`The service answered ${status}.`);
  } catch (error) {
    throw new Error(
      `The endpoint is left behind: ${(error as Error).message} Delete it later: DELETE ${endpoint}`,
    );
  }
}
