// Mail, over the configured SMTP server: plain text and HTML beside it. No header holds a line end.
import { Type } from "typebox";
import { type Digest, digest, type Line } from "../notice/digest.ts";
import { headlineOf, type Notice, type Told, tell } from "../notice/notice.ts";
import { cleanLine, cut, escapeHtml } from "../notice/text.ts";
import type { Provider } from "./provider.ts";

const MAX_SUBJECT = 200;
const MAX_RECIPIENTS = 20;
const ADDRESS = "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?";

export const email: Provider = {
  provider: "email",
  title: "Email",
  configSchema: Type.Object(
    {
      to: Type.String({
        title: "To",
        description: `Addresses, separated by commas, ${MAX_RECIPIENTS} at most. Each is first asked by mail whether it wants alerts.`,
        pattern: `^${ADDRESS}(?: ?, ?${ADDRESS}){0,${MAX_RECIPIENTS - 1}}$`,
        maxLength: 4096,
      }),
    },
    { additionalProperties: false },
  ),
  secrets: [],
  isGrouping: true,
  isBoundToTrigger: false,
  minIntervalMs: 1000,
  build(notices, config, { alertsUrl, from, messageId }) {
    const [only] = notices;
    const content =
      notices.length === 1 && only !== undefined ? single(tell(only)) : many(notices, alertsUrl);
    const domain = /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? "vaultops.invalid";
    return {
      kind: "mail",
      from,
      to: addressesOf(config.to as string),
      messageId: `<${messageId}@${domain}>`,
      ...content,
      subject: cut(cleanLine(content.subject), MAX_SUBJECT),
    };
  },
  judge: () => ({ kind: "dead", reason: "mail is not sent over HTTP" }),
};

/** The addresses of a channel's `to`, as they are written. */
export function addressesOf(to: string): string[] {
  return to.split(",").map((address) => address.trim());
}

interface Content {
  subject: string;
  text: string;
  html: string;
}

function single(told: Told): Content {
  const facts = told.facts.map(({ name, value }) => `${name}: ${value}`);
  const links = told.links.map(({ text, url }) => `${text}: ${url}`);
  const rows = told.facts.map(
    ({ name, value }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#667085;vertical-align:top">${escapeHtml(name)}</td><td>${escapeHtml(value)}</td></tr>`,
  );
  const html = [
    `<h2 style="margin:0 0 8px">${escapeHtml(`${told.icon} ${headlineOf(told)}`)}</h2>`,
    ...(told.text === "" ? [] : [`<p style="white-space:pre-line">${escapeHtml(told.text)}</p>`]),
    `<table>${rows.join("")}</table>`,
    `<p>${told.links.map(({ text, url }) => link(text, url)).join(" &#183; ")}</p>`,
  ];
  return {
    subject: `[${told.word}] ${told.title}${told.vault === "" ? "" : ` · ${told.vault}`}`,
    text: [
      headlineOf(told),
      "",
      ...(told.text === "" ? [] : [told.text, ""]),
      ...facts,
      "",
      ...links,
      "",
    ].join("\n"),
    html: page(html),
  };
}

function many(notices: readonly Notice[], alertsUrl: string): Content {
  const room = 200_000;
  const all: Digest = digest(notices, alertsUrl, {
    measure: (line) => htmlOf(line).length + 6,
    groupMax: room,
    totalMax: room,
    maxGroups: 100,
  });
  const parts = [...all.groups.map(({ lines }) => lines), ...(all.rest === null ? [] : [[all.rest]])];
  return {
    subject: `[VaultOps] ${all.title}`,
    text: [all.title, "", ...parts.map((lines) => `${lines.map(textOf).join("\n")}\n`)].join("\n"),
    html: page([
      `<h2 style="margin:0 0 8px">${escapeHtml(`${all.icon} ${all.title}`)}</h2>`,
      ...parts.map((lines) => `<p>${lines.map(htmlOf).join("<br>\n")}</p>`),
    ]),
  };
}

function page(parts: readonly string[]): string {
  const style = "font:15px/1.5 system-ui,sans-serif;color:#101828;max-width:640px";
  return `<!doctype html><html><body><div style="${style}">\n${parts.join("\n")}\n</div></body></html>\n`;
}

function textOf(line: Line): string {
  return line.map(({ text, url }) => (url === undefined ? text : `${text} <${url}>`)).join("");
}

function htmlOf(line: Line): string {
  return line
    .map(({ text, isBold, url }) => {
      if (url !== undefined) return link(text, url);
      return isBold ? `<b>${escapeHtml(text)}</b>` : escapeHtml(text);
    })
    .join("");
}

function link(text: string, url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
}
