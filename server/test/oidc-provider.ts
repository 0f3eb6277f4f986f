// A small OpenID Connect provider for tests: real HTTP on the loopback, real signatures, the authorization code flow with PKCE (S256), a
// session by cookie for `prompt=none`, and its name in its answers (RFC 9207).
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { SignJWT } from "jose";
import { freePort } from "./free-port.ts";
import { makeKey } from "./issuer.ts";

export interface OidcProvider {
  /** Its URL, and the name in its tokens. */
  issuer: string;
  jwksUrl: string;
  /** Whom the next sign-in is of. */
  wallet: string;
  /** How long its tokens live. */
  tokenSeconds: number;
  /** Claims to add to the next ID token or, with `undefined`, to leave out. */
  claims: Record<string, unknown>;
  /** Members of the metadata to change. */
  metadata: Record<string, unknown>;
  /** Changes the address to which it sends somebody back, for answers that are wrong in one chosen way. */
  onReturn: (back: URL) => void;
  /** What came to the authorization endpoint, oldest first. */
  asked: URLSearchParams[];
  /** What the token endpoint answers instead of a token. */
  failure: { status: number; body: unknown } | null;
  stop(): Promise<void>;
}

interface Grant {
  clientId: string;
  redirectUri: string;
  challenge: string;
  nonce: string | null;
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const key = await makeKey("ES256");
  const grants = new Map<string, Grant>();
  const sessions = new Set<string>();

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url as string, issuer);
    switch (`${request.method} ${url.pathname}`) {
      case "GET /.well-known/openid-configuration":
        return json(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: provider.jwksUrl,
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          ...provider.metadata,
        });
      case "GET /jwks":
        return json(response, 200, { keys: [key.publicJwk] });
      case "GET /authorize":
        return authorize(request, url.searchParams, response);
      case "POST /login":
        return login(url.searchParams, response);
      case "POST /token":
        return token(new URLSearchParams(await textOf(request)), response);
      default:
        return json(response, 404, {});
    }
  }

  function authorize(request: IncomingMessage, asked: URLSearchParams, response: ServerResponse): void {
    provider.asked.push(asked);
    const cookie = /session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1];
    if (cookie !== undefined && sessions.has(cookie)) sendBack(asked, response);
    else if (asked.get("prompt") === "none") sendBack(asked, response, "login_required");
    else {
      response.setHeader("content-type", "text/html");
      const action = `/login?${asked.toString().replaceAll('"', "&quot;")}`;
      response.end(
        `<!doctype html><title>Provider</title><form method="post" action="${action}"><button>Log in</button></form>`,
      );
    }
  }

  function login(asked: URLSearchParams, response: ServerResponse): void {
    const session = randomUUID();
    sessions.add(session);
    response.setHeader("set-cookie", `session=${session}; HttpOnly; Path=/`);
    sendBack(asked, response);
  }

  function sendBack(asked: URLSearchParams, response: ServerResponse, error?: string): void {
    const back = new URL(asked.get("redirect_uri") as string);
    back.searchParams.set("state", asked.get("state") as string);
    back.searchParams.set("iss", issuer);
    if (error !== undefined) back.searchParams.set("error", error);
    else {
      const code = randomUUID();
      grants.set(code, {
        clientId: asked.get("client_id") as string,
        redirectUri: asked.get("redirect_uri") as string,
        challenge:
          asked.get("code_challenge_method") === "S256" ? (asked.get("code_challenge") as string) : "",
        nonce: asked.get("nonce"),
      });
      back.searchParams.set("code", code);
    }
    provider.onReturn(back);
    response.writeHead(303, { location: back.href });
    response.end();
  }

  async function token(form: URLSearchParams, response: ServerResponse): Promise<void> {
    if (provider.failure !== null) return json(response, provider.failure.status, provider.failure.body);
    const code = form.get("code") as string;
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      form.get("grant_type") === "authorization_code" &&
      grant?.clientId === form.get("client_id") &&
      grant.redirectUri === form.get("redirect_uri") &&
      grant.challenge === challenge;
    if (grant === undefined || !isGood) return json(response, 400, { error: "invalid_grant" });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: grant.clientId,
      sub: "user-1",
      iat: now,
      exp: now + provider.tokenSeconds,
      wallet_address: provider.wallet,
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
      ...provider.claims,
    };
    const header = { alg: key.algorithm, kid: key.kid, typ: "JWT" };
    const id_token = await new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey);
    json(response, 200, { id_token, access_token: randomUUID(), token_type: "Bearer" });
  }

  const provider: OidcProvider = {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    wallet: "",
    tokenSeconds: 3_600,
    claims: {},
    metadata: {},
    onReturn: () => {},
    asked: [],
    failure: null,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return provider;
}

/** Logs in at the provider as a browser would; what a page has in hand when it is back, ready to be exchanged. */
export async function logInAt({ issuer }: OidcProvider, clientId: string, redirectUri: string) {
  const codeVerifier = randomBytes(32).toString("base64url");
  const asked = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid",
    state: "s",
    nonce: "n",
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const answer = await fetch(`${issuer}/login?${asked}`, { method: "POST", redirect: "manual" });
  const code = new URL(answer.headers.get("location") as string).searchParams.get("code") as string;
  return { issuer, code, code_verifier: codeVerifier, redirect_uri: redirectUri };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
