// Pictures of the messages for docs/guides/channels.md: what the providers' files build is drawn as people see it.
// node scripts/message-pictures.ts, with VAULTOPS_CHROMIUM naming a Chromium (default: chromium). Writes docs/images/messages.png and incident.png.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Notice } from "../server/src/features/channels/notice/notice.ts";
import { escapeHtml } from "../server/src/features/channels/notice/text.ts";
import type { ChannelConfig } from "../server/src/features/channels/providers/provider.ts";
import type { ProviderName } from "../server/src/features/channels/providers/registry.ts";
import { PROVIDERS } from "../server/src/features/channels/providers/registry.ts";
import { ALERTS_URL, incident, noticeOf } from "../server/test/notices.ts";

type Json = Record<string, unknown>;

const CONFIGS: Partial<Record<ProviderName, ChannelConfig>> = {
  slack: { webhook_url: "https://hooks.slack.com/services/T/B/k" },
  discord: { webhook_url: "https://discord.com/api/webhooks/1/k" },
  telegram: { bot_token: "1:k", chat_id: "1" },
  pagerduty: { routing_key: "k".repeat(32) },
  opsgenie: { api_key: "k".repeat(36) },
  teams: { webhook_url: "https://teams.example/k" },
  email: { to: "duty@example.org" },
};
const CONTEXT = {
  alertsUrl: ALERTS_URL,
  nowSeconds: 0,
  messageId: "id",
  from: "VaultOps <alerts@vaults.example>",
};

const DRAWN: Partial<Record<ProviderName, (body: Json) => string>> = {
  slack: ({ blocks }) =>
    (blocks as Json[])
      .map(({ type, text, fields, elements }) => {
        const of = (part: unknown) => slackHtml(String((part as Json).text));
        if (type === "header") return `<h3>${of(text)}</h3>`;
        if (type === "context") return `<p class="small">${(elements as Json[]).map(of).join(" ")}</p>`;
        if (fields !== undefined)
          return `<div class="grid">${(fields as Json[]).map((one) => `<p>${of(one)}</p>`).join("")}</div>`;
        return `<p>${of(text)}</p>`;
      })
      .join(""),
  discord: ({ content, embeds }) =>
    `<p>${markdownHtml(String(content))}</p>${(embeds as Json[])
      .map(({ title, description, color, fields }) => {
        const bar = `#${Number(color).toString(16).padStart(6, "0")}`;
        const rows = ((fields ?? []) as Json[]).map(
          ({ name, value }) => `<p><b>${escapeHtml(String(name))}</b><br>${markdownHtml(String(value))}</p>`,
        );
        const head = title === undefined ? "" : `<h3>${escapeHtml(String(title))}</h3>`;
        return `<div class="embed" style="border-color:${bar}">${head}<p>${markdownHtml(String(description))}</p>${rows.join("")}</div>`;
      })
      .join("")}`,
  telegram: ({ text }) => `<p class="bubble">${text}</p>`,
  pagerduty: ({ event_action: action, payload, links }) => {
    const { summary, severity, source, custom_details: details } = payload as Json;
    const rows = Object.entries(details as Json).map(
      ([name, value]) => `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(String(value))}</td></tr>`,
    );
    const anchors = (links as Json[]).map(({ text }) => `<a>${escapeHtml(String(text))}</a>`).join(" · ");
    return `<p><span class="chip">${action}</span> <span class="chip">${severity}</span></p><h3>${escapeHtml(String(summary))}</h3><p>${escapeHtml(String(source))}</p><table>${rows.join("")}</table><p>${anchors}</p>`;
  },
  opsgenie: ({ message, priority, tags, description }) =>
    `<p><span class="chip">${priority}</span> ${(tags as string[]).map((tag) => `<span class="chip">${tag}</span>`).join(" ")}</p><h3>${escapeHtml(String(message))}</h3><p>${escapeHtml(String(description))}</p>`,
  teams: ({ attachments }) => {
    const [{ content }] = attachments as [{ content: { body: { inlines: Json[] }[]; actions: Json[] } }];
    const run = ({ text, weight, selectAction }: Json) => {
      const escaped = escapeHtml(String(text));
      if (selectAction !== undefined) return `<a>${escaped}</a>`;
      return weight === undefined ? escaped : `<b>${escaped}</b>`;
    };
    const paragraphs = content.body.map(({ inlines }) => `<p>${inlines.map(run).join("")}</p>`);
    return (
      paragraphs.join("") +
      content.actions.map(({ title }) => `<span class="button">${title}</span>`).join(" ")
    );
  },
};

function slackHtml(text: string): string {
  return text
    .replace(/<[^|>]+\|([^>]*)>/g, "\u0001$1\u0002")
    .replace(/\*([^*\n]+)\*/g, "<b>$1</b>")
    .replaceAll("\u0001", "<a>")
    .replaceAll("\u0002", "</a>");
}

function markdownHtml(text: string): string {
  const links = text
    .replace(/\[((?:\\.|[^\]])*)\]\(<[^>]*>\)/g, "\u0001$1\u0002")
    .replace(/\*\*((?:\\.|[^*])+)\*\*/g, "\u0003$1\u0004");
  const plain = escapeHtml(links.replace(/\\(.)/g, "$1"));
  return plain
    .replaceAll("\u0001", "<a>")
    .replaceAll("\u0002", "</a>")
    .replaceAll("\u0003", "<b>")
    .replaceAll("\u0004", "</b>");
}

function drawn(provider: ProviderName, notices: readonly Notice[]): string {
  const message = PROVIDERS[provider].build(notices, CONFIGS[provider] as ChannelConfig, CONTEXT);
  const inner =
    message.kind === "mail"
      ? `<p class="small">Subject: ${escapeHtml(message.subject)}</p>${message.html
          .replace(/^.*?<body>|<\/body>.*$/gs, "")
          .replaceAll("<h2", "<h3")
          .replaceAll("</h2>", "</h3>")}`
      : DRAWN[provider]?.(JSON.parse(message.body));
  return `<section class="${provider}"><h4>${PROVIDERS[provider].title}</h4><div class="card">${withDots(String(inner))}</div></section>`;
}

/** A machine that draws these may have no emoji. */
const DOTS: Record<string, string> = { "🔴": "#d92d20", "🟠": "#f79009", "🔵": "#2e90fa", "✅": "#12b76a" };

function withDots(html: string): string {
  return html.replace(/🔴|🟠|🔵|✅|&#128308;|&#55357;&#56628;/g, (sign) => {
    const color = DOTS[sign] ?? "#d92d20";
    return `<i style="display:inline-block;width:.8em;height:.8em;border-radius:50%;background:${color}"></i>`;
  });
}

const STYLE = `
  body { margin: 0; padding: 24px; background: #eef1f5; font: 14px/1.45 "Inter", "DejaVu Sans", system-ui, sans-serif; color: #1d2939; }
  main { columns: 2; column-gap: 24px; }
  section { break-inside: avoid; margin-bottom: 20px; }
  h4 { margin: 0 0 6px; color: #475467; } h3 { margin: 4px 0; font-size: 16px; } p { margin: 6px 0; white-space: pre-line; overflow-wrap: anywhere; }
  .card { background: #fff; border: 1px solid #d0d5dd; border-radius: 8px; padding: 12px 16px; }
  a { color: #1264a3; text-decoration: underline; } .small { font-size: 12px; color: #475467; }
  .grid { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 16px; }
  .discord .card { background: #313338; color: #dbdee1; border-color: #313338; } .discord a { color: #00a8fc; }
  .embed { background: #2b2d31; border-left: 4px solid; border-radius: 4px; padding: 8px 12px; margin: 6px 0; }
  .telegram .card { background: #d5e4ef; } .bubble { background: #fff; border-radius: 12px; padding: 10px 14px; }
  .chip { background: #eef1f5; border-radius: 4px; padding: 1px 8px; font-size: 12px; }
  table { border-collapse: collapse; font-size: 13px; } td { padding: 1px 12px 1px 0; vertical-align: top; }
  .button { display: inline-block; border: 1px solid #5b5fc7; color: #5b5fc7; border-radius: 4px; padding: 3px 10px; margin-top: 6px; }
`;

function picture(file: string, size: string, sections: readonly string[]): void {
  const dir = mkdtempSync(join(tmpdir(), "message-pictures-"));
  const page = join(dir, "page.html");
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><main>${sections.join("")}</main>`,
  );
  mkdirSync(join(import.meta.dirname, "../docs/images"), { recursive: true });
  const target = join(import.meta.dirname, "../docs/images", file);
  const options = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    `--user-data-dir=${dir}`,
  ];
  execFileSync(
    process.env.VAULTOPS_CHROMIUM ?? "chromium",
    [...options, `--window-size=${size}`, `--screenshot=${target}`, `file://${page}`],
    { stdio: "ignore" },
  );
  rmSync(dir, { recursive: true });
  console.log(`wrote docs/images/${file}`);
}

const CHATS: ProviderName[] = ["slack", "discord", "telegram", "teams", "email", "pagerduty", "opsgenie"];
picture("messages.png", "1180,1600", [
  ...CHATS.map((provider) => drawn(provider, [noticeOf()])),
  drawn("slack", [noticeOf("resolved")]),
]);
const storm = [
  ...incident(140),
  ...incident(36, {
    category: "keeper_run",
    severity: "warning",
    title: "Fulfill redeems fails",
    next_step: "Read the keeper's log for the failed runs.",
  }),
  ...incident(21, {
    category: "emergency_pause",
    title: "Vault paused",
    next_step: "Find out who paused the vault and why.",
  }),
  ...incident(3).map((notice): Notice => ({ ...notice, form: "resolved" })),
];
picture("incident.png", "1180,1330", [drawn("telegram", storm), drawn("discord", storm)]);
