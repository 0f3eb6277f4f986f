// Mail out: over the SMTP server of the operator's configuration, one connection for a message and one deadline for all of it. A message
// counts as sent when the server has taken it at the end of its data.
import { connect, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { MailMessage, Verdict } from "../providers/provider.ts";
import { TokenError, type TokenSource } from "./mail-token.ts";

export interface Mailer {
  /** Sends the message. Never throws. */
  send(
    message: MailMessage,
    limits: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Verdict & { excerpt?: string }>;
}

const MAX_RESPONSE_BYTES = 65_536;

/** How a transport reaches the server of the URL: smtp:// or smtps://, with user and password where the server asks for them. */
export function mailServerOf(url: string, isByToken: boolean) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    // Neither a password nor a token is ever sent in the clear.
    requireTLS: !isSecure && (password !== "" || isByToken),
    ...(username === "" || isByToken
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxResponseSize: MAX_RESPONSE_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * `smtp.url` is read for each message, since its file may change; null: no mail can be sent. `tokens`: what stands in for the password, by
 * XOAUTH2.
 */
export function createMailer(smtp: { url: string | null }, tokens: TokenSource | null = null): Mailer {
  if (smtp.url === null)
    return { send: async () => ({ kind: "dead", reason: "no mail server is configured (smtp.url)" }) };

  async function sendOnce(
    { from, to, subject, text, html, messageId }: MailMessage,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
    token: string | null,
  ): Promise<Verdict & { excerpt?: string; isSignInRefused?: boolean }> {
    const url = smtp.url as string;
    const settings = mailServerOf(url, tokens !== null);
    const user = decodeURIComponent(new URL(url).username);
    let socket: Socket | null = null;
    const transport = createTransport({
      ...settings,
      ...(token === null ? {} : { auth: { type: "OAuth2", user, accessToken: token } as const }),
      // Its own times, each for a part, come after ours for the whole.
      connectionTimeout: 2 * timeoutMs,
      greetingTimeout: 2 * timeoutMs,
      socketTimeout: 2 * timeoutMs,
      getSocket(_options: unknown, callback: (error: Error | null, found?: { connection: Socket }) => void) {
        socket = connect(settings.port, settings.host);
        socket.once("error", (error) => callback(error));
        socket.once("connect", () => callback(null, { connection: socket as Socket }));
      },
    });
    // The connection ends with the time that there is, whatever the server does: a receiver that drips is cut off.
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const cutOff = () => socket?.destroy(new Error("cut off"));
    ended.addEventListener("abort", cutOff);
    try {
      const { rejected } = await transport.sendMail({ from, to, subject, text, html, messageId });
      if (rejected.length === 0) return { kind: "delivered" };
      return { kind: "delivered", excerpt: `refused for ${rejected.length} of ${to.length} addresses` };
    } catch (error) {
      return ended.aborted
        ? { kind: "retry", reason: `the mail server did not take the message within ${timeoutMs} ms` }
        : { ...verdictOf(error), isSignInRefused: (error as { code?: unknown }).code === "EAUTH" };
    } finally {
      ended.removeEventListener("abort", cutOff);
      transport.close();
      (socket as Socket | null)?.destroy();
    }
  }

  return {
    async send(message, limits) {
      if (tokens === null) return withoutSignIn(await sendOnce(message, limits, null));
      try {
        const token = await tokens.get();
        const first = await sendOnce(message, limits, token);
        if (first.isSignInRefused !== true) return withoutSignIn(first);
        // It may have been withdrawn before its time: once more, with a new one.
        tokens.drop(token);
        const next = await tokens.get();
        return withoutSignIn(next === token ? first : await sendOnce(message, limits, next));
      } catch (error) {
        if (error instanceof TokenError) return { kind: "retry", reason: error.message };
        throw error;
      }
    },
  };
}

function withoutSignIn({
  isSignInRefused: _,
  ...verdict
}: Verdict & { excerpt?: string; isSignInRefused?: boolean }) {
  return verdict;
}

/** A refusal of the message or its addresses is final; of the sign-in, or anything that breaks, is not: the operator may mend it. */
function verdictOf(error: unknown): Verdict {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode !== "number")
    return {
      kind: "retry",
      reason: `the mail server could not be used (${typeof code === "string" ? code : "network error"})`,
    };
  const reason = `the mail server answered ${responseCode}`;
  const isFinal = responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return { kind: isFinal ? "dead" : "retry", reason };
}
