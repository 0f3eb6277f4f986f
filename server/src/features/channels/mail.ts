// Mail out: over the SMTP server of the operator's configuration, one connection for a message and one deadline for all of it. A message
// counts as sent when the server has taken it at the end of its data.
import { connect, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { MailMessage, Verdict } from "./providers/provider.ts";

export interface Mailer {
  /** Sends the message. Never throws. */
  send(
    message: MailMessage,
    limits: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Verdict & { excerpt?: string }>;
}

const MAX_RESPONSE_BYTES = 65_536;

/** `url`: smtp:// or smtps://, with user and password where the server asks for them; null: no mail can be sent. */
export function createMailer(url: string | null): Mailer {
  if (url === null)
    return { send: async () => ({ kind: "dead", reason: "no mail server is configured (smtp.url)" }) };
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const settings = {
    host,
    port: port === "" ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    // A password is never sent in the clear.
    requireTLS: !isSecure && password !== "",
    ...(username === ""
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxResponseSize: MAX_RESPONSE_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  };

  return {
    async send({ from, to, subject, text, html, messageId }, { timeoutMs, signal }) {
      let socket: Socket | null = null;
      const transport = createTransport({
        ...settings,
        // Its own times, each for a part, come after ours for the whole.
        connectionTimeout: 2 * timeoutMs,
        greetingTimeout: 2 * timeoutMs,
        socketTimeout: 2 * timeoutMs,
        getSocket(
          _options: unknown,
          callback: (error: Error | null, found?: { connection: Socket }) => void,
        ) {
          socket = connect(settings.port, host);
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
          : verdictOf(error);
      } finally {
        ended.removeEventListener("abort", cutOff);
        transport.close();
        (socket as Socket | null)?.destroy();
      }
    },
  };
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
