// The human reference: `/docs` draws `/openapi.json` with Scalar's viewer, `/docs/errors` lists the catalogue. Everything comes from this
// service: the pages' policy lets them load and call no other host, and the viewer is told not to try.
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import scalar from "@scalar/fastify-api-reference";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ERRORS } from "../../errors.ts";
import { polled, takesGzip } from "../etag.ts";
import { renderOpenApi } from "./openapi.ts";

/** The viewer sets styles from its script, which needs `unsafe-inline` for styles; scripts run from this service's files alone. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Adds `/openapi.json`, `/docs` and what it loads. */
export function addDocs(app: FastifyInstance): void {
  const open = {
    schema: { hide: true },
    config: { permission: "public", contentSecurityPolicy: PAGE_POLICY },
  } as const;
  let description: string | null = null;
  app.get("/openapi.json", open, (request, reply) => {
    description ??= renderOpenApi(app);
    return polled(request, reply, description, { publicMaxAgeSeconds: 60 });
  });
  app.get("/docs", open, (request, reply) => page(request, reply, PAGE));
  app.get("/docs/", open, (request, reply) => page(request, reply, PAGE));
  app.get("/docs/errors", open, (request, reply) => page(request, reply, ERRORS_PAGE));
  app.get("/docs/start.js", open, (request, reply) =>
    polled(request, reply, START, { contentType: "text/javascript; charset=utf-8", publicMaxAgeSeconds: 60 }),
  );
  app.get("/docs/viewer.js", open, async (request, reply) => {
    const { plain, packed, etag } = await viewer();
    reply.header("vary", "Accept-Encoding");
    const isPacked = takesGzip(request);
    if (isPacked) reply.header("content-encoding", "gzip");
    return polled(request, reply, isPacked ? packed : plain, {
      etag: isPacked ? `"${etag}-gzip"` : `"${etag}"`,
      contentType: "text/javascript; charset=utf-8",
      publicMaxAgeSeconds: 3600,
    });
  });
}

function page(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
  return polled(request, reply, html, { contentType: "text/html; charset=utf-8", publicMaxAgeSeconds: 60 });
}

interface Viewer {
  plain: Buffer;
  packed: Buffer;
  etag: string;
}

let loading: Promise<Viewer> | null = null;

/** The viewer's one file. The package only serves it as a route of its plugin, so that route is asked for it, once, when first needed. */
function viewer(): Promise<Viewer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Viewer> {
  const host = Fastify();
  await host.register(scalar, { routePrefix: "/", configuration: { url: "/openapi.json" } });
  const { rawPayload, statusCode } = await host.inject("/js/scalar.js");
  await host.close();
  if (statusCode !== 200) throw new Error("the reference viewer is missing from its package");
  return {
    plain: rawPayload,
    packed: await promisify(gzip)(rawPayload),
    etag: hash("sha1", rawPayload, "base64url"),
  };
}

/** The viewer's own grey is too faint to read (WCAG 2.2, 1.4.3). */
const GREY_CSS =
  ".light-mode.light-mode { --scalar-color-3: #666 } .dark-mode.dark-mode { --scalar-color-3: #999 }";

const START = `Scalar.createApiReference("#app", {
  url: "/openapi.json",
  customCss: "${GREY_CSS}",
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  persistAuth: false,
});
// The viewer makes each list of examples a landmark, and all of them under one name: a page of a hundred landmarks is one without any.
const asGroups = () => {
  for (const card of document.querySelectorAll('.response-card[role="region"]')) card.setAttribute("role", "group");
};
new MutationObserver(asGroups).observe(document.querySelector("#app"), { childList: true, subtree: true });
`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>VaultOps API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/viewer.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const ERRORS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>VaultOps API: errors</title>
    <link rel="icon" href="data:,">
    <style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem } :target { background: #fff3b0; color: #000 }</style>
  </head>
  <body>
    <main>
    <h1>Errors</h1>
    <p>Every answer with a status of 400 or above is a problem document (RFC 9457). Decide by its <code>code</code>.</p>
    <dl>
${Object.entries(ERRORS)
  .map(
    ([code, { status, title, description }]) =>
      `      <dt id="${code}"><code>${code}</code> · ${status} ${title}</dt><dd>${inline(description)}</dd>`,
  )
  .join("\n")}
    </dl>
    <p><a href="/docs">API reference</a></p>
    </main>
  </body>
</html>
`;

/** Markdown's code spans as HTML; everything else as text. */
function inline(text: string): string {
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return escaped.replace(/`([^`]*)`/g, "<code>$1</code>");
}
