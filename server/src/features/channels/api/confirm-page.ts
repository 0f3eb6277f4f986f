// The page behind the link in a mail: who opens it is shown a button, and only the button confirms. Programs that look through mails open
// links, so a GET changes nothing. It runs no script, loads nothing and is cached nowhere.
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../../../platform/db/db.ts";
import { escapeHtml } from "../notice/text.ts";
import { CONFIRM_PATH, nameOf } from "../send/confirmation-mail.ts";
import { type AskedAddress, confirmAddress, linkedAddress } from "../store/mail-addresses.ts";

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark;overflow-wrap:anywhere}button{font:inherit;padding:.5rem 1.25rem}";
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const open = {
  schema: { hide: true },
  config: {
    permission: "public",
    rateLimit: "challenge",
    contentSecurityPolicy: POLICY,
    headers: { "cache-control": "no-store" },
  },
} as const;

export function addConfirmPage(app: FastifyInstance, db: Pick<Database, "kysely">, publicUrl: string): void {
  const { host } = new URL(publicUrl);
  // What the form sends is empty; the token stands in the path.
  app.register(async (scope) => {
    const parser = (_request: FastifyRequest, _body: unknown, done: (error: null, body: object) => void) =>
      done(null, {});
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "buffer", bodyLimit: 1024 },
      parser,
    );
    scope.get(`${CONFIRM_PATH}/:token`, open, async (request, reply) => {
      const found = await linkedAddress(db.kysely, tokenOf(request));
      return found === null ? gone(reply) : page(reply, 200, "Confirm this address", asking(found, host));
    });
    scope.post(`${CONFIRM_PATH}/:token`, open, async (request, reply) => {
      const found = await confirmAddress(db.kysely, tokenOf(request));
      if (found === null) return gone(reply);
      const done = `<p>Alerts may now be sent to <b>${escapeHtml(found.address)}</b>. You can close this page.</p>`;
      return page(reply, 200, "Confirmed", done);
    });
  });
}

function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}

function asking({ address, owner }: AskedAddress, host: string): string {
  return [
    `<p>${nameOf(owner)} asks ${escapeHtml(host)} to send alerts about vaults to <b>${escapeHtml(address)}</b>.</p>`,
    // Without an action it goes to the page's own address, wherever a reverse proxy has put that.
    `<form method="post"><button type="submit">Confirm</button></form>`,
    "<p>If you do not know of this, close this page: nothing is sent.</p>",
  ].join("\n");
}

function gone(reply: FastifyReply): FastifyReply {
  const text =
    "<p>It was used, its three days are over, or a newer mail has replaced it. Ask for a new one on the channel's page.</p>";
  return page(reply, 404, "This link is no longer valid", text);
}

function page(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .send(
      `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>\n<body><main><h1>${title}</h1>\n${body}\n</main></body>\n</html>\n`,
    );
}
