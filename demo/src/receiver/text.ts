/** What a message that the receiver took says, without the provider's wrapping, for its page. */
import type { Received } from "../../../server/test/provider-receiver.ts";

export interface Readable {
  title: string;
  lines: string[];
}

type Json = Record<string, unknown>;

export function readable({ provider, body }: Pick<Received, "provider" | "body">): Readable {
  try {
    return READERS[provider](body ?? {});
  } catch {
    return { title: "not understood", lines: [JSON.stringify(body)] };
  }
}

const READERS: Record<Received["provider"], (body: Json) => Readable> = {
  slack: ({ text, blocks }) => ({
    title: fromSlack(String(text)),
    lines: (blocks as Json[]).flatMap((block) =>
      [block.text, ...((block.fields as Json[]) ?? []), ...((block.elements as Json[]) ?? [])]
        .filter((part) => block.type !== "header" && part !== undefined)
        .flatMap((part) => fromSlack(String((part as Json).text)).split("\n")),
    ),
  }),
  discord: ({ content, embeds }) => ({
    title: fromMarkdown(String(content)),
    lines: (embeds as Json[]).flatMap((embed) => [
      ...fromMarkdown(String(embed.description ?? "")).split("\n"),
      ...((embed.fields as Json[]) ?? []).map(({ name, value }) => `${name}: ${fromMarkdown(String(value))}`),
    ]),
  }),
  telegram: ({ text }) => {
    const [title = "", ...lines] = fromHtml(String(text)).split("\n");
    return { title, lines };
  },
  pagerduty: ({ event_action: action, payload, dedup_key: key }) => {
    const { summary, custom_details: details } = (payload ?? {}) as Json;
    const lines = Object.entries((details ?? {}) as Json).map(([name, value]) => `${name}: ${value}`);
    return { title: `${action}: ${summary ?? key}`, lines };
  },
  opsgenie: ({ message, priority, description, note }) => ({
    title: String(message ?? (description === undefined && priority ? `priority ${priority}` : "close")),
    lines: String(description ?? note ?? "").split("\n"),
  }),
  teams: ({ attachments }) => {
    const [{ content }] = attachments as [{ content: { body: { inlines: Json[] }[] } }];
    const [title = "", ...lines] = content.body.map(({ inlines }) =>
      inlines.map(({ text }) => text).join(""),
    );
    return { title, lines };
  },
  webhook: ({ event_type: type, data, vault_address: vault }) => {
    const { title, message } = (data ?? {}) as Json;
    const lines = [title, message].filter((line) => typeof line === "string") as string[];
    return { title: `${type}`, lines: lines.length > 0 ? lines : [`vault ${vault}`, JSON.stringify(data)] };
  },
};

function fromSlack(text: string): string {
  const plain = text.replace(/<[^|>]+\|([^>]*)>/g, "$1").replace(/(^|\s)\*(.+?)\*(?=\s|$)/gm, "$1$2");
  return plain.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function fromMarkdown(text: string): string {
  return text
    .replace(/\[((?:\\.|[^\]])*)\]\(<[^>]*>\)/g, "$1")
    .replaceAll("**", "")
    .replace(/\\(.)/g, "$1");
}

function fromHtml(text: string): string {
  return text.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
