// A mail server that takes no password: it is signed in to by XOAUTH2, with tokens of a token endpoint. Both are real, on the loopback.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LOOPBACK_CERTIFICATE } from "../../../../test/loopback-certificate.ts";
import { type MailReceiver, startMailReceiver } from "../../../../test/smtp-receiver.ts";
import { createEgress } from "../../../platform/egress/egress.ts";
import { createMailer } from "./mail.ts";
import { createTokenSource, type TokenSettings } from "./mail-token.ts";

let endpoint: Server;
let mail: MailReceiver;
let asked: Record<string, string>[] = [];
/** The tokens that the mail server takes. */
const good = new Set<string>();
let answer: () => { status: number; body: unknown };
const egress = createEgress({ allowedNetworks: [], allowHttp: false });
const trusted = getCACertificates("default");

beforeAll(async () => {
  setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert]);
  endpoint = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push(Object.fromEntries(new URLSearchParams(body)));
    const { status, body: said } = answer();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  mail = await startMailReceiver({
    tls: LOOPBACK_CERTIFICATE,
    takesToken: (user, token) => user === "alerts@vaults.example" && good.has(token),
  });
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await egress.close();
  await mail.stop();
  await new Promise((resolve) => endpoint.close(resolve).closeAllConnections());
});
beforeEach(() => {
  let made = 0;
  answer = () => {
    made += 1;
    good.add(`token-${made}`);
    return { status: 200, body: { access_token: `token-${made}`, expires_in: 3600, token_type: "Bearer" } };
  };
});
afterEach(() => {
  asked = [];
  good.clear();
  mail.mails.length = 0;
});

function mailerBy(settings: Partial<TokenSettings> = {}) {
  const tokens = createTokenSource(egress, {
    token_url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`,
    client_id: "client",
    client_secret: "planted-secret",
    refresh_token: null,
    scope: "mail.send",
    ...settings,
  });
  return createMailer({ url: mail.url.replace("//", "//alerts%40vaults.example@") }, tokens);
}

const message = {
  kind: "mail" as const,
  from: "alerts@vaults.example",
  to: ["ops@example.org"],
  subject: "Alert",
  text: "text",
  html: "<p>text</p>",
  messageId: "<1@vaults.example>",
};
const send = (mailer: ReturnType<typeof mailerBy>) =>
  mailer.send(message, { timeoutMs: 120_000, signal: new AbortController().signal });

describe("a mail server that demands XOAUTH2", () => {
  test("takes mail signed in on the client's credentials, and a token serves until it runs out", async () => {
    const mailer = mailerBy();
    expect((await send(mailer)).kind).toBe("delivered");
    expect((await send(mailer)).kind).toBe("delivered");
    expect(mail.mails).toHaveLength(2);
    expect(asked).toEqual([
      {
        grant_type: "client_credentials",
        client_id: "client",
        client_secret: "planted-secret",
        scope: "mail.send",
      },
    ]);
  });

  test("takes mail signed in by a refresh token, and the newer one that comes with an answer is used next", async () => {
    const mailer = mailerBy({ client_secret: null, refresh_token: "refresh-1", scope: null });
    const usual = answer;
    answer = () => {
      const { status, body } = usual();
      return { status, body: { ...(body as object), refresh_token: "refresh-2" } };
    };
    await send(mailer);
    good.clear();
    expect((await send(mailer)).kind).toBe("delivered");
    expect(asked).toEqual([
      { grant_type: "refresh_token", client_id: "client", refresh_token: "refresh-1" },
      { grant_type: "refresh_token", client_id: "client", refresh_token: "refresh-2" },
    ]);
  });

  test("that takes a token no more before its time gets the same mail with a new one, once", async () => {
    const mailer = mailerBy();
    await send(mailer);
    good.clear();
    expect((await send(mailer)).kind).toBe("delivered");
    expect([mail.mails.length, asked.length]).toEqual([2, 2]);
  });

  test("that takes no token leaves the mail to be tried again, and nothing secret is said", async () => {
    answer = () => ({ status: 200, body: { access_token: `planted-${asked.length}`, expires_in: 3600 } });
    const verdict = await send(mailerBy());
    expect(verdict).toEqual({ kind: "retry", reason: "the mail server answered 535" });
    expect(asked).toHaveLength(2);
  });
});

test.each([
  [
    { status: 400, body: { error: "invalid_grant", error_description: "planted" } },
    "answered 400 invalid_grant",
  ],
  [{ status: 503, body: "planted" }, "answered 503"],
  [{ status: 200, body: { token: "planted" } }, "the answer contains none"],
])(
  "a token endpoint that gives none (%j) leaves the mail to be tried again, and says why",
  async (said, reason) => {
    answer = () => said;
    const verdict = await send(mailerBy());
    expect(verdict).toEqual({ kind: "retry", reason: `no access token for the mail server: ${reason}` });
    expect(mail.mails).toEqual([]);
  },
);
