// A mail server on the loopback, as strict as RFC 5321 about lines, that keeps what it takes at the end of DATA and fails when told to.

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** By lower-case name, unfolded. A header given twice stands twice, joined by a line feed. */
  headers: Record<string, string>;
  /** The whole message as it was sent. */
  raw: string;
}

/** An answer instead of the usual one, at that command. `drip`: the greeting comes a byte at a time. `hang`: no answer comes. */
export type MailFault =
  | { at: "MAIL" | "RCPT" | "DATA" | "END" | "AUTH"; answer: string }
  | "drip"
  | "hang"
  | "reset";

export interface MailReceiver {
  url: string;
  mails: ReceivedMail[];
  /** Every line that came in, commands and data. */
  lines: string[];
  fail(...faults: MailFault[]): void;
  stop(): Promise<void>;
}

export async function startMailReceiver(
  options: {
    port?: number;
    onMail?(mail: ReceivedMail): void;
    /** Speaks TLS from the first byte on. */
    tls?: { key: string; cert: string };
    /** Takes mail only of who signs in by XOAUTH2 with a token that this says is good. */
    takesToken?(user: string, token: string): boolean;
  } = {},
): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const lines: string[] = [];
  const faults: MailFault[] = [];
  const sockets = new Set<Socket>();

  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    const fault = faults.shift();
    if (fault === "reset") return socket.resetAndDestroy();
    if (fault === "drip") {
      const timer = setInterval(() => socket.write("2"), 20);
      socket.on("close", () => clearInterval(timer));
      return;
    }
    if (fault !== "hang") serve(socket, fault);
  };
  const server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept);

  function serve(socket: Socket, fault: Exclude<MailFault, string> | undefined): void {
    let mail = { from: "", to: [] as string[] };
    let data: string[] | null = null;
    let isSignedIn = options.takesToken === undefined;
    let buffer = "";
    const say = (text: string) => socket.write(`${text}\r\n`);
    const answer = (at: Exclude<MailFault, string>["at"], usual: string) =>
      say(fault?.at === at ? fault.answer : usual);
    say("220 receiver ESMTP");
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      buffer += chunk;
      for (let end = buffer.indexOf("\r\n"); end >= 0; end = buffer.indexOf("\r\n")) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        take(line);
      }
    });

    function take(line: string): void {
      lines.push(line);
      // A bare CR or LF, or a line that is too long, is no line of a mail.
      if (/[\r\n]/.test(line) || line.length > 998) return void say("500 bad line");
      if (data !== null) {
        if (line !== ".") return void data.push(line.startsWith(".") ? line.slice(1) : line);
        const raw = data.join("\r\n");
        data = null;
        const isTaken = fault?.at !== "END";
        if (isTaken) {
          const received = { ...mail, headers: headersOf(raw), raw };
          mails.push(received);
          options.onMail?.(received);
        }
        return void answer("END", "250 taken");
      }
      const [, verb = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
      switch (verb.toUpperCase()) {
        case "EHLO":
          say("250-receiver");
          return void say(options.takesToken === undefined ? "250 AUTH PLAIN LOGIN" : "250 AUTH XOAUTH2");
        case "HELO":
        case "RSET":
          return void say("250 ok");
        case "AUTH":
          if (options.takesToken !== undefined) {
            // user={user}^Aauth=Bearer {token}^A^A
            const given = Buffer.from(rest.replace(/^XOAUTH2 /, ""), "base64").toString("latin1");
            const [user = "", token = ""] = given.split("\x01");
            isSignedIn = options.takesToken(user.slice("user=".length), token.slice("auth=Bearer ".length));
            return void say(isSignedIn ? "235 signed in" : "535 5.7.3 Authentication unsuccessful");
          }
          return void answer("AUTH", "235 signed in");
        case "MAIL":
          if (!isSignedIn) return void say("530 5.7.57 Client not authenticated");
          mail = { from: addressOf(rest), to: [] };
          return void answer("MAIL", "250 ok");
        case "RCPT": {
          const isRefused = fault?.at === "RCPT";
          if (!isRefused) mail.to.push(addressOf(rest));
          return void answer("RCPT", "250 ok");
        }
        case "DATA":
          if (fault?.at !== "DATA") data = [];
          return void answer("DATA", "354 go on");
        case "QUIT":
          say("221 bye");
          return void socket.end();
        default:
          return void say("502 what");
      }
    }
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `${options.tls === undefined ? "smtp" : "smtps"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    lines,
    fail: (...more) => void faults.push(...more),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function addressOf(text: string): string {
  return /<([^>]*)>/.exec(text)?.[1] ?? "";
}

function headersOf(raw: string): Record<string, string> {
  const [head = ""] = raw.split("\r\n\r\n");
  const headers: Record<string, string> = {};
  for (const line of head.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const at = line.indexOf(":");
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  return headers;
}
