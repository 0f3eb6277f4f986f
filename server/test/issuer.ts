// An identity provider for tests: a real HTTP server with a JWKS on the loopback, and a mint for tokens of the three profiles and
// for tokens that are wrong in one chosen way.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Algorithm } from "../src/auth/tokens/keys.ts";
import { freePort } from "./free-port.ts";

export const TEST_AUDIENCE = "https://vaultops.test";

export interface TokenOptions {
  /** The wallet, put where the profile has it. */
  wallet?: string;
  profile?: "dynamic" | "privy" | "generic";
  /** Seconds from now; default an hour. */
  expiresInSeconds?: number;
  /** Claims to add or, with `undefined`, to leave out. */
  claims?: Record<string, unknown>;
  /** Header members to add or, with `undefined`, to leave out. */
  header?: Record<string, unknown>;
  /** Sign with this key instead of the newest. */
  key?: SigningKey;
}

export interface SigningKey {
  kid: string;
  algorithm: Algorithm;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export interface TestIssuer {
  issuer: string;
  jwksUrl: string;
  /** How often the JWKS was asked for. */
  requests(): number;
  /** The keys served; may be replaced by anything, to serve a hostile set. */
  document: { keys: unknown[] } | unknown;
  /** The key that signs. */
  key: SigningKey;
  /** Makes a new key, publishes it (beside the old ones unless `alone`) and signs with it from now on. */
  rotate(options?: { alone?: boolean; kid?: string }): Promise<SigningKey>;
  token(options?: TokenOptions): Promise<string>;
  /** Closes the listener: connections are refused from now on. `resume` listens on the same port again. */
  stop(): Promise<void>;
  resume(): Promise<void>;
}

/** Starts the server with one key. Call `stop()` in the end. */
export async function startTestIssuer(
  options: { algorithm?: Algorithm; clockSeconds?: () => number } = {},
): Promise<TestIssuer> {
  const { algorithm = "ES256", clockSeconds = () => Math.floor(Date.now() / 1000) } = options;
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(testIssuer.document));
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const port = await freePort();
  await listen(port);
  const first = await makeKey(algorithm);

  const testIssuer: TestIssuer = {
    issuer: `http://127.0.0.1:${port}`,
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    requests: () => count,
    document: { keys: [first.publicJwk] },
    key: first,
    async rotate({ alone = false, kid } = {}) {
      testIssuer.key = await makeKey(algorithm, kid);
      const { keys } = testIssuer.document as { keys: unknown[] };
      testIssuer.document = {
        keys: alone ? [testIssuer.key.publicJwk] : [...keys, testIssuer.key.publicJwk],
      };
      return testIssuer.key;
    },
    token(asked = {}) {
      const key = asked.key ?? testIssuer.key;
      const now = clockSeconds();
      const claims = {
        iss: testIssuer.issuer,
        aud: TEST_AUDIENCE,
        sub: "user-1",
        iat: now,
        exp: now + (asked.expiresInSeconds ?? 3600),
        ...(asked.wallet === undefined ? {} : walletClaims(asked.profile ?? "generic", asked.wallet)),
        ...asked.claims,
      };
      const header = { alg: key.algorithm, kid: key.kid, typ: "JWT", ...asked.header };
      return new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    resume: () => listen(port),
  };
  return testIssuer;
}

/** A key pair with its public JWK. */
export async function makeKey(algorithm: Algorithm, kid: string = randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    kid,
    algorithm,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" },
  };
}

/** The claims in which a profile's tokens name one wallet. */
export function walletClaims(
  profile: "dynamic" | "privy" | "generic",
  wallet: string,
): Record<string, unknown> {
  switch (profile) {
    case "dynamic":
      return {
        verified_credentials: [
          { id: "cred-email", format: "email", email: "ops@vaultops.test" },
          {
            id: "cred-wallet",
            format: "blockchain",
            chain: "eip155",
            address: wallet,
            wallet_name: "metamask",
          },
        ],
        last_verified_credential_id: "cred-wallet",
        environment_id: "env-1",
      };
    case "privy":
      return {
        linked_accounts: JSON.stringify([
          { type: "email", address: "ops@vaultops.test", lv: 1_778_000_000 },
          {
            type: "wallet",
            address: wallet,
            chain_type: "ethereum",
            wallet_client_type: "metamask",
            lv: 1_778_000_000,
          },
        ]),
      };
    case "generic":
      return { wallet_address: wallet };
  }
}
