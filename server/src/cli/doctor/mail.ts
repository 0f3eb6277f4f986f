// The mail server: connected to, greeted, and signed in to where a password is given. No mail is sent.
import { createTransport } from "nodemailer";
import { mailServerOf } from "../../features/channels/send/mail.ts";
import { type Check, fault, ok, warning } from "./check.ts";

const TIMEOUT_MS = 10_000;

export const mail: Check = {
  name: "mail",
  looksAt:
    "the mail server answers, by TLS where a password goes to it, and takes the password; no mail is sent",
  async run({ config }) {
    const { url, oauth2 } = config.smtp;
    if (url === null) return [];
    const server = mailServerOf(url, oauth2.token_url !== null);
    const name = `${server.host}:${server.port}`;
    const transport = createTransport({
      ...server,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
    try {
      await transport.verify();
    } catch (error) {
      const { code, responseCode } = error as { code?: string; responseCode?: number };
      const why = [code, responseCode].filter((part) => part !== undefined).join(" ") || "network error";
      return [
        fault(`${name} cannot be used (${why})`, MENDS[code ?? ""] ?? "look whether this machine reaches it"),
      ];
    } finally {
      transport.close();
    }
    if (server.secure || server.requireTLS) return [ok(`${name} answers, by TLS`)];
    return [
      warning(
        `${name} answers; mails may go to it unencrypted`,
        "use smtps://, or a password, which asks for TLS",
      ),
    ];
  },
};

const MENDS: Record<string, string> = {
  EAUTH: "mend the user and the password in smtp.url, or use smtp.oauth2",
  ETLS: "use a server that offers STARTTLS, or smtps://: a password is not sent in the clear",
  EDNS: "mend the host in smtp.url",
};
